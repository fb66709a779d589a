"""Trouble that is over: told with its times, and as the answer where the question asks about it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from rootproof.agent.briefing import Briefing
from rootproof.agent.playbook.cause_text import clock, distinct
from rootproof.agent.playbook.clauses import whole
from rootproof.agent.playbook.draft import DraftBuilder, cite
from rootproof.agent.playbook.signals import Signal
from rootproof.agent.playbook.wording import sentence
from rootproof.domain.claim import ClaimKind

_ASKS_WHY = re.compile(
    r"\b(?:why|cause[ds]?|reason|what (?:happened|went wrong|broke)|diagnose|explain|investigate|fail(?:ed|ing|s)?"
    r"|broke|outage|incident|wrong)\b",
    re.IGNORECASE,
)
_NEAR = timedelta(minutes=60)
_MAX_TOLD = 4


def asked_about(briefing: Briefing, past: Sequence[Signal]) -> bool:
    """Whether the run wants to know about `past`: a question why, or an alert that began while it lasted."""
    if not briefing.alerts:
        return not briefing.question.strip() or bool(_ASKS_WHY.search(briefing.question))
    starts = [alert.started_at for alert in briefing.alerts if alert.started_at is not None]
    begun, ended = _ends(past)
    if begun is None or ended is None:
        return False
    return any(begun - _NEAR <= start <= ended + _NEAR for start in starts)


def write_past(draft: DraftBuilder, past: Iterable[Signal], now: datetime | None) -> None:
    """A claim for each kind of past trouble, with its times."""
    for signal in _telling(past)[:_MAX_TOLD]:
        draft.claim(ClaimKind.SYMPTOM, sentence(f"{whole(signal)}{_when(signal, now)}"), cite([signal]))


def past_words(past: Sequence[Signal], now: datetime | None) -> str:
    """What was failing, from when to when, in a sentence; empty without past trouble."""
    told = _telling(past)
    if not told:
        return ""
    what = f"{whole(told[0])}{_when(told[0], now)}"
    return f"{sentence(what)} Nothing of it was seen since."


def span_words(past: Sequence[Signal], now: datetime | None) -> str:
    """From when to when it was so, as a sentence of its own; empty where the evidence has no times."""
    begun, ended = _ends(past)
    if begun is None or ended is None:
        return ""
    day = now or ended
    until = f" The newest record is of {clock(now, day)}." if now is not None and now - ended > _NEAR / 4 else ""
    if begun == ended:
        return f"It was seen at {clock(begun, day)} and not since.{until}"
    return f"It was seen from {clock(begun, day)} to {clock(ended, day)} and not since.{until}"


def _telling(past: Iterable[Signal]) -> list[Signal]:
    logged = [s for s in distinct(past) if "item" in s.values]
    return sorted(logged, key=lambda s: -s.count)


def _when(signal: Signal, now: datetime | None) -> str:
    if signal.at is None or signal.last is None:
        return ""
    day = now or signal.last
    if signal.at == signal.last:
        return f" at {clock(signal.at, day)}"
    return f" between {clock(signal.at, day)} and {clock(signal.last, day)}"


def _ends(past: Sequence[Signal]) -> tuple[datetime | None, datetime | None]:
    begun = min((s.at for s in past if s.at is not None), default=None)
    ended = max((s.last or s.at for s in past if (s.last or s.at) is not None), default=None)  # type: ignore[type-var]
    return begun, ended
