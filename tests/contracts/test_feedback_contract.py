"""What every FeedbackStore keeps to."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from rootproof.domain.feedback import ClaimMark, Feedback, FeedbackVerdict, ResolvedBy, new_feedback_id
from rootproof.domain.run import Run
from rootproof.errors import StaleWrite, StoreError
from tests.contracts.records_house import RecordsHouse, records
from tests.contracts.test_run_store_contract import TRICKY, TRICKY_KEPT

__all__ = ["records"]


def said_of(run: Run, **changes: Any) -> Feedback:
    feedback = Feedback(
        feedback_id=new_feedback_id(),
        session_id=run.session_id,
        run_id=run.run_id,
        owner=run.owner,
        idempotency_key="key-1",
        request_hash="0" * 64,
        verdict=FeedbackVerdict.WRONG_CAUSE,
        comment="the deploy was unrelated",
        corrected_cause="the pool was set to 5",
        claim_marks={"C1": ClaimMark.WRONG, "C2": ClaimMark.CORRECT},
        resolved_by=ResolvedBy.LATEST_RUN,
    )
    return replace(feedback, **changes)


async def test_feedback_comes_back_as_given_and_the_run_shows_it(records: RecordsHouse) -> None:
    run = await records.finished()
    stored, new = await records.feedback.append(said_of(run))
    assert new
    assert stored.created_at is not None
    assert replace(stored, created_at=None, feedback_id="") == replace(said_of(run), feedback_id="")
    assert await records.feedback.history(run.run_id, owner="ana") == (stored,)
    rows = await records.house.runs.load(run.run_id)
    assert rows is not None
    assert rows.run.feedback == stored.on_the_run()
    assert rows.run.feedback["verdict"] == "WRONG_CAUSE"
    assert rows.run.feedback["helpful"] is False


async def test_feedback_takes_the_next_seq_of_its_run_and_changes_nothing_else(records: RecordsHouse) -> None:
    run = await records.finished()
    stored, _ = await records.feedback.append(said_of(run))
    rows = await records.house.runs.load(run.run_id)
    assert rows is not None
    assert rows.run.seq == run.seq + 1
    assert replace(rows.run, feedback=None, seq=run.seq, updated_at=run.updated_at) == run
    # The counter moved with it: the next change of the run gets a number of its own.
    later = await records.house.runs.update_run(replace(rows.run, self_evaluation={"verdicts": {}}))
    assert later.seq == rows.run.seq + 1
    assert later.feedback == stored.on_the_run()


async def test_a_key_counts_once_whatever_it_comes_with(records: RecordsHouse) -> None:
    run = await records.finished()
    first, _ = await records.feedback.append(said_of(run))
    again, new = await records.feedback.append(said_of(run, comment="other words", request_hash="1" * 64))
    assert not new
    assert again == first
    assert len(await records.feedback.history(run.run_id, owner="ana")) == 1
    rows = await records.house.runs.load(run.run_id)
    assert rows is not None
    assert rows.run.seq == run.seq + 1


async def test_keys_belong_to_their_run(records: RecordsHouse) -> None:
    one, two = await records.finished(), await records.finished()
    await records.feedback.append(said_of(one))
    _, new = await records.feedback.append(said_of(two))
    assert new


async def test_ten_workers_with_one_key_make_one_row(records: RecordsHouse) -> None:
    run = await records.finished()
    stores = [records.others()[0] for _ in range(10)]
    results = await asyncio.gather(*(store.append(said_of(run)) for store in stores))
    assert sum(new for _, new in results) == 1
    assert len({stored.feedback_id for stored, _ in results}) == 1
    assert len(await records.feedback.history(run.run_id, owner="ana")) == 1


async def test_ten_keys_at_once_make_ten_rows_and_the_run_shows_the_last(records: RecordsHouse) -> None:
    run = await records.finished()
    stores = [records.others()[0] for _ in range(10)]
    keyed = [said_of(run, idempotency_key=f"key-{number}") for number in range(10)]
    await asyncio.gather(*(store.append(each) for store, each in zip(stores, keyed, strict=True)))
    history = await records.feedback.history(run.run_id, owner="ana")
    assert len(history) == 10
    rows = await records.house.runs.load(run.run_id)
    assert rows is not None
    assert rows.run.seq == run.seq + 10
    assert rows.run.feedback is not None
    assert rows.run.feedback["feedbackId"] == history[-1].feedback_id


async def test_history_is_oldest_first_and_the_newest_rows_of_it(records: RecordsHouse) -> None:
    run = await records.finished()
    ids = []
    for number in range(4):
        stored, _ = await records.feedback.append(said_of(run, idempotency_key=f"key-{number}"))
        ids.append(stored.feedback_id)
    history = await records.feedback.history(run.run_id, owner="ana")
    assert [row.feedback_id for row in history] == ids
    newest = await records.feedback.history(run.run_id, owner="ana", limit=2)
    assert [row.feedback_id for row in newest] == ids[-2:]
    assert await records.feedback.history(run.run_id, owner="ana", limit=0) == ()


async def test_a_run_that_is_not_over_takes_none(records: RecordsHouse) -> None:
    run = await records.started()
    with pytest.raises(StaleWrite, match="QUEUED"):
        await records.feedback.append(said_of(run))
    assert await records.feedback.history(run.run_id, owner="ana") == ()
    rows = await records.house.runs.load(run.run_id)
    assert rows is not None
    assert rows.run == run


@pytest.mark.parametrize("odd", [{"owner": "ben"}, {"session_id": "ses-other"}, {"run_id": "run-none"}])
async def test_feedback_on_what_is_not_there_is_refused(records: RecordsHouse, odd: dict[str, str]) -> None:
    run = await records.finished()
    with pytest.raises(StoreError):
        await records.feedback.append(said_of(run, **odd))
    rows = await records.house.runs.load(run.run_id)
    assert rows is not None
    assert rows.run == run


async def test_another_owner_sees_nothing(records: RecordsHouse) -> None:
    run = await records.finished()
    await records.feedback.append(said_of(run))
    for owner in ("ben", "Ana", "ana ", ""):
        assert await records.feedback.history(run.run_id, owner=owner) == ()
        assert await records.feedback.with_key(run.session_id, "key-1", owner=owner) is None


async def test_a_key_is_found_again_in_its_session(records: RecordsHouse) -> None:
    run = await records.finished()
    stored, _ = await records.feedback.append(said_of(run))
    later = await records.finished(session_id=run.session_id)
    await records.feedback.append(said_of(later))
    assert await records.feedback.with_key(run.session_id, "key-1", owner="ana") == stored
    assert await records.feedback.with_key(run.session_id, "key-2", owner="ana") is None
    assert await records.feedback.with_key("ses-other", "key-1", owner="ana") is None


async def test_feedback_on_an_old_run_does_not_make_it_the_latest(records: RecordsHouse) -> None:
    old = await records.finished()
    new = await records.finished(session_id=old.session_id)
    await records.feedback.append(said_of(old))
    latest = await records.house.runs.latest_run(old.session_id, owner="ana")
    assert latest is not None
    assert latest.run_id == new.run_id
    touched = await records.house.runs.load(old.run_id)
    assert touched is not None
    assert touched.run.updated_at is not None
    assert latest.updated_at is not None
    assert touched.run.updated_at > latest.updated_at


async def test_any_text_is_kept(records: RecordsHouse) -> None:
    run = await records.finished()
    given = said_of(run, comment=TRICKY, corrected_cause=TRICKY, claim_marks={})
    stored, _ = await records.feedback.append(given)
    assert stored.comment == stored.corrected_cause == TRICKY_KEPT
    assert await records.feedback.history(run.run_id, owner="ana") == (stored,)
    none, _ = await records.feedback.append(said_of(run, corrected_cause=None, comment="", idempotency_key="key-2"))
    assert none.corrected_cause is None
    assert (await records.feedback.history(run.run_id, owner="ana"))[-1] == none
