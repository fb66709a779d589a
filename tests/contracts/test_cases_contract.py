"""What every CaseStore keeps to."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from rootproof.adapters.sql.schema import case_library
from rootproof.domain.case import Case, CaseUse, new_case_id
from rootproof.domain.ids import new_run_id
from rootproof.errors import StoreError
from tests.contracts.conftest import T0
from tests.contracts.records_house import RecordsHouse, records
from tests.contracts.test_run_store_contract import TRICKY, TRICKY_KEPT

__all__ = ["records"]


def a_case(**changes: Any) -> Case:
    case = Case(
        case_id=new_case_id(),
        diagnosis_id=new_run_id(),
        owner="ana",
        title="OrdersSlow: the pool was exhausted",
        symptom="orders waited for a connection",
        root_cause="the pool of orders was exhausted",
        solution="raise the pool",
        cause_id="connection_pool_exhausted",
        objects=("app/orders", "db/orders"),
        service="orders",
        alert_name="OrdersSlow",
        feedback_id="fb-1",
        created_at=T0,
    )
    return replace(case, **changes)


async def test_a_case_comes_back_as_added(records: RecordsHouse) -> None:
    case = a_case()
    assert await records.cases.add(case) == case
    assert await records.cases.find(case.case_id, owner="ana") == case
    assert await records.cases.page(owner="ana") == (case,)
    assert await records.cases.of_diagnosis(case.diagnosis_id, owner="ana") == (case,)


async def test_a_case_without_a_time_gets_one(records: RecordsHouse) -> None:
    stored = await records.cases.add(a_case(created_at=None))
    assert stored.created_at is not None
    assert await records.cases.find(stored.case_id, owner="ana") == stored


async def test_one_diagnosis_has_one_case_that_holds(records: RecordsHouse) -> None:
    first = await records.cases.add(a_case())
    again = await records.cases.add(a_case(diagnosis_id=first.diagnosis_id, title="another title"))
    assert again == first
    await records.cases.revoke(first.case_id, owner="ana", reason="wrong", at=T0)
    new = await records.cases.add(a_case(diagnosis_id=first.diagnosis_id, title="another title"))
    assert new.case_id != first.case_id
    found = await records.cases.of_diagnosis(first.diagnosis_id, owner="ana")
    assert {case.case_id for case in found} == {first.case_id, new.case_id}


async def test_ten_workers_make_one_case_of_one_run(records: RecordsHouse) -> None:
    run = await records.finished()
    stores = [records.others()[1] for _ in range(10)]
    made = await asyncio.gather(*(store.add(a_case(diagnosis_id=run.run_id)) for store in stores))
    assert len({case.case_id for case in made}) == 1
    assert len(await records.cases.page(owner="ana")) == 1


async def test_a_case_id_that_is_taken_is_refused(records: RecordsHouse) -> None:
    case = await records.cases.add(a_case())
    with pytest.raises(StoreError, match="taken"):
        await records.cases.add(a_case(case_id=case.case_id))
    assert await records.cases.page(owner="ana") == (case,)


async def test_another_owner_sees_nothing_and_changes_nothing(records: RecordsHouse) -> None:
    case = await records.cases.add(a_case())
    for owner in ("ben", "Ana", "ana ", "", "local"):
        assert await records.cases.find(case.case_id, owner=owner) is None
        assert await records.cases.page(owner=owner) == ()
        assert await records.cases.of_diagnosis(case.diagnosis_id, owner=owner) == ()
        assert await records.cases.revoke(case.case_id, owner=owner, reason="mine", at=T0) is None
    assert await records.cases.find(case.case_id, owner="ana") == case
    theirs = await records.cases.add(a_case(owner="ben", diagnosis_id=case.diagnosis_id))
    assert theirs.owner == "ben"


@pytest.mark.parametrize("odd", ["", " ", "case-\x00", "x" * 5_000, "case-legacy-", "case-legacy-9" * 4, "' OR 1=1"])
async def test_an_id_that_cannot_exist_is_absent(records: RecordsHouse, odd: str) -> None:
    await records.cases.add(a_case())
    assert await records.cases.find(odd, owner="ana") is None
    assert await records.cases.of_diagnosis(odd, owner="ana") == ()
    assert await records.cases.revoke(odd, owner="ana", reason="x", at=T0) is None
    assert await records.cases.uses(odd) == ()


async def test_pages_are_newest_first_and_meet_without_gap_or_overlap(records: RecordsHouse) -> None:
    # Three of one instant: the order of their rows decides.
    times = [T0, *[T0 + timedelta(seconds=1)] * 3, T0 + timedelta(days=1)]
    added = [await records.cases.add(a_case(created_at=at)) for at in times]
    wanted = [case.case_id for case in reversed(added)]
    seen: list[str] = []
    before = None
    while page := await records.cases.page(owner="ana", limit=2, before=before):
        seen += [case.case_id for case in page]
        last = page[-1]
        assert last.created_at is not None
        before = (last.created_at, last.case_id)
    assert seen == wanted
    by_time = await records.cases.page(owner="ana", before=(T0 + timedelta(seconds=1), "case-gone"))
    assert [case.case_id for case in by_time] == [added[0].case_id]
    assert await records.cases.page(owner="ana", limit=0) == ()


async def test_a_revoked_case_is_kept_with_its_reason_and_listed_on_request(records: RecordsHouse) -> None:
    case = await records.cases.add(a_case())
    at = T0 + timedelta(hours=1)
    revoked = await records.cases.revoke(case.case_id, owner="ana", reason="the fix removed it", at=at)
    assert revoked == replace(case, revoked_at=at, revoke_reason="the fix removed it")
    again = await records.cases.revoke(case.case_id, owner="ana", reason="other", at=at + timedelta(hours=1))
    assert again == revoked
    assert await records.cases.page(owner="ana") == ()
    assert await records.cases.page(owner="ana", revoked=True) == (revoked,)
    assert await records.cases.find(case.case_id, owner="ana") == revoked


async def test_uses_are_noted_once_and_listed_newest_first(records: RecordsHouse) -> None:
    uses = [CaseUse("case-1", f"run-{n}", "ses-1", T0 + timedelta(minutes=n)) for n in range(3)]
    for use in uses:
        await records.cases.note_use(use)
        await records.cases.note_use(replace(use, used_at=T0 + timedelta(days=1)))
    await records.cases.note_use(CaseUse("case-2", "run-0", "ses-1", T0))
    assert await records.cases.uses("case-1") == tuple(reversed(uses))
    assert await records.cases.uses("case-1", limit=1) == (uses[-1],)
    assert await records.cases.uses("case-3") == ()


async def test_ten_workers_note_one_use(records: RecordsHouse) -> None:
    use = CaseUse("case-1", "run-1", "ses-1", T0)
    await asyncio.gather(*(records.others()[1].note_use(use) for _ in range(10)))
    assert await records.cases.uses("case-1") == (use,)


async def test_any_text_is_kept(records: RecordsHouse) -> None:
    given = a_case(title=TRICKY, symptom=TRICKY, root_cause=TRICKY, solution=TRICKY, objects=(TRICKY,))
    stored = await records.cases.add(given)
    assert (stored.title, stored.symptom, stored.root_cause, stored.solution) == (TRICKY_KEPT,) * 4
    assert await records.cases.find(given.case_id, owner="ana") == stored
    bare = await records.cases.add(
        a_case(objects=(), cause_id=None, service=None, alert_name=None, feedback_id=None, solution="")
    )
    assert await records.cases.find(bare.case_id, owner="ana") == bare


async def test_rows_of_the_mvp_are_cases_of_the_local_owner(records: RecordsHouse) -> None:
    database = records.house.database
    if database is None:
        pytest.skip("only a database holds rows of the MVP")
    async with database.engine.begin() as connection:
        row = {"diagnosis_id": "ses-old", "title": "pool exhausted", "root_cause": "leak", "created_at": T0}
        await connection.execute(case_library.insert(), row)
        number = (await connection.execute(case_library.select())).one().id
    found = await records.cases.of_diagnosis("run-new", "ses-old", owner="local")
    assert [case.case_id for case in found] == [f"case-legacy-{number}"]
    old = found[0]
    assert (old.owner, old.root_cause, old.symptom, old.objects, old.source) == ("local", "leak", "", (), "FEEDBACK")
    assert await records.cases.find(old.case_id, owner="local") == old
    assert await records.cases.find(old.case_id, owner="ana") is None
    assert await records.cases.of_diagnosis("ses-old", owner="ana") == ()
    newer = await records.cases.add(a_case(owner="local", created_at=T0 + timedelta(seconds=1)))
    assert await records.cases.page(owner="local") == (newer, old)
    assert await records.cases.page(owner="local", before=(newer.created_at, newer.case_id)) == (old,)  # type: ignore[arg-type]
    assert await records.cases.page(owner="local", before=(T0, old.case_id)) == ()
    revoked = await records.cases.revoke(old.case_id, owner="local", reason="obsolete", at=T0)
    assert revoked is not None
    assert revoked.revoked
    assert await records.cases.page(owner="local") == (newer,)
