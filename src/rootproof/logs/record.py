"""One log record, whatever it was written in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Literal

Level = Literal["TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"]

LEVELS: tuple[Level, ...] = ("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL")
"""Least severe first."""

NO_METRICS: Mapping[str, float] = MappingProxyType({})


@dataclass(slots=True)
class LogRecord:
    """What a few lines of a log say. To be read only: it is not frozen because one is made for each line of a file, and
    a frozen one takes five times as long to make.
    """

    message: str
    timestamp: datetime | None = None
    """Aware, in UTC; None where the lines hold no usable time."""
    level: Level | None = None
    """None where the lines do not say it; never guessed from the mood of the words."""
    service: str | None = None
    logger: str | None = None
    instance: str | None = None
    """Host or pod."""
    metrics: Mapping[str, float] = field(default_factory=lambda: NO_METRICS)
    """Numbers under allow-listed keys (`duration_ms`, `status`, `pool_active`, ...)."""
    beside: str = ""
    """Fields beside the message of a slow or failed call: where it went, how long it took (`beside.py`). For a slow
    statement who ran it where."""
    line: int = 1
    """The first physical line, from 1."""
    lines: int = 1
    """How many physical lines, blank ones behind it included."""
    repeated: int = 1
    """How many events the record stands for: N for `message repeated N times`, which some loggers write instead."""


def severity(level: str | None) -> int:
    """The rank of a level, -1 for none: comparable, not for storing."""
    return _RANK.get(level, -1)


_RANK: dict[str | None, int] = {level: rank for rank, level in enumerate(LEVELS)}
