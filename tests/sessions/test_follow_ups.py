"""A follow-up question sees what the session spoke of, bounded and fenced, and no row holds it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from rootproof.adapters.memory.canonical_store import InMemoryCanonicalStore
from rootproof.adapters.memory.recorded import Echo
from rootproof.adapters.memory.run_store import InMemoryRunStore
from rootproof.adapters.memory.scripted_model import calls
from rootproof.adapters.models.fence import fenced
from rootproof.adapters.sql.migrate import open_database
from rootproof.adapters.sql.run_store import SqlRunStore
from rootproof.bootstrap import replay_stage
from rootproof.diagnosis.brief import MAX_HISTORY_CHARS
from rootproof.diagnosis.history import MAX_SHOWN, pair_of
from rootproof.diagnosis.present import run_view
from rootproof.diagnosis.replay import replay_run
from rootproof.domain.run import RunStatus
from rootproof.domain.step import Agent
from rootproof.errors import StoreError
from rootproof.ports.run_store import RunRows
from rootproof.ports.session_context import History, MessagePair
from rootproof.ports.sources import Sources
from tests.fakes.conversing import Talk, briefing_of, first_message, shown, talk
from tests.fakes.driving import claim, report
from tests.fakes.sources import FakeLogs, log

ORIGIN = "the earlier questions and answers of this session"
POOL = "pool 'main' has 20 of 20 connections in use, 7 callers waiting"
LOOK = calls(("query_logs", {"topic": "APPLICATION", "lookback_minutes": 60}))
FULL = report(
    claim("The pool 'main' has 20 of 20 connections in use.", "E2", kind="CAUSE", cause_id="pool_full"),
    summary="The pool 'main' has 20 of 20 connections in use.",
)
EXPIRED = "the message history of this session expired: continued from {} stored runs"


def sources() -> Sources:
    return Sources(logs=FakeLogs([log(POOL)]))


def texts(rows: RunRows) -> str:
    """Everything that is stored of a run."""
    return json.dumps(asdict(rows), default=str, ensure_ascii=False)


def notes(rows: RunRows) -> list[str]:
    report = run_view(rows).report
    assert report is not None
    return [line.detail for line in report.coverage if line.tool == "session"]


async def test_a_second_question_sees_the_first_in_the_fence() -> None:
    session = talk(sources())
    first = await session.ask("why is billing slow since the kestrel release?", [LOOK, FULL])
    assert first.run.status is RunStatus.COMPLETED
    second = await session.ask("and why did it start?", [LOOK, FULL])
    for agent in (Agent.PLANNER, Agent.EXECUTOR):
        message = first_message(session.requests, agent)
        seen = shown(message, ORIGIN)
        assert "why is billing slow since the kestrel release?" in seen
        assert "The pool 'main' has 20 of 20 connections in use." in seen
        assert first.run.run_id in seen
        assert "kestrel" not in message.text
        assert "kestrel" in fenced(ORIGIN, seen)
    assert notes(second) == []


async def test_the_first_question_of_a_session_sees_nothing() -> None:
    session = talk(sources())
    rows = await session.ask("why is billing slow?", [LOOK, FULL])
    assert shown(first_message(session.requests, Agent.PLANNER), ORIGIN) == ""
    assert not {"history", "historyNotes", "earlier"} & briefing_of(rows).output.keys()


async def test_no_row_of_a_run_holds_the_chat_before_it() -> None:
    session = talk(sources())
    first = await session.ask("is the quetzal feature to blame?", [LOOK, FULL])
    second = await session.ask("and since when?", [LOOK, FULL])
    assert "quetzal" in shown(first_message(session.requests, Agent.EXECUTOR), ORIGIN)
    assert "quetzal" not in texts(second)
    given = briefing_of(second).output["history"]
    assert [ref["runId"] for ref in given] == [first.run.run_id]
    assert set(given[0]) == {"runId", "sha256"}


async def test_a_secret_of_a_question_is_nowhere() -> None:
    secret = "s3cr3t-Canary-77aZ"
    session = talk(sources())
    first = await session.ask(f"why does password={secret} fail for billing?", [LOOK, FULL])
    second = await session.ask("and since when?", [LOOK, FULL])
    assert session.sessions is not None
    kept = await session.sessions.history(session.session, session.owner)
    everything = texts(first) + texts(second) + repr(kept) + repr(session.requests)
    assert "why does password=" in repr(session.requests)
    assert secret not in everything


async def test_identifiers_of_the_history_stand_under_this_runs_placeholders() -> None:
    session = talk(Sources(logs=FakeLogs([log("no answer from 10.9.8.7"), log(POOL)])))
    await session.ask("is 10.1.1.1 or 10.9.8.7 at fault?", [LOOK, FULL])
    await session.ask("and why did it start?", [LOOK, FULL])
    seen = shown(first_message(session.requests, Agent.EXECUTOR), ORIGIN)
    assert "is <ip:1> or <ip:2> at fault?" in seen
    results = json.dumps([str(each.messages) for each in session.requests])
    assert "10.9.8.7" not in results
    assert "no answer from <ip:2>" in results


async def test_the_history_is_bounded_and_says_where_it_is_cut() -> None:
    session = talk(sources())
    long = "why is billing slow? " + "word " * 400
    for number in range(MAX_SHOWN + 2):
        await session.ask(f"question {number}: {long}", [LOOK, FULL])
    rows = await session.ask("and now?", [LOOK, FULL])
    seen = shown(first_message(session.requests, Agent.PLANNER), ORIGIN)
    assert len(briefing_of(rows).output["history"]) == MAX_SHOWN
    assert f"question {MAX_SHOWN + 1}:" in seen
    assert "question 1:" not in seen
    assert "[…]" in seen
    assert len(seen) < MAX_HISTORY_CHARS + 100 * MAX_SHOWN


class Lost:
    """A store of messages that cannot be reached."""

    async def append(self, session_id: str, owner: str, pair: MessagePair, *, ttl: timedelta) -> None:
        raise StoreError("no answer")

    async def history(self, session_id: str, owner: str) -> History:
        raise StoreError("no answer")

    async def forget(self, session_id: str, owner: str) -> None:
        raise StoreError("no answer")

    async def close(self) -> None:
        """Nothing."""


@pytest.mark.parametrize("how", ["expired", "unreachable"])
async def test_a_lost_history_is_made_up_for_from_the_rows_and_said(how: str) -> None:
    session = talk(sources())
    for question in ("why is billing slow?", "is the pool too small?"):
        await session.ask(question, [LOOK, FULL])
    await session.ask("and why did it start?", [LOOK, FULL])
    whole = shown(first_message(session.requests, Agent.PLANNER), ORIGIN)
    assert session.sessions is not None
    for_last = [each.run_id for each in (await session.sessions.history(session.session, session.owner)).pairs][:2]
    if how == "expired":
        await session.sessions.forget(session.session, session.owner)
        rows = await session.ask("and why did it start?", [LOOK, FULL])
    else:
        session.sessions = None
        unreachable = session.beside(sessions=Lost())
        run_id = await unreachable.begin("and why did it start?", [LOOK, FULL])
        rows = await _driven_without_remembering(unreachable, run_id)
        session = unreachable
    seen = shown(first_message(session.requests, Agent.PLANNER), ORIGIN)
    assert notes(rows) == [EXPIRED.format(3)]
    assert seen.startswith(whole)
    assert all(run_id in seen for run_id in for_last)


async def _driven_without_remembering(session: Talk, run_id: str) -> RunRows:
    from rootproof.diagnosis.drive_run import drive_run
    from rootproof.diagnosis.history import SessionRecall

    world = session.world
    recall = SessionRecall(world.services.runs, session.sessions)
    return await drive_run(world.services, run_id, world.sources, world.skills, history=recall)


async def test_the_store_and_the_rows_say_the_same() -> None:
    session = talk(sources())
    rows = await session.ask("why is billing slow?", [LOOK, FULL])
    assert session.sessions is not None
    kept = (await session.sessions.history(session.session, session.owner)).pairs
    assert kept == (pair_of(rows.run),)


async def test_other_owners_and_other_sessions_are_not_seen() -> None:
    session = talk(sources())
    await session.ask("why is the narwhal slow?", [LOOK, FULL])
    other = session.beside(session="ses-other")
    await other.ask("and why?", [LOOK, FULL])
    assert "narwhal" not in repr(other.requests)
    foreign = session.beside(session="ses-theirs", owner="bob")
    await foreign.ask("and why?", [LOOK, FULL])
    assert "narwhal" not in repr(foreign.requests)


async def test_a_failed_store_of_messages_fails_no_run() -> None:
    session = talk(sources(), sessions=Lost())
    run_id = await session.begin("why is billing slow?", [LOOK, FULL])
    rows = await _driven_without_remembering(session, run_id)
    assert rows.run.status is RunStatus.COMPLETED
    assert notes(rows) == []


async def test_a_replay_has_the_same_prompts_and_says_when_it_cannot() -> None:
    session = talk(sources())
    first = await session.ask("why is billing slow?", [LOOK, FULL])
    second = await session.ask("and why did it start?", [LOOK, FULL])
    view = await replay_run(session.world.services, second, replay_stage, Echo())
    assert (view.identical, view.prompts_changed, view.history_missing) == (True, 0, [])
    del session.world.runs._runs[first.run.run_id]
    view = await replay_run(session.world.services, second, replay_stage, Echo())
    assert view.history_missing == [first.run.run_id]
    assert view.prompts_changed > 0
    assert view.identical


class Dying(InMemoryRunStore):
    """Its worker is cut off once a step of this number is stored."""

    def __init__(self, other: InMemoryRunStore) -> None:
        self.__dict__ = other.__dict__
        self.stops_at: int | None = None

    async def append_step(self, context: Any, step: Any) -> Any:
        stored = await super().append_step(context, step)
        if step.step_no == self.stops_at:
            raise KeyboardInterrupt
        return stored


@pytest.mark.parametrize("stops_at", [0, 1, 2, 3])
@pytest.mark.parametrize("forgotten", [False, True])
async def test_a_run_resumed_elsewhere_sees_the_same_prompts(stops_at: int, forgotten: bool) -> None:
    question = "and why did it start, 10.7.7.7 is slow?"

    async def hashes(stop: int | None) -> list[str]:
        session = talk(sources())
        runs = session.world.runs = Dying(session.world.runs)
        await session.ask("why is billing slow on 10.6.6.6?", [LOOK, FULL], run_id="run-0000000a")
        run_id = await session.begin(question, [LOOK, FULL], run_id="run-0000000b")
        session.world.runs = runs
        if stop is not None:
            runs.stops_at = stop
            with pytest.raises(KeyboardInterrupt):
                await session.drive(run_id)
            runs.stops_at = None
            assert session.sessions is not None
            if forgotten:
                await session.sessions.forget(session.session, session.owner)
        rows = await session.drive(run_id)
        assert rows.run.status is RunStatus.COMPLETED
        assert "why is billing slow" in shown(first_message(session.requests, Agent.EXECUTOR), ORIGIN)
        return [step.input_hash for step in rows.steps]

    assert await hashes(stops_at) == await hashes(None)


@pytest.fixture(params=["memory", "sqlite"])
async def stores(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Any]:
    if request.param == "memory":
        yield InMemoryRunStore()
        return
    database = await open_database(f"sqlite:///{tmp_path / 'talk.db'}")
    yield SqlRunStore(database)
    await database.close()


async def test_two_questions_at_once_do_not_see_each_other(stores: Any) -> None:
    session = talk(sources())
    session.world.runs = stores
    session.world.canonical = InMemoryCanonicalStore()
    await session.ask("why is billing slow?", [LOOK, FULL])
    others: Mapping[str, Talk] = {word: session.beside() for word in ("osprey", "lynx")}
    ids = {word: await other.begin(f"is the {word} release at fault?", [LOOK, FULL]) for word, other in others.items()}
    found = await asyncio.gather(*(others[word].drive(run_id) for word, run_id in ids.items()))
    for (word, other), rows in zip(others.items(), found, strict=True):
        unlike = next(each for each in others if each != word)
        assert rows.run.status is RunStatus.COMPLETED
        assert unlike not in repr(other.requests)
        assert unlike not in texts(rows)
        assert "why is billing slow?" in shown(first_message(other.requests, Agent.PLANNER), ORIGIN)
        assert {step.step_no for step in rows.steps} == set(range(len(rows.steps)))
        assert len(rows.invocations) == 1
    assert session.sessions is not None
    history = await session.sessions.history(session.session, session.owner)
    assert len(history.pairs) == 3
