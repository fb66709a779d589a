"""IncidentStore on every adapter: one incident a group, one open run an incident, budgets that hold."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import pytest

from rootproof.adapters.memory.incidents import InMemoryIncidentStore
from rootproof.adapters.sql.incidents import SqlIncidentStore
from rootproof.adapters.sql.migrate import open_database
from rootproof.domain.alert import Alert, AlertStatus, Severity
from rootproof.domain.incident import (
    MAX_ALERTS_KEPT,
    AlertGroup,
    Claim,
    Delivery,
    Effect,
    Incident,
    IncidentStatus,
)
from rootproof.domain.run import Run, RunMode, RunStatus
from rootproof.domain.session import ChatSession
from rootproof.domain.step import Agent, Step, StepKind
from rootproof.errors import StoreError
from rootproof.ports.incidents import IncidentStore
from tests.contracts.conftest import T0, House


@dataclass(frozen=True)
class Policy:
    settle_s: int = 5
    cool_down_s: int = 900
    daily_runs: int = 100
    max_open_runs: int = 4


POLICY = Policy()
_STATUSES = {"firing": AlertStatus.FIRING, "resolved": AlertStatus.RESOLVED}


@pytest.fixture
def store(house: House) -> IncidentStore:
    if house.database is None:
        return InMemoryIncidentStore(house.runs)
    return SqlIncidentStore(house.database)


def at(seconds: float) -> datetime:
    return T0 + timedelta(seconds=seconds)


def alert(fingerprint: str = "f1", state: str = "firing", severity: Severity | None = Severity.WARNING) -> Alert:
    return Alert(
        name="OrdersFail",
        status=_STATUSES[state],
        severity=severity,
        labels={"pod": fingerprint},
        started_at=T0,
        fingerprint=fingerprint,
    )


def delivery(
    *alerts: Alert, at_s: float = 0, group: str = "g1", owner: str = "local", key: str | None = None
) -> Delivery:
    found = AlertGroup(group, f"hash-{group}", "alertmanager", f"alerts of {group}", alerts or (alert(),))
    return Delivery(owner, (found,), at(at_s), key)


async def only(store: IncidentStore, owner: str = "local") -> Incident:
    found = await store.incidents(owner)
    assert len(found) == 1
    return found[0]


async def begin(house: House, store: IncidentStore, claim: Claim) -> Run:
    """What `start_due_runs` does with a claim."""
    found = claim.incident
    session = ChatSession(found.session_id, found.owner)
    run = Run(
        run_id=claim.run_id,
        session_id=found.session_id,
        owner=found.owner,
        mode=RunMode.PAYLOAD_TARGETED,
        question="",
        now=claim.lease_until,
        severity=found.severity,
        incident_id=found.incident_id,
        created_at=claim.lease_until - timedelta(seconds=30),
    )
    made = await house.runs.create_run(session, run)
    await store.started(claim)
    return made


async def end(house: House, run: Run, at_s: float) -> None:
    running = await house.runs.update_run(replace(run, status=RunStatus.RUNNING))
    await house.runs.append_step(run.context, Step(1, Agent.SUPERVISOR, StepKind.END, created_at=at(at_s)))
    await house.runs.update_run(replace(running, status=RunStatus.COMPLETED))


async def first_run(house: House, store: IncidentStore, ends_s: float = 20) -> Run:
    await store.take(delivery(), POLICY)
    (claim,) = await store.claim_due(POLICY, now=at(5))
    run = await begin(house, store, claim)
    await end(house, run, ends_s)
    return run


async def test_the_first_alert_opens_an_incident_whose_run_is_due_after_it_settled(store: IncidentStore) -> None:
    taken = await store.take(delivery(alert("f1"), alert("f2", severity=Severity.CRITICAL)), POLICY)
    assert [group.effect for group in taken.groups] == [Effect.OPENED]
    found = await only(store)
    assert found == taken.groups[0].incident
    assert (found.status, found.alert_count, found.severity) == (IncidentStatus.OPEN, 2, "critical")
    assert (found.next_run_at, found.run_id, found.run_count) == (at(5), None, 0)
    assert await store.claim_due(POLICY, now=at(4.9)) == ()
    kept = await store.alerts(found.incident_id)
    assert [(row.fingerprint, row.status, row.count) for row in kept] == [("f1", "firing", 1), ("f2", "firing", 1)]
    assert kept[0].alert == alert("f1")


async def test_a_claim_is_given_out_once_and_its_run_ends_the_wait(house: House, store: IncidentStore) -> None:
    await store.take(delivery(), POLICY)
    (claim,) = await store.claim_due(POLICY, now=at(5))
    assert claim.incident.run_count == 1
    assert await store.claim_due(POLICY, now=at(6)) == ()
    await begin(house, store, claim)
    found = await only(store)
    assert (found.run_id, found.next_run_at, found.status_reason) == (claim.run_id, None, None)
    assert await store.claim_due(POLICY, now=at(500)) == ()


async def test_a_claim_whose_worker_died_is_given_out_again_with_the_same_run_id(
    house: House, store: IncidentStore
) -> None:
    await store.take(delivery(), POLICY)
    (lost,) = await store.claim_due(POLICY, now=at(5))
    (again,) = await store.claim_due(POLICY, now=lost.lease_until)
    assert (again.run_id, again.incident.run_count) == (lost.run_id, 1)
    await begin(house, store, again)
    with pytest.raises(StoreError, match="taken"):
        await begin(house, store, lost)


async def test_a_worker_that_died_after_it_made_the_run_does_not_make_another(
    house: House, store: IncidentStore
) -> None:
    await store.take(delivery(), POLICY)
    (claim,) = await store.claim_due(POLICY, now=at(5))
    found = claim.incident
    run = Run(claim.run_id, found.session_id, "local", RunMode.PAYLOAD_TARGETED, "", T0, incident_id=found.incident_id)
    await house.runs.create_run(ChatSession(found.session_id, "local"), run)
    assert await store.claim_due(POLICY, now=at(60)) == ()
    assert (await only(store)).next_run_at is None


async def test_alerts_while_a_run_is_open_attach_to_the_incident(house: House, store: IncidentStore) -> None:
    await store.take(delivery(), POLICY)
    (claim,) = await store.claim_due(POLICY, now=at(5))
    await begin(house, store, claim)
    taken = await store.take(delivery(alert("f2", severity=Severity.CRITICAL), at_s=10), POLICY)
    assert taken.groups[0].effect is Effect.ATTACHED
    found = await only(store)
    assert (found.next_run_at, found.run_count, found.alert_count) == (None, 1, 2)
    assert len(await store.alerts(found.incident_id)) == 2


async def test_within_the_cool_down_nothing_begins_unless_the_severity_rose(house: House, store: IncidentStore) -> None:
    await first_run(house, store, ends_s=20)
    await store.take(delivery(alert("f3"), at_s=100), POLICY)
    assert (await only(store)).next_run_at is None
    await store.take(delivery(alert("f4", severity=Severity.CRITICAL), at_s=200), POLICY)
    assert (await only(store)).next_run_at == at(205)
    (claim,) = await store.claim_due(POLICY, now=at(205))
    assert claim.incident.run_count == 2


async def test_after_the_cool_down_an_alert_that_still_fires_begins_another(house: House, store: IncidentStore) -> None:
    await first_run(house, store, ends_s=20)
    await store.take(delivery(at_s=919), POLICY)
    assert (await only(store)).next_run_at is None
    await store.take(delivery(at_s=921), POLICY)
    assert (await only(store)).next_run_at == at(926)


async def test_the_last_resolved_alert_closes_and_a_new_fire_reopens_with_a_new_run(
    house: House, store: IncidentStore
) -> None:
    run = await first_run(house, store, ends_s=20)
    await store.take(delivery(alert("f2"), at_s=30), POLICY)
    half = await store.take(delivery(alert("f1", "resolved"), at_s=40), POLICY)
    assert half.groups[0].effect is Effect.ATTACHED
    closed = await store.take(delivery(alert("f2", "resolved"), at_s=50), POLICY)
    assert closed.groups[0].effect is Effect.RESOLVED
    assert (await only(store)).resolved_at == at(50)
    again = await store.take(delivery(alert("f1"), at_s=60), POLICY)
    found = again.groups[0].incident
    assert again.groups[0].effect is Effect.REOPENED
    assert (found.status, found.reopen_count, found.resolved_at) == (IncidentStatus.OPEN, 1, None)
    assert found.next_run_at == at(920), "flapping is bounded by the cool-down"
    assert "cool-down" in (found.status_reason or "")
    (claim,) = await store.claim_due(POLICY, now=at(920))
    assert claim.run_id != run.run_id
    assert claim.incident.run_count == 2


async def test_a_reopened_incident_waits_for_its_open_run(house: House, store: IncidentStore) -> None:
    await store.take(delivery(), POLICY)
    (claim,) = await store.claim_due(POLICY, now=at(5))
    run = await begin(house, store, claim)
    await store.take(delivery(alert(state="resolved"), at_s=10), POLICY)
    taken = await store.take(delivery(at_s=12), POLICY)
    assert taken.groups[0].incident.next_run_at == at(17)
    assert await store.claim_due(POLICY, now=at(18)) == ()
    assert "open" in ((await only(store)).status_reason or "")
    await end(house, run, at_s=20)
    assert await store.claim_due(POLICY, now=at(30)) == ()
    assert (await only(store)).next_run_at == at(920)
    assert len(await store.claim_due(POLICY, now=at(920))) == 1


async def test_what_resolves_before_its_run_began_needs_none(store: IncidentStore) -> None:
    await store.take(delivery(), POLICY)
    await store.take(delivery(alert(state="resolved"), at_s=2), POLICY)
    found = await only(store)
    assert (found.status, found.next_run_at, found.run_count) == (IncidentStatus.RESOLVED, None, 0)
    assert "before a run" in (found.status_reason or "")
    assert await store.claim_due(POLICY, now=at(60)) == ()


async def test_the_end_of_something_unknown_is_ignored(store: IncidentStore) -> None:
    taken = await store.take(delivery(alert(state="resolved")), POLICY)
    assert (taken.groups, taken.ignored) == ((), 1)
    assert await store.incidents("local") == ()


async def test_a_delivery_with_a_known_key_is_a_repeat(store: IncidentStore) -> None:
    first = await store.take(delivery(key="k1"), POLICY)
    again = await store.take(delivery(key="k1", at_s=3), POLICY)
    assert again.repeat
    assert again.incident_id == first.groups[0].incident.incident_id
    assert (await only(store)).alert_count == 1
    assert not (await store.take(delivery(key="k1", owner="ben"), POLICY)).repeat
    assert await store.forget_deliveries(before=at(1)) == 2
    assert not (await store.take(delivery(key="k1", at_s=5), POLICY)).repeat


async def test_simultaneous_identical_deliveries_make_one_incident_and_one_run(
    house: House, store: IncidentStore
) -> None:
    stores = [store]
    others = []
    if house.database is not None:
        url = house.database.engine.url.render_as_string(hide_password=False)
        others = [await open_database(url) for _ in range(4)]
        stores += [SqlIncidentStore(database) for database in others]
    alerts = [alert(f"f{number}") for number in range(10)]
    try:
        await asyncio.gather(*(stores[turn % len(stores)].take(delivery(*alerts), POLICY) for turn in range(10)))
        found = await only(store)
        assert (found.alert_count, len(await store.alerts(found.incident_id))) == (100, 10)
        claimed = await asyncio.gather(*(each.claim_due(POLICY, now=at(5)) for each in stores * 2))
        assert sum(len(claims) for claims in claimed) == 1
    finally:
        for database in others:
            await database.close()


async def test_cap_and_daily_budget_hold_and_the_backlog_says_why(house: House, store: IncidentStore) -> None:
    policy = Policy(max_open_runs=2, daily_runs=3)
    for number in range(5):
        await store.take(delivery(group=f"g{number}", at_s=number), policy)
    claims = await store.claim_due(policy, now=at(60))
    assert [claim.incident.group_key for claim in claims] == ["g0", "g1"]
    waiting = await store.incidents("local", backlog=True)
    reasons = {found.group_key: found.status_reason or "" for found in waiting}
    assert all("2 runs of alerts are open" in reasons[name] for name in ("g2", "g3", "g4"))
    counts = await store.counts()
    assert (counts.open, counts.waiting) == (5, 3)
    for claim in claims:
        await end(house, await begin(house, store, claim), at_s=61)
    (third,) = await store.claim_due(policy, now=at(62))
    await end(house, await begin(house, store, third), at_s=63)
    assert await store.claim_due(policy, now=at(64)) == ()
    left = await store.incidents("local", backlog=True)
    assert {found.group_key for found in left} == {"g3", "g4"}
    assert all("daily budget of 3" in (found.status_reason or "") for found in left)
    assert len(await store.claim_due(policy, now=at(86_500))) == 2


async def test_two_workers_together_keep_the_cap(house: House, store: IncidentStore) -> None:
    policy = Policy(max_open_runs=3)
    for number in range(8):
        await store.take(delivery(group=f"g{number}"), policy)
    claimed = await asyncio.gather(*(store.claim_due(policy, now=at(60)) for _ in range(4)))
    names = [claim.run_id for claims in claimed for claim in claims]
    assert len(names) == len(set(names)) == 3


async def test_alerts_beyond_the_kept_ones_are_counted_and_resolved_ones_make_room(store: IncidentStore) -> None:
    many = [alert(f"f{number:04}") for number in range(MAX_ALERTS_KEPT + 20)]
    await store.take(delivery(*many), POLICY)
    found = await only(store)
    assert (found.alert_count, len(await store.alerts(found.incident_id))) == (520, MAX_ALERTS_KEPT)
    await store.take(delivery(*(replace(one, status=AlertStatus.RESOLVED) for one in many[:10]), at_s=10), POLICY)
    await store.take(delivery(alert("late"), at_s=20), POLICY)
    kept = [row.fingerprint for row in await store.alerts(found.incident_id)]
    assert (len(kept), kept[-1]) == (MAX_ALERTS_KEPT, "late")
    assert "f0000" not in kept


async def test_owners_do_not_see_each_other(store: IncidentStore) -> None:
    await store.take(delivery(owner="ana"), POLICY)
    await store.take(delivery(owner="ben"), POLICY)
    (mine,) = await store.incidents("ana")
    assert await store.find(mine.incident_id, owner="ben") is None
    assert await store.resolve(mine.incident_id, owner="ben", now=at(1)) is None
    assert await store.find(mine.incident_id, owner="ana") == mine
    assert await store.find("inc-\x00", owner="ana") is None
    with pytest.raises(StoreError, match="printable"):
        await store.take(delivery(owner=" "), POLICY)


async def test_resolve_by_hand_takes_the_due_run_back(store: IncidentStore) -> None:
    await store.take(delivery(alert("f1"), alert("f2")), POLICY)
    found = await only(store)
    closed = await store.resolve(found.incident_id, owner="local", now=at(3))
    assert closed is not None
    assert (closed.status, closed.next_run_at, closed.resolved_at) == (IncidentStatus.RESOLVED, None, at(3))
    assert {row.status for row in await store.alerts(found.incident_id)} == {"resolved"}
    assert await store.resolve(found.incident_id, owner="local", now=at(9)) == closed
    assert (await store.take(delivery(at_s=10), POLICY)).groups[0].effect is Effect.REOPENED


async def test_incidents_are_listed_by_their_newest_alert(store: IncidentStore) -> None:
    for number in range(5):
        await store.take(delivery(group=f"g{number}", at_s=number), POLICY)
    await store.take(delivery(group="g0", at_s=9), POLICY)
    await store.take(delivery(alert(state="resolved"), group="g2", at_s=9.5), POLICY)
    first = await store.incidents("local", limit=2)
    assert [found.group_key for found in first] == ["g2", "g0"]
    last = first[-1]
    rest = await store.incidents("local", before=(last.last_alert_at, last.incident_id))
    assert [found.group_key for found in rest] == ["g4", "g3", "g1"]
    assert [found.group_key for found in await store.incidents("local", status=IncidentStatus.RESOLVED)] == ["g2"]
    assert len(await store.incidents("local", backlog=False)) == 1
