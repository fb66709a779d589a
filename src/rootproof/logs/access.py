"""Access logs of web servers and proxies: the request is the message, status and time are measurements."""

from __future__ import annotations

import re

from rootproof.logs.draft import Draft
from rootproof.logs.record import Level
from rootproof.logs.timestamps import Clock, stamp_at

_COMMON = re.compile(
    r'(?P<client>\S{1,255}) (?P<ident>\S{1,64}) (?P<user>\S{1,128}|"[^"]{0,128}") \[(?P<time>[^\]]{10,40})\] '
    r'"(?P<request>(?:[^"\\]|\\.){0,8000})" (?P<status>\d{3}) (?P<bytes>\d{1,15}|-)(?P<rest>.*)',
    re.DOTALL,
)
_REQUEST_TIME = re.compile(r"(?<![\d.])(\d{1,5}\.\d{3,6})(?![\d.])")


def read_access(text: str, clock: Clock) -> Draft | None:
    """A line of the common or combined log format, with whatever was appended to it."""
    match = _COMMON.match(text) if '] "' in text[:700] else None
    if match is None:
        return None
    stamp = stamp_at(match["time"], 0, clock)
    if stamp is None:
        return None
    status = int(match["status"])
    metrics = {"status": float(status)}
    if match["bytes"] != "-":
        metrics["bytes"] = float(match["bytes"])
    after_quotes = match["rest"].rpartition('"')[2]
    if took := _REQUEST_TIME.search(after_quotes):
        metrics["duration_ms"] = round(float(took[1]) * 1000, 3)
    message = match["request"] if match["request"] not in ("", "-") else f"(no request) status {status}"
    return Draft(message, stamp.instant, level=status_level(status), metrics=metrics, form="access", open=False)


def status_level(status: int) -> Level | None:
    """ERROR for a server error; other statuses say nothing about the server's health."""
    return "ERROR" if 500 <= status <= 599 else None
