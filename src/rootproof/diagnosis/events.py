"""A run's rows as the events of its stream. Pure: what a stream sends depends on the rows alone.

Every stored event has the `seq` of its row as its id. A row that changed has a newer `seq`, and comes again as it now
is: that is an update, not a repetition. `end` is the last event, and comes once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field, RootModel

from rootproof.aci.identifiers import restore
from rootproof.diagnosis.present import RunSummaryView, View, identifiers_of, run_summary
from rootproof.diagnosis.trace import InvocationView, StepRowView, invocation_view, step_fields
from rootproof.domain.run import Run, RunStatus, StatusReason, is_terminal
from rootproof.domain.step import StepKind
from rootproof.ports.run_store import RunRows


class RunEvent(View):
    """The run's row has changed: status, counts, a wish to cancel."""

    type: Literal["run"] = "run"
    run_id: str
    session_id: str
    seq: int
    """The event's id."""
    status: RunStatus
    status_reason: StatusReason | None
    cancel_requested: bool
    step_count: int
    tool_call_count: int
    updated_at: datetime | None


class StepEvent(StepRowView):
    """A step was written. Steps never change."""

    type: Literal["step"] = "step"
    run_id: str
    session_id: str


class InvocationEvent(InvocationView):
    """A tool call as it now is; it comes again, with a newer `seq`, whenever its state changes."""

    type: Literal["invocation"] = "invocation"
    run_id: str
    session_id: str


class EndEvent(View):
    """The run is over; nothing comes after it."""

    type: Literal["end"] = "end"
    run_id: str
    session_id: str
    seq: int
    """The event's id."""
    status: RunStatus
    status_reason: StatusReason | None
    run: RunSummaryView


class DeltaEvent(View):
    """Something in passing, for those who watch: never stored, without an id, lost where nobody listens."""

    type: Literal["delta"] = "delta"
    run_id: str
    passing: dict[str, Any] = Field(default_factory=dict)
    """What a worker says while there is no row of it yet: `{"agent": "EXECUTOR", "status": "ASKED"}`."""


class RunStreamEvent(
    RootModel[Annotated[RunEvent | StepEvent | InvocationEvent | EndEvent | DeltaEvent, Field(discriminator="type")]]
):
    """The data of one event of a run's stream; its `type` is the event's name."""


@dataclass(frozen=True, slots=True)
class StreamEvent:
    """One event, encoded once for all who read it."""

    type: Literal["run", "step", "invocation", "end", "delta"]
    seq: int | None
    """None: it is in no row."""
    body: View

    def frame(self) -> bytes:
        """The event as it stands on the wire (HTML standard, server-sent events)."""
        head = f"event: {self.type}\n" if self.seq is None else f"id: {self.seq}\nevent: {self.type}\n"
        return f"{head}data: {self.body.model_dump_json(by_alias=True)}\n\n".encode()


@dataclass(slots=True)
class EventLog:
    """What has been read of a run so far: turns its news into events, each of them once."""

    seq: int = 0
    """Everything up to here was read."""
    run_seq: int = 0
    """The run's row as it was last told."""
    rows_seq: int = 0
    """The newest step or invocation."""
    has_end_step: bool = False
    run: Run | None = None
    identifiers: dict[str, str] = field(default_factory=dict)
    ended: bool = False

    def take(self, news: RunRows) -> list[StreamEvent]:
        """The events of the news, in the order in which the rows were written."""
        if self.ended:
            return []
        run = self.run = news.run
        self.identifiers |= identifiers_of(news.steps, news.invocations)
        found = [*self._steps(news), *self._invocations(news)]
        self.has_end_step = self.has_end_step or any(step.kind is StepKind.END for step in news.steps)
        newest = max((event.seq or 0 for event in found), default=0)
        self.rows_seq = max(self.rows_seq, newest)
        self.seq = max(self.seq, newest, run.seq)
        if is_terminal(run.status):
            self.ended = True
            return [*sorted(found, key=_position), self._end(run)]
        if run.seq > self.run_seq:
            self.run_seq = run.seq
            # Between the END step and the end nothing is told of the run's row: an id beyond all steps and calls then
            # always means that `end` was seen.
            found += [] if self.has_end_step else [_changed(run)]
        return sorted(found, key=_position)

    def end_seen_at(self, seq: int) -> bool:
        """Whether who has seen everything up to this id has seen `end`."""
        if not self.ended or self.run is None:
            return False
        return seq > self.rows_seq if self.has_end_step else seq >= self.run.seq

    def passing(self, told: Mapping[str, Any]) -> StreamEvent:
        """An ephemeral event, identifiers shown."""
        run_id = self.run.run_id if self.run is not None else ""
        return StreamEvent("delta", None, DeltaEvent(run_id=run_id, passing=restore(dict(told), self.identifiers)))

    def _steps(self, news: RunRows) -> list[StreamEvent]:
        run = news.run
        return [
            StreamEvent(
                "step",
                step.seq,
                StepEvent(run_id=run.run_id, session_id=run.session_id, **step_fields(step, self.identifiers)),
            )
            for step in news.steps
        ]

    def _invocations(self, news: RunRows) -> list[StreamEvent]:
        run = news.run
        views = (invocation_view(call, self.identifiers) for call in news.invocations)
        return [
            StreamEvent(
                "invocation",
                view.seq,
                InvocationEvent(run_id=run.run_id, session_id=run.session_id, **dict(view)),
            )
            for view in views
        ]

    def _end(self, run: Run) -> StreamEvent:
        seq = max(self.seq, run.seq)
        body = EndEvent(
            run_id=run.run_id,
            session_id=run.session_id,
            seq=seq,
            status=run.status,
            status_reason=run.status_reason,
            run=run_summary(run),
        )
        return StreamEvent("end", seq, body)


def _changed(run: Run) -> StreamEvent:
    body = RunEvent(
        run_id=run.run_id,
        session_id=run.session_id,
        seq=run.seq,
        status=run.status,
        status_reason=run.status_reason,
        cancel_requested=run.cancel_requested_at is not None,
        step_count=run.step_count,
        tool_call_count=run.tool_call_count,
        updated_at=run.updated_at,
    )
    return StreamEvent("run", run.seq, body)


def _position(event: StreamEvent) -> int:
    return event.seq or 0
