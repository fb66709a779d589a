"""What the chosen skills ask for: it orders the first look, and adds the questions that the first look left open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from rootproof.agent.briefing import Briefing
from rootproof.agent.playbook.catalogue import Catalogue
from rootproof.agent.playbook.observations import CallRecord, Observations
from rootproof.domain.playbook import EvidenceRequest

Call = tuple[str, dict[str, Any]]
MAX_SKILL_CALLS = 4
"""Of one run, for all its skills."""
_LOOKS_BACK = frozenset({"query_logs", "query_metrics"})
_NARROWS = ("contains", "level", "services", "state")
_ANSWERED = frozenset({"OK", "NO_EVIDENCE"})


def requests_of(briefing: Briefing, catalogue: Catalogue) -> list[EvidenceRequest]:
    """What the plan's skills ask for: the first request of each, then the second of each, and so on."""
    chosen = briefing.plan.skills if briefing.plan is not None else ()
    asked = [catalogue.evidence.get(skill, ()) for skill in chosen]
    return [request for row in zip_longest(*asked) for request in row if request is not None]


def in_skill_order(calls: Sequence[Call], requests: Sequence[EvidenceRequest]) -> list[Call]:
    """The calls, those first whose source the skills ask first; the others as they were."""
    first: dict[tuple[str, str], int] = {}
    for rank, request in enumerate(requests):
        first.setdefault(_source(request.tool, request.arguments), rank)
    return sorted(calls, key=lambda call: first.get(_source(*call), len(requests)))


def skill_calls(
    requests: Sequence[EvidenceRequest], seen: Observations, minutes: int, available: frozenset[str]
) -> Iterator[Call]:
    """The requests that no answer covers, at most `MAX_SKILL_CALLS` of a run."""
    calls = [_call(request, minutes) for request in requests if request.tool in available]
    made = [(call.name, dict(call.arguments)) for call in seen.calls]
    left = MAX_SKILL_CALLS - sum(call in made for call in calls)
    for call in calls:
        if left <= 0:
            return
        if call not in made and not any(_covers(done, *call) for done in seen.calls):
            left -= 1
            yield call


def _call(request: EvidenceRequest, minutes: int) -> Call:
    """The request as a call; where it names no window, the run's own holds."""
    window = {"lookback_minutes": minutes} if request.tool in _LOOKS_BACK else {}
    return request.tool, window | dict(request.arguments)


def _source(tool: str, arguments: Mapping[str, Any]) -> tuple[str, str]:
    return tool, str(arguments.get("topic", ""))


def _covers(done: CallRecord, tool: str, arguments: Mapping[str, Any]) -> bool:
    """Whether an answered call that asked for more, and left nothing out, has answered this one too."""
    if done.name != tool or done.status not in _ANSWERED or done.omitted or tool not in (*_LOOKS_BACK, "query_alerts"):
        return False
    if any(done.arguments.get(key) for key in _NARROWS):
        return False
    window, wanted = done.arguments.get("lookback_minutes", 0), arguments.get("lookback_minutes", 0)
    return _source(done.name, done.arguments) == _source(tool, arguments) and bool(window >= wanted)
