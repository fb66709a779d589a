"""The real Alertmanager sends to the real application over loopback: one incident, one run, closed when it is over."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest
import uvicorn

from rootproof.diagnosis.backend import Backend
from rootproof.diagnosis.start_due_runs import start_due_runs
from rootproof.domain.incident import Incident, IncidentStatus
from rootproof.entrypoints.http.app import create_app
from rootproof.settings import Settings
from tests.fakes.service_process import free_port

BINARY = shutil.which("prometheus-alertmanager") or shutil.which("alertmanager")
TOKEN = "alertmanager-token"


@pytest.fixture(autouse=True)
def there() -> None:
    if BINARY is None:
        reason = "prometheus-alertmanager is not installed"
        if os.environ.get("ROOTPROOF_REQUIRE_SERVICES") == "1":
            pytest.fail(reason)
        pytest.skip(reason)


@asynccontextmanager
async def serving(settings: Settings, backend: Backend) -> AsyncIterator[str]:
    """The application on a free port."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        server = uvicorn.Server(
            uvicorn.Config(create_app(settings, backend), log_level="warning", lifespan="off", ws="none")
        )
        task = asyncio.create_task(server.serve(sockets=[listening]))
        await until(lambda: _value(server.started))
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        server.should_exit = True
        await task


@asynccontextmanager
async def alertmanager(folder: Path, webhook: str) -> AsyncIterator[httpx2.AsyncClient]:
    """A client of an Alertmanager of its own that sends everything to `webhook`."""
    config = folder / "alertmanager.yml"
    config.write_text(
        f"""
route:
  receiver: rootproof
  group_by: [team]
  group_wait: 200ms
  group_interval: 500ms
  repeat_interval: 1h
receivers:
  - name: rootproof
    webhook_configs:
      - url: {webhook}
        send_resolved: true
        http_config:
          authorization:
            credentials: {TOKEN}
""",
        encoding="utf-8",
    )
    port = free_port()
    process = await asyncio.create_subprocess_exec(
        str(BINARY),
        f"--config.file={config}",
        f"--storage.path={folder / 'data'}",
        f"--web.listen-address=127.0.0.1:{port}",
        "--cluster.listen-address=",
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}", trust_env=False) as client:
            await until(lambda: _is_ready(client))
            yield client
    finally:
        process.terminate()
        await process.wait()


async def _value(value: object) -> object:
    return value


async def _is_ready(client: httpx2.AsyncClient) -> bool:
    try:
        return (await client.get("/-/ready")).status_code == 200
    except httpx2.HTTPError:
        return False


async def until(check: Callable[[], Awaitable[Any]], seconds: float = 30) -> Any:
    """What `check` gives once that is true."""
    async with asyncio.timeout(seconds):
        while not (found := await check()):  # noqa: ASYNC110 - a bounded look
            await asyncio.sleep(0.05)
        return found


def alerts(count: int, *, over: bool = False) -> list[dict[str, Any]]:
    now = datetime.now(UTC)
    return [
        {
            "labels": {
                "alertname": f"Alert{number}",
                "team": "orders",
                "service": "order-intake",
                "severity": "critical" if number == 0 else "warning",
            },
            "annotations": {"summary": f"alert {number}"},
            "startsAt": (now - timedelta(minutes=5)).isoformat(),
            "endsAt": (now - timedelta(seconds=1) if over else now + timedelta(hours=1)).isoformat(),
        }
        for number in range(count)
    ]


async def test_the_real_alertmanager(
    tmp_path: Path, backend: Backend, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RP_AM_TOKEN", TOKEN)
    settings = replace(settings, intake=replace(settings.intake, token_env="RP_AM_TOKEN", cool_down_s=0))

    async def incident(status: IncidentStatus, alert_count: int) -> Incident | None:
        found = await backend.incidents.incidents("local")
        return next((one for one in found if one.status is status and one.alert_count >= alert_count), None)

    async with (
        serving(settings, backend) as url,
        alertmanager(tmp_path, f"{url}/api/alerts/alertmanager") as client,
    ):
        assert (await client.post("/api/v2/alerts", json=alerts(3))).status_code == 200
        opened = await until(lambda: incident(IncidentStatus.OPEN, 3))
        assert await client.post("/api/v2/alerts", json=alerts(40))
        await until(lambda: incident(IncidentStatus.OPEN, 43))
        (run_id,) = await start_due_runs(backend, settings.intake, now=datetime.now(UTC) + timedelta(seconds=1))
        rows = await backend.services.runs.load(run_id)
        assert rows is not None
        assert (rows.run.service, rows.run.severity) == ("order-intake", "critical")
        assert rows.run.sources["payload"][0]["name"] == "Alert0"
        assert (await client.post("/api/v2/alerts", json=alerts(40, over=True))).status_code == 200
        closed = await until(lambda: incident(IncidentStatus.RESOLVED, 43))
        assert closed.incident_id == opened.incident_id
        assert await start_due_runs(backend, settings.intake, now=datetime.now(UTC) + timedelta(hours=1)) == ()
        assert len(await backend.incidents.incidents("local")) == 1
        kept = await backend.incidents.alerts(opened.incident_id)
        assert (len(kept), {row.status for row in kept}) == (40, {"resolved"})
        assert json.dumps(rows.run.sources).count(TOKEN) == 0
