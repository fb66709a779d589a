"""A small world for the reasoner: add observations, ask it, get the draft. No names of any real system."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from rootproof.agent.answers import draft_of, parse_answer
from rootproof.agent.briefing import Briefing
from rootproof.agent.grounding.check import check_claims
from rootproof.agent.playbook.catalogue import Catalogue
from rootproof.agent.playbook.model import PlaybookModel
from rootproof.domain.alert import Alert, AlertStatus
from rootproof.domain.claim import CheckedClaim, ClaimKind
from rootproof.domain.evidence import Evidence, EvidenceClass
from rootproof.domain.plan import Intent, Plan
from rootproof.domain.report import Draft
from rootproof.domain.run import RunMode
from rootproof.domain.skill import SkillInfo
from rootproof.domain.step import Agent
from rootproof.domain.window import iso
from rootproof.ports.model import AssistantMessage, ModelRequest, ToolCall, ToolMessage, UserMessage
from tests.fakes.builtin_playbook import BUILTIN

NOW = datetime(2031, 5, 4, 12, 0, tzinfo=UTC)
ALL_TOOLS = ("query_alerts", "query_metrics", "query_logs", "query_cluster", "lookup_knowledge")


def ago(minutes: float) -> datetime:
    """The instant `minutes` before now."""
    return NOW - timedelta(minutes=minutes)


@dataclass
class Case:
    """Observations, and the alert or question that the run is about."""

    alerts: tuple[Alert, ...] = ()
    question: str = ""
    skills: tuple[SkillInfo, ...] = ()
    items: dict[str, list[tuple[str, dict[str, Any], str]]] = field(default_factory=dict)
    """Tool or `query_logs:TOPIC` -> (section, fields, evidence text)."""
    catalogue: Catalogue = BUILTIN
    """What the reasoner knows."""
    broken: dict[str, str] = field(default_factory=dict)
    """Tool -> status of a failing source."""
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    evidence: dict[str, Evidence] = field(default_factory=dict)

    def alert(self, summary: str, *, name: str = "Rule", severity: str = "critical", **labels: str) -> Case:
        """The triggering alert."""
        self.alerts = (
            Alert(
                name,
                AlertStatus.FIRING,
                raw_severity=severity,
                summary=summary,
                started_at=ago(5),
                labels=labels,
                service=labels.get("service"),
            ),
        )
        return self

    def series(
        self, name: str, subject: str, values: Sequence[float], unit: str = "Count", *, changed: float | None = None,
        **labels: str,
    ) -> Case:  # fmt: skip
        """A metric, one point a minute up to now; `changed` says how many minutes ago its level changed."""
        times = [ago(len(values) - 1 - i) for i in range(len(values))]
        low, high = min(range(len(values)), key=values.__getitem__), max(range(len(values)), key=values.__getitem__)
        trend = "flat" if max(values) - min(values) < 0.2 * abs(max(values)) else "varying"
        fields = {
            "name": name, "labels": ({"instance": subject} if subject else {}) | labels, "unit": unit,
            "points": len(values),
            "first": values[0], "first_at": iso(times[0]), "last": values[-1], "last_at": iso(times[-1]),
            "min": values[low], "min_at": iso(times[low]), "max": values[high], "max_at": iso(times[high]),
            "mean": sum(values) / len(values), "trend": trend,
            "change": None if changed is None else {"at": iso(ago(changed)), "before": values[0], "after": values[-1]},
        }  # fmt: skip
        text = (
            f"{name} of {subject} ({unit}): first {values[0]} at {iso(times[0])}, last {values[-1]} at "
            f"{iso(times[-1])}, "
            f"min {values[low]} at {iso(times[low])}, max {values[high]} at {iso(times[high])}, "
            f"mean {sum(values) / len(values):.4g}, {len(values)} points, {trend}"
        )
        if changed is not None:
            text += f", changed at {iso(ago(changed))} from about {values[0]} to about {values[-1]}"
        return self._add("query_metrics", "series", fields, text)

    def log(
        self, service: str, message: str, *, level: str = "INFO", topic: str = "APPLICATION", minutes: float | None = 1
    ) -> Case:
        """One log event; `minutes=None` for a line without a time."""
        time = iso(ago(minutes)) if minutes is not None else None
        fields = {"time": time, "level": level, "service": service, "message": message}
        text = f"{time or 'no time'} {level or 'LOG'} {service}: {message}"
        return self._add(f"query_logs:{topic}", "timeline", fields, text)

    def pattern(
        self, service: str, pattern: str, count: int, *, level: str = "ERROR", topic: str = "APPLICATION",
        since: float = 9, until: float = 1,
    ) -> Case:  # fmt: skip
        """A log pattern that was seen between `since` and `until` minutes ago."""
        first, last = iso(ago(since)), iso(ago(until))
        fields = {"level": level, "service": service, "pattern": pattern, "count": count, "first": first, "last": last}
        text = f"{count} x {level} {service} between {first} and {last}: {pattern}"
        return self._add(f"query_logs:{topic}", "patterns", fields, text)

    def top_sql(self, service: str, load: float, waits: str, statement: str) -> Case:
        """A line of a database activity sampler."""
        message = f"top SQL by load {load} AAS, 2 calls/s, waits {waits}: {statement}"
        return self.log(service, message, topic="DATABASE_SLOW_QUERY")

    def fact(self, object_: str, words: str, reason: str, *, abnormal: bool = True, app: str | None = None) -> Case:
        """A cluster fact about `object_` in namespace `shop`."""
        kind, _, name = object_.partition("/")
        text = f"{kind} {name} (namespace shop{', app ' + app if app else ''}): {words}"
        fields = {
            "object": object_, "app": app, "namespace": "shop", "aspect": "status", "reason": reason,
            "abnormal": abnormal, "current": True, "text": text, "values": {}, "first": None, "last": None, "count": 1,
        }  # fmt: skip
        return self._add("query_cluster", "facts", fields, text)

    def calls_of(self, caller: str, *callees: str) -> Case:
        """An edge of the recorded call graph."""
        text = f"app {caller}: calls {', '.join(callees)}"
        fields = {
            "object": f"app/{caller}", "app": caller, "aspect": "topology", "reason": "calls", "abnormal": False,
            "current": True, "text": text, "values": {}, "first": None, "last": None, "count": 1,
        }  # fmt: skip
        return self._add("query_cluster", "facts", fields, text)

    def change(self, object_: str, words: str, minutes: float) -> Case:
        """A recorded change so many minutes ago."""
        kind, _, name = object_.partition("/")
        text = f"{kind} {name}: {words}"
        at = iso(ago(minutes))
        fields = {
            "object": object_, "app": name, "aspect": "change", "reason": "changed", "abnormal": False,
            "current": True, "text": text, "values": {}, "first": at, "last": at, "count": 1,
        }  # fmt: skip
        return self._add("query_cluster", "facts", fields, text)

    def monitor(self, name: str, state: str, summary: str = "") -> Case:
        """An alert as the monitoring system sees it."""
        fields = {"name": name, "state": state, "severity": None, "labels": {}, "summary": summary}
        return self._add("query_alerts", "alerts", fields, f'alert "{name}" is {state}: {summary}')

    def document(self, title: str, excerpt: str) -> Case:
        """A runbook excerpt."""
        fields = {"document_id": title, "source": title, "title": title, "breadcrumb": title, "excerpt": excerpt}
        return self._add("lookup_knowledge", "evidence", fields, f"{title}: {excerpt}")

    def _add(self, key: str, section: str, fields: dict[str, Any], text: str) -> Case:
        self.items.setdefault(key, []).append((section, fields, text))
        return self

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools whose source exists."""
        have = {key.split(":")[0] for key in self.items} | set(self.broken)
        return tuple(tool for tool in ALL_TOOLS if tool in have)

    def briefing(self) -> Briefing:
        """What the agents are told."""
        mode = RunMode.PAYLOAD_TARGETED if self.alerts else RunMode.CHAT
        reported = tuple(
            Evidence(f"E{i}", EvidenceClass.REPORTED, "payload", "", a.summary or "")
            for i, a in enumerate(self.alerts, 900)
        )
        return Briefing(
            mode, NOW, self.question, self.alerts, reported=reported, skills=self.skills, tools=self.tools,
            plan=Plan(Intent.INCIDENT),
        )  # fmt: skip

    def plan(self) -> dict[str, Any]:
        """The planner's answer."""
        return _ask(Agent.PLANNER, replace(self.briefing(), plan=None), [UserMessage("go")], self.catalogue)[0][1]

    def diagnose(self, *, limits_note: str = "") -> Draft:
        """The draft at the end of the conversation."""
        planned = self.plan()
        briefing = replace(
            self.briefing(),
            plan=Plan(Intent(planned["intent"]), tuple(planned["skills"])),
            limits_note=limits_note,
        )
        messages: list[Any] = [UserMessage("go")]
        for turn in range(9):
            calls = _ask(Agent.EXECUTOR, briefing, messages, self.catalogue)
            if calls[0][0] == "submit_report":
                return draft_of(parse_answer("submit_report", json.dumps(calls[0][1])))
            made = tuple(ToolCall(f"t{turn}-{i}", name, json.dumps(a)) for i, (name, a) in enumerate(calls))
            messages.append(AssistantMessage("", made))
            for call, (name, arguments) in zip(made, calls, strict=True):
                self.calls.append((name, arguments))
                messages.append(ToolMessage(call.tool_call_id, name, json.dumps(self._answer(name, arguments))))
        raise AssertionError("the reasoner never reported")

    def _answer(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        if name == "read_skill":
            return {"status": "OK", "body": "Look at the evidence."}
        if name in self.broken:
            return {"status": self.broken[name], "message": "the source did not answer"}
        key = f"{name}:{arguments.get('topic')}" if name == "query_logs" else name
        result: dict[str, Any] = {"status": "OK", "scanned": 0, "omitted": {}}
        needle = str(arguments.get("contains") or "").lower() if name == "query_logs" else ""
        for section, fields, text in self.items.get(key, []):
            if needle not in text.lower():
                continue
            evidence_id = f"E{len(self.evidence) + 1}"
            cls = EvidenceClass.GUIDANCE if name == "lookup_knowledge" else EvidenceClass.OBSERVATION
            self.evidence[evidence_id] = Evidence(evidence_id, cls, name, "", text)
            result.setdefault(section, []).append({"evidence_id": evidence_id, **fields})
            result["scanned"] += 1
        if result["scanned"] == 0:
            result["status"] = "NO_EVIDENCE"
        return result

    def checked(self, draft: Draft) -> list[CheckedClaim]:
        """The claims as the grounding code sees them."""
        return list(check_claims(draft.claims, self.evidence, ()))


def _ask(
    agent: Agent, briefing: Briefing, messages: Sequence[Any], catalogue: Catalogue
) -> list[tuple[str, dict[str, Any]]]:
    request = ModelRequest(agent, "", tuple(messages), (), briefing)
    reply = asyncio.run(PlaybookModel(catalogue).complete(request, deadline_s=5))
    return [(call.name, json.loads(call.arguments)) for call in reply.tool_calls]


def causes(draft: Draft) -> list[str | None]:
    """The cause ids of a draft, in order."""
    return [claim.cause_id for claim in draft.claims if claim.kind is ClaimKind.CAUSE]


def rising(first: float, last: float, points: int = 15) -> list[float]:
    """A climb."""
    step = (last - first) / (points - 1)
    return [round(first + step * i, 3) for i in range(points)]


def steady(value: float, points: int = 15) -> list[float]:
    """A level with a little noise."""
    return [round(value * (1.0 + 0.02 * ((i % 3) - 1)), 3) for i in range(points)]
