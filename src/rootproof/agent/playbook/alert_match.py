"""Whether what was found is about the alert that started the run: the same object, at the same time."""

from __future__ import annotations

from datetime import datetime, timedelta

from rootproof.agent.briefing import Briefing
from rootproof.agent.playbook.focus import Focus, labelled, same_thing, topics_of
from rootproof.agent.playbook.hypothesis import Hypothesis
from rootproof.agent.playbook.reasoning import Judgement
from rootproof.agent.playbook.signals import Topic
from rootproof.agent.playbook.surroundings import Surroundings
from rootproof.agent.playbook.wording import said
from rootproof.domain.alert import Alert

_SLACK = timedelta(hours=1)


def answered(briefing: Briefing, judgement: Judgement, about: Focus, around: Surroundings) -> str:
    """A sentence on what the alert has to do with the causes; empty without an alert. Reported words prove nothing."""
    if not briefing.alerts:
        return ""
    causes = [one for cause in judgement.causes for one in (cause, *cause.consequences)]
    explained = frozenset[Topic]().union(*(cause.spec.explains for cause in judgement.causes))
    alert = next((one for one in briefing.alerts if topics_of(one) & explained), briefing.alerts[0])
    told = " ".join((alert.summary or alert.description or "").split())
    name = f" {said(told, 150)}" if told else f" {alert.name}" if alert.name else ""
    if not _same_object(briefing, causes, about, around):
        named = alert.service or next(iter(labelled(briefing)))
        return f"The alert{name} is about {named}: what was found is not shown to be connected with it."
    if not _same_time(alert, causes, around.now):
        return f"The alert{name} began at another time: what was found is not shown to be connected with it."
    return f"This answers the alert{name}." if told else ""


def _same_object(briefing: Briefing, causes: list[Hypothesis], about: Focus, around: Surroundings) -> bool:
    """Whether an object that the alert names is one that the causes are about, or that calls those."""
    named = labelled(briefing)
    if not named or about.targets:
        # Without a name nothing can disagree; targets are names that the evidence knows, and causes concern them.
        return True
    signals = [s for cause in causes for s in cause.evidence]
    names = {name for s in signals for name in (s.subject, s.app) if name} | {c.subject for c in causes if c.subject}
    names |= {near for name in list(names) for near in around.near(name.split("/", 1)[-1])}
    if any(same_thing(a, b) for a in named for b in names):
        return True
    text = " ".join(s.quote for s in signals).lower()
    return any(len(name) >= 4 and name.lower() in text for name in named)


def _same_time(alert: Alert, causes: list[Hypothesis], now: datetime | None) -> bool:
    """Whether the alert began while what was found lasted, or about then; what has no time cannot disagree."""
    if alert.started_at is None:
        return True
    signals = [s for cause in causes for s in cause.evidence if s.kind.value.startswith("log.")]
    begun = min((s.at for s in signals if s.at is not None), default=None)
    lasts = [s.last or s.at for s in signals if (s.last or s.at) is not None]
    ended = max((last for last in lasts if last is not None), default=None)
    if begun is None or ended is None or len(signals) < sum(len(c.evidence) for c in causes):
        return now is None or alert.started_at <= now + _SLACK
    return begun - _SLACK <= alert.started_at <= ended + _SLACK
