"""What a run has used up and given out so far, folded from its stored invocations.

Invariant: the ledger holds nothing that the rows do not, so a worker that takes over a run has the same one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from rootproof.aci.identifiers import IdentifierMap
from rootproof.aci.projection.fit import EvidenceNumbering
from rootproof.domain.context import ExecutionContext
from rootproof.domain.evidence import Evidence
from rootproof.domain.invocation import Invocation, InvocationStatus, is_final
from rootproof.domain.limits import RunLimits

_REPEATABLE = frozenset({InvocationStatus.OK, InvocationStatus.NO_EVIDENCE})


class RunLedger:
    """Budgets, repeats, evidence numbers and identifiers of one run."""

    def __init__(
        self,
        context: ExecutionContext,
        limits: RunLimits,
        *,
        identifiers: IdentifierMap,
        reported: Iterable[Evidence] = (),
        invocations: Iterable[Invocation] = (),
        taken_over_at: int | None = None,
    ) -> None:
        self.context = context
        self.limits = limits
        self.identifiers = identifiers
        self._finished: dict[tuple[int, int], Invocation] = {}
        self._answers: dict[str, Invocation] = {}
        self._calls_by_key: Counter[str] = Counter()
        self.agent_visible_bytes = 0
        self._before = (0, 0)
        used = [item.id for item in reported]
        for invocation in sorted(invocations, key=lambda row: (row.step_no, row.call_index)):
            if taken_over_at is not None and invocation.step_no > taken_over_at:
                self.take_over()
                taken_over_at = None
            if is_final(invocation.status):
                self.record(invocation)
                used += [item.id for item in invocation.evidence]
        if taken_over_at is not None:
            self.take_over()
        self.numbering = EvidenceNumbering(max((int(name[1:]) for name in used), default=0))

    @property
    def tool_calls(self) -> int:
        """Finished calls, refused ones included."""
        return len(self._finished)

    @property
    def calls_left(self) -> int:
        """How many calls may still be made."""
        return self._most_calls - self.tool_calls

    @property
    def _most_calls(self) -> int:
        most = self.limits.max_tool_calls
        return most if self._before == (0, 0) else max(most, self._before[0] + self.limits.fallback_calls)

    def take_over(self) -> None:
        """Another reasoner goes on: answers stay, repeats and bytes are counted anew, and a few calls are its own."""
        self._calls_by_key.clear()
        self._before = (self.tool_calls, self.agent_visible_bytes)

    def record(self, invocation: Invocation) -> None:
        """Count a finished call."""
        self._finished[invocation.step_no, invocation.call_index] = invocation
        self._calls_by_key[invocation.request_key] += 1
        self.agent_visible_bytes += invocation.agent_visible_bytes
        if invocation.status in _REPEATABLE:
            self._answers.setdefault(invocation.request_key, invocation)

    def finished(self, step_no: int, call_index: int) -> Invocation | None:
        """The finished call with our key, if there is one: it is never paid for twice."""
        return self._finished.get((step_no, call_index))

    def earlier_answer(self, request_key: str) -> Invocation | None:
        """The first good answer to an identical call of this run."""
        return self._answers.get(request_key)

    def times_called(self, request_key: str) -> int:
        """How often an identical call was made."""
        return self._calls_by_key[request_key]

    def spent(self) -> str | None:
        """Why no further call may be made, or None."""
        if self.calls_left <= 0:
            return f"all {self._most_calls} tool calls of this run are used"
        shown = self.agent_visible_bytes - self._before[1]
        if shown >= self.limits.max_agent_visible_bytes:
            return f"the run has shown {shown} bytes of {self.limits.max_agent_visible_bytes} allowed"
        return None
