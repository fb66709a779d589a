"""One line of any known format, read into a draft. Formats are told apart by the line alone, so files may mix them."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable

from rootproof.logs.access import status_level
from rootproof.logs.draft import Draft
from rootproof.logs.fields import from_fields, logfmt, otlp_records
from rootproof.logs.formats import readers_for
from rootproof.logs.headers import level_in_words, name_source, read_bracketed_tail, read_header
from rootproof.logs.levels import level_field, syslog_level
from rootproof.logs.timestamps import Clock, Stamp, stamp_at

_MAX_DEPTH = 3
_MAX_JSON_CHARS = 1 << 20
_RUNTIME_STAMP_CHARS = 27
"""Container runtimes stamp lines with fractions finer than a millisecond, and one space."""

_ANSI = re.compile(r"\x1b(?:\[[0-?]{0,32}[ -/]{0,4}[@-~]|\][^\x07\x1b]{0,256}(?:\x07|\x1b\\)|[@-Z\\^_])")
_DECODER = json.JSONDecoder(strict=False)


def without_ansi(text: str) -> str:
    """`text` without terminal colours and titles."""
    return _ANSI.sub("", text) if "\x1b" in text else text


def read_line(text: str, clock: Clock, depth: int = 0) -> list[Draft]:
    """The drafts of one line: almost always one, several for OTLP; the message of a plain line is the line."""
    if text[:1] == "{":
        drafts = _read_json(text, clock, depth)
        if drafts:
            return drafts
    for known in readers_for(text[:1]):
        draft = known(text, clock)
        if draft is not None:
            return [draft]
    for reader in _NESTING:
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


_PRI = re.compile(r"<(\d{1,3})>(?:1 )?")
_SYSLOG_TAG = re.compile(
    r"(?P<host>\S{1,255}) (?P<tag>[\w./@+\-]{1,64}(?:\([\w@.\- ]{1,40}\))?)(?:\[(?P<pid>[\w.\-]{1,16})\])?: ?"
    r"(?P<msg>.*)",
    re.DOTALL,
)
_SYSLOG_5424 = re.compile(
    r"(?P<host>\S{1,255}) (?P<app>\S{1,64}) (?P<pid>\d{1,10}|-|[\w.\-]{1,40}) (?P<id>\S{1,40}) +"
    r"(?P<sd>-|\[.{0,8000}?\](?= |$))(?: (?P<msg>.*)|$)",
    re.DOTALL,
)
_STRUCTURED = re.compile(r"\S{1,255} \S{1,64} \S{1,40} \S{1,40} +[\[-]")
_SD_LEVEL = re.compile(r'level="(\w{1,12})"')


def _read_priority(text: str, clock: Clock, depth: int) -> Draft | None:
    """RFC 3164 and 5424 with their priority."""
    match = _PRI.match(text) if text[:1] == "<" else None
    if match is None or int(match[1]) > 191:
        return None
    inner = read_inner(text[match.end() :], clock, depth)
    inner.level = inner.level or syslog_level(int(match[1]) % 8)
    inner.form = "syslog"
    return inner


def _read_syslog(rest: str, stamp: Stamp, clock: Clock, depth: int) -> Draft | None:
    """What follows the timestamp of a syslog line: `host app[pid]: message`, or the RFC 5424 header."""
    marked = stamp.rfc3339 and (" [" in rest or " -" in rest)
    full = _SYSLOG_5424.match(rest) if marked and _STRUCTURED.match(rest) else None
    if full is not None and level_field(full["host"]) is None and level_field(full["app"]) is None:
        level = _SD_LEVEL.search(full["sd"])
        draft = Draft("", level=level_field(level[1]) if level else None, form="syslog")
        draft.service = None if full["app"] == "-" else full["app"]
        draft.instance = None if full["host"] == "-" else full["host"]
        return _with_inner(draft, (full["msg"] or "").lstrip("\ufeff"), clock, depth)
    tagged = _SYSLOG_TAG.match(rest) if stamp.syslog or (stamp.rfc3339 and "]" in rest) else None
    if tagged is None or not (stamp.syslog or tagged["pid"]):
        return None
    if level_field(tagged["host"]) is not None:
        return None
    draft = Draft("", form="syslog", service=tagged["tag"].split("(")[0], instance=tagged["host"])
    return _with_inner(draft, tagged["msg"], clock, depth)


def _with_inner(outer: Draft, message: str, clock: Clock, depth: int) -> Draft:
    """`outer` with `message`, itself read as a line when it says more that way."""
    outer.message = message.rstrip() if message[:1] not in " \t" else message
    inner = read_inner(message, clock, depth)
    if inner.says_more() and inner.form != "header":
        inner = inner.inside(outer)
        inner.form = outer.form
        return inner
    if inner.form == "header" and inner.level is not None:
        outer.logger, outer.message = inner.logger or outer.logger, inner.message
    outer.level = outer.level or inner.level
    return outer


_CRI = re.compile(r"(stdout|stderr) ([PF])(?: (.*)|$)", re.DOTALL)


def _read_stamped(text: str, clock: Clock, depth: int) -> Draft | None:
    """Lines that begin with a time, bare or in brackets."""
    start = 1 if text[:1] in ("[", "(", "<", '"', "'") else 0
    stamp = stamp_at(text, start, clock)
    if stamp is None:
        return None
    end = stamp.end
    if start:
        tail = read_bracketed_tail(text, end, Draft("", stamp.instant, form="header"))
        if tail is not None:
            return tail
        while end < len(text) and text[end] in "])>\"'":
            end += 1
    raw = text[end:]
    if stamp.instant is None and not stamp.syslog and raw[:1].isalnum():
        return None
    rest = raw[3:] if raw[:3] == " - " else raw.lstrip(" \t:|,;]")
    if stamp.rfc3339 and (wrapped := _read_wrapped(raw, rest, end - start, stamp, clock, depth)) is not None:
        return wrapped
    if rest[:1] == "{" and (inner := read_inner(rest, clock, depth)).recognised:
        return inner.inside(Draft("", stamp.instant))
    draft = _read_syslog(rest, stamp, clock, depth)
    if draft is not None:
        draft.instant = stamp.instant
        return draft
    return _after_stamp(rest, raw, stamp, clock)


def _read_wrapped(raw: str, rest: str, width: int, stamp: Stamp, clock: Clock, depth: int) -> Draft | None:
    """A line of a program inside a container runtime's envelope: CRI, or a fine stamp before a line of a known form."""
    if cri := _CRI.match(rest):
        outer = Draft("", stamp.instant, stream=cri[1], partial=cri[2] == "P", form="cri")
        return _enveloped(outer, cri[3] or "", clock, depth)
    if width < _RUNTIME_STAMP_CHARS or raw[:1] != " ":
        return None
    wrapped = _enveloped(Draft("", stamp.instant, form="stamped"), raw[1:], clock, depth)
    return wrapped if wrapped.message != raw[1:] or raw[1:2] in (" ", "\t") else None


def _enveloped(outer: Draft, inner_text: str, clock: Clock, depth: int) -> Draft:
    """The program's own line, under the runtime's time."""
    if inner_text[:1] in (" ", "\t") or not inner_text:
        outer.message = inner_text
        return outer
    inner = read_inner(inner_text, clock, depth)
    if inner.recognised:
        inner = inner.inside(outer)
        inner.form = outer.form
        return inner
    outer.message, outer.level = inner.message, inner.level
    return outer


def _after_stamp(rest: str, raw: str, stamp: Stamp, clock: Clock) -> Draft:
    draft = Draft(rest, stamp.instant, form="header")
    pairs = logfmt(rest) if "=" in rest else None
    if pairs is not None:
        return from_fields(pairs, clock, Draft, whole=rest, form="logfmt").inside(draft)
    draft = read_header(raw.lstrip(" -|") if raw[:1] in ("-", "|") else rest, draft)
    if draft.level is None:
        draft.level = level_in_words(draft.message)
    return draft


_LEVEL_FIRST = re.compile(
    r"(?:\[\s?([A-Za-z]{1,9})\s?\]|<([A-Za-z]{4,9})>|([A-Z]{4,9}\d?|[A-Z][a-z]{3,9}|[a-z]{3,9})(?=[:\s|]))"
    r"[:|]?[ \t]*[-|]?[ \t]*"
)
_LOGGER_COLON = re.compile(r"([\w.\-]{1,80}):(?=\S|\s)\s?")
_CATEGORY = re.compile(r"(trce|dbug|info|warn|fail|crit): ([\w.`\-+]{1,160})\[(\d{1,9})\]\s*(.*)", re.DOTALL)
_DATE_NEXT = re.compile(r"\s*[\[(]?\d{4}-\d\d")


def _read_level_first(text: str, clock: Clock, _depth: int) -> Draft | None:
    """`INFO:app:message`, `INFO:     message`, `[ERROR] message`, `WARN 2024-.. [main] a.b.C - message`."""
    if category := _CATEGORY.fullmatch(text):
        form = "header" if category[4] else "category"
        return Draft(category[4], level=level_field(category[1]), logger=category[2], form=form)
    match = _LEVEL_FIRST.match(text)
    if match is None:
        return None
    word = match[1] or match[2] or match[3]
    level = level_field(word)
    rest = text[match.end() :]
    if level is None or not rest or (match[3] and not _surely_level(word, text[match.end(3) :])):
        return None
    draft = Draft(rest, level=level, form="header")
    stamp = stamp_at(rest, 1 if rest[:1] in ("[", "(") else 0, clock)
    if stamp is not None:
        draft.instant = stamp.instant
        rest = rest[stamp.end :].lstrip(" ])|:,-\t")
    named = _LOGGER_COLON.match(rest) if text[match.end() - 1] == ":" else None
    if named and match[3] and word.isupper():
        name_source(draft, named[1])
        draft.message = rest[named.end() :]
        return draft
    return read_header(f"{level} {rest}", draft)


def _surely_level(word: str, after: str) -> bool:
    """A bare word at the front is a level in capitals, or before a colon and wide space, a tab or a date."""
    if word.isupper() or after[:1] == "\t" or _DATE_NEXT.match(after):
        return True
    return after[:1] == ":" and (after[1:3] == "  " or after[1:2] == "\t")


def _read_logfmt(text: str, clock: Clock, _depth: int) -> Draft | None:
    pairs = logfmt(text) if "=" in text[:80] else None
    if pairs is None:
        return None
    return from_fields(pairs, clock, Draft, whole=text, form="logfmt")


def read_csv_row(columns: list[str], text: str, clock: Clock) -> Draft | None:
    """A row under a CSV header that names a time and a message."""
    try:
        row = next(csv.reader([text]), [])
    except csv.Error:
        return None
    if len(row) != len(columns):
        return None
    data = dict(zip(columns, row, strict=True))
    return from_fields(data, clock, lambda inner: read_inner(inner, clock, 0), whole=text, form="csv")


_W3C_NAMES = {
    "cs-method": "method",
    "cs-uri-stem": "path",
    "sc-status": "status",
    "time-taken": "duration",
    "sc-bytes": "bytes",
    "s-computername": "host",
}


def read_w3c_row(columns: list[str], text: str, clock: Clock) -> Draft | None:
    """A row of a W3C extended log, under its `#Fields` line."""
    row = text.split()
    if text[:1] == "#" or len(row) != len(columns):
        return None
    data = {_W3C_NAMES.get(name, name): value for name, value in zip(columns, row, strict=True) if value != "-"}
    if "date" in data and "time" in data:
        data["timestamp"] = f"{data.pop('date')} {data.pop('time')}"
    draft = from_fields(data, clock, Draft, whole=text, form="w3c")
    draft.level = draft.level or status_level(int(draft.metrics.get("status", 0)))
    return draft


_NESTING: tuple[Callable[[str, Clock, int], Draft | None], ...] = (
    _read_priority,
    _read_stamped,
    _read_level_first,
    _read_logfmt,
)
"""Formats whose message may be a line in another format."""
