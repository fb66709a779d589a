"""The tool boundary: every call of every tool passes here, and only bounded, redacted text comes out.

Lifecycle `RECEIVED -> RUNNING -> final`, persisted at each change. Owner, budget and repeat rules live here; sources
and projectors know nothing of them. Nothing is raised to the agent but cancellation; stores may raise StoreError.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from rootproof.aci.ledger import RunLedger
from rootproof.aci.projection.fit import clip, encode
from rootproof.aci.result import ProjectedToolResult, ToolBoundaryResult
from rootproof.aci.summary import call_summary
from rootproof.domain.context import ToolEnvelope
from rootproof.domain.invocation import Invocation, InvocationStatus
from rootproof.errors import ProjectionError, SourceDenied, SourceError, SourceTimeout
from rootproof.ports.canonical_store import CanonicalInvocation, CanonicalInvocationStore
from rootproof.ports.clock import Clock
from rootproof.ports.run_store import RunStore

_ERROR_CHARS = 600
_ARGUMENT_CHARS = 2_000
_KEY_CHARS = 500


@dataclass(frozen=True, slots=True)
class BoundaryRequest:
    """A parsed request as the boundary sees it: its tool, its arguments with placeholders, its source."""

    tool: str
    arguments: dict[str, Any]
    source: str = ""


@dataclass(frozen=True, slots=True)
class _Refusal:
    status: InvocationStatus
    message: str


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
        if envelope.context != self.ledger.context:
            return _not_yours(envelope, request.tool)
        done = self.ledger.finished(envelope.step_no, envelope.call_index)
        if done is not None:
            return _handed_on(done)
        row = self._row(envelope, request)
        refusal = self._refusal(row)
        earlier = self.ledger.earlier_answer(row.request_key)
        row = await self.runs.open_invocation(self.ledger.context, row)
        started = self.clock.monotonic()
        if refusal is not None:
            return await self._finish(self._failed(row, refusal.status, refusal.message), started)
        if earlier is not None:
            return await self._finish(_repeated(row, earlier), started)
        row = await self.runs.update_invocation(self.ledger.context, replace(row, status=InvocationStatus.RUNNING))
        raw, row = await self._call_source(envelope, row, call, started)
        if raw is not None:
            row = self._projected(row, raw, project)
        return await self._finish(row, started, raw)

    async def reject(self, envelope: ToolEnvelope, tool: str, arguments: str, why: str) -> ToolBoundaryResult:
        """Record a call that never reached a source: an unknown tool, or a request that does not parse."""
        if envelope.context != self.ledger.context:
            return _not_yours(envelope, clip(self.ledger.identifiers.redact(tool), 64))
        done = self.ledger.finished(envelope.step_no, envelope.call_index)
        if done is not None:
            return _handed_on(done)
        shown = clip(self.ledger.identifiers.redact(arguments), _ARGUMENT_CHARS)
        name = clip(self.ledger.identifiers.redact(tool), 64)
        row = self._row(envelope, BoundaryRequest(name, {"invalid": shown}))
        row = await self.runs.open_invocation(self.ledger.context, row)
        return await self._finish(self._failed(row, InvocationStatus.DENIED, why), self.clock.monotonic())

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

    async def _call_source(
        self, envelope: ToolEnvelope, row: Invocation, call: Callable[[], Awaitable[str]], started: float
    ) -> tuple[str | None, Invocation]:
        """The raw output, or None and the failed row."""
        try:
            async with asyncio.timeout(envelope.deadline_s):
                raw: object = await call()
        except asyncio.CancelledError:
            await self._finish(self._failed(row, InvocationStatus.CANCELLED, "the run was cancelled"), started)
            raise
        except (TimeoutError, SourceTimeout) as error:
            why = str(error) or f"no answer within {envelope.deadline_s:g} s"
            return None, self._failed(row, InvocationStatus.TIMEOUT, why)
        except SourceDenied as error:
            return None, self._failed(row, InvocationStatus.DENIED, str(error))
        except SourceError as error:
            return None, self._failed(row, InvocationStatus.TOOL_ERROR, str(error))
        except Exception as error:  # noqa: BLE001 - a source's bug ends its call, never the run
            why = f"the source failed with {type(error).__name__}: {error}"
            return None, self._failed(row, InvocationStatus.TOOL_ERROR, why)
        if not isinstance(raw, str):
            why = f"the source answered with {type(raw).__name__}, not with text"
            return None, self._failed(row, InvocationStatus.TOOL_ERROR, why)
        size = len(raw.encode("utf-8", "surrogatepass"))
        if size > self.ledger.limits.max_raw_bytes:
            most = self.ledger.limits.max_raw_bytes
            why = f"the source sent {size} bytes, over the limit of {most}; narrow the request"
            return None, self._failed(replace(row, raw_bytes=size), InvocationStatus.TOOL_ERROR, why)
        digest = hashlib.sha256(raw.encode("utf-8", "surrogatepass")).hexdigest()
        return raw, replace(row, raw_bytes=size, raw_sha256=digest)

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
        message = clip(self.ledger.identifiers.redact(why), _ERROR_CHARS)
        return replace(row, status=status, error=message, result=encode({"status": status.value, "message": message}))

    async def _finish(self, row: Invocation, started: float, raw: str | None = None) -> ToolBoundaryResult:
        context = self.ledger.context
        now = self.clock.now()
        if raw is not None:
            item = CanonicalInvocation(f"{row.step_no}.{row.call_index}", raw, row.result, row.raw_sha256)
            await self.canonical.put(context, item, expires_at=now + self.raw_ttl)
        row = replace(
            row,
            identifiers=self.ledger.identifiers.take_fresh(),
            agent_visible_bytes=len(row.result.encode()),
            duration_ms=round((self.clock.monotonic() - started) * 1000),
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
