"""From a webhook body to a finished run: storms, crashes, what the run is given."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from rootproof.diagnosis.backend import Backend
from rootproof.diagnosis.start_due_runs import (
    KEEP_DELIVERIES,
    MAX_PAYLOAD_ALERTS,
    forget_old_deliveries,
    start_due_runs,
)
from rootproof.diagnosis.take_alerts import Arrived, Receipt, take_alerts
from rootproof.diagnosis.work import Worker, WorkTerms
from rootproof.domain.alert import PayloadKind
from rootproof.domain.incident import IncidentStatus
from rootproof.domain.run import RunMode, RunStatus, is_terminal
from rootproof.ports.run_directory import RunFilter
from rootproof.settings import Settings
from tests.alerts_in import payloads
from tests.alerts_in.payloads import as_bytes


async def deliver(backend: Backend, settings: Settings, body: Any, source: str = "alertmanager") -> Receipt:
    arrived = Arrived(source, as_bytes(body), "local", backend.services.clock.now())
    return await take_alerts(backend, settings.intake, settings.intake.group_labels, arrived)


def soon(backend: Backend, seconds: float = 1) -> datetime:
    return backend.services.clock.now() + timedelta(seconds=seconds)


async def runs_of(backend: Backend) -> list[Any]:
    return list(await backend.directory.runs(RunFilter(owner="local"), limit=50))


async def test_a_storm_of_500_alerts_of_one_outage_makes_one_run(backend: Backend, settings: Settings) -> None:
    names = [f"Alert{number:03}" for number in range(500)]
    worker = Worker(backend, WorkTerms("w1", sweep_s=0.2))
    working = asyncio.create_task(worker.work())
    try:
        for start in range(0, 500, 25):
            batch = payloads.alertmanager(*names[start : start + 25])
            await asyncio.gather(*(deliver(backend, settings, batch) for _ in range(2)))
            await start_due_runs(backend, settings.intake, now=soon(backend))
        async with asyncio.timeout(30):
            while not all(is_terminal(run.status) for run in await runs_of(backend)):  # noqa: ASYNC110 - a bounded look, rows tell nobody
                await asyncio.sleep(0.05)
    finally:
        await worker.stop(5)
        await working
    assert await start_due_runs(backend, settings.intake, now=soon(backend, 800)) == ()
    (run,) = await runs_of(backend)
    assert run.status is RunStatus.COMPLETED
    (found,) = await backend.incidents.incidents("local")
    assert (found.alert_count, found.run_count, found.run_id) == (1000, 1, run.run_id)
    assert len(await backend.incidents.alerts(found.incident_id)) == 500
    assert (run.incident_id, run.session_id) == (found.incident_id, found.session_id)


async def test_one_alert_each_in_many_bodies_without_group_keys_makes_one_run(
    backend: Backend, settings: Settings
) -> None:
    bodies = [payloads.generic(labels={"pod": f"store-{number}"}, fingerprint=f"f{number}") for number in range(150)]
    for start in range(0, 150, 50):
        await asyncio.gather(*(deliver(backend, settings, body, "generic") for body in bodies[start : start + 50]))
    assert len(await start_due_runs(backend, settings.intake, now=soon(backend))) == 1
    (found,) = await backend.incidents.incidents("local")
    assert found.alert_count == 150


async def test_the_run_is_given_the_worst_alerts_that_fire(backend: Backend, settings: Settings) -> None:
    await deliver(backend, settings, payloads.alertmanager(*(f"W{n}" for n in range(30)), severity="warning"))
    await deliver(backend, settings, payloads.alertmanager("Over", severity="critical"))
    await deliver(backend, settings, payloads.alertmanager("Over", severity="critical", status="resolved"))
    await deliver(backend, settings, payloads.alertmanager("Worst", severity="critical"))
    (run_id,) = await start_due_runs(backend, settings.intake, now=soon(backend))
    rows = await backend.services.runs.load(run_id)
    assert rows is not None
    payload = rows.run.sources["payload"]
    assert (rows.run.mode, rows.run.severity, rows.run.service) == (
        RunMode.PAYLOAD_TARGETED,
        "critical",
        "order-intake",
    )
    assert len(payload) == MAX_PAYLOAD_ALERTS
    assert [alert["name"] for alert in payload[:2]] == ["Worst", "W0"]
    assert "Over" not in {alert["name"] for alert in payload}


async def test_a_crash_between_claim_and_run_loses_and_doubles_nothing(backend: Backend, settings: Settings) -> None:
    await deliver(backend, settings, payloads.alertmanager())
    (lost,) = await backend.incidents.claim_due(settings.intake, now=soon(backend))
    assert await start_due_runs(backend, settings.intake, now=soon(backend, 2)) == ()
    first = await start_due_runs(backend, settings.intake, now=lost.lease_until)
    assert first == (lost.run_id,)
    await backend.incidents.started(lost)
    assert await start_due_runs(backend, settings.intake, now=lost.lease_until + timedelta(seconds=60)) == ()
    assert len(await runs_of(backend)) == 1


async def test_several_workers_begin_each_run_once(backend: Backend, settings: Settings) -> None:
    for number in range(6):
        await deliver(backend, settings, payloads.alertmanager(group=f"team-{number}"))
    policy = replace(settings.intake, max_open_runs=100)
    begun = await asyncio.gather(*(start_due_runs(backend, policy, now=soon(backend)) for _ in range(4)))
    assert len({run_id for some in begun for run_id in some}) == sum(len(some) for some in begun) == 6
    assert len(await runs_of(backend)) == 6


async def test_a_repeat_by_fingerprint_counts_and_adds_no_alert(backend: Backend, settings: Settings) -> None:
    changing = payloads.generic(labels={"pod": "a", "value": "91"})
    await deliver(backend, settings, changing, "generic")
    await deliver(backend, settings, payloads.generic(labels={"pod": "a", "value": "97"}), "generic")
    (found,) = await backend.incidents.incidents("local")
    (kept,) = await backend.incidents.alerts(found.incident_id)
    assert (found.alert_count, kept.count, kept.alert.labels["value"]) == (2, 2, "97")


async def test_other_groups_senders_and_incidents_are_apart(backend: Backend, settings: Settings) -> None:
    await deliver(backend, settings, payloads.alertmanager(group="a"))
    await deliver(backend, settings, payloads.alertmanager(group="b"))
    await deliver(backend, settings, payloads.pagerduty(incident="P1"), "pagerduty")
    await deliver(backend, settings, payloads.pagerduty(incident="P2"), "pagerduty")
    await deliver(backend, settings, payloads.generic(), "generic")
    await deliver(backend, settings, payloads.generic(service="other"), "generic")
    assert len(await backend.incidents.incidents("local")) == 6
    await deliver(backend, settings, payloads.pagerduty("incident.resolved", incident="P1"), "pagerduty")
    (closed,) = await backend.incidents.incidents("local", status=IncidentStatus.RESOLVED)
    assert "P1" in closed.group_key


async def test_a_state_that_is_neither_begins_nothing(backend: Backend, settings: Settings) -> None:
    receipt = await deliver(backend, settings, payloads.cloudwatch_alarm("INSUFFICIENT_DATA"), "cloudwatch")
    assert (receipt.kind, receipt.alerts) == (PayloadKind.ALERT, 0)
    assert await backend.incidents.incidents("local") == ()
    await deliver(backend, settings, payloads.cloudwatch_alarm("ALARM"), "cloudwatch")
    await deliver(backend, settings, payloads.cloudwatch_alarm("OK"), "cloudwatch")
    (found,) = await backend.incidents.incidents("local")
    assert found.status is IncidentStatus.RESOLVED


async def test_a_delivery_is_known_for_days_and_then_forgotten_by_the_clock_alone(
    backend: Backend, settings: Settings
) -> None:
    moment = backend.services.clock.now()
    arrived = Arrived("alertmanager", as_bytes(payloads.alertmanager("A")), "local", moment, "k" * 64)
    await take_alerts(backend, settings.intake, settings.intake.group_labels, arrived)
    assert await forget_old_deliveries(backend, now=moment + KEEP_DELIVERIES) == 0
    assert await forget_old_deliveries(backend, now=moment + KEEP_DELIVERIES + timedelta(seconds=1)) == 1
