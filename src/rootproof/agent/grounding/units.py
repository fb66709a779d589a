"""Units: what a unit word measures and how many base units it stands for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Dimension(StrEnum):
    """What a number measures; NONE is a bare count."""

    NONE = "none"
    TIME = "time"
    BYTES = "bytes"
    PERCENT = "percent"
    RATIO = "ratio"
    CPU = "cpu"


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit; `factors` has more than one entry where people use the word loosely (MB for MiB)."""

    dimension: Dimension
    factors: tuple[float, ...]
    rate: bool = False
    """Whether it is per second or per minute."""


def _time(seconds: float) -> Unit:
    return Unit(Dimension.TIME, (seconds,))


def _bytes(power: int, *, binary: bool) -> Unit:
    return Unit(Dimension.BYTES, (1024.0**power,) if binary else (1000.0**power, 1024.0**power))


def _count(factor: float) -> Unit:
    return Unit(Dimension.NONE, (factor,))


_TABLE: Final[dict[str, Unit]] = {}
_SPELLINGS: Final[tuple[tuple[str, Unit], ...]] = (
    ("ns nanosecond nanoseconds", _time(1e-9)),
    ("us µs microsecond microseconds micros", _time(1e-6)),
    ("ms msec msecs millis milli millisecond milliseconds", _time(1e-3)),
    ("s sec secs second seconds", _time(1)),
    ("min mins minute minutes", _time(60)),
    ("h hr hrs hour hours", _time(3600)),
    ("d day days", _time(86400)),
    ("week weeks", _time(604800)),
    ("B byte bytes", _bytes(0, binary=True)),
    ("kB KB kb kilobyte kilobytes", _bytes(1, binary=False)),
    ("MB mb megabyte megabytes", _bytes(2, binary=False)),
    ("GB gb gigabyte gigabytes gig gigs", _bytes(3, binary=False)),
    ("TB tb terabyte terabytes", _bytes(4, binary=False)),
    ("Ki KiB kibibyte kibibytes", _bytes(1, binary=True)),
    ("Mi MiB mebibyte mebibytes", _bytes(2, binary=True)),
    ("Gi GiB gibibyte gibibytes", _bytes(3, binary=True)),
    ("Ti TiB tebibyte tebibytes", _bytes(4, binary=True)),
    ("% percent pct", Unit(Dimension.PERCENT, (1.0,))),
    ("x times-as fold", Unit(Dimension.RATIO, (1.0,))),
    ("m", Unit(Dimension.CPU, (1e-3,))),
    ("millicores millicore millicpu", Unit(Dimension.CPU, (1e-3,))),
    ("cores core vCPU vCPUs vcpu vcpus CPUs cpus", Unit(Dimension.CPU, (1.0,))),
    ("k K thousand", _count(1e3)),
    ("M million mln", _count(1e6)),
    ("G billion bn", _count(1e9)),
    ("rps qps tps", Unit(Dimension.NONE, (1.0,), rate=True)),
)
for _names, _unit in _SPELLINGS:
    for _name in _names.split():
        _TABLE[_name] = _unit

RATE_WORDS: Final = frozenset({"rps", "qps", "tps", "ops", "iops", "rpm"})
_KEY_UNITS: Final[tuple[tuple[re.Pattern[str], Unit], ...]] = (
    (re.compile(r"(?:[_.]|^|[a-z])(?:ms|millis|milliseconds|Ms|Millis|Milliseconds)$"), _time(1e-3)),
    (re.compile(r"(?:_|[a-z])(?:s|sec|secs|seconds|Seconds|Sec)(?:_total|_sum|_max)?$"), _time(1)),
    (re.compile(r"(?:_|[a-z])(?:bytes|Bytes)(?:_total)?$"), _bytes(0, binary=True)),
    (re.compile(r"(?:_|[a-z]|^)(?:percent|pct|percentage|Percent|Percentage)$"), Unit(Dimension.PERCENT, (1.0,))),
    (re.compile(r"(?:_|[a-z])(?:ratio|fraction|Ratio)$"), Unit(Dimension.PERCENT, (100.0,))),
)
_SERIES_UNITS: Final[dict[str, Unit]] = {
    "ratio": Unit(Dimension.PERCENT, (100.0,)),
    "fraction": Unit(Dimension.PERCENT, (100.0,)),
    "percentage": Unit(Dimension.PERCENT, (1.0,)),
    "kilobytes": _bytes(1, binary=False),
    "megabytes": _bytes(2, binary=False),
    "gigabytes": _bytes(3, binary=False),
    "microseconds": _time(1e-6),
}


def unit(word: str) -> Unit | None:
    """The unit that `word` is, exactly as written first, then without regard to case for long words."""
    found = _TABLE.get(word)
    if found is None and len(word) > 2:
        found = _TABLE.get(word.lower())
    return found


def series_unit(text: str) -> Unit | None:
    """The unit named in a series' parentheses (`Seconds`, `Bytes`, `Count/Second`), or None."""
    word = text.split("/", maxsplit=1)[0].strip()
    found = _SERIES_UNITS.get(word.lower()) or unit(word)
    return found if found is not None and found.dimension is not Dimension.RATIO else None


def key_unit(key: str) -> Unit | None:
    """The unit that the name of a field carries in its ending (`elapsed_ms`, `sizeBytes`), or None."""
    if (
        "_" not in key
        and "." not in key
        and not any(char.isupper() for char in key[1:])
        and key not in {"percent", "ms", "millis", "pct"}
    ):
        return None
    for pattern, found in _KEY_UNITS:
        if pattern.search(key):
            return found
    return None
