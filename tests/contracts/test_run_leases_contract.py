"""Leases on every store: one holder at a time, and a holder that was overtaken cannot write."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from rootproof.adapters.memory.run_leases import InMemoryRunLeases
from rootproof.adapters.memory.run_store import InMemoryRunStore
from rootproof.adapters.sql.run_leases import SqlRunLeases
from rootproof.domain.invocation import Invocation, InvocationStatus
from rootproof.domain.run import Run, RunMode, RunStatus, StatusReason
from rootproof.domain.session import ChatSession
from rootproof.domain.step import Agent, Step, StepKind
from rootproof.errors import StaleWrite, StoreError
from rootproof.ports.run_leases import RunLeases
from tests.contracts.conftest import T0, House

LEASE = timedelta(seconds=30)
LATER = T0 + timedelta(seconds=31)


@pytest.fixture
def leases(house: House) -> RunLeases:
    if house.database is not None:
        return SqlRunLeases(house.database)
    assert isinstance(house.runs, InMemoryRunStore)
    return InMemoryRunLeases(house.runs)


async def make(house: House, number: int = 1, owner: str = "ann") -> Run:
    run = Run(f"run-{number}", f"ses-{number}", owner, RunMode.CHAT, "why?", T0)
    return await house.runs.create_run(ChatSession(run.session_id, owner), run)


async def claimed(house: House, leases: RunLeases, worker: str = "w1") -> Run:
    await make(house)
    run = await leases.claim("run-1", worker, now=T0, until=T0 + LEASE)
    assert run is not None
    return run


def step(number: int) -> Step:
    return Step(number, Agent.SUPERVISOR, StepKind.BRIEFING, {"n": number})


def call() -> Invocation:
    return Invocation(1, 0, "call_0", "query_logs", {}, InvocationStatus.RECEIVED)


async def test_a_claim_takes_the_next_epoch_and_says_who_holds_the_run(house: House, leases: RunLeases) -> None:
    run = await claimed(house, leases)
    assert (run.lease_epoch, run.worker, run.leased_until) == (1, "w1", T0 + LEASE)
    rows = await house.runs.load("run-1")
    assert rows is not None
    assert rows.run == run


async def test_a_live_lease_is_nobody_elses_and_not_even_the_same_workers_again(
    house: House, leases: RunLeases
) -> None:
    await claimed(house, leases)
    for worker in ("w1", "w2"):
        assert await leases.claim("run-1", worker, now=T0 + timedelta(seconds=29), until=LATER) is None
    again = await leases.claim("run-1", "w2", now=T0 + LEASE, until=LATER + LEASE)
    assert again is not None
    assert (again.lease_epoch, again.worker) == (2, "w2")


async def test_of_many_that_claim_at_once_one_gets_the_run(house: House, leases: RunLeases) -> None:
    await make(house)
    found = await asyncio.gather(*(leases.claim("run-1", f"w{n}", now=T0, until=T0 + LEASE) for n in range(8)))
    assert len([run for run in found if run is not None]) == 1


async def test_what_is_absent_or_over_is_not_claimed(house: House, leases: RunLeases) -> None:
    run = await claimed(house, leases)
    await house.runs.update_run(replace(run, status=RunStatus.FAILED, status_reason=StatusReason.INTERNAL_ERROR))
    assert await leases.claim("run-1", "w2", now=LATER, until=LATER + LEASE) is None
    assert await leases.claim("run-9", "w2", now=LATER, until=LATER + LEASE) is None
    assert await leases.claim("run-9 ", "w2", now=LATER, until=LATER + LEASE) is None
    assert await leases.renew(run.context, until=LATER) is None
    assert await leases.release(run.context) is None
    rows = await house.runs.load("run-1")
    assert rows is not None
    assert (rows.run.lease_epoch, rows.run.worker, rows.run.leased_until) == (1, "w1", None)


async def test_every_write_of_a_worker_that_was_overtaken_is_refused(house: House, leases: RunLeases) -> None:
    old = await claimed(house, leases)
    await house.runs.append_step(old.context, step(1))
    await house.runs.open_invocation(old.context, call())
    new = await leases.claim("run-1", "w2", now=LATER, until=LATER + LEASE)
    assert new is not None
    before = await house.runs.load("run-1")
    with pytest.raises(StaleWrite):
        await house.runs.append_step(old.context, step(2))
    with pytest.raises(StaleWrite):
        await house.runs.open_invocation(old.context, replace(call(), call_index=1))
    with pytest.raises(StaleWrite):
        await house.runs.open_invocation(old.context, call())
    with pytest.raises(StaleWrite):
        await house.runs.update_invocation(old.context, replace(call(), status=InvocationStatus.OK))
    with pytest.raises(StaleWrite):
        await house.runs.update_run(replace(old, status=RunStatus.RUNNING))
    assert await leases.renew(old.context, until=LATER + LEASE) is None
    assert await leases.release(old.context) is None
    assert await house.runs.load("run-1") == before
    await house.runs.append_step(new.context, step(2))


async def test_renewing_prolongs_and_a_lapsed_lease_that_nobody_took_goes_on(house: House, leases: RunLeases) -> None:
    run = await claimed(house, leases)
    renewed = await leases.renew(run.context, until=LATER + LEASE)
    assert renewed is not None
    assert (renewed.leased_until, renewed.lease_epoch) == (LATER + LEASE, 1)
    assert await leases.claim("run-1", "w2", now=LATER, until=LATER + LEASE) is None
    assert await leases.renew(run.context, until=LATER + 3 * LEASE) is not None


async def test_a_run_given_back_is_free_at_once_and_closed_to_who_gave_it(house: House, leases: RunLeases) -> None:
    run = await claimed(house, leases)
    released = await leases.release(run.context)
    assert released is not None
    assert (released.lease_epoch, released.worker, released.leased_until) == (2, None, None)
    assert await leases.renew(run.context, until=LATER) is None
    with pytest.raises(StaleWrite):
        await house.runs.append_step(run.context, step(1))
    taken = await leases.claim("run-1", "w2", now=T0, until=T0 + LEASE)
    assert taken is not None
    assert taken.lease_epoch == 3


async def test_a_request_to_cancel_is_its_owners_and_seen_by_the_holder(house: House, leases: RunLeases) -> None:
    run = await claimed(house, leases)
    assert await leases.request_cancel("run-1", owner="bob", now=T0) is None
    assert await leases.request_cancel("run-2", owner="ann", now=T0) is None
    assert (renewed := await leases.renew(run.context, until=LATER)) is not None
    assert renewed.cancel_requested_at is None
    asked = await leases.request_cancel("run-1", owner="ann", now=T0)
    again = await leases.request_cancel("run-1", owner="ann", now=LATER)
    assert asked is not None
    assert again is not None
    assert asked.cancel_requested_at == again.cancel_requested_at == T0
    renewed = await leases.renew(run.context, until=LATER)
    assert renewed is not None
    assert renewed.cancel_requested_at == T0
    await house.runs.append_step(run.context, step(1))
    await house.runs.update_run(replace(run, status=RunStatus.CANCELLED, status_reason=StatusReason.CANCELLED))
    over = await leases.request_cancel("run-1", owner="ann", now=LATER)
    assert over is not None
    assert (over.status, over.cancel_requested_at) == (RunStatus.CANCELLED, T0)


async def test_claimable_are_open_runs_that_nobody_holds_oldest_first(house: House, leases: RunLeases) -> None:
    for number in (1, 2, 3, 4):
        await make(house, number)
    held = await leases.claim("run-2", "w1", now=T0, until=T0 + LEASE)
    over = await leases.claim("run-3", "w1", now=T0, until=T0 + LEASE)
    assert held is not None
    assert over is not None
    await house.runs.update_run(replace(over, status=RunStatus.CANCELLED, status_reason=StatusReason.CANCELLED))
    assert list(await leases.claimable(now=T0)) == [("run-1", 0), ("run-4", 0)]
    assert list(await leases.claimable(now=LATER)) == [("run-1", 0), ("run-2", 1), ("run-4", 0)]
    assert list(await leases.claimable(now=LATER, limit=1)) == [("run-1", 0)]


async def test_runs_made_of_an_older_schema_are_never_carried_out(house: House, leases: RunLeases) -> None:
    run = Run("run-1", "ses-1", "ann", RunMode.CHAT, "why?", T0, compatibility=True)
    await house.runs.create_run(ChatSession("ses-1", "ann"), run)
    assert list(await leases.claimable(now=LATER)) == []
    assert await leases.claim("run-1", "w1", now=LATER, until=LATER + LEASE) is None


async def test_a_worker_needs_a_name_that_can_be_stored(house: House, leases: RunLeases) -> None:
    await make(house)
    for name in ("", "w\n1", "w" * 129):
        with pytest.raises(StoreError, match="name"):
            await leases.claim("run-1", name, now=T0, until=T0 + LEASE)
