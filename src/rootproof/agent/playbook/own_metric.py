"""The metric that an alert is about: whether it is recorded, past the alert's threshold, or on its way there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from rootproof.agent.briefing import Briefing
from rootproof.agent.playbook.focus import METRIC_NAME, Focus, complaint
from rootproof.agent.playbook.metric_roles import Role, percent, role, role_of_name, seconds
from rootproof.agent.playbook.observations import SeriesItem
from rootproof.agent.playbook.signals import Kind, Signal, SignalSet
from rootproof.agent.playbook.wording import number, range_phrase

_LABELS = frozenset({"metric", "metric_name", "metricname"})
_SNAKE = re.compile(r"\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b")
_THRESHOLD = re.compile(
    r"(?P<over>\b(?:above|over|exceed\w*|more than|greater than|higher than|at least|reached)\b|>=?)"
    r"|(?P<under>\b(?:below|under|less than|lower than|fewer than)\b|<=?)",
    re.IGNORECASE,
)
_AMOUNT = re.compile(
    r"\W{0,3}(?:(?:the|its|of|a|an|threshold|limit|warning|critical) ){0,4}(\d[\d,]*(?:\.\d+)?) ?"
    r"(%|percent\b|thousand\b|million\b|billion\b|[kmgt]i?b\b|ms\b|milliseconds?\b|s\b|seconds?\b|minutes?\b|min\b)?",
    re.IGNORECASE,
)
_COUNTS = {"": 1.0, "thousand": 1e3, "million": 1e6, "billion": 1e9}
_TIMES = {"ms": 0.001, "millisecond": 0.001, "s": 1.0, "second": 1.0, "minute": 60.0, "min": 60.0}
_POWERS = {"k": 1, "m": 2, "g": 3, "t": 4}
_AT_END = 0.1
_FELL_TO = 0.6
_JUDGED = frozenset(
    {
        Kind.CPU_NORMAL, Kind.CPU_ELEVATED, Kind.CONNECTIONS_STEADY, Kind.LAG_NORMAL, Kind.STORAGE_STEADY,
        Kind.STORAGE_RECOVERED, Kind.DISK_CALM, Kind.MEMORY_NORMAL, Kind.TRAFFIC_STEADY, Kind.TRAFFIC_USUAL,
    }
)  # fmt: skip
"""What the reasoner has found to be within bounds that it knows."""
_GRAVE = frozenset({"critical", "page", "high", "p1", "sev1", "error"})


@dataclass(frozen=True, slots=True)
class OwnMetrics:
    """What the series that an alert names do now."""

    abnormal: tuple[Signal, ...] = ()
    """Past the threshold, or moving to a limit that the reasoner does not know."""
    well: tuple[Signal, ...] = ()
    """Within bounds, with words that say so."""
    untold: bool = False
    """Whether one is named and not recorded, or recorded and not to be judged."""


def own_metrics(signals: SignalSet, about: Focus, briefing: Briefing) -> OwnMetrics:
    """Judge the series that the alerts name; nothing where they name none."""
    if not briefing.alerts:
        return OwnMetrics()
    text = complaint(briefing)
    names = frozenset(_named(text, briefing))
    own = [s for s in signals if _is_named(s, names, about)]
    grave = about.severity in _GRAVE
    abnormal, well = [], []
    untold = any(_missing(name, signals) for name in names)
    for signal in own:
        series = signal.values["series"]
        verdict = _verdict(series, _threshold(text, series), grave, known=signal.kind in _JUDGED)
        if verdict is False:
            abnormal.append(signal)
        elif verdict is True:
            well.append(replace(signal, values={**signal.values, "words": _well_words(signal, series)}))
        untold = untold or verdict is None
    return OwnMetrics(tuple(abnormal), tuple(well), untold)


def _named(text: str, briefing: Briefing) -> Iterator[str]:
    yield from (*METRIC_NAME.findall(text), *_SNAKE.findall(text))
    for alert in briefing.alerts:
        yield from (value for key, value in alert.labels.items() if key.lower() in _LABELS and value)


def _is_named(signal: Signal, names: frozenset[str], about: Focus) -> bool:
    series = signal.values.get("series")
    if not isinstance(series, SeriesItem) or series.day or signal.kind is Kind.LOG_FILLS_DISK:
        return False
    named = series.name.lower() in {name.lower() for name in names}
    return named and (not signal.subject or about.covers(signal.subject))


def _missing(name: str, signals: SignalSet) -> bool:
    """Whether a vendor's metric of a known role is named, and no series measures that."""
    if role_of_name(name) is Role.OTHER or "_" in name:
        return False
    every = [s.values["series"] for s in signals if isinstance(s.values.get("series"), SeriesItem)]
    return not any(one.name.lower() == name.lower() or role(one) is role_of_name(name) for one in every)


def _verdict(series: SeriesItem, threshold: tuple[bool, float] | None, grave: bool, *, known: bool) -> bool | None:
    """True for well, False for abnormal, None where it cannot be told."""
    moving = series.trend in ("rising", "falling") and _at_end(series, up=series.trend == "rising")
    if threshold is not None:
        over, limit = threshold
        breached = series.last >= limit if over else series.last <= limit
        towards = moving and (series.trend == "rising") == over
        if breached and (not known or (grave and towards)):
            return False
        return not (towards and not known)
    if known:
        return True
    if moving:
        return False
    return None if grave else True


def _at_end(series: SeriesItem, *, up: bool) -> bool:
    spread = series.high - series.low
    left = series.high - series.last if up else series.last - series.low
    return spread > 0 and left <= _AT_END * spread


def _threshold(text: str, series: SeriesItem) -> tuple[bool, float] | None:
    """(above, limit) as the sentence that names the series states it, in the series' own unit."""
    at = text.lower().find(series.name.lower())
    told = text[at:] if at >= 0 else text
    for found in _THRESHOLD.finditer(told[:300]):
        amount = _AMOUNT.match(told, found.end())
        limit = _in_unit(amount, series) if amount is not None else None
        if limit is not None:
            return found.group("over") is not None, limit
    return None


def _in_unit(amount: re.Match[str], series: SeriesItem) -> float | None:
    value, unit = float(amount.group(1).replace(",", "")), (amount.group(2) or "").lower()
    share = percent(series, 1.0)
    if unit in ("%", "percent"):
        return None if share is None else value / share
    if unit in _COUNTS:
        return value * _COUNTS[unit]
    if unit.rstrip("s") in _TIMES or unit in _TIMES:
        factor = seconds(series, 1.0)
        return value * _TIMES.get(unit, _TIMES.get(unit.rstrip("s"), 1.0)) / factor
    if "byte" in series.unit.lower():
        return value * (1024.0 if "i" in unit else 1000.0) ** _POWERS[unit[0]]
    return None


def _when(at: datetime | None) -> str:
    return f" at {at:%H:%M} UTC" if at is not None else ""


def _well_words(signal: Signal, series: SeriesItem) -> str:
    """Its bounds and where it stands now; where it came back, from where."""
    whose = f"{series.name} of {signal.subject}" if signal.subject else series.name
    low, high, last = number(series.low, series), number(series.high, series), number(series.last, series)
    of_free = role(series) in (Role.FREE_STORAGE, Role.FREE_MEMORY)
    if of_free and series.low <= _FELL_TO * series.last:
        return f"{whose} was at {low}{_when(series.low_at)} and is at {last} now"
    if not of_free and series.last <= _FELL_TO * series.high:
        return f"{whose} was at {high}{_when(series.high_at)} and is at {last} now"
    if low == high:
        return range_phrase(series, signal.subject)
    return f"{range_phrase(series, signal.subject)}, and is at {last} now"
