"""Formats that one look at the line settles, each with a reader of its own: `(text, clock) -> Draft or None`."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from datetime import timedelta
from functools import lru_cache

from rootproof.logs.access import read_access
from rootproof.logs.draft import Draft
from rootproof.logs.formats_rare import (
    read_audit,
    read_comment_epoch,
    read_double_colons,
    read_event_text,
    read_facility_level,
    read_hashes,
    read_letter_first,
    read_letter_tag,
    read_millis_first,
    read_numbered_columns,
    read_pipe_record,
    read_process_first,
    read_report,
)
from rootproof.logs.headers import read_header
from rootproof.logs.levels import LETTERS, level_field, windows_level
from rootproof.logs.read_syslog import read_after_stamp
from rootproof.logs.statements_slowlog import begins_entry
from rootproof.logs.timestamps import Clock, Stamp, stamp_at

_KLOG = re.compile(
    r"([IWEFD])(\d{4}|\d{6}|\d{8}) (\d\d:\d\d:\d\d)\.(\d{1,9})\s{1,12}\d{1,12}\s{1,4}(?:\d@)?([^\s:\]]{1,200}:\d{1,7})"
    r"(?:\]| ) {0,2}(.*)",
    re.DOTALL,
)


def read_klog(text: str, clock: Clock) -> Draft | None:
    """`E0504 09:15:30.250000 12345 file.go:9] message`, also with a year before the day."""
    match = _KLOG.match(text)
    if match is None:
        return None
    letter, day, time, fraction, source, message = match.groups()
    stamp = _klog_stamp(day, time, clock)
    if stamp is None:
        return None
    instant = stamp.instant and stamp.instant.replace(microsecond=int(fraction[:6].ljust(6, "0")))
    return Draft(message, instant, LETTERS[letter], logger=source, form="klog")


@lru_cache(maxsize=1024)
def _klog_stamp(day: str, time: str, clock: Clock) -> Stamp | None:
    year = {4: "", 6: f"20{day[:2]}-", 8: f"{day[:4]}-"}[len(day)]
    return stamp_at(f"{year}{day[-4:-2]}-{day[-2:]} {time}", 0, clock)


_PID_FIRST = re.compile(r"(?:\[(?P<a>\d{1,8})\]|(?P<b>\d{1,8}):(?P<role>[A-Z]))\s+|\d{1,8}:(?=\d{8}:\d{6}\.)")
_REDIS_LEVELS = {".": "DEBUG", "-": "DEBUG", "*": "INFO", "#": "WARN"}


def read_pid_first(text: str, clock: Clock) -> Draft | None:
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


_TORNADO = re.compile(r"\[([DIWECF]) (.{10,40}?)(?: ([\w.\-]{1,60}(?::\d+)?))?\] ")


def read_letter_bracket(text: str, clock: Clock) -> Draft | None:
    """`[I 2024-03-08 11:02:44.123 app] message`."""
    match = _TORNADO.match(text)
    stamp = stamp_at(match[2], 0, clock) if match else None
    if match is None or stamp is None:
        return None
    return Draft(text[match.end() :], stamp.instant, level=LETTERS[match[1]], logger=match[3], form="header")


_PRINTED_FRACTION = re.compile(r"-\d\d\.\d\d\.(\d\d)\.(\d{6}) ")
_RAS = re.compile(r"(?:-|[A-Z][A-Z0-9_]{1,20}) (\d{10}) (?=\d{4}\.\d\d\.\d\d )")


def read_labelled_epoch(text: str, clock: Clock) -> Draft | None:
    """`- 1117838570 2005.06.03 NODE time NODE SOURCE LEVEL message`: an alert label, then seconds since 1970."""
    match = _RAS.match(text)
    if match is None:
        return None
    stamp = stamp_at(text, match.start(1), clock)
    if stamp is None or stamp.instant is None:
        return None
    rest = text[match.end() + 11 :]
    draft = Draft(rest, stamp.instant, form="header")
    fraction = _PRINTED_FRACTION.search(rest[:120])
    if fraction and int(fraction[1]) == stamp.instant.second:
        draft.instant = stamp.instant + timedelta(microseconds=int(fraction[2]))
    node, _, said = rest.partition(" ")
    again = stamp_at(said, 0, clock)
    if again is not None and again.syslog:
        tagged = read_after_stamp(said[again.end :].lstrip(" "), again, Draft)
        if tagged is not None:
            tagged.instant = stamp.instant
            return tagged
    draft = read_header(rest, draft)
    if column := _BEFORE_LEVEL.match(rest):
        draft.logger, draft.instance = column[1], node
    return draft


_BEFORE_LEVEL = re.compile(r"(?:\S{1,80} ){1,5}([A-Z]\w{1,40}) [A-Z]{4,9} ")


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


def read_windows_event(text: str, clock: Clock) -> Draft | None:
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


_SLOW_TIME = "# Time: "


def read_slow_query(text: str, clock: Clock) -> Draft | None:
    """The first line of an entry of a slow query log; the rest joins it, and `finish` reads them together."""
    if not begins_entry(text):
        return None
    draft = Draft(text, form="slow-query", takes_plain=True)
    if text.startswith(_SLOW_TIME):
        stamp = stamp_at(text, len(_SLOW_TIME), clock)
        if stamp is None:
            return None
        draft.instant = stamp.instant
    return draft


_TRAILING_TIME = re.compile(r"[^\[]{0,20}\[[^\]]{0,80}\] [^\[\]]{0,120}\[(?=[A-Z][a-z]{2} [A-Z][a-z]{2} )")


def read_inner_stamp(text: str, clock: Clock) -> Draft | None:
    """Request logs that name the process first and the time in a later bracket."""
    match = _TRAILING_TIME.match(text) if text[:1] == "[" else None
    stamp = stamp_at(text, match.end(), clock) if match else None
    if stamp is None:
        return None
    return Draft(text[stamp.end :].lstrip("] "), stamp.instant, form="header")


_RUBY = re.compile(r"[DIWEFA], \[(.{19,32}?) ?#\d{1,9}\]\s{1,4}([A-Z]{3,7}) -- ([\w.:\-]{0,60}?): (.*)", re.DOTALL)


def read_ruby(text: str, clock: Clock) -> Draft | None:
    """`E, [2024-03-08T11:02:44.120333 #12] ERROR -- prog: message`."""
    match = _RUBY.match(text)
    stamp = stamp_at(match[1], 0, clock) if match else None
    if match is None or stamp is None:
        return None
    return Draft(match[4], stamp.instant, level=level_field(match[2]), logger=match[3] or None, form="header")


_JUL = re.compile(r"(?:[a-z]\w{0,60}\.){1,12}[A-Z][\w$]{0,120}(?: [\w<>$]{1,120})?")


def read_jul(text: str, clock: Clock) -> Draft | None:
    """`Mar 08, 2024 11:02:44 AM a.b.C method`, of java.util.logging: level and message stand in the next line."""
    stamp = stamp_at(text, 0, clock) if "," in text[:16] else None
    rest = text[stamp.end :].strip() if stamp else ""
    if stamp is None or not _JUL.fullmatch(rest):
        return None
    return Draft(rest, stamp.instant, logger=rest.split(" ")[0], form="jul")


_DIGITS = "0123456789"
_READERS: tuple[tuple[str, Callable[[str, Clock], Draft | None]], ...] = (
    ("IWEFD", read_klog),
    ("#/", read_slow_query),
    ("#", read_hashes),
    ("#", read_comment_epoch),
    ("[", read_pipe_record),
    ("[", read_process_first),
    ("=", read_report),
    ("nt", read_audit),
    ("L", read_event_text),
    ("DIWNEFCTVAX", read_letter_first),
    ("VDIWEFA", read_letter_tag),
    ("ABCDEFGHIJKLMNOPQRSTUVWXYZ", read_double_colons),
    ("kumdasclnf", read_facility_level),
    (_DIGITS, read_millis_first),
    (_DIGITS, read_numbered_columns),
    ("[", read_letter_bracket),
    ("DIWEFA", read_ruby),
    ("[", read_inner_stamp),
    ("JFMASOND", read_jul),
    ("[" + _DIGITS, read_pid_first),
    ("-ABCDEFGHIJKLMNOPQRSTUVWXYZ", read_labelled_epoch),
    ("", read_access),
    ("<", read_windows_event),
)
"""Each with the characters its lines begin with; none begins with a date in digits."""


@lru_cache(maxsize=256)
def readers_for(first: str) -> tuple[Callable[[str, Clock], Draft | None], ...]:
    """The readers worth asking about a line that begins with the character `first`, in order."""
    return tuple(reader for begins, reader in _READERS if not begins or first in begins)
