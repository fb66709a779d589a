"""Coverage: what was checked, what was empty, what failed, what was never available and what was not asked."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress

from rootproof.domain.invocation import Invocation, InvocationStatus
from rootproof.domain.report import Coverage, CoverageStatus

_SAMPLED = frozenset({"events", "same_document"})
"""Leaving these out loses no count: the patterns hold every record."""
_PARTS = ("pattern_id", "after", "before")
"""Arguments of a closer look: what it does not show may well be there."""
_PARTIAL = "a partial look: at one pattern or one part of the time"
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
    if call.status not in _ANSWERED:
        return Coverage(call.tool_name, call.source, CoverageStatus.ERROR, detail=f"{call.status.value}: {call.error}")
    missing = _missing(call)
    if call.status is InvocationStatus.OK:
        detail = missing or _complete(call)
        return Coverage(call.tool_name, call.source, CoverageStatus.OK, call.scanned, call.shown, detail)
    found = "searched, nothing found" if call.scanned or not missing else "nothing was searched"
    detail = "; ".join(part for part in (found, missing) if part)
    return Coverage(call.tool_name, call.source, CoverageStatus.NO_EVIDENCE, call.scanned, 0, detail)


def _missing(call: Invocation) -> str:
    """What was left out that matters to a claim that something is *not* there; empty when nothing was."""
    if any(call.request.get(key) for key in _PARTS):
        return _PARTIAL
    if not call.truncated:
        return ""
    omitted: set[str] = {"unknown"}
    not_read: list[object] = []
    with suppress(ValueError, AttributeError):
        head = json.loads(call.result)
        omitted, not_read = set(head.get("omitted", {})) - _SAMPLED, head.get("not_read") or []
    if not omitted:
        return ""
    words = "something was left out: " + ", ".join(sorted(omitted))
    return "; ".join([words, *map(str, not_read)])


def _complete(call: Invocation) -> str:
    return "complete: every record is counted, the timeline shows some of them" if call.truncated else "complete"


def _merged(group: list[Coverage]) -> Coverage:
    """The best of the calls to one source, with what went wrong beside it.

    Calls to one source look at the same things, so their counts are never added up.
    """

    def worth(line: Coverage) -> tuple[int, int, bool, int]:
        return _RANK.index(line.status), -(line.scanned or 0), _PARTIAL in line.detail, -(line.shown or 0)

    best = min(group, key=worth)
    failures = [line.detail for line in group if line.status is CoverageStatus.ERROR and line is not best]
    detail = "; ".join(dict.fromkeys([best.detail, *failures]))
    return Coverage(best.tool, best.source, best.status, best.scanned, best.shown, detail)
