"""What differs between two runs: what they were given, what they did, and what they concluded."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from rootproof.aci.identifiers import restore
from rootproof.agent.state import RunState, fold
from rootproof.diagnosis.changes import MAX_CHANGES, Change, change, changes_in
from rootproof.diagnosis.present import ClaimView, ReportView, RunView, View, run_view
from rootproof.domain.claim import ClaimKind
from rootproof.domain.invocation import Invocation
from rootproof.ports.run_store import RunRows

_CALL_CHARS = 160


class DiffView(View):
    """Two runs beside each other."""

    schema_version: Literal[1] = 1
    a: str
    b: str
    same_conclusion: bool
    """Whether status, health and root causes (cause and objects, in order) are the same."""
    same_evidence: bool
    """Whether both saw the same evidence, in whatever order."""
    changes: list[Change]
    more: int
    """Changes that are not listed."""


def diff_runs(first: RunRows, second: RunRows) -> DiffView:
    """The differences of `second` from `first`, in the order a reader asks: conclusion, claims, work, inputs, cost."""
    a, b = _Side(first), _Side(second)
    evidence = list(_evidence(a.view, b.view))
    changes = [
        *_conclusion(a.view, b.view),
        *_claims(a.view, b.view),
        *_inputs(a, b),
        *changes_in("plan", "", a.plan, b.plan),
        *_paired("tool call", a.calls, b.calls),
        *evidence,
        *_paired("coverage", _coverage(a.view.report), _coverage(b.view.report)),
        *_usage(a.view, b.view),
    ]
    return DiffView(
        a=a.view.run_id,
        b=b.view.run_id,
        same_conclusion=conclusion(a.view) == conclusion(b.view),
        same_evidence=not evidence,
        changes=changes[:MAX_CHANGES],
        more=max(0, len(changes) - MAX_CHANGES),
    )


def conclusion(view: RunView) -> tuple[Any, ...]:
    """What a run came to: its status, health and root causes with their objects, in order."""
    report = view.report
    causes = [(cause.cause_id, tuple(cause.objects)) for cause in report.root_causes] if report else []
    return view.status, report.healthy if report else None, tuple(causes)


class _Side:
    """One of the two runs, as its owner sees it."""

    def __init__(self, rows: RunRows) -> None:
        state = fold(rows.run, rows.steps, rows.invocations)
        self.view = run_view(rows)
        self.inputs = _given(state)
        self.plan: Mapping[str, Any] = (
            restore(
                {"intent": state.plan.intent.value, "skills": list(state.plan.skills), "steps": list(state.plan.steps)},
                state.identifiers,
            )
            if state.plan
            else {}
        )
        self.calls = _numbered(
            (_call_name(call, state.identifiers), _call_outcome(call)) for call in state.invocations.values()
        )


def _given(state: RunState) -> dict[str, Any]:
    run, briefing = state.run, state.briefing
    given: dict[str, Any] = {
        "question": run.question,
        "mode": run.mode.value,
        "model": run.reasoner,
        "now": run.now.isoformat(),
        "sources": run.sources,
    }
    if briefing is not None:
        alerts = [f"{alert.name}, {alert.service or 'no service'}, {alert.status}" for alert in briefing.alerts]
        given["alerts"] = restore(alerts, state.identifiers)
        given["skills"] = ", ".join(skill.name for skill in briefing.skills)
        given["tools"] = ", ".join(briefing.tools)
    return given


def _inputs(a: _Side, b: _Side) -> Iterator[Change]:
    return changes_in("input", "", a.inputs, b.inputs)


def _conclusion(a: RunView, b: RunView) -> Iterator[Change]:
    yield from change("conclusion", "status", a.status.value, b.status.value)
    yield from change("conclusion", "reason", _value(a.status_reason), _value(b.status_reason))
    before, after = a.report, b.report
    yield from change("conclusion", "healthy", before and before.healthy, after and after.healthy)
    yield from _paired("root cause", _causes(before), _causes(after))
    yield from change("conclusion", "summary", before and before.summary, after and after.summary)


def _causes(report: ReportView | None) -> dict[str, str]:
    return _numbered(
        (
            cause.cause_id,
            f"{number}. at {', '.join(cause.objects) or 'nothing named'}, {cause.confidence}: {cause.text}",
        )
        for number, cause in enumerate(report.root_causes if report else [], start=1)
    )


def _claims(a: RunView, b: RunView) -> Iterator[Change]:
    """Claims of one kind and cause (or of one wording) beside each other: their verdicts, then their words."""
    before, after = (dict(_numbered_claims(view.report.claims if view.report else [])) for view in (a, b))
    for name in dict.fromkeys([*before, *after]):
        old, new = before.get(name), after.get(name)
        if old is None or new is None:
            yield from change("claim", name, _claim(old), _claim(new))
            continue
        yield from change("claim", name, _verdict(old), _verdict(new))
        yield from change("claim", f"{name}: words", old.text, new.text)


def _numbered_claims(claims: Iterable[ClaimView]) -> Iterator[tuple[str, ClaimView]]:
    seen: Counter[str] = Counter()
    for claim in claims:
        named = claim.cause_id if claim.kind is ClaimKind.CAUSE and claim.cause_id else claim.text[:_CALL_CHARS]
        name = f"{claim.kind.value} {named}"
        seen[name] += 1
        yield (name if seen[name] == 1 else f"{name} #{seen[name]}"), claim


def _claim(claim: ClaimView | None) -> str | None:
    return f"{_verdict(claim)}: {claim.text}" if claim else None


def _verdict(claim: ClaimView) -> str:
    reasons = "" if claim.verdict == "SUPPORTED" or not claim.reasons else f" ({'; '.join(claim.reasons[:3])})"
    return f"{claim.verdict.value}{reasons}"


def _call_name(call: Invocation, identifiers: Mapping[str, str]) -> str:
    asked = {key: value for key, value in call.request.items() if value not in (None, [], "")}
    text = json.dumps(restore(asked, identifiers), ensure_ascii=False, sort_keys=True)
    return f"{call.tool_name} {text if len(text) <= _CALL_CHARS else text[: _CALL_CHARS - 1] + '…'}"


def _call_outcome(call: Invocation) -> str:
    counts = f", {call.scanned} scanned, {call.shown} shown" if call.scanned is not None else ""
    return f"{call.status.value}{counts}, {call.agent_visible_bytes} bytes"


def _evidence(a: RunView, b: RunView) -> Iterator[Change]:
    """Items that only one of the two has; ids do not count, since they are numbered in the order of the calls."""
    old, new = (Counter((item.tool, item.text) for item in view.evidence) for view in (a, b))
    for tool, text in old - new:
        yield from change("evidence", tool, text, None)
    for tool, text in new - old:
        yield from change("evidence", tool, None, text)


def _coverage(report: ReportView | None) -> dict[str, str]:
    lines = report.coverage if report else []
    return _numbered(
        (
            f"{line.tool} {line.source}".strip(),
            f"{line.status.value}, {line.scanned} scanned, {line.shown} shown; {line.detail}",
        )
        for line in lines
    )


def _usage(a: RunView, b: RunView) -> Iterator[Change]:
    return changes_in("usage", "", a.usage.model_dump(by_alias=True), b.usage.model_dump(by_alias=True))


def _paired(section: str, old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Change]:
    for name in dict.fromkeys([*old, *new]):
        yield from change(section, name, old.get(name), new.get(name))


def _numbered(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """By name; what comes again under one name is numbered."""
    seen: Counter[str] = Counter()
    found: dict[str, str] = {}
    for name, value in pairs:
        seen[name] += 1
        found[name if seen[name] == 1 else f"{name} #{seen[name]}"] = value
    return found


def _value(reason: Any) -> str | None:
    return None if reason is None else str(reason.value)
