"""Drive a run to its end: fold the stored rows, decide, do it, store the row, again.

Nothing is remembered that is not in the rows, so the process may die between any two of them and another one goes on:
a finished model turn or tool call is never paid for twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace

from rootproof.aci.boundary import ToolBoundary
from rootproof.aci.identifiers import IdentifierMap
from rootproof.aci.ledger import RunLedger
from rootproof.aci.projection.fit import encode
from rootproof.aci.toolset import ToolSet
from rootproof.agent.briefing import Briefing
from rootproof.agent.commands import AskModel, Brief, Command, Finish, GiveUpModel, ReadSkill, RunTools
from rootproof.agent.loop import PLAYBOOK, decide, reasoner_of, shortened
from rootproof.agent.replies import read_reply
from rootproof.agent.state import RunState, evolve, fold
from rootproof.agent.stored_briefing import briefing_output
from rootproof.diagnosis.ask_model import ask_model
from rootproof.diagnosis.brief import focus_text, learn_names, make_briefing, notes_of, with_history
from rootproof.diagnosis.finish import final_step, finished_run
from rootproof.diagnosis.history import Recall, SessionRecall
from rootproof.diagnosis.read_skill import read_skill
from rootproof.diagnosis.services import Progress, Services, Watcher, nobody
from rootproof.domain.context import ToolEnvelope
from rootproof.domain.cutting import within
from rootproof.domain.invocation import Invocation, InvocationStatus, is_final
from rootproof.domain.playbook import Playbook
from rootproof.domain.run import Run, RunStatus, StatusReason, is_terminal
from rootproof.domain.skill import Skill, SkillInfo
from rootproof.domain.step import Agent, Step, StepKind
from rootproof.errors import ContextOverflow, ModelError, RootproofError, StaleWrite, StoreError, UsageError
from rootproof.ports.model import Model, ModelReply
from rootproof.ports.run_store import RunRows
from rootproof.ports.skills import SkillCatalog
from rootproof.ports.sources import Sources
from rootproof.redaction import Policy

CANCELLED = "the run was cancelled"
_ERROR_CHARS = 600
_LOOKED_AT = 20_000
"""Characters of an error's words that are redacted, of which `_ERROR_CHARS` are kept."""

AtEnd = Callable[[RunRows], Awaitable[None]]
"""What is to be done when the END step is stored and before the run's row says so; may be called again for the same
run by another worker. It gets the run as its row will be."""


async def _nothing(_rows: RunRows) -> None:
    """Does nothing at a run's end."""


async def drive_run(
    services: Services,
    run_id: str,
    sources: Sources,
    skills: SkillCatalog,
    *,
    watch: Watcher = nobody,
    claimed: Run | None = None,
    at_end: AtEnd = _nothing,
    retried: bool = False,
    history: Recall | None = None,
) -> RunRows:
    """Drive the run until it has ended; its rows.

    `claimed`: the run as its claim gave it; a later claim makes this driver stale from its first row on. `retried`:
    somebody claims the run again when this driver fails, so a failure of the store does not end it. `history`: what
    the run's session spoke of before; None: what the stored runs of the session say.
    Raises: UsageError when there is no such run; StaleWrite when another worker has overtaken this one; StoreError.
    """
    rows = await _rows_of(services, run_id, claimed)
    if not is_terminal(rows.run.status):
        recall = history or SessionRecall(services.runs)
        driver = _Driver(services, sources, skills, watch, rows, at_end, recall)
        try:
            await driver.to_the_end()
        except asyncio.CancelledError:
            await driver.stop(RunStatus.CANCELLED, StatusReason.CANCELLED, CANCELLED)
            raise
        except StaleWrite:
            raise
        except StoreError as error:
            if retried:
                raise
            await driver.stop(RunStatus.FAILED, StatusReason.INTERNAL_ERROR, driver.words_of(error))
        except Exception as error:  # the rim of a run: whatever it was, the run ends with a reason; bugs go on up
            await driver.stop(RunStatus.FAILED, StatusReason.INTERNAL_ERROR, driver.words_of(error))
            if not isinstance(error, RootproofError):
                raise
    done = await services.runs.load(run_id)
    return done or rows


async def end_run(
    services: Services,
    claimed: Run,
    status: RunStatus,
    reason: StatusReason,
    detail: str | BaseException,
    *,
    at_end: AtEnd = _nothing,
) -> RunRows:
    """The rows of the run after it was ended without going on, with whatever it had; unchanged where it has ended.

    Raises: StaleWrite when another worker has claimed it since; StoreError.
    """
    rows = await _rows_of(services, claimed.run_id, claimed)
    if is_terminal(rows.run.status):
        return rows
    driver = _Driver(services, Sources(), _NoSkills(), nobody, rows, at_end, SessionRecall(services.runs))
    said = detail if isinstance(detail, str) else driver.words_of(detail)
    await driver.end_with(Finish(status, reason, said))
    return await services.runs.load(claimed.run_id) or rows


async def _rows_of(services: Services, run_id: str, claimed: Run | None) -> RunRows:
    rows = await services.runs.load(run_id)
    if rows is None:
        raise UsageError(f"there is no run {run_id!r}; `rootproof runs list` shows what there is")
    if claimed is not None and rows.run.lease_epoch != claimed.lease_epoch:
        raise StaleWrite(f"another worker has taken over run {run_id}")
    return rows


class _NoSkills:
    """The skills of a run that only ends."""

    def infos(self) -> Sequence[SkillInfo]:
        return ()

    def read(self, name: str) -> Skill:
        raise UsageError(f"there is no skill {name!r}")

    def playbooks(self) -> Sequence[Playbook]:
        return ()


class _Driver:
    """One worker on one run."""

    def __init__(
        self,
        services: Services,
        sources: Sources,
        skills: SkillCatalog,
        watch: Watcher,
        rows: RunRows,
        at_end: AtEnd,
        recall: Recall,
    ) -> None:
        self._services = services
        self._recall = recall
        self._sources = sources
        self._skills = skills
        self._watch = watch
        self._at_end = at_end
        self._run = rows.run
        self._started = services.clock.monotonic()
        self._models: dict[str, Model] = {}
        self._state = fold(rows.run, rows.steps, rows.invocations)
        briefing = self._state.briefing
        self._ledger = RunLedger(
            rows.run.context,
            services.limits,
            identifiers=IdentifierMap(
                self._state.identifiers,
                Policy(frozenset(briefing.shown_identifiers)) if briefing else services.policy,
            ),
            reported=briefing.reported if briefing else (),
            invocations=rows.invocations,
            taken_over_at=self._state.taken_over_at,
        )
        learn_names(briefing.alerts if briefing else (), self._ledger.identifiers)
        self._briefed_with: Mapping[str, str] = next(
            (s.output["identifiers"] for s in rows.steps if s.kind is StepKind.BRIEFING), {}
        )
        self._boundary = ToolBoundary(services.runs, services.canonical, services.clock, self._ledger, services.raw_ttl)

    async def to_the_end(self) -> None:
        """Decide and do until there is nothing left to do."""
        if self._run.status is RunStatus.QUEUED:
            self._run = await self._services.runs.update_run(replace(self._run, status=RunStatus.RUNNING))
        if self._state.briefing is not None and self._state.end is None:
            await self._remember(self._state.briefing)
        while (command := decide(self._state, self._services.limits, self._elapsed())) is not None:
            for row in await self._do(command):
                self._state = evolve(self._state, row)
            if isinstance(command, Brief) and self._state.briefing is not None:
                self._briefed_with = self._state.identifiers
                await self._remember(self._state.briefing)
        await self._close()

    async def _do(self, command: Command) -> Sequence[Step | Invocation]:
        if isinstance(command, RunTools):
            return await self._run_tools(command)
        return [await self._step(command)]

    async def _step(self, command: Brief | AskModel | ReadSkill | GiveUpModel | Finish) -> Step:
        match command:
            case Brief():
                return await self._brief()
            case AskModel():
                return await self._ask(command)
            case ReadSkill():
                return await self._append(read_skill(self._state, self._skills, command, self._ledger.identifiers))
            case GiveUpModel():
                return await self._give_up(command.reason)
            case Finish():
                return await self._finish(command)

    async def _brief(self) -> Step:
        identifiers = self._ledger.identifiers
        history = await self._recall.before(self._run)
        briefing = make_briefing(self._run, self._sources, self._skills, identifiers, history)
        notes = notes_of(self._sources)
        output = briefing_output(briefing, identifiers.take_fresh(), notes, self._services.limits)
        step = await self._append(Step(self._state.next_step_no, Agent.SUPERVISOR, StepKind.BRIEFING, output))
        for _ in briefing.reported:
            next(self._ledger.numbering)
        return step

    async def _remember(self, briefing: Briefing) -> None:
        """Take the words of the session's history into the briefing; its step has only references to them."""
        pairs = await self._recall.again(self._run, briefing.history_refs) if briefing.history_refs else ()
        self._state = replace(self._state, briefing=with_history(briefing, pairs, self._briefed_with))

    async def _ask(self, command: AskModel) -> Step:
        started = self._services.clock.monotonic()
        self._watch(Progress(asked=command.agent))
        try:
            command, reply = await self._reply(command)
        except ModelError as error:
            if command.agent is Agent.VERIFIER:
                return await self._append(_no_verdicts(self._state, self.words_of(error)))
            if self._state.given_up:
                raise
            return await self._give_up(self.words_of(error))
        duration_ms = round((self._services.clock.monotonic() - started) * 1000)
        step = read_reply(self._state, command, reply, self._services.limits, duration_ms)
        return await self._append(self._clean(step))

    async def _reply(self, command: AskModel) -> tuple[AskModel, ModelReply]:
        """The reply, and what was asked: where it does not fit the model's window, the same with results in short."""
        limits = self._services.limits
        while True:
            try:
                within_s = self._until_s() - self._elapsed()
                model, clock = self._model(), self._services.clock
                return command, await ask_model(model, command.request, limits, clock, within_s=within_s)
            except ContextOverflow:
                shorter = shortened(self._state, command, limits)
                if shorter is None:
                    raise
                command = shorter

    def _model(self) -> Model:
        name = reasoner_of(self._state)
        if name not in self._models:
            self._models[name] = self._services.model(name, self._skills)
        return self._models[name]

    def _until_s(self) -> float:
        """Second of the run until which its reasoner may be waited for; the playbook reasoner takes no time to wait."""
        limits = self._services.limits
        return (
            limits.max_run_s + limits.model_deadline_s if reasoner_of(self._state) == PLAYBOOK else limits.model_until_s
        )

    def _clean(self, step: Step) -> Step:
        """A model's words pass redaction like any text: it may have been given secrets elsewhere."""
        return replace(step, output=self._ledger.identifiers.redact_structure(step.output))

    async def _run_tools(self, command: RunTools) -> list[Invocation]:
        tools = ToolSet(self._boundary, self._sources, self._run.now, self._focus())
        end_s = min(self._until_s(), self._services.limits.max_run_s)
        within_s = max(1.0, end_s - self._elapsed())
        deadline_s = min(self._services.limits.max_call_s, within_s)
        calls = [
            (ToolEnvelope(self._run.context, call.tool_call_id, command.turn, index, deadline_s), call)
            for index, call in command.calls
        ]
        for (_, call), result in zip(calls, await tools.call_all(calls, within_s), strict=True):
            self._watch(Progress(tool=result.tool_name, status=result.status.value, detail=call.arguments[:200]))
        done = (self._ledger.finished(command.turn, index) for index, _ in command.calls)
        return [row for row in done if row is not None]

    def _focus(self) -> str:
        return self._ledger.identifiers.resolve(focus_text(self._state.briefing)) if self._state.briefing else ""

    async def _give_up(self, reason: str) -> Step:
        output = {"reason": reason, "model": self._run.reasoner}
        step = Step(self._state.next_step_no, Agent.SUPERVISOR, StepKind.MODEL_FAILURE, output)
        stored = await self._append(step)
        self._ledger.take_over()
        return stored

    async def _finish(self, command: Finish) -> Step:
        elapsed_ms = round(self._elapsed() * 1000)
        return await self._append(final_step(self._state, command, notes_of(self._sources), elapsed_ms))

    async def _close(self) -> None:
        """Repeat the END step on the run row; a worker that died between the two is made up for here."""
        if self._state.end is not None:
            now = self._services.clock.now()
            run = finished_run(self._run, self._state.end, now, self._state.identifiers)
            if self._at_end is not _nothing:
                rows = await self._services.runs.load(run.run_id)
                await self._at_end(replace(rows, run=run) if rows is not None else RunRows(run, (), ()))
            self._run = await self._services.runs.update_run(run)

    async def stop(self, status: RunStatus, reason: StatusReason, detail: str) -> None:
        """End the run early, with whatever it had: the reason is stored, the rows stay."""
        command = Finish(status, reason, detail)
        try:
            await asyncio.shield(self.end_with(command))
        except StaleWrite:
            return

    async def end_with(self, command: Finish) -> None:
        """End the run here; one whose END step is stored already ends as that says. Raises: StaleWrite; StoreError."""
        if self._state.end is None:
            if command.status is RunStatus.CANCELLED:
                await self._cancel_calls()
            self._state = evolve(self._state, await self._finish(command))
        await self._close()

    async def _cancel_calls(self) -> None:
        """Close what is still open: calls of this worker that had just begun, and those that a dead worker left."""
        rows = await self._services.runs.load(self._run.run_id)
        for row in rows.invocations if rows is not None else ():
            if (row.step_no, row.call_index) in self._state.invocations:
                continue
            if is_final(row.status):
                self._state = evolve(self._state, row)
                continue
            result = encode({"status": InvocationStatus.CANCELLED.value, "message": CANCELLED})
            closed = replace(row, status=InvocationStatus.CANCELLED, error=CANCELLED, result=result)
            closed = await self._services.runs.update_invocation(self._run.context, closed)
            self._state = evolve(self._state, closed)

    def words_of(self, error: BaseException) -> str:
        """An exception as stored text: bounded and redacted."""
        words = within(f"{type(error).__name__}: {error}", _LOOKED_AT)
        return self._ledger.identifiers.redact(words)[:_ERROR_CHARS]

    def _elapsed(self) -> float:
        """Seconds that this run has taken, waits between workers not counted."""
        return self._services.clock.monotonic() - self._started

    async def _append(self, step: Step) -> Step:
        stored = await self._services.runs.append_step(self._run.context, step)
        self._watch(Progress(step=stored))
        return stored


def _no_verdicts(state: RunState, reason: str) -> Step:
    """The verifier's model failed: code's verdicts stand as they are."""
    output = {"answer": {"lower": []}, "toolCalls": [], "text": "", "problem": reason}
    return Step(state.next_step_no, Agent.VERIFIER, StepKind.VERDICTS, output)
