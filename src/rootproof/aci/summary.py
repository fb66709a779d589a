"""`tool_trace_summary`: the concrete facts of each call, capped, for the verifier. Never raw output.

Made at the evidence boundary, where the projection is known (seed executor-evidence-and-verifier, D2).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rootproof.aci.projection.fit import clip
from rootproof.domain.evidence import Evidence
from rootproof.domain.invocation import Invocation, InvocationStatus
from rootproof.domain.limits import RunLimits

_FACT_CHARS = 300


def call_summary(evidence: Sequence[Evidence], facts: Sequence[str], limits: RunLimits) -> str:
    """The facts of one call, one a line, each with its evidence id where it has one."""
    ids = {item.text: item.id for item in evidence}
    lines: list[str] = []
    room = limits.max_summary_chars_per_call
    for number, fact in enumerate(facts):
        line = clip(f"[{ids[fact]}] {fact}" if fact in ids else fact, _FACT_CHARS)
        if len(line) + 1 > room:
            lines.append(f"… {len(facts) - number} more facts")
            break
        lines.append(line)
        room -= len(line) + 1
    return "\n".join(lines)


def tool_trace_summary(invocations: Iterable[Invocation], limits: RunLimits) -> str:
    """All calls of a run with their facts, within the run's cap; the calls that did not fit are counted."""
    parts: list[str] = []
    room = limits.max_summary_chars
    left_out = 0
    for call in invocations:
        part = _call(call)
        if len(part) > room:
            left_out += 1
            continue
        parts.append(part)
        room -= len(part)
    if left_out:
        parts.append(f"({left_out} calls left out of this summary: over {limits.max_summary_chars} characters)")
    return "\n".join(parts)


def _call(call: Invocation) -> str:
    head = f"## {call.tool_name} {call.request} -> {call.status.value}"
    if call.scanned is not None:
        head += f", {call.scanned} scanned, {call.shown or 0} shown"
    if call.truncated:
        head += ", truncated"
    if call.status not in (InvocationStatus.OK, InvocationStatus.NO_EVIDENCE) and call.error:
        head += f": {call.error}"
    return f"{head}\n{call.summary}" if call.summary else head
