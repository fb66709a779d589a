"""A stored run as a script for its replay: what each model turn, tool call and skill read gave, and how it ended."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from pydantic import ValidationError

from rootproof.aci.identifiers import restore
from rootproof.agent.briefing import HistoryRef
from rootproof.agent.commands import AskModel, Finish, GiveUpModel
from rootproof.agent.loop import decide
from rootproof.agent.state import CallKey, RunState, evolve, fold
from rootproof.agent.stored_briefing import LIMITS, briefing_from
from rootproof.diagnosis.read_skill import MAX_BODY_CHARS
from rootproof.diagnosis.recorded_queries import Answers, EchoSource, recorded_answers
from rootproof.domain.invocation import Invocation, InvocationStatus, is_final
from rootproof.domain.limits import RunLimits
from rootproof.domain.run import Run, RunStatus
from rootproof.domain.skill import Skill, SkillInfo
from rootproof.domain.step import MODEL_STEPS, Step, StepKind
from rootproof.errors import ModelError, RootproofError, UsageError
from rootproof.ports.canonical_store import CanonicalInvocationStore
from rootproof.ports.model import FinishReason, ModelReply, ToolCall
from rootproof.ports.run_store import RunRows

_MODEL_ERROR = re.compile(r"([A-Z]\w*): (.*)", re.DOTALL)
"""As `drive_run` writes an error; the loop's own reasons begin otherwise."""
_CUT = re.compile(r"\n\n\[cut: (\d+) more characters\]\Z")
_UNREAD_SKILL = "The skill could not be read: "
_UNREAD_REQUEST = "The request could not be read: "


@dataclass(frozen=True, slots=True)
class Tool:
    """A source by the names that its calls gave."""

    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class Recording:
    """Everything that the replay of one run is made from."""

    run: Run
    """As it was before its first step."""
    briefing: Step | None
    """The first step: what the user and the alert said cannot be asked again."""
    limits: RunLimits
    turns: tuple[ModelReply | ModelError, ...]
    said: Mapping[int, Step]
    """The model's steps as they were stored."""
    answers: Answers
    """What the sources gave; empty where a raw result is gone."""
    given: Mapping[CallKey, Invocation]
    """Calls that are taken as they were stored: all of them where a raw result is gone."""
    missing: tuple[str, ...]
    """Calls whose raw result is gone."""
    tools: Mapping[str, Tool]
    history: tuple[HistoryRef, ...]
    """What it was given of its session; the words are in other runs' rows."""
    skills: tuple[SkillInfo, ...]
    skill_reads: tuple[Skill | UsageError, ...]
    notes: tuple[str, ...]
    ended_at: datetime
    schedule: tuple[tuple[int, float], ...]
    """(rows written, seconds that the run had taken by then), where its course depended on it."""
    rows: int
    stop: BaseException | None
    """What ended the run early, from outside any call."""


async def record(
    rows: RunRows, canonical: CanonicalInvocationStore, limits: RunLimits, echo: EchoSource, *, now: datetime
) -> Recording:
    """The recording of a run that has ended; `limits` are used where the run did not store its own.

    Raises: UsageError for a run that has not ended; StoreError for raw results that are not what was stored.
    """
    if rows.run.compatibility:
        raise UsageError(
            f"run {rows.run.run_id} was made from a row of the product before runs existed: what its model and sources "
            "gave was not kept, so it cannot be replayed; `rootproof runs trace` shows what there is"
        )
    state = fold(rows.run, rows.steps, rows.invocations)
    if state.end is None:
        raise UsageError(f"run {rows.run.run_id} is {rows.run.status}: only a run that has ended can be replayed; "
                         "`rootproof runs resume` goes on with it")  # fmt: skip
    calls = [call for call in rows.invocations if is_final(call.status)]
    cancelled = [call for call in calls if call.status is InvocationStatus.CANCELLED]
    raws = await _raws(calls, rows.run, canonical, now)
    missing = tuple(f"{step}.{index}" for (step, index), raw in raws.items() if raw is None)
    briefing = next((step for step in rows.steps if step.kind is StepKind.BRIEFING), None)
    stored = briefing.output if briefing else {}
    bounds = _limits(stored.get("limits"), limits)
    return Recording(
        run=_at_the_start(rows.run),
        briefing=briefing,
        limits=bounds,
        turns=tuple(turn for step in rows.steps if (turn := _turn(step, state.identifiers)) is not None),
        said={step.step_no: step for step in rows.steps if step.kind in MODEL_STEPS},
        answers=await recorded_answers(rows, briefing, cancelled if missing else calls, raws, echo) if briefing else {},
        given={_key(call): call for call in calls if missing and call not in cancelled},
        missing=missing,
        tools={name: _tool(name, calls) for name in stored.get("tools", ())},
        history=briefing_from(stored).history_refs if briefing else (),
        skills=briefing_from(stored).skills if briefing else (),
        skill_reads=tuple(read for step in rows.steps if (read := _skill_read(step, state.identifiers)) is not None),
        notes=tuple(stored.get("notes", ())),
        ended_at=state.end.created_at or rows.run.now,
        schedule=tuple(_schedule(rows, bounds)),
        rows=len(rows.steps) - 1 + len(calls),
        stop=None if cancelled else _stop(state.end, state.identifiers),
    )


async def _raws(
    calls: list[Invocation], run: Run, canonical: CanonicalInvocationStore, now: datetime
) -> dict[CallKey, str | None]:
    """The raw answer of each call that has one; None where it is gone."""
    found: dict[CallKey, str | None] = {}
    for call in calls:
        if call.raw_sha256:
            item = await canonical.fetch(run.context, f"{call.step_no}.{call.call_index}", now=now)
            found[_key(call)] = item.raw if item is not None else None
    return found


def _turn(step: Step, identifiers: Mapping[str, str]) -> ModelReply | ModelError | None:
    """What the model gave for this step; None for a step that asked no model.

    With identifiers as they were: those that the model was first to name get their placeholders again.
    """
    output = restore(step.output, identifiers)
    if step.kind is StepKind.MODEL_FAILURE:
        return _model_error(output.get("reason", ""))
    if step.kind not in MODEL_STEPS:
        return None
    if "finishReason" not in output:  # the verifier's model failed: code's verdicts stood
        return _model_error(output.get("problem", "")) or ModelError(output.get("problem", ""))
    return ModelReply(
        text=output.get("text", ""),
        tool_calls=tuple(ToolCall(call["id"], call["name"], call["arguments"]) for call in output["toolCalls"]),
        finish_reason=FinishReason(output["finishReason"]),
        input_tokens=step.input_tokens,
        output_tokens=step.output_tokens,
        model=output.get("model", ""),
    )


def _model_error(reason: str) -> ModelError | None:
    """The provider's error; None where the loop itself gave the model up."""
    match = _MODEL_ERROR.fullmatch(reason)
    if match is None:
        return None
    # Not ContextOverflow itself: the request would be sent again, shorter, and the answer to that is stored already.
    kind: type[ModelError] = type(match[1], (ModelError,), {})
    return kind(match[2])


def _skill_read(step: Step, identifiers: Mapping[str, str]) -> Skill | UsageError | None:
    """What the catalog gave, with identifiers as they were; None where it was not asked."""
    output = step.output
    if step.kind is not StepKind.SKILL_READ or output["repeated"] or output["text"].startswith(_UNREAD_REQUEST):
        return None
    if not output["name"]:
        return UsageError(output["text"].removeprefix(_UNREAD_SKILL))
    body = output["text"]
    if len(body) > MAX_BODY_CHARS and (cut := _CUT.search(body)):
        body = body[:MAX_BODY_CHARS] + " " * int(cut[1])
    return Skill(output["name"], "", restore(body, identifiers), "")


def _tool(name: str, calls: list[Invocation]) -> Tool:
    """The names of a tool's source: as its calls say, else empty."""
    made = [call for call in calls if call.tool_name == name and "invalid" not in call.request]
    source = next((call.source for call in made if call.source), "")
    topic = next((str(call.request["topic"]) for call in made if "topic" in call.request), "")
    kinds = (kind for call in made if (kind := _kind(call)))
    return Tool(source.removesuffix(f" {topic}"), next(kinds, "BUNDLE"))


def _kind(call: Invocation) -> str:
    with suppress(ValueError, AttributeError, KeyError, TypeError):
        return str(json.loads(call.result)["scope"]["source_kind"])
    return ""


def _limits(stored: Any, default: RunLimits) -> RunLimits:
    try:
        return LIMITS.validate_python(stored)
    except ValidationError:
        return default


def _schedule(rows: RunRows, limits: RunLimits) -> Iterator[tuple[int, float]]:
    """Where the run was late: each step after which only a later time explains what was done."""
    state = RunState(rows.run)
    calls = sorted((call for call in rows.invocations if is_final(call.status)), key=_key)
    written, shown = 0, 0.0
    for step in sorted(rows.steps, key=lambda row: row.step_no):
        moments = [shown, limits.investigate_until_s, limits.model_until_s, limits.max_run_s]
        otherwise = shown
        if step.kind is StepKind.END:
            otherwise = float(step.output["usage"]["durationMs"]) / 1000
            moments.insert(0, otherwise)
        explaining = (at for at in moments if at >= shown and _explains(decide(state, limits, at), step))
        if (at := next(explaining, otherwise)) != shown:
            shown = at
            yield written, at
        state, written = evolve(state, step), written + 1
        for call in (call for call in calls if call.step_no == step.step_no):
            state, written = evolve(state, call), written + 1


def _explains(command: object, step: Step) -> bool:
    """Whether the step is what came of the command, as far as time decides that."""
    match command:
        case AskModel():
            return step.kind in MODEL_STEPS and step.input_summary.endswith(f", {len(command.request.tools)} tools")
        case Finish():
            return step.kind is StepKind.END and step.output["detail"] == command.detail
        case GiveUpModel():
            return step.kind is StepKind.MODEL_FAILURE and step.output["reason"] == command.reason
        case _:
            return False


def _stop(end: Step, identifiers: Mapping[str, str]) -> BaseException | None:
    """What ended the run from outside its loop, with the same words."""
    match RunStatus(end.output["status"]):
        case RunStatus.CANCELLED:
            return asyncio.CancelledError()
        case RunStatus.FAILED:
            name, _, words = restore(end.output["detail"], identifiers).partition(": ")
            kind: type[RootproofError] = type(name if name.isidentifier() else "Error", (RootproofError,), {})
            return kind(words)
        case _:
            return None


def _at_the_start(run: Run) -> Run:
    return replace(
        run,
        status=RunStatus.QUEUED,
        status_reason=None,
        report=None,
        self_evaluation=None,
        feedback=None,
        total_duration_ms=0,
        total_token_count=0,
        created_at=run.created_at or datetime.fromtimestamp(0, UTC),
    )


def _key(call: Invocation) -> CallKey:
    return call.step_no, call.call_index
