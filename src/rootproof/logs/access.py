"""Access logs of web servers and proxies: the request is the message, status and time are measurements."""

from __future__ import annotations

import re
from functools import lru_cache

from rootproof.logs.draft import Draft
from rootproof.logs.record import Level
from rootproof.logs.timestamps import Clock, Stamp, stamp_at

_COMMON = re.compile(
    r'(?P<front>(?:[^\s\["]{1,255},? ){2,12}|\S{1,255} \S{1,64} "[^"]{0,128}" )\[(?P<time>[^\]]{10,40})\] '
    r'"(?P<request>[^"\\]*+(?:\\.[^"\\]*+)*+)" (?P<status>\d{3}) (?P<bytes>\d{1,15}|-)(?P<rest>.*)',
    re.DOTALL,
)
"""The virtual host, the client and those it was forwarded for, and the user stand before the time."""
_INNER_TIME = re.compile(r"\[(\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d(?:\.\d{1,6})?(?: [+-]\d{4})?)\]")
REQUEST_LINE = re.compile(r'"(?:[A-Z]{3,10}) [^"]{1,8000}" (?P<status>[1-5]\d\d)(?= )')
_REQUEST_TIME = re.compile(r"(?<![\d.])(\d{1,5}\.\d{3,6})(?![\d.])")


def read_access(text: str, clock: Clock) -> Draft | None:
    """A line of the common or combined log format, with whatever was appended to it."""
    match = _COMMON.match(text) if '] "' in text[:700] else None
    if match is None:
        return None
    _, time, request, code, size, rest = match.groups()
    stamp = _stamp(time, clock)
    if stamp is None:
        return None
    status = int(code)
    metrics = {"status": float(status)}
    if size != "-":
        metrics["bytes"] = float(size)
    if "." in rest and (took := _REQUEST_TIME.search(rest, rest.rfind('"') + 1)):
        metrics["duration_ms"] = round(float(took[1]) * 1000, 3)
    message = request if request not in ("", "-") else f"(no request) status {status}"
    return Draft(message, stamp.instant, status_level(status), metrics=metrics, form="access", open=False)


@lru_cache(maxsize=1024)
def _stamp(time: str, clock: Clock) -> Stamp | None:
    """The time in the brackets, which many neighbouring lines share."""
    return stamp_at(time, 0, clock)


def read_inner_time(text: str, clock: Clock) -> Draft | None:
    """A line of a balancer, store or spooler with other fields before the time: the whole line is the message."""
    match = _INNER_TIME.search(text, 0, 300)
    stamp = _stamp(match[1], clock) if match else None
    return Draft(text, stamp.instant, form="access", open=False) if stamp is not None else None


def status_level(status: int) -> Level | None:
    """ERROR for a server error; other statuses say nothing about the server's health."""
    return "ERROR" if 500 <= status <= 599 else None
