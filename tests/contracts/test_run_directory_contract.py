"""What every RunDirectory keeps to."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from rootproof.adapters.memory.run_directory import InMemoryRunDirectory
from rootproof.adapters.memory.run_store import InMemoryRunStore
from rootproof.adapters.sql.run_directory import SqlRunDirectory
from rootproof.domain.ids import new_run_id
from rootproof.domain.invocation import Invocation, InvocationStatus
from rootproof.domain.run import Run, RunMode, RunStatus, StatusReason
from rootproof.domain.session import ChatSession
from rootproof.domain.step import Agent, Step, StepKind
from rootproof.errors import UsageError
from rootproof.ports.run_directory import RunDirectory, RunFilter
from tests.contracts.conftest import T0, House


@pytest.fixture
def directory(house: House) -> RunDirectory:
    if house.database is None:
        assert isinstance(house.runs, InMemoryRunStore)
        return InMemoryRunDirectory(house.runs)
    return SqlRunDirectory(house.database)


async def made(house: House, session_id: str = "s-1", owner: str = "ana", at: int = 0, **changes: Any) -> Run:
    """A queued run, made `at` seconds after T0."""
    moment = T0 + timedelta(seconds=at)
    session = ChatSession(session_id, owner, created_at=moment, last_active_at=moment)
    run = Run(new_run_id(), session_id, owner, RunMode.CHAT, "why?", T0, sources={"bundle": "b"}, created_at=moment)
    return await house.runs.create_run(session, replace(run, **changes))


async def over(house: House, run: Run, summary: str | None = None, supported: bool | None = None, **more: Any) -> Run:
    """The run, completed with a headline and an evaluation."""
    running = await house.runs.update_run(replace(run, status=RunStatus.RUNNING))
    evaluation = (
        None if supported is None else {"withheld": ['"root_cause_supported":true'], "root_cause_supported": supported}
    )
    done = replace(
        running,
        status=RunStatus.COMPLETED,
        status_reason=StatusReason.REPORTED,
        report={"summary": summary, "claims": []},
        headline=None if summary is None else {"summary": summary, "healthy": False},
        self_evaluation=evaluation,
    )
    return await house.runs.update_run(replace(done, **more))


def ids(runs: Any) -> list[str]:
    return [run.run_id for run in runs]


# -- lists ---------------------------------------------------------------------------------------------------------


async def test_runs_come_newest_first_and_in_pages(house: House, directory: RunDirectory) -> None:
    made_runs = [await made(house, at=number // 2) for number in range(7)]  # pairs of the same moment
    await made(house, "s-2", "ben", at=3)
    seen: list[str] = []
    before = None
    while page := await directory.runs(RunFilter(owner="ana"), limit=2, before=before):
        seen += ids(page)
        last = page[-1]
        assert last.created_at is not None
        before = (last.created_at, last.run_id)
    assert seen == [run.run_id for run in reversed(made_runs)]


async def test_a_page_goes_on_where_it_was_though_newer_runs_have_come(house: House, directory: RunDirectory) -> None:
    old = [await made(house, at=number) for number in range(4)]
    first = await directory.runs(RunFilter(owner="ana"), limit=2)
    await made(house, at=10)
    assert first[-1].created_at is not None
    rest = await directory.runs(RunFilter(owner="ana"), limit=2, before=(first[-1].created_at, first[-1].run_id))
    assert ids([*first, *rest]) == [run.run_id for run in reversed(old)]


async def test_a_position_that_is_no_run_counts_by_its_time(house: House, directory: RunDirectory) -> None:
    old = await made(house, at=1)
    await made(house, at=5)
    assert ids(await directory.runs(RunFilter(owner="ana"), before=(T0 + timedelta(seconds=3), "gone"))) == [old.run_id]


async def test_filters_narrow_together(house: House, directory: RunDirectory) -> None:
    one = await made(house, service="orders", severity="critical", incident_id="inc-1", mode=RunMode.PAYLOAD_TARGETED)
    two = await made(house, "s-2", at=1, service="orders", severity="info")
    await made(house, "s-3", "ben", at=2, service="orders", severity="critical")
    asked: list[tuple[dict[str, Any], list[Run]]] = [
        ({"service": "orders"}, [two, one]),
        ({"service": "orders", "severity": "critical"}, [one]),
        ({"incident_id": "inc-1"}, [one]),
        ({"mode": RunMode.PAYLOAD_TARGETED}, [one]),
        ({"session_id": "s-2"}, [two]),
        ({"status": RunStatus.QUEUED}, [two, one]),
        ({"status": RunStatus.COMPLETED}, []),
        ({"session_id": "s-1", "severity": "info"}, []),
    ]
    for which, wanted in asked:
        assert ids(await directory.runs(RunFilter(owner="ana", **which))) == ids(wanted), which


async def test_a_cursor_with_anothers_id_is_one_with_an_id_that_is_gone(house: House, directory: RunDirectory) -> None:
    await made(house, at=0)
    await made(house, at=0)
    foreign = await made(house, "s-9", "ben")  # the last row: by its place, both of ana's would come after it
    for run_id, session_id in ((foreign.run_id, "s-9"), ("run-gone", "s-gone")):
        seen = await directory.runs(RunFilter(owner="ana"), before=(T0, run_id))
        sessions = await directory.sessions("ana", before=(T0, session_id))
        assert (len(seen), len(sessions)) == (0, 0), run_id


async def test_a_text_that_is_everywhere_in_the_data_and_said_nowhere_is_refused_in_bounded_time(
    house: House, directory: RunDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    if house.database is None:
        pytest.skip("the store in memory looks at what is said alone")
    monkeypatch.setattr("rootproof.adapters.sql.run_directory._BATCH", 2)
    monkeypatch.setattr("rootproof.adapters.sql.run_directory._MOST_LOOKED_AT", 4)
    for number in range(6):
        await over(house, await made(house, at=number), "the disk is full")
    assert len(await directory.runs(RunFilter(owner="ana", text="disk is"), limit=4)) == 4
    with pytest.raises(UsageError, match="longer text"):
        await directory.runs(RunFilter(owner="ana", text="healthy"))


async def test_another_owners_session_shows_nothing(house: House, directory: RunDirectory) -> None:
    await made(house, "s-9", "ben")
    assert await directory.runs(RunFilter(owner="ana", session_id="s-9")) == ()
    assert await directory.runs(RunFilter(owner="ana", session_id="never")) == ()
    assert await directory.session("s-9", owner="ana") is None
    assert await directory.session("never", owner="ana") is None


async def test_a_supported_cause_is_told_from_words_that_look_like_it(house: House, directory: RunDirectory) -> None:
    yes = await over(house, await made(house), "a", True)
    no = await over(house, await made(house, at=1), "b", False)
    await over(house, await made(house, at=2), "c", None)
    assert ids(await directory.runs(RunFilter(owner="ana", root_cause_supported=True))) == [yes.run_id]
    assert ids(await directory.runs(RunFilter(owner="ana", root_cause_supported=False))) == [no.run_id]


async def test_text_is_looked_for_in_question_and_summary_alone(house: House, directory: RunDirectory) -> None:
    asked = await made(house, question='is 100% of "orders" DOWN?')
    told = await over(house, await made(house, at=1), 'the pool of "orders" is at 100%')
    old = await over(house, await made(house, at=2), None, report={"summary": "Pool of old rows", "claims": []})
    wanted = {
        "ORDERS": [told, asked],
        '"orders"': [told, asked],
        "100%": [told, asked],
        "pool": [old, told],
        "10_%": [],
        "healthy": [],  # a key of the headline, no word of it
        "claims": [],
        "\x00": [],
    }
    for text, runs in wanted.items():
        assert ids(await directory.runs(RunFilter(owner="ana", text=text))) == ids(runs), text
    assert ids(await directory.runs(RunFilter(owner="ana", text="orders"), limit=1)) == ids([told])


async def test_a_list_carries_no_report_and_no_payload(house: House, directory: RunDirectory) -> None:
    await over(house, await made(house, sources={"payload": [{"name": "x"}]}), "short")
    (listed,) = await directory.runs(RunFilter(owner="ana"))
    assert (listed.headline, listed.report, listed.sources) == ({"summary": "short", "healthy": False}, None, {})
    whole = await directory.run(listed.run_id, owner="ana")
    assert whole is not None
    assert (whole.report, whole.sources) == ({"summary": "short", "claims": []}, {"payload": [{"name": "x"}]})
    await over(house, await made(house, at=1), None, report={"summary": "old"})
    (older, _) = await directory.runs(RunFilter(owner="ana"))
    assert older.report == {"summary": "old"}


async def test_sessions_come_by_their_last_activity(house: House, directory: RunDirectory) -> None:
    for name, at in (("s-1", 0), ("s-2", 1), ("s-3", 1)):
        await made(house, name, at=at)
    await made(house, "s-9", "ben", at=9)
    await made(house, "s-1", at=5)
    everything = await directory.sessions("ana")
    assert [session.session_id for session in everything] == ["s-1", "s-3", "s-2"]
    assert everything[0].created_at == T0
    last = everything[1]
    assert last.last_active_at is not None
    rest = await directory.sessions("ana", before=(last.last_active_at, last.session_id))
    assert [session.session_id for session in rest] == ["s-2"]
    assert await directory.session("s-1", owner="ana") == everything[0]


# -- one run -------------------------------------------------------------------------------------------------------


async def test_news_are_what_changed_since(house: House, directory: RunDirectory) -> None:
    run = await made(house)
    step = await house.runs.append_step(run.context, Step(0, Agent.EXECUTOR, StepKind.TURN, {"text": "t"}))
    call = Invocation(0, 0, "c", "query_logs", {})
    opened = await house.runs.open_invocation(run.context, call)

    async def news(after: int) -> tuple[list[int], list[tuple[InvocationStatus, int]]]:
        rows = await directory.news(run.run_id, after=after, owner="ana")
        assert rows is not None
        assert rows.run.run_id == run.run_id
        return [each.seq for each in rows.steps], [(each.status, each.seq) for each in rows.invocations]

    assert await news(0) == ([step.seq], [(InvocationStatus.RECEIVED, opened.seq)])
    assert await news(step.seq) == ([], [(InvocationStatus.RECEIVED, opened.seq)])
    assert await news(opened.seq) == ([], [])
    done = await house.runs.update_invocation(run.context, replace(call, status=InvocationStatus.OK))
    assert await news(opened.seq) == ([], [(InvocationStatus.OK, done.seq)])
    assert done.seq > opened.seq


async def test_news_and_runs_are_their_owners(house: House, directory: RunDirectory) -> None:
    run = await made(house)
    for asked, owner in (
        (run.run_id, "ben"),
        (run.run_id, "an"),
        ("run-none", "ana"),
        (f"{run.run_id} ", "ana"),
        ("", "ana"),
    ):
        assert await directory.news(asked, after=0, owner=owner) is None
        assert await directory.run(asked, owner=owner) is None


async def test_open_runs_are_counted(house: House, directory: RunDirectory) -> None:
    await over(house, await made(house), "done")
    await house.runs.update_run(replace(await made(house), status=RunStatus.RUNNING))
    await made(house)
    await made(house, "s-9", "ben")
    assert dict(await directory.counts()) == {RunStatus.QUEUED: 2, RunStatus.RUNNING: 1}


async def test_the_newest_run_is_the_last_made_whatever_touched_an_older_one(
    house: House, directory: RunDirectory
) -> None:
    older = await over(house, await made(house), "old", True)
    newer = await over(house, await made(house, at=1), "new", True)
    touched = await house.runs.update_run(replace(older, feedback={"verdict": "HELPFUL"}))
    again = await house.runs.update_run(replace(touched, self_evaluation={"root_cause_supported": False}))
    assert again.updated_at is None or newer.updated_at is None or again.updated_at >= newer.updated_at
    (latest,) = await directory.runs(RunFilter(owner="ana", session_id="s-1"), limit=1)
    assert latest.run_id == newer.run_id


async def test_a_session_counts_its_answered_questions_once_each(house: House, directory: RunDirectory) -> None:
    first, second = await made(house), await made(house, at=1)
    done = await over(house, first)
    running = await house.runs.update_run(replace(second, status=RunStatus.RUNNING))
    await house.runs.update_run(replace(running, status=RunStatus.FAILED, status_reason=StatusReason.INTERNAL_ERROR))
    await house.runs.update_run(replace(done, feedback={"verdict": "HELPFUL"}))
    session = await directory.session("s-1", owner="ana")
    assert session is not None
    assert session.message_pair_count == 1
