"""Domain values <-> rows, one typed pair of functions a table.

The functions that make a row give every column but `id`; the ones that read it refuse what the domain has no word for
with a StoreError that names table and column, so that a newer or damaged database is never half understood.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol, TypeVar

from rootproof.adapters.sql.stored_text import json_array, json_object, json_text, utc
from rootproof.domain.context import ExecutionContext
from rootproof.domain.evidence import Evidence, EvidenceClass
from rootproof.domain.invocation import Invocation, InvocationStatus
from rootproof.domain.run import Run, RunMode, RunStatus, StatusReason
from rootproof.domain.session import ChatSession
from rootproof.domain.step import Agent, Step, StepKind
from rootproof.domain.storable import visible
from rootproof.errors import StoreError

Values = dict[str, Any]
E = TypeVar("E", bound=StrEnum)

_SUMMARY_CHARS = 500


class Row(Protocol):
    """A row by column name: what SQLAlchemy reads, or the values that were just written."""

    def __getitem__(self, key: str, /) -> Any:
        """The column's value."""
        ...


def session_values(session: ChatSession, now: datetime) -> Values:
    """The row of a new session; its times default to `now`."""
    return {
        "session_id": session.session_id,
        "owner": session.owner,
        "status": session.status.value,
        "message_pair_count": session.message_pair_count,
        "created_at": utc(session.created_at or now, "chat_session.created_at"),
        "last_active_at": utc(session.last_active_at or now, "chat_session.last_active_at"),
        "expires_at": None if session.expires_at is None else utc(session.expires_at, "chat_session.expires_at"),
    }


def run_values(run: Run, now: datetime) -> Values:
    """The row of a new run: its counter starts at 1, its counts at 0."""
    created = utc(run.created_at or now, "diagnosis_run.created_at")
    return {
        "run_id": run.run_id,
        "session_id": run.session_id,
        "owner": run.owner,
        "mode": run.mode.value,
        "query": visible(run.question),
        "reasoner": visible(run.reasoner),
        "sources": json_text(run.sources, "diagnosis_run.sources"),
        "now": utc(run.now, "diagnosis_run.now"),
        "agent_flow": None,
        "service": run.service,
        "severity": run.severity,
        "incident_id": run.incident_id,
        "compatibility": run.compatibility,
        "lease_epoch": 0,
        "worker": None,
        "leased_until": None,
        "cancel_requested_at": None,
        "step_count": 0,
        "tool_call_count": 0,
        "seq": 1,
        "last_seq": 1,
        "created_at": created,
        "updated_at": created,
        **run_state_values(run),
        "feedback": feedback_value(run),
    }


def feedback_value(run: Run) -> str | None:
    """Column `feedback`; None where there is none."""
    return _optional_json(run.feedback, "diagnosis_run.feedback")


def run_state_values(run: Run) -> Values:
    """The columns of a run that change while it lives, but for feedback and what the store counts itself."""
    return {
        "status": run.status.value,
        "status_reason": None if run.status_reason is None else run.status_reason.value,
        "answer": _optional_json(run.report, "diagnosis_run.answer"),
        "self_evaluation": _optional_json(run.self_evaluation, "diagnosis_run.self_evaluation"),
        "headline": _optional_json(run.headline, "diagnosis_run.headline"),
        "total_duration_ms": run.total_duration_ms,
        "total_token_count": run.total_token_count,
    }


def run_from_row(row: Row) -> Run:
    """The run in a row of `diagnosis_run`."""
    table = "diagnosis_run"
    return Run(
        run_id=row["run_id"],
        session_id=row["session_id"],
        owner=row["owner"],
        mode=_enum(RunMode, row, table, "mode"),
        question=row["query"],
        now=row["now"],
        reasoner=row["reasoner"],
        status=_enum(RunStatus, row, table, "status"),
        status_reason=None if row["status_reason"] is None else _enum(StatusReason, row, table, "status_reason"),
        sources=_object(row, table, "sources"),
        report=json_object(row["answer"], "diagnosis_run.answer"),
        self_evaluation=_evaluation(row),
        feedback=json_object(row["feedback"], "diagnosis_run.feedback"),
        headline=json_object(row["headline"], "diagnosis_run.headline"),
        service=row["service"],
        severity=row["severity"],
        incident_id=row["incident_id"],
        compatibility=bool(row["compatibility"]),
        lease_epoch=row["lease_epoch"],
        worker=row["worker"],
        leased_until=row["leased_until"],
        cancel_requested_at=row["cancel_requested_at"],
        total_duration_ms=row["total_duration_ms"],
        total_token_count=row["total_token_count"],
        step_count=row["step_count"],
        tool_call_count=row["tool_call_count"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        seq=row["seq"],
    )


def step_values(context: ExecutionContext, step: Step, *, seq: int, now: datetime) -> Values:
    """The row of a step; `created_at` defaults to `now`."""
    output = json_text(step.output, "agent_step.output")
    return {
        "session_id": context.session_id,
        "run_id": context.run_id,
        "step_no": step.step_no,
        "step_index": step.step_no,
        "agent_name": step.agent.value,
        "kind": step.kind.value,
        "input_hash": step.input_hash,
        "input_summary": visible(step.input_summary),
        "output_summary": output if len(output) <= _SUMMARY_CHARS else output[: _SUMMARY_CHARS - 1] + "…",
        "output": output,
        "status": "FAILED" if step.kind is StepKind.MODEL_FAILURE else "OK",
        "token_count": step.input_tokens + step.output_tokens,
        "input_tokens": step.input_tokens,
        "output_tokens": step.output_tokens,
        "duration_ms": step.duration_ms,
        "seq": seq,
        "created_at": utc(step.created_at or now, "agent_step.created_at"),
    }


def step_from_row(row: Row) -> Step:
    """The step in a row of `agent_step`."""
    return Step(
        step_no=row["step_no"],
        agent=_enum(Agent, row, "agent_step", "agent_name"),
        kind=_enum(StepKind, row, "agent_step", "kind"),
        output=_object(row, "agent_step", "output"),
        input_hash=row["input_hash"],
        input_summary=row["input_summary"] or "",
        input_tokens=row["input_tokens"],
        output_tokens=row["output_tokens"],
        duration_ms=row["duration_ms"],
        created_at=row["created_at"],
        seq=row["seq"],
    )


def invocation_values(context: ExecutionContext, invocation: Invocation, *, seq: int, now: datetime) -> Values:
    """The row of a call; `created_at` defaults to `now`. `agent_step_id` is the statement's business."""
    table = "tool_invocation"
    finished = invocation.finished_at
    return {
        "session_id": context.session_id,
        "run_id": context.run_id,
        "step_no": invocation.step_no,
        "call_index": invocation.call_index,
        "tool_call_id": visible(invocation.tool_call_id),
        "tool_name": visible(invocation.tool_name),
        "request_key": visible(invocation.request_key),
        "input_json": json_text(invocation.request, f"{table}.input_json"),
        "output_preview": visible(invocation.result),
        "output_summary": visible(invocation.summary),
        "evidence": json_text([_evidence_fields(item) for item in invocation.evidence], f"{table}.evidence"),
        "retrieval_details": _optional_json(invocation.retrieval_details, f"{table}.retrieval_details"),
        "identifiers": json_text(invocation.identifiers, f"{table}.identifiers"),
        "source": visible(invocation.source),
        "status": invocation.status.value,
        "error_message": visible(invocation.error),
        "scanned": invocation.scanned,
        "shown": invocation.shown,
        "truncated": invocation.truncated,
        "raw_sha256": invocation.raw_sha256,
        "raw_bytes": invocation.raw_bytes,
        "agent_visible_bytes": invocation.agent_visible_bytes,
        "duration_ms": invocation.duration_ms,
        "seq": seq,
        "created_at": utc(invocation.created_at or now, f"{table}.created_at"),
        "finished_at": None if finished is None else utc(finished, f"{table}.finished_at"),
    }


def invocation_from_row(row: Row) -> Invocation:
    """The call in a row of `tool_invocation`."""
    table = "tool_invocation"
    return Invocation(
        step_no=row["step_no"],
        call_index=row["call_index"],
        tool_call_id=row["tool_call_id"],
        tool_name=row["tool_name"],
        request=_object(row, table, "input_json"),
        status=invocation_status(row),
        request_key=row["request_key"],
        result=row["output_preview"] or "",
        summary=row["output_summary"] or "",
        evidence=tuple(_evidence(item) for item in json_array(row["evidence"], f"{table}.evidence")),
        retrieval_details=json_object(row["retrieval_details"], f"{table}.retrieval_details"),
        identifiers=_object(row, table, "identifiers"),
        source=row["source"],
        error=row["error_message"] or "",
        scanned=row["scanned"],
        shown=row["shown"],
        truncated=bool(row["truncated"]),
        raw_sha256=row["raw_sha256"],
        raw_bytes=row["raw_bytes"],
        agent_visible_bytes=row["agent_visible_bytes"],
        duration_ms=row["duration_ms"],
        created_at=row["created_at"],
        finished_at=row["finished_at"],
        seq=row["seq"],
    )


def invocation_status(row: Row) -> InvocationStatus:
    """The status in a row of `tool_invocation`."""
    return _enum(InvocationStatus, row, "tool_invocation", "status")


def _evidence_fields(item: Evidence) -> dict[str, Any]:
    return {
        "id": item.id,
        "class": item.cls.value,
        "tool": item.tool,
        "tool_call_id": item.tool_call_id,
        "text": item.text,
        "source": item.source,
        "subject": item.subject,
        "first_at": _instant_text(item.first_at, "first_at"),
        "last_at": _instant_text(item.last_at, "last_at"),
        "count": item.count,
    }


def _evidence(fields: Any) -> Evidence:
    where = "tool_invocation.evidence"
    try:
        return Evidence(
            id=fields["id"],
            cls=EvidenceClass(fields["class"]),
            tool=fields["tool"],
            tool_call_id=fields["tool_call_id"],
            text=fields["text"],
            source=fields["source"],
            subject=fields["subject"],
            first_at=_instant(fields["first_at"]),
            last_at=_instant(fields["last_at"]),
            count=fields["count"],
        )
    except KeyError as error:
        raise StoreError(f"{where} holds an item without {error}") from error
    except (TypeError, ValueError) as error:
        raise StoreError(f"{where} holds an item that cannot be read: {error}") from error


def _instant_text(instant: datetime | None, field: str) -> str | None:
    return None if instant is None else utc(instant, f"tool_invocation.evidence {field}").isoformat()


def _instant(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


def _evaluation(row: Row) -> dict[str, Any] | None:
    """The stored evaluation; what the MVP wrote of itself stands apart from what this version computes."""
    stored = json_object(row["self_evaluation"], "diagnosis_run.self_evaluation")
    return stored if stored is None or not row["compatibility"] else {"legacy": stored}


def _optional_json(value: dict[str, Any] | None, where: str) -> str | None:
    return None if value is None else json_text(value, where)


def _object(row: Row, table: str, column: str) -> dict[str, Any]:
    return json_object(row[column], f"{table}.{column}") or {}


def _enum(kind: type[E], row: Row, table: str, column: str) -> E:
    try:
        return kind(row[column])
    except ValueError as error:
        known = ", ".join(kind)
        raise StoreError(
            f"{table}.{column} holds {row[column]!r}, which this version does not know (it knows {known}): "
            "was the database written by a newer version?"
        ) from error
