"""One line of any known format, read into a draft. Formats are told apart by the line alone, so files may mix them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from rootproof.logs.access import read_access, read_inner_time
from rootproof.logs.draft import Draft
from rootproof.logs.fields import from_fields, workload_of
from rootproof.logs.formats import readers_for
from rootproof.logs.formats_first import may_be_line
from rootproof.logs.headers import read_bracketed_tail, read_header
from rootproof.logs.levels import level_field
from rootproof.logs.read_levels import level_in_words
from rootproof.logs.read_logfmt import logfmt
from rootproof.logs.read_otlp import otlp_records
from rootproof.logs.read_sources import name_source
from rootproof.logs.read_syslog import read_after_stamp, read_priority
from rootproof.logs.read_tables import read_csv_levelled
from rootproof.logs.timestamps import Clock, Stamp, stamp_at

_MAX_DEPTH = 3
MAX_JSON_CHARS = 1 << 20
_RUNTIME_STAMP_CHARS = 27
"""Container runtimes stamp lines with fractions finer than a millisecond, and one space."""

_ANSI = re.compile(r"\x1b(?:\[[0-?]{0,32}[ -/]{0,4}[@-~]|\][^\x07\x1b]{0,256}(?:\x07|\x1b\\)|[@-Z\\^_])")
_DECODER = json.JSONDecoder(strict=False)


def without_ansi(text: str) -> str:
    """`text` without terminal colours and titles."""
    return _ANSI.sub("", text) if "\x1b" in text else text


_KEY_FIRST = re.compile(r"(?!type=|node=)[a-z_@][\w.@/\-]{0,63}=")


def read_line(text: str, clock: Clock, depth: int = 0) -> list[Draft]:
    """The drafts of one line: almost always one, several for OTLP; the message of a plain line is the line."""
    if text[:1] == "{" and (drafts := _read_json(text, clock, depth)):
        return drafts
    draft = _read_common(text, clock, depth)
    if draft is None and text[:1] in (" ", "\t"):
        return [_read_indented(text, clock, depth) or Draft(text)]
    if draft is None and may_be_line(text):
        draft = _read_known(text, clock, depth)
    if draft is None and "[" in text[:300]:
        draft = read_inner_time(text, clock)
    return [draft or Draft(text, level=level_in_words(text))]


def _read_common(text: str, clock: Clock, depth: int) -> Draft | None:
    """The commonest formats, each told by a look at the front: a date in figures, pairs, a request."""
    if text[4:5] in ("-", "/") and text[:4].isdecimal():
        return _read_stamped(text, clock, depth)
    if _KEY_FIRST.match(text) and (draft := _read_logfmt(text, clock, depth)):
        return draft
    return read_access(text, clock) if '] "' in text[:400] else None


def _read_known(text: str, clock: Clock, depth: int) -> Draft | None:
    for known in readers_for(text[:1]):
        draft = known(text, clock)
        if draft is not None:
            return draft
    for reader in _NESTING:
        draft = reader(text, clock, depth)
        if draft is not None:
            return draft
    return None


def read_inner(text: str, clock: Clock, depth: int) -> Draft:
    """The draft of a line inside another one."""
    if depth >= _MAX_DEPTH:
        return Draft(text)
    return read_line(text, clock, depth + 1)[0]


def _read_json(text: str, clock: Clock, depth: int) -> list[Draft]:
    if len(text) > MAX_JSON_CHARS:
        return []
    try:
        data, end = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        return []
    if not isinstance(data, dict) or not data or text[end:].strip(" \t\r,]"):
        return []
    if "resourceLogs" in data:
        return otlp_records(data, clock)
    return [from_fields(data, clock, lambda inner: read_inner(inner, clock, depth), whole=text, form="json")]


def _read_priority(text: str, clock: Clock, depth: int) -> Draft | None:
    if text[:1] != "<" and not text[:1].isdigit():
        return None
    return read_priority(text, clock, lambda inner: read_inner(inner, clock, depth))


_UPTIME = re.compile(r"\[\s{0,8}\d{1,9}\.\d{3,9}s?(?=\])")


def _uptime(text: str) -> Stamp | None:
    """`[12345.678901]`: the time since a start that the line does not name."""
    match = _UPTIME.match(text)
    return Stamp(None, match.end()) if match else None


_CRI = re.compile(r"(stdout|stderr) ([PF])(?: (.*)|$)", re.DOTALL)
_FEW_CELLS = 5


def _read_stamped(text: str, clock: Clock, depth: int) -> Draft | None:
    """Lines that begin with a time, bare or in brackets."""
    start = 1 if text[:1] in ("[", "(", "<", '"', "'") else 0
    stamp = stamp_at(text, start, clock)
    if stamp is None and start:
        stamp = _uptime(text)
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
    if not rest and stamp.instant is not None:  # a time alone is the heading of the lines below it
        return Draft("", stamp.instant, form="header", takes_plain=True)
    if raw[:1] == "," and raw.count(",") > _FEW_CELLS and (row := read_csv_levelled(text, clock)):
        return row
    if stamp.rfc3339 and (wrapped := _read_wrapped(raw, rest, end - start, stamp, clock, depth)) is not None:
        return wrapped
    if rest[:1] == "{" and (inner := read_inner(rest, clock, depth)).recognised:
        return inner.inside(Draft("", stamp.instant))
    draft = read_after_stamp(rest, stamp, lambda inner: read_inner(inner, clock, depth))
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
    if raw[1:2] == " " and _WIDE_LEVEL.match(raw):
        return None
    wrapped = _enveloped(Draft("", stamp.instant, form="stamped"), raw[1:], clock, depth)
    return wrapped if wrapped.message != raw[1:] or raw[1:2] in (" ", "\t") else None


_WIDE_LEVEL = re.compile(r" {2,5}(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|SEVERE)[\s:]")


def _enveloped(outer: Draft, inner_text: str, clock: Clock, depth: int) -> Draft:
    """The program's own line, under the runtime's time."""
    if outer.partial or inner_text[:1] in (" ", "\t") or not inner_text:
        outer.message, outer.bare = inner_text, True
        return outer
    inner = read_inner(inner_text, clock, depth)
    if inner.recognised:
        inner = inner.inside(outer)
        inner.form = outer.form
        return inner
    outer.message, outer.level, outer.bare = inner.message, inner.level, True
    return outer


_SEPARATED = re.compile(r"[;,] ?([A-Za-z]{3,9})[;,] ?(?:([\w.$\-]{1,80})[;,] ?)?(?=\S)")


def _after_stamp(rest: str, raw: str, stamp: Stamp, clock: Clock) -> Draft:
    draft = Draft(rest, stamp.instant, form="header")
    if category := _CATEGORY.fullmatch(rest):
        draft.level, draft.logger, draft.message = level_field(category[1]), category[2], category[4]
        draft.form = "header" if category[4] else "category"
        return draft
    if raw[:1] in (";", ",") and (cells := _SEPARATED.match(raw)) and (level := level_field(cells[1])):
        draft.level, draft.logger, draft.message = level, cells[2], raw[cells.end() :]
        return draft
    pairs = logfmt(rest) if "=" in rest else None
    if pairs is not None:
        return from_fields(pairs, clock, Draft, whole=rest, form="logfmt").inside(draft)
    draft = read_header(raw.lstrip(" -|") if raw[:1] in ("-", "|") else rest, draft)
    if draft.level is None:
        draft.level = level_in_words(draft.message)
    return draft


_LEVEL_FIRST = re.compile(
    r"(?:\[\s?([A-Za-z]{1,9})\s?\]|<([A-Za-z]{4,9})>|([A-Z]{4,9}\d?|[A-Z][a-z]{3,9}|[a-z]{3,9})(?=[:\s|\[]))"
    r"[:|]?[ \t]*[-|]?[ \t]*"
)
_LOGGER_COLON = re.compile(r"([\w.\-]{1,80}):(?=\S|\s)\s?")
_CATEGORY = re.compile(r"(trce|dbug|info|warn|fail|crit): ([\w.`\-+]{1,160})\[(\d{1,9})\]\s*(.*)", re.DOTALL)
_DATE_NEXT = re.compile(r"\s*[\[(]?\d{4}-\d\d")
_THREAD_THEN_STAMP = re.compile(r"\[[^\[\]]{1,80}\] (?=\d{4}-\d\d)")
_REQUEST_ID = re.compile(r"^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\t")
_COUNTER = re.compile(r"\[\d{1,8}\] ?")


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
    # `INFO[0042] message`: seconds since the start
    if match[3] and rest[0] == "[" and (counter := _COUNTER.match(rest)):
        draft.message = rest[counter.end() :]
        return draft
    if thread := _THREAD_THEN_STAMP.match(rest):
        rest = rest[thread.end() :]
    stamp = stamp_at(rest, 1 if rest[:1] in ("[", "(") else 0, clock)
    if stamp is not None:
        draft.instant = stamp.instant
        rest = _REQUEST_ID.sub("", rest[stamp.end :].lstrip(" ])|:,-\t"))
    named = _LOGGER_COLON.match(rest) if text[match.end() - 1] == ":" else None
    if named and match[3] and word.isupper():
        name_source(draft, named[1])
        draft.message = rest[named.end() :]
        return draft
    return read_header(f"{level} {rest}", draft)


_INDENTED = re.compile(r"[ \t]{1,8}(?:(?:\[?\d{4}[-/]\d\d[-/]\d\d[ T]|[A-Z]{4,8} +(?=\d\d)).{0,60})")


def _read_indented(text: str, clock: Clock, depth: int) -> Draft | None:
    """A line that begins with blanks and is a record all the same, for it has a time and a level."""
    if not _INDENTED.match(text):
        return None
    draft = read_inner(text.lstrip(), clock, depth)
    return draft if draft.form == "header" and draft.level is not None else None


_PREFIX = re.compile(
    r"(?:\[(?P<bracket>[^\[\]]{1,120})\]|(?P<word>[\w./@:\-]{1,120}?)(?P<colon>:?))(?: {1,4}\d{1,8})?(?P<gap> {1,24})"
    r"(?P<bar>\| ?|- )?"
)
_REPLICA = re.compile(r"[\w.\-]{1,80}[-_.]\d{1,4}(?:\.[0-9a-z]{8,32})?(?:@[\w.\-]{1,80})?")


def _read_prefixed(text: str, clock: Clock, depth: int) -> Draft | None:
    """A line behind a name: `[pod/api-1/main] line`, `api-1  | line`, `prog: 2026/05/04 ..`, `a.log 2026-05-04 ..`."""
    match = _PREFIX.match(text)
    if match is None:
        return None
    rest = text[match.end() :]
    name = match["bracket"] or match["word"]
    if match["bar"] and match["bar"][0] == "|":
        if not match["word"]:
            return None
        inner = read_inner(rest, clock, depth)
        if not inner.recognised and not _REPLICA.fullmatch(name):
            return None
        inner.service, inner.form = inner.service or name, inner.form if inner.recognised else "header"
        return inner
    stamp = stamp_at(rest, 0, clock)
    if stamp is None or stamp.instant is None:
        return None
    inner = read_inner(rest, clock, depth)
    if match["word"] and not match["colon"] and inner.level is None:
        return Draft(text, stamp.instant, form="header")
    if match["bracket"] and "/" in name:
        inner.service = inner.service or workload_of(name.split("/")[1])
    elif (match["bracket"] or match["colon"]) and inner.service is None and inner.logger is None:
        name_source(inner, name)
    return inner


_STAMP_OR_COUNTER = re.compile(r"\[\d{4}")


def _surely_level(word: str, after: str) -> bool:
    """A bare word at the front is a level in capitals, or before a colon and wide space, a tab or a date."""
    if after[:1] == "[":
        return word.isupper() and bool(_STAMP_OR_COUNTER.match(after))
    if word.isupper() or after[:1] == "\t" or _DATE_NEXT.match(after):
        return True
    return after[:1] == ":" and (after[1:3] == "  " or after[1:2] == "\t")


def _read_logfmt(text: str, clock: Clock, _depth: int) -> Draft | None:
    pairs = logfmt(text) if "=" in text[:80] else None
    if pairs is None:
        return None
    return from_fields(pairs, clock, Draft, whole=text, form="logfmt")


_NESTING: tuple[Callable[[str, Clock, int], Draft | None], ...] = (
    _read_priority,
    _read_stamped,
    _read_level_first,
    _read_logfmt,
    _read_prefixed,
)
"""Formats whose message may be a line in another format."""
