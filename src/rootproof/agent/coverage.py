"""Coverage: what was checked, what was empty, what failed, what was never available and what was not asked."""

from __future__ import annotations

import json
from collections.abc import Iterable

from rootproof.domain.invocation import Invocation, InvocationStatus
from rootproof.domain.report import Coverage, CoverageStatus

_SAMPLED = frozenset({"events", "same_document"})
"""Leaving these out loses no count: the patterns hold every record."""
EVIDENCE_TOOLS = ("query_alerts", "query_metrics", "query_logs", "query_cluster", "lookup_knowledge")
_ANSWERED = frozenset({InvocationStatus.OK, InvocationStatus.NO_EVIDENCE})
_RANK = (CoverageStatus.OK, CoverageStatus.NO_EVIDENCE, CoverageStatus.ERROR)


def coverage_of(
    available: Iterable[str], invocations: Iterable[Invocation], notes: Iterable[str] = ()
) -> tuple[Coverage, ...]:
    """One line for each tool and source that was asked, then one for each tool that was not or could not be."""
    lines: dict[tuple[str, str], list[Coverage]] = {}
    answered: set[str] = set()
    for call in invocations:
        if call.request_key and call.request_key in answered:
            continue  # the same call again: its answer is counted once
        if call.status in _ANSWERED:
            answered.add(call.request_key)
        if call.tool_name in EVIDENCE_TOOLS and "invalid" not in call.request:
            lines.setdefault((call.tool_name, call.source), []).append(_line(call))
    result = [_merged(group) for group in lines.values()]
    asked = {line.tool for line in result}
    present = set(available)
    for tool in EVIDENCE_TOOLS:
        if tool in asked:
            continue
        if tool in present:
            result.append(Coverage(tool, "", CoverageStatus.NOT_ASKED, detail="available, and not asked in this run"))
        else:
            result.append(Coverage(tool, "", CoverageStatus.UNAVAILABLE, detail="no source of this kind in this run"))
    result += [Coverage("input", "", CoverageStatus.ERROR, detail=note) for note in notes]
    return tuple(result)


def _line(call: Invocation) -> Coverage:
    if call.status is InvocationStatus.OK:
        return Coverage(call.tool_name, call.source, CoverageStatus.OK, call.scanned, call.shown, _completeness(call))
    if call.status is InvocationStatus.NO_EVIDENCE:
        detail = "searched, nothing found"
        return Coverage(call.tool_name, call.source, CoverageStatus.NO_EVIDENCE, call.scanned, 0, detail)
    return Coverage(call.tool_name, call.source, CoverageStatus.ERROR, detail=f"{call.status.value}: {call.error}")


def _completeness(call: Invocation) -> str:
    """Whether what was left out matters to a claim that something is *not* there."""
    if not call.truncated:
        return "complete"
    try:
        omitted = set(json.loads(call.result).get("omitted", {}))
    except (ValueError, AttributeError):
        omitted = {"unknown"}
    if omitted <= _SAMPLED:
        return "complete: every record is counted, the timeline shows some of them"
    return "something was left out: " + ", ".join(sorted(omitted))


def _merged(group: list[Coverage]) -> Coverage:
    """The best of the calls to one source, with what went wrong beside it."""
    best = min(group, key=lambda line: (_RANK.index(line.status), -(line.scanned or 0)))
    failures = [line.detail for line in group if line.status is CoverageStatus.ERROR and line is not best]
    detail = "; ".join(dict.fromkeys([best.detail, *failures]))
    shown = sum(line.shown or 0 for line in group) if best.shown is not None else None
    return Coverage(best.tool, best.source, best.status, best.scanned, shown, detail)
