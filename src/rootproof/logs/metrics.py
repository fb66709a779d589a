"""Which numbers of a log record are measurements: an allow-list of words, so that ids and ports stay out."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from rootproof.logs.wordlists import word_set

MAX_METRICS = 24

_MEASURES = word_set(
    "duration elapsed latency took time wait waited timeout lag delay age uptime status code rows bytes size "
    "length count total pool connections connection active idle pending waiting max min used free limit "
    "capacity queue depth backlog heap memory mem rss cpu load disk usage utilization percent pct ratio rate "
    "qps rps throughput retries retry attempt attempts errors failures requests threads goroutines gc pause "
    "evictions hits misses examined sent received affected returned scanned locked locks lock query response "
    "request exit restarts replicas offset partition_lag restart p50 p90 p95 p99 avg mean median batch "
    "inflight in_flight open closed"
)
_UNIT_WORDS = word_set(
    "ms s us ns sec secs seconds second millis milliseconds micros nanos minutes kb mb gb kib mib gib in per"
)
_MUST_HOLD = _MEASURES - {"time", "code", "in", "request", "response", "query", "max", "min", "open", "exit", "limit"}
_LONGEST_WORD = 24
_KNOWN = _MEASURES | _UNIT_WORDS
_NAMED_WHOLE = frozenset(
    {"response_time", "request_time", "query_time", "lock_time", "exit_code", "status_code", "response_code"}
)
_CONTEXT = word_set(
    "http db sql jvm hikari process container pool server client upstream metrics metric data attr attributes fields"
)
_WORD = re.compile(r"[A-Z]?[a-z]+\d*|[A-Z]+(?![a-z])\d*|\d+")


@lru_cache(maxsize=4096)
def metric_name(key: str) -> str | None:
    """The snake-case name under which a key counts as a measurement, or None."""
    last = key.rsplit(".", 1)[-1] if len(key) <= 80 else ""
    words = [
        word for part in re.split(r"[_\-\s]", last) for found in _WORD.findall(part) for word in _split(found.lower())
    ]
    if not words or len(words) > 5:
        return None
    name = "_".join(words)
    if name in _NAMED_WHOLE:
        return name
    if not all(word in _MEASURES or word in _UNIT_WORDS or word in _CONTEXT for word in words):
        return None
    return name if any(word in _MUST_HOLD for word in words) else None


@lru_cache(maxsize=4096)
def _split(word: str) -> tuple[str, ...]:
    """A word that is written together (`maxsize`) as the known words it is made of, else as it is."""
    for cut in range(len(word), 1, -1) if len(word) <= _LONGEST_WORD else ():
        head, tail = word[:cut], word[cut:]
        if head not in _KNOWN:
            continue
        rest = _split(tail) if tail else ()
        if all(part in _KNOWN for part in rest):
            return (head, *rest)
    return (word,)


def number(value: object) -> float | None:
    """A finite number, also from text such as `12`, `0.5` or `30ms`."""
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return _finite(value)
    if isinstance(value, str) and len(value) <= 32 and (match := _NUMBER.fullmatch(value.strip())):
        return _finite(float(match[1]))
    return None


_NUMBER_BEGINS = frozenset("0123456789+-")
_NUMBER = re.compile(r"([+-]?\d{1,18}(?:\.\d{1,12})?)\s?(?:ns|us|µs|ms|s|%)?", re.ASCII)


def _finite(value: float) -> float | None:
    try:
        as_float = float(value)
    except OverflowError:
        return None
    return as_float if math.isfinite(as_float) else None


def metric_names(names: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """The field names that can hold measurements, each with the name of its measurement, in their order."""
    return tuple((name, metric) for name in names if (metric := metric_name(name)) is not None)


def numbers_of(flat: Mapping[str, object]) -> dict[str, float]:
    """The measurements among flat fields, at most `MAX_METRICS`, in their order."""
    return numbers_at(flat, metric_names(tuple(flat)))


def numbers_at(flat: Mapping[str, object], names: Sequence[tuple[str, str]]) -> dict[str, float]:
    """The same, for fields whose names are known already (`metric_names`)."""
    found: dict[str, float] = {}
    for key, name in names:
        value = flat[key]
        if name in found or (isinstance(value, str) and value[:1] not in _NUMBER_BEGINS):
            continue
        measured = number(value)
        if measured is not None:
            found[_with_unit(name, value)] = measured
            if len(found) >= MAX_METRICS:
                break
    return found


_UNIT = re.compile(r"(ns|us|µs|ms|s)\s*$")


def _with_unit(name: str, value: object) -> str:
    if isinstance(value, str) and not value[-1].isdigit() and (unit := _UNIT.search(value)):
        suffix = "_" + unit[1].replace("µ", "u")
        return name if name.endswith(suffix) else name + suffix
    return name
