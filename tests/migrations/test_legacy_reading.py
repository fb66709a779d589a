"""Compatibility runs read as runs: numbered by position, labelled, nothing lost; the old table is left alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, text
from sqlalchemy.engine import Engine

from rootproof.adapters.memory.canonical_store import InMemoryCanonicalStore
from rootproof.adapters.memory.recorded import Echo
from rootproof.adapters.sql.baseline import SqlBaselineFigures
from rootproof.adapters.sql.check import check_database, ok
from rootproof.adapters.sql.legacy_backfill import run_id_of
from rootproof.adapters.sql.migrate import adopt, as_it_is, upgrade
from rootproof.adapters.sql.run_store import SqlRunStore, open_run_store
from rootproof.agent.state import fold
from rootproof.diagnosis.baseline import baseline_diff
from rootproof.diagnosis.present import run_view
from rootproof.diagnosis.recording import record
from rootproof.diagnosis.trace import trace_view
from rootproof.domain.invocation import InvocationStatus, is_final
from rootproof.domain.limits import RunLimits
from rootproof.domain.run import COMPATIBILITY_NOTE
from rootproof.domain.step import Agent, StepKind
from rootproof.entrypoints.cli.main import main
from rootproof.errors import StoreError, UsageError
from tests.contracts.test_run_store_contract import a_step, started
from tests.fakes.legacy_mvp import content_hash, legacy_database, on, rows

MIXED = "s00002"
"""Three rounds under one session id."""
NOTED = "会话-é-0"


@pytest.fixture
async def upgraded(empty_url: str) -> str:
    await legacy_database(empty_url)
    await adopt(empty_url)
    await upgrade(empty_url)
    return empty_url


def written(table: str, session_id: str) -> list[dict[str, Any]]:
    return [row for name, row in rows() if name == table and row["session_id"] == session_id]


async def test_a_compatibility_run_is_not_replayed_and_says_why(upgraded: str) -> None:
    store = await open_run_store(upgraded)
    loaded = await store.load(run_id_of(MIXED))
    await store.close()
    assert loaded is not None
    with pytest.raises(UsageError, match="before runs existed"):
        await record(loaded, InMemoryCanonicalStore(), RunLimits(), Echo(), now=loaded.run.now)


async def test_steps_and_calls_are_numbered_by_position(upgraded: str) -> None:
    store = await open_run_store(upgraded)
    loaded = await store.load(run_id_of(MIXED))
    await store.close()
    assert loaded is not None
    old_steps, old_calls = written("agent_step", MIXED), written("tool_invocation", MIXED)
    steps = loaded.steps[: len(old_steps)]
    assert [step.step_no for step in loaded.steps] == list(range(len(old_steps) + 1))
    assert {step.kind for step in loaded.steps} == {StepKind.LEGACY}
    assert [step.output["summary"] for step in steps] == [row["output_summary"] or "" for row in old_steps]
    assert [step.output["agentName"] for step in steps] == [row["agent_name"] for row in old_steps]
    assert {call.result for call in loaded.invocations} == {row["output_preview"] or "" for row in old_calls}
    assert len(loaded.invocations) == len({(call.step_no, call.call_index) for call in loaded.invocations}) == 9
    stray = [call for call in loaded.invocations if call.step_no == len(old_steps)]
    assert len(stray) == sum(row["agent_step_id"] is None for row in old_calls) == 3
    assert all(is_final(call.status) for call in loaded.invocations)
    numbers = {step.seq for step in loaded.steps} | {call.seq for call in loaded.invocations}
    assert len(numbers) == len(loaded.steps) + 9


async def test_old_words_become_ours(upgraded: str) -> None:
    store = await open_run_store(upgraded)
    seen: dict[str, set[InvocationStatus]] = {}
    for run in await store.list_runs(limit=50):
        loaded = await store.load(run.run_id)
        assert loaded is not None
        by_id = {f"legacy-{row_id}": status for row_id, status in await words(upgraded)}
        for call in loaded.invocations:
            seen.setdefault(by_id[call.tool_call_id], set()).add(call.status)
        assert {step.agent for step in loaded.steps if step.output.get("agentName") == "CRITIC"} <= {Agent.SUPERVISOR}
    await store.close()
    assert seen == {
        "OK": {InvocationStatus.OK},
        "ERROR": {InvocationStatus.TOOL_ERROR},
        "RUNNING": {InvocationStatus.CANCELLED},
        "odd": {InvocationStatus.TOOL_ERROR},
    }


async def words(url: str) -> list[tuple[int, str]]:
    statement = text("SELECT id, status FROM tool_invocation")
    return await on(url, lambda connection: [tuple(row) for row in connection.execute(statement)])  # type: ignore[no-any-return]


async def test_views_show_the_answer_and_say_what_it_is(upgraded: str) -> None:
    store = await open_run_store(upgraded)
    loaded = await store.load(run_id_of(NOTED))
    await store.close()
    assert loaded is not None
    view = run_view(loaded)
    assert view.report is not None
    assert view.report.summary == written("diagnosis_session", NOTED)[0]["answer"]
    assert view.status_detail == COMPATIBILITY_NOTE
    assert trace_view(loaded).compatibility
    assert fold(loaded.run, loaded.steps, loaded.invocations).next_step_no == len(loaded.steps)


async def test_what_the_old_product_said_of_itself_is_kept(upgraded: str) -> None:
    store = await open_run_store(upgraded)
    runs = {run.session_id: run for run in await store.list_runs(limit=50)}
    await store.close()
    assert runs["s00001"].self_evaluation == {"legacy": {"score": 0.5, "zz": 1, "aa": 2}}
    assert runs["s00001"].feedback == {"legacy": ["old", "list"]}
    assert runs["s00003"].feedback == {"helpful": True}
    stored = text("SELECT self_evaluation FROM diagnosis_run WHERE session_id = 's00001'")
    found = json.loads(await on(upgraded, lambda connection: connection.scalar(stored)))
    assert found == {"score": 0.5, "zz": 1, "aa": 2}


async def test_new_code_never_writes_the_old_table(upgraded: str) -> None:
    before = await on(upgraded, content_hash)
    written_to: list[str] = []

    def look(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        words = statement.split()
        if (
            words[0].upper() in ("INSERT", "UPDATE", "DELETE", "ALTER", "REPLACE", "DROP")
            and "diagnosis_session" in statement
        ):
            written_to.append(statement)

    event.listen(Engine, "before_cursor_execute", look)
    try:
        store = await open_run_store(upgraded)
        run = await started(store)
        await store.append_step(run.context, a_step(0))
        await store.close()
        await upgrade(upgraded)
    finally:
        event.remove(Engine, "before_cursor_execute", look)
    assert written_to == []
    assert await on(upgraded, content_hash) == before


# -- check -----------------------------------------------------------------------------------------------------------


async def counts(url: str) -> dict[str, int]:
    async with as_it_is(url) as database:
        found = await check_database(database)
    assert ok(found) is not any(item.count for item in found)
    return {item.check: item.count for item in found if item.count}


async def test_check_counts_what_the_old_product_left(upgraded: str) -> None:
    assert await counts(upgraded) == {"steps_without_run": 1, "invocations_without_run": 1}


async def test_check_finds_each_kind_of_damage(empty_url: str) -> None:
    store = await open_run_store(empty_url)
    run = await started(store)
    await store.close()
    assert await counts(empty_url) == {}
    for lease, found in (("NULL", 1), ("'2999-01-01 00:00:00.000000'", 0)):
        held = text(f"UPDATE diagnosis_run SET status = 'RUNNING', leased_until = {lease}")
        await on(empty_url, lambda connection, change=held: connection.execute(change))
        assert (await counts(empty_url)).get("runs_left_behind", 0) == found, lease
    add = (
        "INSERT INTO agent_step (session_id, step_index, agent_name, status, created_at) VALUES (:s, 0, 'A', 'OK', :at)"
    )
    used = "INSERT INTO case_use (case_id, run_id, session_id, used_at) VALUES ('c', 'run-gone', 's', :at)"
    sent = (
        "INSERT INTO outbox (run_id, target, status, attempts, next_attempt_at, created_at) "
        "VALUES ('run-gone', 't', 'DUE', 0, :at, :at)"
    )
    left = "UPDATE diagnosis_run SET leased_until = :at, status = 'RUNNING' WHERE run_id = :r"
    values = {"s": run.session_id, "at": "2026-01-01 00:00:00.000000", "r": run.run_id}
    await on(empty_url, lambda c: [c.execute(text(each), values) for each in (add, used, sent, left)])
    assert await counts(empty_url) == {
        "steps_without_run": 1,
        "case_uses_of_no_run": 1,
        "outbox_of_no_run": 1,
        "runs_left_behind": 1,
    }
    ended = text("UPDATE diagnosis_run SET status = 'COMPLETED', leased_until = NULL")
    await on(empty_url, lambda connection: connection.execute(ended))
    assert (await counts(empty_url))["runs_without_end"] == 1


async def test_check_finds_rows_that_old_code_wrote_late(upgraded: str) -> None:
    late = text(
        "INSERT INTO agent_step (session_id, step_index, agent_name, status, created_at) "
        "VALUES ('s00001', 0, 'PLANNER', 'OK', '2026-01-01 00:00:00')"
    )
    await on(upgraded, lambda connection: connection.execute(late))
    assert (await counts(upgraded))["steps_to_link"] == 1
    await upgrade(upgraded)
    assert "steps_to_link" not in await counts(upgraded)


async def test_check_refuses_another_revision(empty_url: str) -> None:
    await upgrade(empty_url, "0001")
    with pytest.raises(StoreError, match="rootproof db upgrade"):
        await counts(empty_url)


# -- what moved ------------------------------------------------------------------------------------------------------


async def test_baseline_diff_counts_both_ways(upgraded: str) -> None:
    store = await open_run_store(upgraded)
    assert (await baseline_diff(SqlBaselineFigures(store.database))).sessions == 0
    await later_run(store, MIXED, steps=2)
    view = await baseline_diff(SqlBaselineFigures(store.database))
    await store.close()
    old_steps, old_calls = len(written("agent_step", MIXED)), len(written("tool_invocation", MIXED))
    metrics = {item.metric: item for item in view.metrics}
    assert (view.sessions, view.runs, view.mixed_sessions) == (1, 2, 8)
    assert metrics["steps"].total == old_steps + 2
    assert metrics["steps"].by_session == old_steps + 2
    assert metrics["steps"].by_run == (old_steps + 2) / 2
    assert metrics["steps"].latest_too_high == old_steps
    assert metrics["toolCalls"].latest_too_high == old_calls
    assert view.largest[0].by_run == {"toolCalls": 0, "steps": 2, "tokens": 6, "stepDurationMs": 0}


async def later_run(store: SqlRunStore, session_id: str, *, steps: int) -> None:
    """A run of this version in a session of the old product."""
    run = await started(store, "local", session_id)
    for number in range(steps):
        await store.append_step(run.context, a_step(number, input_tokens=2, output_tokens=1, duration_ms=0))


# -- the commands ----------------------------------------------------------------------------------------------------


def test_the_commands_from_adoption_to_check_and_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import asyncio

    url = f"sqlite+aiosqlite:///{tmp_path / 'old.db'}"
    asyncio.run(legacy_database(url))
    monkeypatch.setenv("ROOTPROOF_STORE_URL", url)
    assert main(["runs", "list"]) == 1
    assert "rootproof db adopt" in capsys.readouterr().err
    assert main(["db", "adopt"]) == 0
    assert main(["db", "upgrade", "--owner", "local"]) == 0
    assert "12 compatibility runs" in capsys.readouterr().out
    assert main(["db", "check", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert {item["check"] for item in found["findings"] if item["count"]} == {
        "steps_without_run",
        "invocations_without_run",
    }
    run_id = run_id_of(MIXED)
    for command, told in (
        (["runs", "list"], "compatibility data"),
        (["runs", "show", run_id], "Pool exhausted in round 3"),
        (["runs", "trace", run_id], "several rounds"),
        (["baseline", "diff"], "nothing has moved yet"),
        (["db", "downgrade", "--to", "legacy"], "revision legacy"),
    ):
        assert main(command) == 0, command
        assert told in " ".join(capsys.readouterr().out.split())


def test_looking_makes_no_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ROOTPROOF_STORE_HOME", str(tmp_path / "home"))
    for command in (["db", "check"], ["db", "adopt"], ["db", "downgrade", "--to", "base"]):
        assert main(command) == 2
        assert "there is no database" in capsys.readouterr().err
    assert not (tmp_path / "home").exists()
    assert main(["db", "upgrade"]) == 0
    assert main(["db", "check"]) == 0
