"""One line of any known format, read into a draft. Formats are told apart by the line alone, so files may mix them."""

from __future__ import annotations

import csv
import html
import json
import re
from collections.abc import Callable
from dataclasses import replace

from rootproof.logs.access import read_access
from rootproof.logs.draft import Draft
from rootproof.logs.fields import from_fields, logfmt, otlp_records
from rootproof.logs.headers import level_in_words, read_header
from rootproof.logs.levels import LETTERS, level_field, syslog_level, windows_level
from rootproof.logs.timestamps import Clock, Stamp, stamp_at

_MAX_DEPTH = 3
_MAX_JSON_CHARS = 1 << 20

_ANSI = re.compile(r"\x1b(?:\[[0-?]{0,32}[ -/]{0,4}[@-~]|\][^\x07\x1b]{0,256}(?:\x07|\x1b\\)|[@-Z\\^_])")


def without_ansi(text: str) -> str:
    """`text` without terminal colours and titles."""
    return _ANSI.sub("", text) if "\x1b" in text else text


def read_line(text: str, clock: Clock, depth: int = 0) -> list[Draft]:
    """The drafts of one line: almost always one; several for OTLP; the message of a plain line is the line."""
    if text[:1] == "{":
        drafts = _read_json(text, clock, depth)
        if drafts:
            return drafts
    for reader in _READERS:
        draft = reader(text, clock, depth)
        if draft is not None:
            return [draft]
    return [Draft(text, level=level_in_words(text))]


def read_inner(text: str, clock: Clock, depth: int) -> Draft:
    """The draft of a line inside another one."""
    if depth >= _MAX_DEPTH:
        return Draft(text)
    return read_line(text, clock, depth + 1)[0]


def _read_json(text: str, clock: Clock, depth: int) -> list[Draft]:
    if len(text) > _MAX_JSON_CHARS:
        return []
    try:
        data, end = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        return []
    if not isinstance(data, dict) or not data or text[end:].strip():
        return []
    if "resourceLogs" in data:
        return otlp_records(data, clock)
    return [from_fields(data, clock, lambda inner: read_inner(inner, clock, depth), whole=text, form="json")]


_DECODER = json.JSONDecoder(strict=False)

_PRI = re.compile(r"<(\d{1,3})>(?:1 )?")
_SYSLOG_TAG = re.compile(r"(?P<host>\S{1,255}) (?P<tag>[\w./@+\-]{1,64}(?:\([\w@.\- ]{1,40}\))?)(?:\[(?P<pid>[\w.\-]{1,16})\])?: ?(?P<msg>.*)", re.DOTALL)
_SYSLOG_5424 = re.compile(
    r"(?P<host>\S{1,255}) (?P<app>\S{1,64}) (?P<pid>\d{1,10}|-|[\w.\-]{1,40}) (?P<id>\S{1,40}) +"
    r"(?P<sd>-|(?:\[[^\]\"]{0,200}(?:\"(?:[^\"\\]|\\.){0,500}\"[^\]\"]{0,200}){0,40}\])+)(?: (?P<msg>.*)|$)",
    re.DOTALL,
)
_SD_LEVEL = re.compile(r'level="(\w{1,12})"')


def _read_priority(text: str, clock: Clock, depth: int) -> Draft | None:
    """RFC 3164 and 5424 with their priority."""
    match = _PRI.match(text)
    if match is None or int(match[1]) > 191:
        return None
    inner = read_inner(text[match.end() :], clock, depth)
    inner.level = inner.level or syslog_level(int(match[1]) % 8)
    inner.form = "syslog"
    return inner


def _read_syslog(rest: str, stamp: Stamp, clock: Clock, depth: int) -> Draft | None:
    """What follows the timestamp of a syslog line: `host app[pid]: message`, or the RFC 5424 header."""
    full = _SYSLOG_5424.match(rest) if stamp.rfc3339 else None
    if full is not None and level_field(full["host"]) is None and level_field(full["app"]) is None:
        level = _SD_LEVEL.search(full["sd"])
        draft = Draft("", level=level_field(level[1]) if level else None, form="syslog")
        draft.service = None if full["app"] == "-" else full["app"]
        draft.instance = None if full["host"] == "-" else full["host"]
        return _with_inner(draft, (full["msg"] or "").lstrip("\ufeff"), clock, depth)
    tagged = _SYSLOG_TAG.match(rest)
    if tagged is None or not (stamp.syslog or (stamp.rfc3339 and tagged["pid"])) or level_field(tagged["host"]) is not None:
        return None
    draft = Draft("", form="syslog", service=tagged["tag"].split("(")[0], instance=tagged["host"])
    return _with_inner(draft, tagged["msg"], clock, depth)


def _with_inner(outer: Draft, message: str, clock: Clock, depth: int) -> Draft:
    """`outer` with `message`, itself read as a line when it says more that way."""
    outer.message = message.rstrip() if message[:1] not in " \t" else message
    inner = read_inner(message, clock, depth)
    if inner.says_more() and inner.form != "header":
        form = outer.form
        inner = inner.inside(outer)
        inner.form = form
        return inner
    if inner.form == "header" and inner.level is not None:
        outer.level, outer.logger, outer.message = inner.level, inner.logger or outer.logger, inner.message
    outer.level = outer.level or inner.level
    return outer


_KLOG = re.compile(r"([IWEFD])(\d{4} \d\d:\d\d:\d\d\.\d{1,9})\s+(\d+)\s+([^\s:\]]{1,200}:\d+)\] ?(.*)", re.DOTALL)


def _read_klog(text: str, clock: Clock, _depth: int) -> Draft | None:
    match = _KLOG.match(text)
    if match is None:
        return None
    stamp = stamp_at(f"{match[2][:2]}-{match[2][2:]}", 0, clock)
    if stamp is None:
        return None
    return Draft(match[5], stamp.instant, level=LETTERS[match[1]], logger=match[4], form="klog")


_CRI = re.compile(r"(stdout|stderr) ([PF])(?: (.*)|$)", re.DOTALL)


def _read_stamped(text: str, clock: Clock, depth: int) -> Draft | None:
    """Lines that begin with a time, bare or in brackets."""
    start = 1 if text[:1] in "[(<\"'" else 0
    stamp = stamp_at(text, start, clock)
    if stamp is None:
        return None
    end = stamp.end
    if start:
        while end < len(text) and text[end] in "])>\"'":
            end += 1
    raw = text[end:]
    if stamp.instant is None and not stamp.syslog and raw[:1].isalnum():
        return None
    rest = raw.lstrip(" \t:|,;]") if raw[:3] != " - " else raw[3:]
    if cri := _CRI.match(rest):
        outer = Draft("", stamp.instant, stream=cri[1], partial=cri[2] == "P", form="cri")
        return _enveloped(outer, cri[3] or "", clock, depth)
    if rest[:1] == "{" and (inner := read_inner(rest, clock, depth)).recognised:
        return inner.inside(Draft("", stamp.instant))
    if stamp.rfc3339 and end - start >= 27 and raw[:1] == " ":
        return _enveloped(Draft("", stamp.instant, form="stamped"), raw[1:], clock, depth)
    draft = _read_syslog(rest, stamp, clock, depth)
    if draft is not None:
        draft.instant = stamp.instant
        return draft
    return _after_stamp(rest, raw, stamp, clock)


def _after_stamp(rest: str, raw: str, stamp: Stamp, clock: Clock) -> Draft:
    draft = Draft(rest, stamp.instant, form="header")
    pairs = logfmt(rest)
    if pairs is not None:
        return from_fields(pairs, clock, Draft, whole=rest, form="logfmt").inside(draft)
    draft = read_header(rest if raw[:1] not in "-|" else raw.lstrip(" -|"), draft)
    if draft.level is None:
        draft.level = level_in_words(draft.message)
    return draft


def _enveloped(outer: Draft, inner_text: str, clock: Clock, depth: int) -> Draft:
    """A runtime's envelope around a line of the program: the program's own line, under the runtime's time."""
    if inner_text[:1] in (" ", "\t") or not inner_text:
        outer.message = inner_text
        return outer
    inner = read_inner(inner_text, clock, depth)
    form, opened = outer.form, inner.open
    if inner.recognised:
        inner = inner.inside(outer)
        inner.form, inner.open = form, opened
        return inner
    outer.message, outer.level = inner.message, inner.level
    return replace(outer) if inner.form == "plain" else outer


_PID_FIRST = re.compile(r"(?:\[(?P<a>\d{1,8})\]|(?P<b>\d{1,8}):(?P<role>[A-Z]))\s+")
_REDIS_LEVELS = {".": "DEBUG", "-": "DEBUG", "*": "INFO", "#": "WARN"}


def _read_pid_first(text: str, clock: Clock, _depth: int) -> Draft | None:
    """`[4018] 14 Nov 07:01:22.119 * message`, `1:M 14 Nov 2024 07:01:22.119 # message`."""
    match = _PID_FIRST.match(text)
    stamp = stamp_at(text, match.end(), clock) if match else None
    if stamp is None:
        return None
    rest = text[stamp.end :].lstrip(" ")
    draft = Draft(rest, stamp.instant, form="header")
    if rest[:1] in _REDIS_LEVELS and rest[1:2] == " ":
        draft.level, draft.message = level_field(_REDIS_LEVELS[rest[0]]), rest[2:]
        return draft
    return read_header(rest, draft)


_LEVEL_FIRST = re.compile(r"(?:\[\s?([A-Za-z]{1,9})\s?\]|<([A-Za-z]{4,9})>|([A-Z]{4,9}\d?|[A-Z][a-z]{3,9}|[a-z]{3,9})(?=[:\s|]))[:|]?[ \t]*[-|]?[ \t]*")
_LOGGER_COLON = re.compile(r"([\w.\-]{1,80}):(?=\S|\s)\s?")
_CATEGORY = re.compile(r"(trce|dbug|info|warn|fail|crit): ([\w.`\-+]{1,160})\[(\d{1,9})\]\s*(.*)", re.DOTALL)


def _read_level_first(text: str, clock: Clock, _depth: int) -> Draft | None:
    """`INFO:app:message`, `INFO:     message`, `[ERROR] message`, `WARN 2024-.. [main] a.b.C - message`."""
    if category := _CATEGORY.fullmatch(text):
        level = level_field(category[1]) or "ERROR"
        return Draft(category[4], level=level, logger=category[2], form="header")
    match = _LEVEL_FIRST.match(text)
    if match is None:
        return None
    word = match[1] or match[2] or match[3]
    level = level_field(word)
    rest = text[match.end() :]
    if level is None or not rest or (match[3] and not _sure_level(word, text, match)):
        return None
    draft = Draft(rest, level=level, form="header")
    stamp = stamp_at(rest, 1 if rest[:1] in "[(" else 0, clock)
    if stamp is not None:
        draft.instant = stamp.instant
        rest = rest[stamp.end :].lstrip(" ])|:,-\t")
        if rest[:1] not in "":
            draft.message = read_header("INFO " + rest, Draft("")).message if False else rest
        draft.message = _header_tail(rest, draft)
        return draft
    named = _LOGGER_COLON.match(rest)
    if text[match.end() - 1] == ":" and named and match[3] and word.isupper():
        draft.logger, draft.message = named[1], rest[named.end() :]
    else:
        draft.message = _header_tail(rest, draft)
    return draft


def _header_tail(rest: str, draft: Draft) -> str:
    """The message of `rest`, read as what follows a level."""
    level = draft.level
    draft = read_header(f"{level} {rest}", draft)
    return draft.message


def _sure_level(word: str, text: str, match: re.Match[str]) -> bool:
    """A bare word at the front is a level in capitals, or before a colon and more than one space, a tab or a time."""
    after = text[match.end(3) :]
    if word.isupper():
        return True
    return after[:1] == ":" and after[1:3] in ("  ", "\t") or after[:1] == "\t" or bool(re.match(r"\s*[\[(]?\d{4}-\d\d", after))


_TORNADO = re.compile(r"\[([DIWECF]) (.{10,40}?)(?: ([\w.\-]{1,60}(?::\d+)?))?\] ")


def _read_letter_bracket(text: str, clock: Clock, _depth: int) -> Draft | None:
    """`[I 2024-03-08 11:02:44.123 app] message`."""
    match = _TORNADO.match(text)
    stamp = stamp_at(match[2], 0, clock) if match else None
    if match is None or stamp is None:
        return None
    return Draft(text[match.end() :], stamp.instant, level=LETTERS[match[1]], logger=match[3], form="header")


def _read_logfmt(text: str, clock: Clock, depth: int) -> Draft | None:
    if "=" not in text[:80]:
        return None
    pairs = logfmt(text)
    if pairs is None:
        return None
    return from_fields(pairs, clock, lambda inner: Draft(inner), whole=text, form="logfmt")


_RAS = re.compile(r"(?:-|[A-Z][A-Z0-9_]{1,20}) (\d{10}) (?=\d{4}\.\d\d\.\d\d )")


def _read_labelled_epoch(text: str, clock: Clock, _depth: int) -> Draft | None:
    """`- 1117838570 2005.06.03 NODE time NODE SOURCE LEVEL message`: an alert label, then seconds since 1970."""
    match = _RAS.match(text)
    if match is None:
        return None
    stamp = stamp_at(text, match.start(1), clock)
    if stamp is None:
        return None
    rest = text[match.end() + 11 :]
    return read_header(rest, Draft(rest, stamp.instant, form="header"))


_EVENT_FIELD = {
    name: re.compile(pattern, re.DOTALL)
    for name, pattern in {
        "time": r"<TimeCreated SystemTime=['\"]([^'\"]{10,40})['\"]",
        "level": r"<Level>(\d{1,2})</Level>",
        "provider": r"<Provider [^>]{0,200}?Name=['\"]([^'\"]{1,200})['\"]",
        "computer": r"<Computer>([^<]{1,255})</Computer>",
        "id": r"<EventID[^>]{0,80}>(\d{1,9})</EventID>",
        "text": r"<Message>([^<]{1,4000})</Message>",
    }.items()
}
_EVENT_DATA = re.compile(r"<Data Name=['\"]([^'\"]{1,80})['\"]>([^<]{0,400})</Data>")


def _read_windows_event(text: str, clock: Clock, _depth: int) -> Draft | None:
    """A Windows event as XML, read without an XML parser: entities are never expanded."""
    if not text.startswith("<Event ") and not text.startswith("<Event>"):
        return None
    found = {name: match[1] for name, pattern in _EVENT_FIELD.items() if (match := pattern.search(text))}
    stamp = stamp_at(found.get("time", ""), 0, clock)
    data = ", ".join(f"{name}={html.unescape(value)}" for name, value in _EVENT_DATA.findall(text)[:40])
    message = html.unescape(found["text"]) if "text" in found else f"event {found.get('id', '?')}: {data}"
    return Draft(
        message,
        stamp.instant if stamp else None,
        level=windows_level(int(found["level"])) if "level" in found else None,
        service=found.get("provider"),
        instance=found.get("computer"),
        form="windows",
        open=False,
    )


_SLOW_TIME = re.compile(r"# Time: (.{8,40})")


def _read_slow_query(text: str, clock: Clock, _depth: int) -> Draft | None:
    """The first line of a slow query record; the rest joins it (see `joining`)."""
    match = _SLOW_TIME.match(text)
    stamp = stamp_at(match[1].strip(), 0, clock) if match else None
    return Draft("", stamp.instant, form="slow-query") if stamp else None


_TRAILING_TIME = re.compile(r"[^\[]{0,20}\[[^\]]{0,80}\] [^\[\]]{0,120}\[(?=[A-Z][a-z]{2} [A-Z][a-z]{2} )")


def _read_inner_stamp(text: str, clock: Clock, _depth: int) -> Draft | None:
    """Request logs that name the process first and the time in a later bracket."""
    match = _TRAILING_TIME.match(text) if text[:1] == "[" else None
    stamp = stamp_at(text, match.end(), clock) if match else None
    if stamp is None:
        return None
    return Draft(text[stamp.end :].lstrip("] "), stamp.instant, form="header")


def read_csv_row(header: list[str], text: str, clock: Clock) -> Draft | None:
    """A row under a CSV header that names a time and a message."""
    try:
        row = next(csv.reader([text]))
    except (csv.Error, StopIteration):
        return None
    if len(row) != len(header):
        return None
    data = dict(zip(header, row, strict=True))
    return from_fields(data, clock, lambda inner: read_inner(inner, clock, 0), whole=text, form="csv")


def _read_access(text: str, clock: Clock, _depth: int) -> Draft | None:
    return read_access(text, clock)


_READERS: tuple[Callable[[str, Clock, int], Draft | None], ...] = (
    _read_priority,
    _read_klog,
    _read_slow_query,
    _read_letter_bracket,
    _read_inner_stamp,
    _read_stamped,
    _read_pid_first,
    _read_labelled_epoch,
    _read_access,
    _read_level_first,
    _read_logfmt,
    _read_windows_event,
)
