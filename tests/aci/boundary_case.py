"""One boundary on in-memory stores that remember every row they were given."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from rootproof.aci.boundary import BoundaryRequest, ToolBoundary
from rootproof.aci.identifiers import IdentifierMap
from rootproof.aci.ledger import RunLedger
from rootproof.aci.projection.fit import Item, Projection, finish
from rootproof.aci.result import ProjectedToolResult, ToolBoundaryResult
from rootproof.adapters.memory.canonical_store import InMemoryCanonicalStore
from rootproof.adapters.memory.clock import FixedClock
from rootproof.adapters.memory.run_store import InMemoryRunStore
from rootproof.domain.context import ExecutionContext, ToolEnvelope
from rootproof.domain.evidence import EvidenceClass
from rootproof.domain.invocation import Invocation
from rootproof.domain.limits import RunLimits
from rootproof.domain.run import Run, RunMode
from rootproof.domain.session import ChatSession
from tests.fakes.driving import NOW

CONTEXT = ExecutionContext("ses-1", "run-1", "owner-1")


class RecordingStore(InMemoryRunStore):
    """An in-memory store that keeps every invocation row in the order in which it was written."""

    def __init__(self) -> None:
        super().__init__(FixedClock(NOW))
        self.written: list[Invocation] = []

    async def open_invocation(self, context: ExecutionContext, invocation: Invocation) -> Invocation:
        row = await super().open_invocation(context, invocation)
        self.written.append(row)
        return row

    async def update_invocation(self, context: ExecutionContext, invocation: Invocation) -> Invocation:
        row = await super().update_invocation(context, invocation)
        self.written.append(row)
        return row


@dataclass
class Case:
    """A boundary, its stores, and a source that counts how often it is asked."""

    limits: RunLimits = field(default_factory=RunLimits)
    runs: RecordingStore = field(default_factory=RecordingStore)
    canonical: InMemoryCanonicalStore = field(default_factory=InMemoryCanonicalStore)
    earlier: Iterable[Invocation] = ()
    asked: int = 0

    def __post_init__(self) -> None:
        self.ledger = RunLedger(CONTEXT, self.limits, identifiers=IdentifierMap(), invocations=self.earlier)
        self.boundary = ToolBoundary(self.runs, self.canonical, FixedClock(NOW), self.ledger)

    async def ready(self) -> Case:
        run = Run("run-1", "ses-1", "owner-1", RunMode.CHAT, "q", NOW, created_at=NOW, updated_at=NOW)
        await self.runs.create_run(ChatSession("ses-1", "owner-1", created_at=NOW, last_active_at=NOW), run)
        return self

    async def call(
        self,
        answer: Any = "one two",
        *,
        step: int = 0,
        index: int = 0,
        arguments: dict[str, Any] | None = None,
        context: ExecutionContext = CONTEXT,
        deadline_s: float = 5.0,
        project: Callable[[str], ProjectedToolResult] | None = None,
    ) -> ToolBoundaryResult:
        """One call; `answer` is returned, raised, or awaited when it is a function."""
        envelope = ToolEnvelope(context, f"call_{index}", step, index, deadline_s)
        request = BoundaryRequest("query_logs", arguments if arguments is not None else {"n": step}, "source x")

        async def fetch() -> str:
            self.asked += 1
            if isinstance(answer, BaseException):
                raise answer
            return await answer() if callable(answer) else answer

        return await self.boundary.execute(envelope, request, fetch, project or self.words)

    def words(self, raw: str) -> ProjectedToolResult:
        """A projector: each word of the raw text is an item."""
        redacted = self.ledger.identifiers.redact(raw)
        items = [Item({"word": word}, word, source="MOCK") for word in redacted.split()]
        projection = Projection(
            "query_logs", "call", EvidenceClass.OBSERVATION, {"scanned": len(items)}, {"words": items}
        )
        return finish(projection, self.limits.projection, self.ledger.numbering)


def message_of(result: ToolBoundaryResult) -> str:
    """The error message that the model sees."""
    return str(json.loads(result.text)["message"])
