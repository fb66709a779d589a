"""The state of a run: only ever folded from its stored rows, so any worker that has the rows has the state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from rootproof.agent.answers import draft_of, lowered_of, plan_of
from rootproof.agent.briefing import Briefing
from rootproof.agent.coverage import coverage_of
from rootproof.agent.grounding.check import check_claims
from rootproof.agent.lowering import lower
from rootproof.agent.stored_briefing import briefing_from
from rootproof.agent.testimony import without_testimony
from rootproof.domain.claim import CheckedClaim
from rootproof.domain.evidence import Evidence
from rootproof.domain.invocation import Invocation, is_final
from rootproof.domain.plan import Plan
from rootproof.domain.report import Draft
from rootproof.domain.run import Run
from rootproof.domain.step import Agent, Step, StepKind
from rootproof.domain.usage import Usage
from rootproof.ports.model import ToolCall

CallKey = tuple[int, int]
"""Step number of the turn and index of the call in it."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One model turn as it was stored."""

    step_no: int
    agent: Agent
    text: str
    tool_calls: tuple[ToolCall, ...]
    problem: str | None = None
    """Why the turn could not be used as it stands; told to the model."""
    dropped: int = 0
    """How many calls of the turn were left out; told to the model."""


@dataclass(frozen=True, slots=True)
class SkillRead:
    """The answer to one `read_skill` call."""

    name: str
    text: str
    repeated: bool


@dataclass(frozen=True, slots=True)
class RunState:
    """Everything the loop decides from."""

    run: Run
    briefing: Briefing | None = None
    identifiers: Mapping[str, str] = field(default_factory=dict)
    plan: Plan | None = None
    turns: tuple[Turn, ...] = ()
    skill_reads: Mapping[CallKey, SkillRead] = field(default_factory=dict)
    invocations: Mapping[CallKey, Invocation] = field(default_factory=dict)
    draft: Draft | None = None
    checked: tuple[CheckedClaim, ...] | None = None
    """The draft's claims with code's verdicts; None until there is a draft."""
    verdicts_in: bool = False
    given_up: str | None = None
    """Why the run's model was given up; the playbook reasoner goes on."""
    taken_over_at: int | None = None
    """The step at which it was given up: what the reasoner that goes on may use is counted from there."""
    used_before: Usage = field(default_factory=Usage)
    """What the run had cost by then."""
    shortened_before: int = 0
    """Results of calls of earlier turns are shown in short: the whole did not fit the model's window."""
    end: Step | None = None
    next_step_no: int = 0
    usage: Usage = field(default_factory=Usage)

    @property
    def evidence(self) -> dict[str, Evidence]:
        """All evidence of the run by id."""
        given = (*self.briefing.reported, *self.briefing.earlier) if self.briefing else ()
        found = {item.id: item for item in given}
        for call in self.invocations.values():
            found.update((item.id, item) for item in call.evidence)
        return found

    def turns_of(self, agent: Agent) -> tuple[Turn, ...]:
        """The turns of one agent, oldest first."""
        return tuple(turn for turn in self.turns if turn.agent is agent)


def fold(run: Run, steps: Iterable[Step], invocations: Iterable[Invocation]) -> RunState:
    """The state after these rows, whatever order the two kinds were written in."""
    state = RunState(run)
    calls: dict[int, list[Invocation]] = {}
    for call in sorted(invocations, key=lambda row: (row.step_no, row.call_index)):
        calls.setdefault(call.step_no, []).append(call)
    for step in sorted(steps, key=lambda row: row.step_no):
        state = evolve(state, step)
        for call in calls.pop(step.step_no, []):
            state = evolve(state, call)
    return state


def evolve(state: RunState, row: Step | Invocation) -> RunState:
    """The state after one more row. Unfinished invocations change nothing: they will be called again."""
    if isinstance(row, Invocation):
        if not is_final(row.status):
            return state
        known = {**state.identifiers, **row.identifiers}
        calls = {**state.invocations, (row.step_no, row.call_index): row}
        cost = Usage(tool_calls=1, agent_visible_bytes=row.agent_visible_bytes)
        return replace(state, invocations=calls, identifiers=known, usage=state.usage + cost)
    state = replace(state, next_step_no=max(state.next_step_no, row.step_no + 1))
    if row.kind in _TURN_KINDS:
        state = _after_turn(state, row)
    return _EVOLVE.get(row.kind, _unchanged)(state, row)


_TURN_KINDS = frozenset({StepKind.TURN, StepKind.PLAN, StepKind.DRAFT, StepKind.VERDICTS})


def _after_turn(state: RunState, step: Step) -> RunState:
    turn = Turn(
        step.step_no,
        step.agent,
        step.output.get("text", ""),
        tuple(ToolCall(call["id"], call["name"], call["arguments"]) for call in step.output.get("toolCalls", [])),
        step.output.get("problem"),
        step.output.get("droppedCalls", 0),
    )
    cost = Usage(model_requests=1, input_tokens=step.input_tokens, output_tokens=step.output_tokens)
    shortened = max(state.shortened_before, step.output.get("shortenedBefore", 0))
    return replace(state, turns=(*state.turns, turn), usage=state.usage + cost, shortened_before=shortened)


def _after_briefing(state: RunState, step: Step) -> RunState:
    return replace(state, briefing=briefing_from(step.output), identifiers=step.output.get("identifiers", {}))


def _after_plan(state: RunState, step: Step) -> RunState:
    return replace(state, plan=plan_of(step.output["answer"]))


def _after_draft(state: RunState, step: Step) -> RunState:
    draft = draft_of(step.output["answer"])
    briefing = state.briefing
    coverage = coverage_of(briefing.tools if briefing else (), state.invocations.values())
    checked = without_testimony(check_claims(draft.claims, state.evidence, coverage), state.evidence, coverage)
    return replace(state, draft=draft, checked=checked)


def _after_verdicts(state: RunState, step: Step) -> RunState:
    proposals = lowered_of(step.output["answer"])
    return replace(state, checked=lower(state.checked or (), proposals), verdicts_in=True)


def _after_skill_read(state: RunState, step: Step) -> RunState:
    output: dict[str, Any] = step.output
    key = (output["turn"], output["callIndex"])
    read = SkillRead(output["name"], output["text"], output["repeated"])
    known = {**state.identifiers, **output.get("identifiers", {})}
    return replace(state, skill_reads={**state.skill_reads, key: read}, identifiers=known)


def _after_failure(state: RunState, step: Step) -> RunState:
    """The plan and the conversation go with their model: the next one begins anew, as if it had been alone.

    What was called stays, so a call that it makes again is answered from what is stored.
    """
    reason = step.output.get("reason", "the model failed")
    gone = replace(state, given_up=reason, plan=None, turns=(), skill_reads={}, shortened_before=0)
    return replace(gone, taken_over_at=step.step_no, used_before=state.usage)


def _after_end(state: RunState, step: Step) -> RunState:
    return replace(state, end=step)


def _unchanged(state: RunState, _step: Step) -> RunState:
    return state


_EVOLVE = {
    StepKind.BRIEFING: _after_briefing,
    StepKind.PLAN: _after_plan,
    StepKind.DRAFT: _after_draft,
    StepKind.VERDICTS: _after_verdicts,
    StepKind.SKILL_READ: _after_skill_read,
    StepKind.MODEL_FAILURE: _after_failure,
    StepKind.END: _after_end,
}
