"""Signals of the skills' own patterns: literal phrases in logs and cluster facts, and states of series by name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from rootproof.agent.playbook.cluster_signals import fact_signal
from rootproof.agent.playbook.metric_roles import percent, subject
from rootproof.agent.playbook.metric_signals import growth, surged
from rootproof.agent.playbook.observations import FactItem, LogItem, Observations, SeriesItem
from rootproof.agent.playbook.signals import Signal
from rootproof.domain.playbook import Pattern, SeriesState, Source
from rootproof.skills.phrase import Found, Phrase, parse_phrase

_FRESH = timedelta(minutes=15)
"""As for the built-in log signals: what was last seen within this time of the newest observation is so now."""
_SURGE = 3.0
_ROSE = 1.3
_FELL = 0.7
_FULL = 95.0
_NEAR = 0.05


@dataclass(frozen=True, slots=True)
class Watch:
    """A pattern, ready to be looked for."""

    pattern: Pattern
    phrases: tuple[Phrase, ...]

    def find(self, text: str) -> Found | None:
        """The first of its phrases in `text`."""
        return next((found for phrase in self.phrases if (found := phrase.find(text)) is not None), None)


def watch(pattern: Pattern) -> Watch:
    """The pattern with its phrases parsed."""
    return Watch(pattern, tuple(parse_phrase(phrase) for phrase in pattern.any_of))


def custom_signals(seen: Observations, now: datetime, watches: Sequence[Watch]) -> Iterator[Signal]:
    """The signals of all patterns, pattern by pattern."""
    for one in watches:
        match one.pattern.source:
            case Source.LOGS:
                yield from (signal for item in seen.logs if (signal := _told(one, item, now)) is not None)
            case Source.CLUSTER:
                yield from (signal for fact in seen.facts if (signal := _stated(one, fact)) is not None)
            case Source.METRICS:
                yield from (_measured(one, item) for item in seen.series if _is_so(one.pattern, item))


def _told(one: Watch, item: LogItem, now: datetime) -> Signal | None:
    """A log line's signal. The example of a pattern is read first: what a sentence takes from it can be quoted."""
    if one.pattern.topics and item.topic not in one.pattern.topics:
        return None
    found = one.find(item.words) or one.find(item.text)
    if found is None:
        return None
    return Signal(
        one.pattern.kind,
        item.evidence_id,
        item.service,
        quote=item.words,
        app=item.service,
        current=item.last is None or item.last >= now - _FRESH,
        at=item.first,
        last=item.last,
        count=item.count,
        values={"item": item, "matched": found.words, "slots": _quotable(found, item.words)},
    )


def _stated(one: Watch, fact: FactItem) -> Signal | None:
    found = one.find(fact.text) or one.find(fact.reason)
    if found is None:
        return None
    return fact_signal(fact, one.pattern.kind, slots=_quotable(found, fact.text))


def _quotable(found: Found, text: str) -> dict[str, str]:
    """The caught words that stand in the evidence's text."""
    return {name: word for name, word in found.values.items() if word in text}


def _measured(one: Watch, item: SeriesItem) -> Signal:
    return Signal(
        one.pattern.kind,
        item.evidence_id,
        subject(item),
        quote="",
        at=item.changed_at or item.first_at,
        last=item.last_at,
        values={"series": item},
    )


def _is_so(pattern: Pattern, item: SeriesItem) -> bool:
    name = item.name.lower()
    if not any(word in name for word in pattern.series):
        return False
    match pattern.state:
        case SeriesState.SURGE:
            return surged(item, _SURGE)
        case SeriesState.RISING:
            return growth(item) >= _ROSE and item.last >= (1 - _NEAR) * item.high
        case SeriesState.FALLING:
            return growth(item) <= _FELL and item.last <= (1 + _NEAR) * item.low
        case SeriesState.AT_LIMIT:
            now = percent(item, item.last)
            return now is not None and now >= _FULL
        case _:
            return item.last == 0 and item.high > 0
