"""Reading a compatibility run: its rows are those of the MVP, which has neither step numbers nor kinds.

Steps are numbered by the order in which they were written, their calls likewise. A call whose step is not known is
shown under one more step at the end, never under a step that it may not belong to. Nothing is folded from any of it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from rootproof.adapters.sql.codec import Row, run_from_row
from rootproof.domain.invocation import Invocation, InvocationStatus
from rootproof.domain.run import COMPATIBILITY_NOTE
from rootproof.domain.step import Agent, Step, StepKind
from rootproof.ports.run_store import RunRows

_STATUS = {status.value: status for status in InvocationStatus} | {
    "SUCCESS": InvocationStatus.OK,
    "ERROR": InvocationStatus.TOOL_ERROR,
    "FAILED": InvocationStatus.TOOL_ERROR,
    "RECEIVED": InvocationStatus.CANCELLED,
    "RUNNING": InvocationStatus.CANCELLED,
}
"""What was under way then never ended; any other word is an error whose text says which word it was."""


def compatibility_rows(run: Row, steps: Sequence[Row], calls: Sequence[Row]) -> RunRows:
    """The run and its rows, numbered by position; `steps` and `calls` are in the order of their primary keys."""
    numbers = {row["id"]: number for number, row in enumerate(steps)}
    found = [_step(number, row) for number, row in enumerate(steps)]
    stray = any(row["agent_step_id"] not in numbers for row in calls)
    if stray:
        found.append(_without_step(len(found), calls))
    taken: dict[int, int] = {}
    invocations: list[Invocation] = []
    for row in calls:
        number = numbers.get(row["agent_step_id"], len(steps))
        index = taken[number] = taken.get(number, -1) + 1
        invocations.append(_call(number, index, row, seq=len(found) + len(invocations) + 2))
    invocations.sort(key=lambda call: (call.step_no, call.call_index))
    return RunRows(run_from_row(run), tuple(found), tuple(invocations))


def _step(number: int, row: Row) -> Step:
    name = str(row["agent_name"])
    return Step(
        step_no=number,
        agent=Agent(name) if name in Agent.__members__ else Agent.SUPERVISOR,
        kind=StepKind.LEGACY,
        output={
            "compatibility": COMPATIBILITY_NOTE,
            "agentName": name,
            "stepIndex": row["step_index"],
            "status": row["status"],
            "summary": row["output_summary"] or "",
            "tokenCount": row["token_count"],
        },
        input_summary=row["input_summary"] or "",
        duration_ms=row["duration_ms"] or 0,
        created_at=row["created_at"],
        seq=number + 2,
    )


def _without_step(number: int, calls: Sequence[Row]) -> Step:
    return Step(
        step_no=number,
        agent=Agent.SUPERVISOR,
        kind=StepKind.LEGACY,
        output={
            "compatibility": COMPATIBILITY_NOTE,
            "summary": "The calls below name no step of this session: which step made them is not known.",
        },
        created_at=calls[-1]["created_at"],
        seq=number + 2,
    )


def _call(number: int, index: int, row: Row, *, seq: int) -> Invocation:
    word = str(row["status"])
    status = _STATUS.get(word.upper(), InvocationStatus.TOOL_ERROR)
    error = row["error_message"] or ""
    if status.value != word.upper() and word.upper() not in ("SUCCESS", "ERROR"):
        error = f"{error} (status then: {word})".strip()
    return Invocation(
        step_no=number,
        call_index=index,
        tool_call_id=f"legacy-{row['id']}",
        tool_name=row["tool_name"],
        request=_object(row["input_json"]) or {},
        status=status,
        result=row["output_preview"] or "",
        summary=row["output_summary"] or "",
        retrieval_details=_object(row["retrieval_details"]),
        error=error,
        duration_ms=row["duration_ms"] or 0,
        created_at=row["created_at"],
        finished_at=row["created_at"],
        seq=seq,
    )


def _object(text: str | None) -> dict[str, Any] | None:
    """JSON that is an object; whatever else old code wrote there, under one name."""
    if text is None:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = text
    if value is None or isinstance(value, dict):
        return value
    return {"legacy": value}
