"""What stands beside a message in a record of fields: where a slow or failed call went, and how long it took.

Such fields are a part of what a reader of the line sees. Only a record that took a second or longer, or that failed, is
read with them: beside routine they would only split one kind of line into many.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_DURATION = re.compile(
    r"(?:.{0,60}[._-])?(took|duration|elapsed|latency|response_?time|request_?time|time_?taken)"
    r"[._-]?(?:in_?)?(ns|us|ms|millis|milliseconds|s|sec|secs|seconds)?"
)
_VALUE = re.compile(r"(\d{1,12}(?:\.\d{1,9})?) ?(ns|us|\u00b5s|ms|s|m)?")
_SECONDS = {"ns": 1e-9, "us": 1e-6, "\u00b5s": 1e-6, "ms": 1e-3, "millis": 1e-3, "milliseconds": 1e-3, "m": 60.0}
_WHERE = ("method", "http.method", "url", "http.url", "uri", "request_uri", "path", "http.path", "url.path", "route",
          "peer", "peer.service", "upstream", "upstream_host", "target", "remote", "remote_addr", "dependency",
          "endpoint", "host")  # fmt: skip
_FAILED = re.compile(r"5\d\d|429")
_STATUS = ("status", "status_code", "http.status_code", "response.status")
_ERRORS = ("error", "err", "error.message", "err.message", "exception")
_SLOW_S = 1.0
_MAX_VALUE, _MAX_CHARS = 120, 300


@dataclass(frozen=True, slots=True)
class Calls:
    """Which fields of a record may tell of a call: worked out once for all records of one shape."""

    durations: tuple[tuple[str, str, str | None], ...]
    """`(name, word, unit)`, the unit None where the name does not say it."""
    statuses: tuple[str, ...]
    errors: tuple[str, ...]

    @classmethod
    def of(cls, names: Sequence[str]) -> Calls:
        """Those among `names`, which are flat and in lower case."""
        found = ((name, _DURATION.fullmatch(name)) for name in names)
        return cls(
            tuple((name, key[1], key[2]) for name, key in found if key is not None),
            tuple(name for name in _STATUS if name in names),
            tuple(name for name in _ERRORS if name in names),
        )


def beside(flat: Mapping[str, Any], message: str, calls: Calls) -> str:
    """`key=value` of the fields that say where and how long, as far as the message does not; empty for routine."""
    took = _longest(flat, calls) if calls.durations else None
    slow = took is not None and took[0] >= _SLOW_S
    if not slow and not _failed(flat, calls):
        return ""
    told = [f"{name}={value}" for name, value in _where(flat) if value not in message]
    if took is not None and slow and took[1] not in message:
        told.append(took[1])
    return " ".join(told)[:_MAX_CHARS]


def _failed(flat: Mapping[str, Any], calls: Calls) -> bool:
    if any(_FAILED.fullmatch(str(flat[name])) for name in calls.statuses):
        return True
    return any(isinstance(value := flat[name], str) and bool(value.strip()) for name in calls.errors)


_SHORT = {"millis": "ms", "milliseconds": "ms", "sec": "s", "secs": "s", "seconds": "s"}


def _longest(flat: Mapping[str, Any], calls: Calls) -> tuple[float, str] | None:
    """The longest duration whose unit is written, in seconds and as `took=9.4s`."""
    found = []
    for name, word, said in calls.durations:
        value = flat[name]
        number = _VALUE.fullmatch(str(value).strip()) if isinstance(value, (int, float, str)) else None
        unit = (number[2] or said) if number is not None and not isinstance(value, bool) else None
        if number is not None and unit is not None:
            short = _SHORT.get(unit, unit)
            found.append((float(number[1]) * _SECONDS.get(unit, 1.0), f"{word}={number[1]}{short}"))
    return max(found, default=None)


def _where(flat: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Where a call went, without what follows a question mark."""
    for name in _WHERE:
        value = flat.get(name)
        if isinstance(value, str) and value.strip() and len(value) <= 4 * _MAX_VALUE and " " not in value.strip():
            yield name.rsplit(".", 1)[-1], value.strip().split("?", 1)[0][:_MAX_VALUE]
