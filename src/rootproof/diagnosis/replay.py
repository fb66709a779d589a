"""Replay a stored run with no model and no source, and say whether it comes out the same.

The loop, the boundary, the projections, the verifier and the report are the real ones; what a model or a source gave is
taken from the rows. So what differs, differs because the code does.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field

from rootproof.agent.state import fold
from rootproof.diagnosis.changes import MAX_CHANGES, Change, changes_in
from rootproof.diagnosis.drive_run import drive_run
from rootproof.diagnosis.history import RecordedRecall, told_again
from rootproof.diagnosis.present import RunView, View, run_view
from rootproof.diagnosis.recorded_queries import EchoSource
from rootproof.diagnosis.recording import Recording, record
from rootproof.diagnosis.services import Services
from rootproof.domain.invocation import Invocation, is_final
from rootproof.domain.run import RunStatus
from rootproof.domain.session import ChatSession
from rootproof.domain.step import Step, StepKind
from rootproof.ports.run_store import RunRows
from rootproof.ports.skills import SkillCatalog
from rootproof.ports.sources import Sources


@dataclass(frozen=True, slots=True)
class Stage:
    """Where a recording is played: services, sources and skills that hold nothing but it."""

    services: Services
    sources: Sources
    skills: SkillCatalog


class ReplayView(View):
    """The outcome of a replay."""

    schema_version: Literal[1] = 1
    run_id: str
    identical: bool
    """Whether run, report and evidence are the same byte for byte."""
    replayed_from: Literal["raw", "bounded"]
    """`raw`: the complete results were projected again; `bounded`: they are gone, the stored projections were used."""
    missing: list[str]
    """Calls whose complete result is gone."""
    steps: int
    tool_calls: int
    history_missing: list[str] = Field(default_factory=list)
    """Runs whose question and answer stood in the prompts and can no longer be told word for word."""
    prompts_changed: int
    """Model turns whose prompt is not what it was; the stored answers were used all the same."""
    changes: list[Change]
    """`a` is the stored run, `b` the replay; at most 200."""
    more: int
    """Changes that are not listed."""
    run: RunView
    """The run as it came out now."""


async def replay_run(
    services: Services, rows: RunRows, set_stage: Callable[[Recording], Stage], echo: EchoSource
) -> ReplayView:
    """The run of `rows` played again, beside what is stored of it. Nothing is written to the stores of `services`.

    Raises: UsageError for a run that has not ended; StoreError.
    """
    recording = await record(rows, services.canonical, services.limits, echo, now=services.clock.now())
    refs = recording.history
    told = await told_again(services.runs, rows.run, refs, {})
    again = await _play(recording, set_stage(recording), RecordedRecall(told))
    changes = list(_compared(rows, again))
    stored, played = run_view(rows), run_view(again)
    identical = not changes and stored.model_dump_json() == played.model_dump_json()
    if not (identical or changes):
        changes = list(changes_in("run", "", stored.model_dump(mode="json"), played.model_dump(mode="json")))
    return ReplayView(
        run_id=rows.run.run_id,
        identical=identical,
        replayed_from="bounded" if recording.missing else "raw",
        missing=list(recording.missing),
        steps=len(again.steps),
        tool_calls=len(again.invocations),
        history_missing=[ref.run_id for ref in refs if ref.run_id not in {pair.run_id for pair in told}],
        prompts_changed=_prompts_changed(rows, again),
        changes=changes[:MAX_CHANGES],
        more=max(0, len(changes) - MAX_CHANGES),
        run=played,
    )


async def _play(recording: Recording, stage: Stage, history: RecordedRecall) -> RunRows:
    run, runs = recording.run, stage.services.runs
    created = await runs.create_run(ChatSession(run.session_id, run.owner), run)
    if recording.briefing is not None:
        await runs.append_step(created.context, recording.briefing)
    try:
        return await drive_run(stage.services, run.run_id, stage.sources, stage.skills, history=history)
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
    done = await runs.load(run.run_id)
    assert done is not None and done.run.status is RunStatus.CANCELLED  # noqa: S101, PT018 - as it was stored
    return done


def _compared(stored: RunRows, again: RunRows) -> Iterator[Change]:
    yield from _steps(stored, again)
    yield from _calls(stored, again)
    old, new = _end(stored), _end(again)
    before, after = old.get("report") or {}, new.get("report") or {}
    yield from _claims(before, after)
    for part in dict.fromkeys([*before, *after]):
        if part != "claims":
            yield from changes_in("report", part, before.get(part), after.get(part))
    for part in ("status", "reason", "detail", "selfEvaluation", "usage"):
        yield from changes_in("end", part, old.get(part), new.get(part))


def _steps(stored: RunRows, again: RunRows) -> Iterator[Change]:
    old, new = ({step.step_no: step for step in rows.steps} for rows in (stored, again))
    for number in sorted(old.keys() | new.keys()):
        yield from changes_in("step", f"{number}", _step(old.get(number)), _step(new.get(number)))


def _step(step: Step | None) -> Any:
    """What of a step must come out the same: not the time it took, and not what the report repeats."""
    if step is None:
        return None
    output = {} if step.kind is StepKind.END else dict(step.output)
    return {"agent": step.agent.value, "kind": step.kind.value, **output}


def _prompts_changed(stored: RunRows, again: RunRows) -> int:
    asked = [step for step in stored.steps if "shortenedBefore" not in step.output]
    old, new = ({step.step_no: step.input_hash for step in steps if step.input_hash} for steps in (asked, again.steps))
    return sum(old.get(number, sent) != sent for number, sent in new.items())


def _calls(stored: RunRows, again: RunRows) -> Iterator[Change]:
    old, new = (
        {(c.step_no, c.call_index): c for c in rows.invocations if is_final(c.status)} for rows in (stored, again)
    )
    for key in sorted(old.keys() | new.keys()):
        before, after = old.get(key), new.get(key)
        name = next(call.tool_name for call in (before, after) if call is not None)
        yield from changes_in("tool call", f"{key[0]}.{key[1]} {name}", _call(before), _call(after))


def _call(call: Invocation | None) -> Any:
    if call is None:
        return None
    return {
        "request": call.request,
        "status": call.status.value,
        "source": call.source,
        "error": call.error,
        "scanned": call.scanned,
        "shown": call.shown,
        "truncated": call.truncated,
        "result": _read(call.result),
        "evidence": {item.id: item.text for item in call.evidence},
        "summary": call.summary,
        "identifiers": call.identifiers,
    }


def _read(result: str) -> Any:
    try:
        return json.loads(result)
    except ValueError:
        return result


def _claims(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Change]:
    old, new = ({item["claim"]["id"]: item for item in report.get("claims", [])} for report in (before, after))
    for name in dict.fromkeys([*old, *new]):
        yield from changes_in("claim", name, old.get(name), new.get(name))


def _end(rows: RunRows) -> Mapping[str, Any]:
    state = fold(rows.run, rows.steps, rows.invocations)
    return state.end.output if state.end else {}
