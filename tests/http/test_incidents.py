"""`/api/incidents`: lists, one incident with its alerts and runs, closing by hand."""

from __future__ import annotations

from dataclasses import replace

import httpx2

from rootproof.diagnosis.backend import Backend
from rootproof.diagnosis.start_due_runs import start_due_runs
from rootproof.settings import Settings
from tests.alerts_in import payloads
from tests.http.conftest import HandClock


async def opened(client: httpx2.AsyncClient, name: str = "orders") -> str:
    answer = await client.post("/api/alerts/alertmanager", json=payloads.alertmanager("A", "B", group=name))
    incident_id: str = answer.json()["incidents"][0]["incidentId"]
    return incident_id


async def test_one_incident_with_its_alerts_and_runs(
    ana: httpx2.AsyncClient, backend: Backend, clock: HandClock, settings: Settings
) -> None:
    incident_id = await opened(ana)
    clock.pass_time(10)
    (run_id,) = await start_due_runs(backend, settings.intake, now=clock.now())
    shown = (await ana.get(f"/api/incidents/{incident_id}")).json()
    assert (shown["status"], shown["runId"], shown["nextRunAt"]) == ("OPEN", run_id, None)
    assert [alert["name"] for alert in shown["alerts"]] == ["A", "B"]
    assert [(run["runId"], run["status"]) for run in shown["runs"]] == [(run_id, "QUEUED")]
    assert (shown["severity"], shown["alertCount"], shown["runCount"]) == ("critical", 2, 1)


async def test_lists_are_paged_and_filtered(ana: httpx2.AsyncClient, ben: httpx2.AsyncClient, clock: HandClock) -> None:
    made = [await opened(ana, f"team-{number}") for number in range(5)]
    await opened(ben)
    await ana.post(f"/api/incidents/{made[2]}/resolve")
    seen: list[str] = []
    cursor = ""
    while True:
        page = (await ana.get(f"/api/incidents?limit=2{cursor}")).json()
        seen += [item["incidentId"] for item in page["items"]]
        if page["nextCursor"] is None:
            break
        cursor = f"&cursor={page['nextCursor']}"
    assert seen == made[::-1]
    resolved = (await ana.get("/api/incidents?status=RESOLVED")).json()["items"]
    assert [item["incidentId"] for item in resolved] == [made[2]]
    assert len((await ana.get("/api/incidents?backlog=true")).json()["items"]) == 4
    assert (await ana.get("/api/incidents?status=NEW")).status_code == 422
    assert (await ana.get("/api/incidents?cursor=zz")).status_code == 422


async def test_the_backlog_says_why_it_waits(
    ana: httpx2.AsyncClient, backend: Backend, clock: HandClock, settings: Settings
) -> None:
    for number in range(3):
        await opened(ana, f"team-{number}")
    clock.pass_time(10)
    assert len(await start_due_runs(backend, replace(settings.intake, max_open_runs=1), now=clock.now())) == 1
    waiting = (await ana.get("/api/incidents?backlog=true")).json()["items"]
    assert len(waiting) == 2
    assert all("runs of alerts are open" in item["statusReason"] for item in waiting)


async def test_closing_by_hand_and_firing_again(ana: httpx2.AsyncClient, backend: Backend) -> None:
    incident_id = await opened(ana)
    closed = (await ana.post(f"/api/incidents/{incident_id}/resolve")).json()
    assert (closed["status"], closed["nextRunAt"]) == ("RESOLVED", None)
    assert (await ana.post(f"/api/incidents/{incident_id}/resolve")).json() == closed
    again = (await ana.post("/api/alerts/alertmanager", json=payloads.alertmanager("A"))).json()
    assert again["incidents"][0]["effect"] == "REOPENED"
    assert again["incidents"][0]["incidentId"] == incident_id


async def test_a_foreign_incident_and_an_absent_one_look_the_same(
    ana: httpx2.AsyncClient, ben: httpx2.AsyncClient
) -> None:
    mine = await opened(ana)
    for method, path in (("GET", ""), ("POST", "/resolve")):
        foreign = await ben.request(method, f"/api/incidents/{mine}{path}")
        absent = await ben.request(method, f"/api/incidents/inc-0{path}")
        assert foreign.status_code == absent.status_code == 404
        assert foreign.json()["detail"].replace(mine, "X") == absent.json()["detail"].replace("inc-0", "X")
    assert (await ana.get(f"/api/incidents/{mine}")).json()["status"] == "OPEN"
