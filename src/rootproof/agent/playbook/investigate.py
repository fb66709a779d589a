"""Which evidence to ask for next, from what was asked and answered so far. Bounded; free text never chooses a tool."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

from rootproof.agent.briefing import Briefing
from rootproof.agent.follow_up import carried
from rootproof.agent.playbook.catalogue import Catalogue
from rootproof.agent.playbook.focus import Focus, focus
from rootproof.agent.playbook.hypothesis import Hypothesis
from rootproof.agent.playbook.interpret import revived
from rootproof.agent.playbook.lexicon import tokens
from rootproof.agent.playbook.lookup_report import is_lookup
from rootproof.agent.playbook.observations import DAY_MINUTES, Observations
from rootproof.agent.playbook.reasoning import judge
from rootproof.agent.playbook.signals import Kind, SignalSet, Topic
from rootproof.agent.playbook.skill_order import in_skill_order, requests_of, skill_calls
from rootproof.agent.playbook.surroundings import Surroundings, surroundings
from rootproof.domain.plan import Intent

Call = tuple[str, dict[str, Any]]
MAX_EVIDENCE_CALLS = 18
_TOPICS = ("APPLICATION", "DATABASE_SLOW_QUERY", "SYSTEM_EVENTS")
_BASE_MINUTES = 120
_MAX_MINUTES = 10_080
_FITTING = 2
"""Words that a document and a hypothesis must share to be about the same."""
_ARTICLE = re.compile(r"^(?:an?|the) ")
_SPAN = re.compile(
    r"\b(?:last|past|previous|since)\s+(\d{1,4})?\s*(minutes?|mins?|hours?|hrs?|days?|weeks?)\b", re.IGNORECASE
)
_SPAN_MINUTES = {"m": 1, "h": 60, "d": 1_440, "w": 10_080}
_MISSING_ROLES = ("cpu", "connection", "storage", "lag", "latency", "queue", "memory", "iops", "throttl", "error")
_DETAIL = frozenset({Kind.CONN_REFUSED, Kind.CALL_TIMEOUT, Kind.DB_UNREACHABLE, Kind.DNS_FAILURE, Kind.SLOW_CALL})


def next_calls(
    briefing: Briefing, seen: Observations, signals: SignalSet, tools: frozenset[str], catalogue: Catalogue
) -> list[Call]:
    """The calls of the next turn; empty when it is time to report."""
    spent = sum(call.name != "read_skill" for call in seen.calls)
    if briefing.limits_note or spent >= MAX_EVIDENCE_CALLS:
        return []
    available = frozenset(briefing.tools) & tools if tools else frozenset(briefing.tools)
    if (
        not seen.calls
        and briefing.plan is not None
        and briefing.plan.skills
        and "read_skill" in (tools or {"read_skill"})
    ):
        return [("read_skill", {"name": name}) for name in briefing.plan.skills[:3]]
    if briefing.plan is not None and briefing.plan.intent is Intent.KNOWLEDGE:
        wanted = [] if seen.named("lookup_knowledge") else _knowledge(briefing, available)
    elif spent == 0:
        first = list(_first(briefing, available))
        wanted = in_skill_order(first, requests_of(briefing, catalogue)) or _knowledge(briefing, available)
    else:
        wanted = list(skill_calls(requests_of(briefing, catalogue), seen, lookback(briefing), available))
        wanted += _further(briefing, seen, signals, available)
        wanted += _guidance(briefing, seen, signals, catalogue) if "lookup_knowledge" in available else []
    done = {_key(call.name, call.arguments) for call in seen.calls}
    fresh = [call for call in wanted if _key(*call) not in done]
    return fresh[: MAX_EVIDENCE_CALLS - spent]


def _key(name: str, arguments: Mapping[str, Any]) -> str:
    return f"{name} {sorted((k, repr(v)) for k, v in arguments.items())}"


def lookback(briefing: Briefing) -> int:
    """How far back to look: what the question says, else from well before the alert's start."""
    asked = _SPAN.search(briefing.question) or _SPAN.search(carried(briefing))
    if asked is not None:
        return min(_MAX_MINUTES, int(asked.group(1) or 1) * _SPAN_MINUTES[asked.group(2)[0].lower()])
    starts = [alert.started_at for alert in briefing.alerts if alert.started_at is not None]
    if not starts:
        return _BASE_MINUTES if briefing.alerts else 1_440
    before = briefing.now - min(starts) + timedelta(minutes=_BASE_MINUTES)
    return min(_MAX_MINUTES, max(_BASE_MINUTES, int(before.total_seconds() // 60)))


def _first(briefing: Briefing, available: frozenset[str]) -> Iterator[Call]:
    minutes = lookback(briefing)
    if "query_alerts" in available:
        yield "query_alerts", {}
    if "query_metrics" in available:
        yield "query_metrics", {"lookback_minutes": minutes}
    if "query_cluster" in available:
        yield "query_cluster", {"view": "overview"}
    if "query_logs" in available:
        for topic in _TOPICS:
            yield "query_logs", {"topic": topic, "lookback_minutes": minutes}


def _further(briefing: Briefing, seen: Observations, signals: SignalSet, available: frozenset[str]) -> Iterator[Call]:
    """Wider windows where there was nothing, narrower questions where too much was left out; each asked once."""
    minutes = lookback(briefing)
    about = focus(briefing, seen)
    if "query_logs" in available:
        yield from _wider_logs(seen, minutes)
        yield from _narrower_logs(briefing, seen, signals, about, minutes)
    if "query_metrics" in available:
        yield from _more_metrics(seen, minutes)
        yield from _day_before(signals, minutes)
    if "query_cluster" in available:
        yield from _objects(about, seen)
        yield from _placement(about, seen)


def _guidance(briefing: Briefing, seen: Observations, signals: SignalSet, catalogue: Catalogue) -> Iterator[Call]:
    """The recommended query, and where nothing fits it, a short one with the words of the best hypothesis.

    An alert's query carries names that no runbook knows; what the evidence points to is what runbooks are about.
    """
    # What a skill asked is its own question.
    own = [request.arguments.get("query") for request in requests_of(briefing, catalogue)]
    asked = [call for call in seen.named("lookup_knowledge") if call.arguments.get("query") not in own]
    if not asked:
        yield from _knowledge(briefing, frozenset({"lookup_knowledge"}))
    elif len(asked) == 1 and asked[0].status in ("OK", "NO_EVIDENCE"):
        best = _best(signals, focus(briefing, seen), catalogue, surroundings(seen, briefing.now))
        if best is not None and asked[0].number("scanned") and not _fits(seen, best):
            below = [h.spec.title for h in best.consequences[:1]]
            words = " ".join(_ARTICLE.sub("", title) for title in (best.spec.title, *below))
            yield "lookup_knowledge", {"query": words, "top_k": 4}


def _best(signals: SignalSet, about: Focus, catalogue: Catalogue, around: Surroundings) -> Hypothesis | None:
    """The best hypothesis: of what is so now, else of what was so, else the best lead."""
    present = judge(signals, about, catalogue, around)
    past = judge(revived(signals), about, catalogue, around) if not present.causes else present
    return next(iter((*present.causes, *past.causes, *present.leads)), None)


def _fits(seen: Observations, best: Hypothesis) -> bool:
    """Whether a document that was found shares a telling word with the hypothesis."""
    wanted = tokens(f"{best.spec.title} {best.spec.cause_id}")
    return any(len(wanted & tokens(f"{i.title} {i.breadcrumb} {i.excerpt}")) >= _FITTING for i in seen.knowledge)


def _wider_logs(seen: Observations, minutes: int) -> Iterator[Call]:
    empty = {
        str(call.arguments.get("topic"))
        for call in seen.named("query_logs")
        if call.status == "NO_EVIDENCE" and not call.arguments.get("contains") and not call.arguments.get("level")
    }
    for topic in _TOPICS:
        # "Nothing matched" while records were looked at means that the window missed them.
        if topic in empty and minutes < _MAX_MINUTES and _looked(seen, topic):
            yield "query_logs", {"topic": topic, "lookback_minutes": _MAX_MINUTES}


def _looked(seen: Observations, topic: str) -> bool:
    return any(
        call.arguments.get("topic") == topic and ("scanned" not in call.result or call.number("scanned") > 0)
        for call in seen.named("query_logs")
    )


def _narrower_logs(
    briefing: Briefing, seen: Observations, signals: SignalSet, about: Focus, minutes: int
) -> Iterator[Call]:
    for call in seen.named("query_logs"):
        topic = str(call.arguments.get("topic"))
        plain = not call.arguments.get("level") and not call.arguments.get("contains")
        if call.status != "OK" or not plain or not call.omitted:
            continue
        levels = call.result.get("levels")
        graded = isinstance(levels, Mapping) and any(level in levels for level in ("ERROR", "FATAL", "WARN"))
        window = int(call.arguments.get("lookback_minutes", minutes))
        if graded:
            yield "query_logs", {"topic": topic, "level": "WARN", "lookback_minutes": window}
        elif topic != "DATABASE_SLOW_QUERY":
            yield "query_logs", {"topic": topic, "contains": "error", "lookback_minutes": window}
        services = _target_services(about, seen)
        if services and topic == "APPLICATION":
            yield "query_logs", {"topic": topic, "services": services, "lookback_minutes": window}
    if is_lookup(briefing.question):
        return
    for host in _declared_hosts(seen):
        # Only a log line that names the address shows that a wrong one is in use.
        yield "query_logs", {"topic": "APPLICATION", "contains": host, "lookback_minutes": minutes}
    peers = {str(s.values["peer"]).split(".", 1)[0] for s in signals.of(*_DETAIL) if s.values.get("peer")}
    known = {item.service for item in seen.logs}
    for peer in sorted(peers & known - set(_target_services(about, seen)))[:2]:
        yield "query_logs", {"topic": "APPLICATION", "services": [peer], "lookback_minutes": minutes}


def _declared_hosts(seen: Observations) -> list[str]:
    hosts = [str(fact.values.get("host", "")) for fact in seen.facts if fact.aspect == "env" and fact.abnormal]
    return [host for host in dict.fromkeys(hosts) if host][:2]


def _target_services(about: Focus, seen: Observations) -> list[str]:
    names = {item.service for item in seen.logs if item.service}
    return sorted(name for name in names if about.targets and about.covers(name))[:3]


def _more_metrics(seen: Observations, minutes: int) -> Iterator[Call]:
    calls = seen.named("query_metrics")
    if any(call.arguments.get("contains") and call.arguments.get("lookback_minutes") != DAY_MINUTES for call in calls):
        return
    if any(call.status == "NO_EVIDENCE" and call.number("scanned") != 0 for call in calls) and minutes < _MAX_MINUTES:
        yield "query_metrics", {"lookback_minutes": _MAX_MINUTES}
    omitted = any(call.status == "OK" and call.omitted for call in calls)
    if omitted and any(fact.aspect == "topology" for fact in seen.facts):
        # Slowness is located by comparing services: the same roles of all of them.
        yield "query_metrics", {"contains": ["latency", "duration"], "lookback_minutes": minutes}
        yield "query_metrics", {"contains": ["cpu", "throttl"], "lookback_minutes": minutes}
        yield "query_metrics", {"contains": ["network", "rps", "requests"], "lookback_minutes": minutes}
        return
    if omitted:
        have = " ".join(item.name.lower() for item in seen.series)
        missing = [word for word in _MISSING_ROLES if word not in have]
        if missing:
            yield "query_metrics", {"contains": missing, "lookback_minutes": minutes}


def _day_before(signals: SignalSet, minutes: int) -> Iterator[Call]:
    """The traffic of a whole day, where it has surged: a peak of every day is no surge."""
    surged = [s.values["series"].name.lower() for s in signals.of(Kind.TRAFFIC_SURGE)]
    if surged and minutes < DAY_MINUTES:
        yield "query_metrics", {"contains": list(dict.fromkeys(surged))[:3], "lookback_minutes": DAY_MINUTES}


def _objects(about: Focus, seen: Observations) -> Iterator[Call]:
    """The target's own facts, where the overview had to leave facts out or says nothing of it."""
    if not any(call.omitted for call in seen.named("query_cluster")):
        return
    asked = 0
    for fact in seen.facts:
        kind, _, name = fact.object.partition("/")
        if (
            kind in ("pod", "node", "job", "deployment", "pvc")
            and about.targets
            and about.covers(fact.object)
            and asked < 2
        ):
            asked += 1
            yield "query_cluster", {"view": "describe", "kind": kind, "name": name}


def _placement(about: Focus, seen: Observations) -> Iterator[Call]:
    """The whole call graph, where one is recorded; which pods run on which node, where things are slow."""
    graph = any(fact.aspect == "topology" for fact in seen.facts)
    overview = next((call for call in seen.named("query_cluster") if call.arguments.get("view") == "overview"), None)
    if graph and overview is not None and overview.omitted:
        # A caller whose calls were left out looks as if it waited for nobody.
        yield "query_cluster", {"view": "topology"}
    if graph and about.topics & {Topic.LATENCY, Topic.NETWORK, Topic.TRAFFIC, Topic.ERRORS}:
        yield "query_cluster", {"view": "list", "kind": "pod"}


def _knowledge(briefing: Briefing, available: frozenset[str]) -> list[Call]:
    if "lookup_knowledge" not in available:
        return []
    asked = f"{briefing.question} {carried(briefing)}".strip()
    query = briefing.recommended_query or asked or " ".join(alert.name for alert in briefing.alerts)
    return [("lookup_knowledge", {"query": query[:400], "top_k": 4})] if query.strip() else []
