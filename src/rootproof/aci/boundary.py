"""The tool boundary: every call of every tool passes here, and only bounded, redacted text comes out.

Lifecycle `RECEIVED -> RUNNING -> final`, persisted at each change. Owner, budget and repeat rules live here; sources
and projectors know nothing of them. Nothing is raised to the agent but cancellation; stores may raise StoreError.

The calls of one turn ask their sources at once, a few at a time. Everything else is done in the order of the calls:
rows, budgets, repeats, projections, evidence ids. So nothing depends on which source was faster (ADR 6).
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from rootproof.aci.ledger import RunLedger
from rootproof.aci.projection.fit import clip, encode
from rootproof.aci.result import ProjectedToolResult, ToolBoundaryResult
from rootproof.aci.summary import call_summary
from rootproof.domain.context import ToolEnvelope
from rootproof.domain.cutting import within
from rootproof.domain.invocation import Invocation, InvocationStatus
from rootproof.errors import ProjectionError, SourceDenied, SourceError, SourceTimeout
from rootproof.ports.canonical_store import CanonicalInvocation, CanonicalInvocationStore
from rootproof.ports.clock import Clock
from rootproof.ports.run_store import RunStore

_ERROR_CHARS = 600
_ARGUMENT_CHARS = 2_000
_KEY_CHARS = 500
_LARGEST_JSON_CHARS = 20_000
_LARGEST_TEXT_CHARS = 20_000
"""Of an error or of arguments that are refused: much more than is shown, and little enough to redact at once."""
_ASIDE_BYTES = 64 << 10
"""Raw outputs from this size on are projected in a thread."""


@dataclass(frozen=True, slots=True)
class BoundaryRequest:
    """A parsed request as the boundary sees it: its tool, its arguments with placeholders, its source."""

    tool: str
    arguments: dict[str, Any]
    source: str = ""


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """One call of a turn: its request bound to a source and a projector, or why it cannot be made."""

    envelope: ToolEnvelope
    request: BoundaryRequest
    call: Callable[[], Awaitable[str]] | None = None
    project: Callable[[str], ProjectedToolResult] | None = None
    rejected: str = ""


@dataclass(frozen=True, slots=True)
class _Refusal:
    status: InvocationStatus
    message: str


@dataclass(frozen=True, slots=True)
class _Answer:
    """What a source gave: its raw output, or how it failed."""

    took_s: float
    raw: str | None = None
    raw_bytes: int = 0
    refusal: _Refusal | None = None


@dataclass(slots=True)
class _UnderWay:
    """A call between its first and its last row."""

    planned: PlannedCall
    row: Invocation
    source: asyncio.Task[_Answer] | None = None
    settled: ToolBoundaryResult | None = None


@dataclass(frozen=True, slots=True)
class ToolBoundary:
    """The boundary of one run."""

    runs: RunStore
    canonical: CanonicalInvocationStore
    clock: Clock
    ledger: RunLedger
    raw_ttl: timedelta = timedelta(days=7)

    async def execute(
        self,
        envelope: ToolEnvelope,
        request: BoundaryRequest,
        call: Callable[[], Awaitable[str]],
        project: Callable[[str], ProjectedToolResult],
    ) -> ToolBoundaryResult:
        """Call the source, store the raw output, project it, store the bounded result, hand it on."""
        return (await self.execute_all([PlannedCall(envelope, request, call, project)]))[0]

    async def reject(self, envelope: ToolEnvelope, tool: str, arguments: str, why: str) -> ToolBoundaryResult:
        """Record a call that never reached a source: an unknown tool, or a request that does not parse."""
        return (await self.execute_all([self.rejected(envelope, tool, arguments, why)]))[0]

    def rejected(self, envelope: ToolEnvelope, tool: str, arguments: str, why: str) -> PlannedCall:
        """The plan of a call that is only recorded."""
        told = within(_canonical(arguments), _LARGEST_TEXT_CHARS)
        shown = clip(self.ledger.identifiers.redact(told), _ARGUMENT_CHARS)
        name = clip(self.ledger.identifiers.redact(tool), 64)
        return PlannedCall(envelope, BoundaryRequest(name, {"invalid": shown}), rejected=why)

    async def execute_all(
        self, calls: Sequence[PlannedCall], within_s: float | None = None
    ) -> list[ToolBoundaryResult]:
        """The results of one turn's calls, in their order; sources are asked at once, for `within_s` in all at most."""
        end = None if within_s is None else self.clock.monotonic() + within_s
        under_way: list[_UnderWay] = []
        try:
            for planned in calls:
                under_way.append(await self._admitted(planned))  # noqa: PERF401 - those that are open are seen if it fails
            slots = asyncio.Semaphore(self.ledger.limits.max_parallel_calls)
            await self._start(under_way, slots, end)
            return [item.settled or await self._settled(item, slots, end) for item in under_way]
        except asyncio.CancelledError:
            for item in under_way:
                if item.settled is None:
                    await self._finish(self._failed(item.row, InvocationStatus.CANCELLED, "the run was cancelled"))
            raise
        finally:
            for item in under_way:
                if item.source is not None:
                    item.source.cancel()

    async def _admitted(self, planned: PlannedCall) -> _UnderWay:
        """The call with its first row; one that is finished, or another's, with its result."""
        row = self._row(planned.envelope, planned.request)
        if planned.envelope.context != self.ledger.context:
            return _UnderWay(planned, row, settled=_not_yours(planned.envelope, planned.request.tool))
        done = self.ledger.finished(row.step_no, row.call_index)
        if done is not None:
            return _UnderWay(planned, done, settled=_handed_on(done))
        return _UnderWay(planned, await self.runs.open_invocation(self.ledger.context, row))

    def _row(self, envelope: ToolEnvelope, request: BoundaryRequest) -> Invocation:
        arguments = self.ledger.identifiers.redact_structure(request.arguments)
        return Invocation(
            step_no=envelope.step_no,
            call_index=envelope.call_index,
            tool_call_id=envelope.tool_call_id,
            tool_name=request.tool,
            request=arguments,
            request_key=_key(request.tool, arguments),
            source=request.source,
        )

    async def _start(self, under_way: Sequence[_UnderWay], slots: asyncio.Semaphore, end: float | None) -> None:
        """Ask the sources of all calls that will need theirs: an equal call waits for the answer to the first."""
        room = self.ledger.calls_left
        seen: Counter[str] = Counter()
        for item in under_way:
            if item.settled is not None:
                continue
            key = item.row.request_key
            room -= 1
            first = not seen[key] and self.ledger.earlier_answer(key) is None
            seen[key] += 1
            if item.planned.rejected or room < 0 or not first or self._refusal(item.row) is not None:
                continue
            item.row = await self._running(item.row)
            item.source = asyncio.create_task(self._in_turn(item.planned, slots, end))

    async def _running(self, row: Invocation) -> Invocation:
        return await self.runs.update_invocation(self.ledger.context, replace(row, status=InvocationStatus.RUNNING))

    async def _in_turn(self, planned: PlannedCall, slots: asyncio.Semaphore, end: float | None) -> _Answer:
        """The answer. Its slot is kept until it is settled, so no more raw outputs than slots are held."""
        await slots.acquire()
        return await self._ask_source(planned, end)

    async def _settled(self, item: _UnderWay, slots: asyncio.Semaphore, end: float | None) -> ToolBoundaryResult:
        """The call's last row and result. All calls before it are settled, so this is as if they had run one by one."""
        refusal = self._refusal(item.row)
        earlier = self.ledger.earlier_answer(item.row.request_key)
        if item.planned.rejected:
            failed = self._failed(item.row, InvocationStatus.DENIED, item.planned.rejected)
            item.settled = await self._finish(failed)
        elif refusal is not None:
            item.settled = await self._finish(self._failed(item.row, refusal.status, refusal.message))
        elif earlier is not None:
            item.settled = await self._finish(_repeated(item.row, earlier))
        else:
            item.settled = await self._answered(item, end)
        if item.source is not None and item.source.done():
            item.source = None
            slots.release()
        return item.settled

    async def _answered(self, item: _UnderWay, end: float | None) -> ToolBoundaryResult:
        if item.source is None:  # equal to a call of this turn that failed
            item.row = await self._running(item.row)
            answer = await self._ask_source(item.planned, end)
        else:
            answer = await item.source
        row = replace(item.row, raw_bytes=answer.raw_bytes)
        if answer.raw is None or item.planned.project is None:
            refusal = answer.refusal or _Refusal(InvocationStatus.TOOL_ERROR, "there is nothing to show it with")
            return await self._finish(self._failed(row, refusal.status, refusal.message), answer.took_s)
        digest = hashlib.sha256(answer.raw.encode("utf-8", "surrogatepass")).hexdigest()
        row = await self._projected_aside(replace(row, raw_sha256=digest), answer.raw, item.planned.project)
        return await self._finish(row, answer.took_s, answer.raw)

    def _refusal(self, row: Invocation) -> _Refusal | None:
        spent = self.ledger.spent()
        if spent is not None:
            return _Refusal(InvocationStatus.BUDGET_EXCEEDED, f"{spent}; report what the evidence so far supports")
        most = self.ledger.limits.max_identical_calls
        if self.ledger.times_called(row.request_key) >= most:
            return _Refusal(
                InvocationStatus.DENIED,
                f"this exact call was made {most} times already and its answer does not change; use that answer or "
                "ask something else",
            )
        return None

    async def _ask_source(self, planned: PlannedCall, end: float | None) -> _Answer:
        """What the source gives within its deadline and before `end`. Raises nothing but cancellation."""
        started = self.clock.monotonic()
        deadline_s = planned.envelope.deadline_s
        if end is not None:
            deadline_s = max(0.0, min(deadline_s, end - started))
        raw: object = None
        try:
            async with asyncio.timeout(deadline_s):
                raw = await planned.call() if planned.call is not None else None
            failed = self._unusable(raw)
        except (TimeoutError, SourceTimeout) as error:
            failed = _Refusal(InvocationStatus.TIMEOUT, str(error) or f"no answer within {deadline_s:g} s")
        except SourceDenied as error:
            failed = _Refusal(InvocationStatus.DENIED, str(error))
        except SourceError as error:
            failed = _Refusal(InvocationStatus.TOOL_ERROR, str(error))
        except Exception as error:  # noqa: BLE001 - a source's bug ends its call, never the run
            why = f"the source failed with {type(error).__name__}: {error}"
            failed = _Refusal(InvocationStatus.TOOL_ERROR, why)
        size = _size(raw) if isinstance(raw, str) else 0
        took_s = self.clock.monotonic() - started
        return _Answer(took_s, raw if isinstance(raw, str) and failed is None else None, size, failed)

    def _unusable(self, raw: object) -> _Refusal | None:
        if not isinstance(raw, str):
            why = f"the source answered with {type(raw).__name__}, not with text"
            return _Refusal(InvocationStatus.TOOL_ERROR, why)
        size, most = _size(raw), self.ledger.limits.max_raw_bytes
        if size > most:
            why = f"the source sent {size} bytes, over the limit of {most}; narrow the request"
            return _Refusal(InvocationStatus.TOOL_ERROR, why)
        return None

    async def _projected_aside(
        self, row: Invocation, raw: str, project: Callable[[str], ProjectedToolResult]
    ) -> Invocation:
        """`_projected`, off the event loop where it may take long, so that the other runs of this worker go on.

        It writes into the run's map of identifiers, so it is waited for even when the run is cancelled meanwhile.
        """
        if row.raw_bytes < _ASIDE_BYTES:
            return self._projected(row, raw, project)
        work = asyncio.ensure_future(asyncio.to_thread(self._projected, row, raw, project))
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            await asyncio.wait({work})
            raise

    def _projected(self, row: Invocation, raw: str, project: Callable[[str], ProjectedToolResult]) -> Invocation:
        try:
            result = project(raw)
            encode(result.details)  # what is no JSON (an infinite score) must not reach a row
        except ProjectionError as error:
            return self._failed(row, InvocationStatus.PROJECTION_ERROR, str(error))
        except Exception as error:  # noqa: BLE001 - fail closed: what cannot be projected is never shown
            why = f"the answer could not be projected ({type(error).__name__}); it is kept, and not shown"
            return self._failed(row, InvocationStatus.PROJECTION_ERROR, why)
        return replace(
            row,
            status=result.status,
            result=result.text,
            evidence=result.evidence,
            summary=call_summary(result.evidence, result.facts, self.ledger.limits),
            retrieval_details=result.details,
            scanned=result.scanned,
            shown=result.shown,
            truncated=result.truncated,
        )

    def _failed(self, row: Invocation, status: InvocationStatus, why: str) -> Invocation:
        message = clip(self.ledger.identifiers.redact(within(why, _LARGEST_TEXT_CHARS)), _ERROR_CHARS)
        return replace(row, status=status, error=message, result=encode({"status": status.value, "message": message}))

    async def _finish(self, row: Invocation, took_s: float = 0.0, raw: str | None = None) -> ToolBoundaryResult:
        context = self.ledger.context
        now = self.clock.now()
        if raw is not None:
            item = CanonicalInvocation(f"{row.step_no}.{row.call_index}", raw, row.result, row.raw_sha256)
            await self.canonical.put(context, item, expires_at=now + self.raw_ttl)
        row = replace(
            row,
            identifiers=self.ledger.identifiers.take_fresh(),
            agent_visible_bytes=len(row.result.encode()),
            duration_ms=round(took_s * 1000),
            finished_at=now,
        )
        row = await self.runs.update_invocation(context, row)
        self.ledger.record(row)
        return _handed_on(row)


def _key(tool: str, arguments: dict[str, Any]) -> str:
    """Equal for equal calls only: what is too long to store is told apart by its hash."""
    key = f"{tool} {encode(dict(sorted(arguments.items())))}"
    if len(key) <= _KEY_CHARS:
        return key
    return f"{key[: _KEY_CHARS - 72]} sha256:{hashlib.sha256(key.encode()).hexdigest()}"


def _canonical(arguments: str) -> str:
    """The same text for arguments that differ by white space or the order of keys only."""
    if len(arguments) > _LARGEST_JSON_CHARS:
        return arguments
    try:
        return json.dumps(json.loads(arguments), sort_keys=True, ensure_ascii=False)
    except (ValueError, RecursionError):
        return arguments.strip()


def _size(raw: str) -> int:
    return len(raw.encode("utf-8", "surrogatepass"))


def _not_yours(envelope: ToolEnvelope, tool: str) -> ToolBoundaryResult:
    """The refusal of a call that belongs to another run or owner. It leaves no row: this run's rows are its own."""
    message = "this call belongs to another run or owner"
    text = encode({"status": InvocationStatus.DENIED.value, "message": message})
    return ToolBoundaryResult(envelope.tool_call_id, tool, InvocationStatus.DENIED, text)


def _handed_on(row: Invocation) -> ToolBoundaryResult:
    return ToolBoundaryResult(row.tool_call_id, row.tool_name, row.status, row.result, row.evidence)


def _repeated(row: Invocation, earlier: Invocation) -> Invocation:
    """An identical call is answered from the first one: same text, same evidence ids, nothing called."""
    return replace(
        row,
        status=earlier.status,
        result=earlier.result,
        summary=f"same as call {earlier.step_no}.{earlier.call_index}",
        scanned=earlier.scanned,
        shown=earlier.shown,
        truncated=earlier.truncated,
        source=earlier.source,
    )
