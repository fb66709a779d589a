"""Formats that few programs write, each told by the first characters of its line."""

from __future__ import annotations

import re

from rootproof.logs.draft import Draft
from rootproof.logs.headers import read_header
from rootproof.logs.levels import LETTERS, level_field
from rootproof.logs.timestamps import Clock, stamp_at

_LETTER_FIRST = re.compile(r"([DIWNEFCTVAX]) (?=\[\d)")


def read_letter_first(text: str, clock: Clock) -> Draft | None:
    """`E [04/May/2026:09:15:30 +0000] message`."""
    match = _LETTER_FIRST.match(text)
    stamp = stamp_at(text, match.end() + 1, clock) if match else None
    if match is None or stamp is None:
        return None
    return Draft(text[stamp.end :].lstrip("] "), stamp.instant, LETTERS.get(match[1]), form="header")


_LETTER_TAG = re.compile(r"([VDIWEFA])/([\w.$\-]{1,80}) {0,8}\( {0,6}\d{1,8}\): ?")


def read_letter_tag(text: str, _clock: Clock) -> Draft | None:
    """`E/Tag( 1702): message`."""
    match = _LETTER_TAG.match(text)
    if match is None:
        return None
    return Draft(text[match.end() :], level=LETTERS.get(match[1]), logger=match[2], form="header")


_AUDIT = re.compile(r"(?:node=\S{1,255} )?type=(\w{1,40}) msg=audit\((\d{10}\.\d{1,6}):\d{1,12}\): ?")


def read_audit(text: str, clock: Clock) -> Draft | None:
    """`type=SYSCALL msg=audit(1777886130.250:24287): key=value ...` of the Linux audit daemon."""
    match = _AUDIT.match(text)
    stamp = stamp_at(match[2], 0, clock) if match else None
    if match is None or stamp is None:
        return None
    return Draft(text[match.end() :] or match[1], stamp.instant, logger=match[1], form="header", open=False)


_REPORT = re.compile(r"=([A-Z]{3,16}) REPORT==== (.{10,40}) ===")
_REPORT_LEVELS = {"CRASH": "ERROR", "SUPERVISOR": "ERROR", "PROGRESS": "INFO"}


def read_report(text: str, clock: Clock) -> Draft | None:
    """`=ERROR REPORT==== 4-May-2026::09:15:30 ===`, the heading of lines of Erlang's old logger."""
    match = _REPORT.match(text)
    stamp = stamp_at(match[2], 0, clock) if match else None
    if match is None or stamp is None:
        return None
    level = level_field(_REPORT_LEVELS.get(match[1], match[1]))
    return Draft("", stamp.instant, level, form="header", takes_plain=True)


_PIPES = re.compile(r"\[#\|([^|]{10,40})\|([A-Z]{3,12})\|[^|]{0,80}\|([^|]{0,160})\|[^|]{0,400}\|")


def read_pipe_record(text: str, clock: Clock) -> Draft | None:
    """`[#|time|LEVEL|product|logger|thread|message|#]`."""
    match = _PIPES.match(text)
    stamp = stamp_at(match[1], 0, clock) if match else None
    if match is None or stamp is None:
        return None
    message = text[match.end() :].removesuffix("|#]")
    return Draft(message, stamp.instant, level_field(match[2]), logger=match[3] or None, form="header")


_HASHES = re.compile(r"#{2,8}<")


def read_hashes(text: str, clock: Clock) -> Draft | None:
    """`####<time> <Level> <Subsystem> <...>`."""
    match = _HASHES.match(text)
    stamp = stamp_at(text, match.end(), clock) if match else None
    if stamp is None:
        return None
    return read_header(text[stamp.end :].lstrip(">"), Draft("", stamp.instant, form="header"))


_PROCESS_FIRST = re.compile(r"\[\d{1,10}:\d{1,10}:(\d{4}/\d{6}(?:\.\d{1,9})?):([A-Z]{4,11}):([^\]]{1,160})\] ?")


def read_process_first(text: str, clock: Clock) -> Draft | None:
    """`[7:9:0504/091530.250000:ERROR:file.cc(12)] message`: process, thread, time, level, source."""
    match = _PROCESS_FIRST.match(text)
    stamp = stamp_at(match[1], 0, clock) if match else None
    if match is None or stamp is None:
        return None
    return Draft(text[match.end() :], stamp.instant, level_field(match[2]), logger=match[3], form="header")


_FACILITY_LEVEL = re.compile(r"[a-z0-9]{3,10} {0,6}:([a-z]{3,7}) {0,6}: (?:\[ {0,8}\d{1,9}\.\d{1,9}\] ?)?")


def read_facility_level(text: str, _clock: Clock) -> Draft | None:
    """`kern  :err   : [12345.678901] message`."""
    match = _FACILITY_LEVEL.match(text)
    level = level_field(match[1]) if match else None
    return Draft(text[match.end() :], level=level, form="header") if match and level else None


_MILLIS_FIRST = re.compile(r"\d{1,10} +(?=\[[^\]]{1,80}\] +[A-Z]{4,8} )")


def read_millis_first(text: str, _clock: Clock) -> Draft | None:
    """`176 [main] INFO  a.b.C - message`: milliseconds since the start."""
    match = _MILLIS_FIRST.match(text)
    if match is None:
        return None
    draft = read_header(text[match.end() :], Draft("", form="header"))
    return draft if draft.level is not None else None


_EVENT_TEXT = re.compile(r"Log Name: {1,12}\S")
_EVENT_LINES = re.compile(r"(Source|Date|Level|Computer|Description):[ \t]*(.*)")


def read_event_text(text: str, _clock: Clock) -> Draft | None:
    """The first line of a Windows event as text; `finish_event_text` reads the rest."""
    return Draft(text, form="event-text", takes_plain=True) if _EVENT_TEXT.match(text) else None


def finish_event_text(draft: Draft, lines: list[str], clock: Clock) -> Draft:
    """The event whose lines have all come."""
    found: dict[str, str] = {}
    for at, line in enumerate(lines):
        match = _EVENT_LINES.match(line)
        if match is None:
            continue
        found[match[1]] = match[2].strip()
        if match[1] == "Description":
            found["Description"] = "\n".join([match[2], *lines[at + 1 :]]).strip()
            break
    stamp = stamp_at(found.get("Date", ""), 0, clock)
    draft.instant = stamp.instant if stamp else None
    draft.level = level_field(found.get("Level"))
    draft.service, draft.instance = found.get("Source"), found.get("Computer")
    draft.message = found.get("Description") or "\n".join([draft.message, *lines])
    return draft


_NUMBERED_COLUMNS = re.compile(r"\d{1,6},(?=\d\d/\d\d/\d\d,\d\d:\d\d:\d\d,)")


def read_numbered_columns(text: str, clock: Clock) -> Draft | None:
    """`10,05/04/26,09:15:30,Assign,...`: an event number, date and time as cells of their own."""
    match = _NUMBERED_COLUMNS.match(text)
    stamp = stamp_at(text, match.end(), clock) if match else None
    return Draft(text[stamp.end :].lstrip(","), stamp.instant, form="header") if stamp else None


_COMMENT_EPOCH = re.compile(r"#\d{10}$")


def read_comment_epoch(text: str, clock: Clock) -> Draft | None:
    """`#1777886130`, the time of the command in the next line of a shell's history."""
    stamp = stamp_at(text, 1, clock) if _COMMENT_EPOCH.match(text) else None
    return Draft("", stamp.instant, form="header", takes_plain=True) if stamp else None


_DOUBLE_COLONS = re.compile(r"[\w.\-]{1,80}::([A-Z]{4,9})::([\d\-T:., ]{19,30})::(?:[\w.\-]{1,80}::){0,3}")


def read_double_colons(text: str, clock: Clock) -> Draft | None:
    """`thread::LEVEL::time::module::line::logger::message`."""
    match = _DOUBLE_COLONS.match(text)
    stamp = stamp_at(match[2], 0, clock) if match else None
    if match is None or stamp is None:
        return None
    return Draft(text[match.end() :], stamp.instant, level_field(match[1]), form="header")
