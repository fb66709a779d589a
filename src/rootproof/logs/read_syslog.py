"""Syslog in its many spellings: RFC 3164 and 5424, with and without priority, host, facility, process id."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from rootproof.logs.draft import Draft
from rootproof.logs.formats_first import may_be_line
from rootproof.logs.levels import level_field, syslog_level
from rootproof.logs.read_levels import level_in_words
from rootproof.logs.timestamps import Clock, Stamp, stamp_at

Inner = Callable[[str], Draft]
"""Reads a message as a line of its own."""

_PRI = re.compile(r"(?:\d{1,6} )?<(\d{1,3})>(?:1 )?(?=\S)")
"""The priority, behind the length that comes first over TCP (RFC 6587)."""
_FACILITY = (
    r"(?:<?(?:kern|user|mail|daemon|auth|syslog|lpr|news|uucp|cron|authpriv|ftp|local[0-7])\.(?P<{}>[a-z]{{3,7}})>? )?"
)
_TAG: Final = r"(?P<tag>[\w./@+\-]{1,64}(?:\([\w@.\- ]{1,40}\))?)"
_TAGGED = re.compile(
    _FACILITY.format("before")
    + r"(?:(?P<host>[^\s:]{1,254}(?::{1,2}[^\s:]{1,60}){0,8}) )?"
    + _FACILITY.format("after")
    + _TAG
    + r"(?:\[(?P<pid>[\w.\-]{1,16})(?::\w{1,12})?\])?(?P<colon>:?) {0,3}(?P<msg>.*)",
    re.DOTALL,
)
_COMMON_TAG = re.compile(r"([\w.\-]{1,254}) ([\w./@+\-]{1,64})(?:\[\d{1,10}\])?: ?(?! )(.*)", re.DOTALL)
"""`host tag[pid]: message`, the commonest spelling."""
_SYSLOG_5424 = re.compile(
    r"(?P<host>\S{1,255}) (?P<app>\S{1,64}) (?P<pid>\d{1,10}|-|[\w.\-]{1,40}) (?P<id>\S{1,40}) +"
    r"(?P<sd>-|\[.{0,8000}?\](?= |$))(?: (?P<msg>.*)|$)",
    re.DOTALL,
)
_STRUCTURED = re.compile(r"\S{1,255} \S{1,64} \S{1,40} \S{1,40} +[\[-]")
_SD_LEVEL = re.compile(r'level="(\w{1,12})"')
_MNEMONIC = re.compile(
    r"(?:(?P<host>[\w.\-]{1,120}) :? ?)?"
    r"(?P<name>%[A-Z0-9_]{1,40}-(?:[A-Z0-9_]{1,40}-)?(?P<level>[0-7])-[A-Z0-9_]{1,60}): ?(?P<msg>.*)",
    re.DOTALL,
)
_NUMBERED = re.compile(r"(?:\d{1,10}: )?(?:[\w.\-]{1,120}: )?[*.]?(?=[A-Z][a-z]{2} [ \d]\d )")
_CATEGORY = re.compile(r"([A-Za-z_]\w*(?:\.[\w`+]+)+)\[\d{1,9}\] ")


def read_priority(text: str, clock: Clock, inner: Inner) -> Draft | None:
    """RFC 3164 and 5424 with their priority."""
    match = _PRI.match(text)
    if match is None or int(match[1]) > 191:
        return None
    rest = text[match.end() :]
    numbered = _NUMBERED.match(rest)
    if numbered is not None and numbered.end() and stamp_at(rest, numbered.end(), clock):
        rest = rest[numbered.end() :]
    draft = inner(rest)
    if not draft.recognised and (category := _CATEGORY.match(rest)):
        draft.logger, draft.message = category[1], rest[category.end() :]
    draft.level = draft.level or syslog_level(int(match[1]) % 8)
    draft.form = "syslog"
    return draft


def read_after_stamp(rest: str, stamp: Stamp, inner: Inner) -> Draft | None:
    """What follows the timestamp of a syslog line: `host app[pid]: message`, or the RFC 5424 header."""
    if stamp.rfc3339 and (" [" in rest or " -" in rest) and _STRUCTURED.match(rest):
        full = _SYSLOG_5424.match(rest)
        if full is not None and level_field(full["host"]) is None and level_field(full["app"]) is None:
            return _structured(full, inner)
    if "%" in rest[:80] and (named := _MNEMONIC.match(rest)):
        return Draft(
            named["msg"], None, syslog_level(int(named["level"])), None, named["name"], named["host"], form="syslog"
        )
    if not stamp.syslog and "]" not in rest[:340] and not stamp.fine_offset:
        return None
    return _tagged(rest, stamp, inner)


def _tagged(rest: str, stamp: Stamp, inner: Inner) -> Draft | None:
    common = _COMMON_TAG.match(rest) if stamp.syslog else None
    if common is not None and level_field(common[1]) is None and level_field(common[2]) is None:
        return with_inner(Draft("", None, None, common[2], None, common[1], form="syslog"), common[3], inner)
    match = _TAGGED.match(rest)
    if match is None:
        return None
    host, tag, pid = match["host"], match["tag"], match["pid"]
    severity = match["before"] or match["after"]
    if not match["colon"]:
        return None
    if host is not None and (level_field(host) is not None or host[0] in "[(<{"):
        return None
    sure = stamp.syslog or stamp.fine_offset or (pid is not None and pid.isdigit()) or (stamp.rfc3339 and pid)
    if not sure or not (pid or severity or host) or level_field(tag) is not None:
        return None
    draft = Draft("", level=level_field(severity) if severity else None, form="syslog")
    draft.service, draft.instance = tag.split("(")[0], host
    return with_inner(draft, match["msg"], inner)


def _structured(full: re.Match[str], inner: Inner) -> Draft:
    level = _SD_LEVEL.search(full["sd"])
    draft = Draft("", level=level_field(level[1]) if level else None, form="syslog")
    draft.service = None if full["app"] == "-" else full["app"]
    draft.instance = None if full["host"] == "-" else full["host"]
    return with_inner(draft, (full["msg"] or "").lstrip("\ufeff"), inner)


def with_inner(outer: Draft, message: str, inner_of: Inner) -> Draft:
    """`outer` with `message`, itself read as a line when it says more that way."""
    outer.message = message.rstrip() if message[:1] not in " \t" else message
    if not may_be_line(message):
        outer.level = outer.level or level_in_words(message)
        return outer
    inner = inner_of(message)
    if inner.says_more() and inner.form != "header":
        inner = inner.inside(outer)
        inner.form = outer.form
        return inner
    if inner.form == "header" and inner.level is not None:
        outer.logger, outer.message = inner.logger or outer.logger, inner.message
    outer.level = outer.level or inner.level
    return outer
