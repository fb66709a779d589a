"""A service of one process that the incident is played in: an HTTP server, a worker, stores, a model server, receivers.

`play` asks, alerts, follows up, rates and makes cases, with canaries in all of it, reads every answer, and keeps what
came out of each opening for `sinks`.
"""

from __future__ import annotations

import asyncio
import io
import json
import logging
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final
from zipfile import ZipFile

import httpx2
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from rootproof.adapters.observability.logs import set_up_logging
from rootproof.adapters.observability.service import ServiceTelemetry
from rootproof.adapters.observability.spans import OtelSpans
from rootproof.bootstrap.backend import open_backend
from rootproof.diagnosis.backend import Backend, RunInputs
from rootproof.diagnosis.observe import span_of
from rootproof.domain.run import Run
from rootproof.entrypoints.worker import open_worker
from rootproof.errors import QueryRejected, SourceDenied, SourceTimeout, SourceUnavailable
from rootproof.ports.run_store import RunRows
from rootproof.settings import Settings
from rootproof.settings.sections import (
    IntakeSettings,
    ModelSettings,
    NotifySettings,
    RedisSettings,
    SourceSettings,
    StoreSettings,
    TelemetrySettings,
    WorkerSettings,
)
from tests.canary.forms import Canaries
from tests.canary.incident import payload, question, write_incident
from tests.canary.model import SKILL, script
from tests.contracts.polling import wait_until
from tests.fakes.processes import Provider, fake_provider
from tests.fakes.sources import FakeLogs
from tests.http.live import serving
from tests.outgoing.http_server import LocalServer, answer, served

MODEL: Final = "openai:fake-1"
UNPLUGGED: Final = "unplugged"
"""A question with this word has sources that fail, with secrets in what they say."""
KEY_ENV: Final = "CANARY_MODEL_KEY"
SLACK_ENV: Final = "CANARY_SLACK_URL"
SIGNING_ENV: Final = "CANARY_SIGNING_SECRET"


@dataclass
class World:
    """What came out of every opening, as text or bytes."""

    folder: Path
    canaries: Canaries = field(default_factory=Canaries)
    log: io.StringIO = field(default_factory=io.StringIO)
    spans: InMemorySpanExporter = field(default_factory=InMemorySpanExporter)
    plain_spans: list[str] = field(default_factory=list)
    prompts: str = ""
    reads: dict[str, str] = field(default_factory=dict)
    """Answers of reading routes, by their address."""
    writes: dict[str, str] = field(default_factory=dict)
    """Answers of the other routes."""
    streams: dict[str, str] = field(default_factory=dict)
    refusals: dict[str, str] = field(default_factory=dict)
    """Problem documents."""
    sent: list[str] = field(default_factory=list)
    """What was posted to others."""
    runs: list[RunRows] = field(default_factory=list)
    routes: set[str] = field(default_factory=set)
    """Reading routes that answered 200."""
    raw: str = ""
    """One complete raw output, as an administrator reads it."""
    redis: bytes = b""
    redis_raw: bytes = b""


def settings_of(world: World, provider: Provider, receiver: LocalServer, redis_url: str, prefix: str) -> Settings:
    """Everything on, at its most talkative."""
    skills = world.folder / "skills" / SKILL
    skills.mkdir(parents=True)
    told = "\n\n".join(world.canaries.every("skill").values())
    about = json.dumps(f"Pools of connections. {world.canaries.one('description of a skill')}")
    head = f"---\nname: {SKILL}\ndescription: {about}\n---\n"
    (skills / "SKILL.md").write_text(f"{head}\n# Pools\n\nLook at the logs.\n\n{told}\n", encoding="utf-8")
    return Settings(
        store=StoreSettings(home=str(world.folder / "home")),
        model=ModelSettings(name=MODEL, base_url=provider.base_url, api_key_env=KEY_ENV),
        sources=SourceSettings(
            bundle=str(world.folder / "bundle"),
            knowledge=(str(world.folder / "bundle" / "knowledge"),),
            skills=(str(skills.parent),),
        ),
        redis=RedisSettings(url=redis_url, prefix=prefix),
        worker=WorkerSettings(sweep_s=1),
        intake=IntakeSettings(settle_s=0),
        notify=NotifySettings(
            webhook_url=f"{receiver.url}/in", webhook_secret_env=SIGNING_ENV, slack_url_env=SLACK_ENV,
            allow_private=True, chat_runs=True,
        ),
        telemetry=TelemetrySettings(log_level="debug", log_format="json", content=True),
    )  # fmt: skip


def environment(canaries: Canaries, receiver: LocalServer) -> dict[str, str]:
    """The secrets that an operator sets."""
    return {
        KEY_ENV: canaries.word("model provider", "key of the model"),
        SIGNING_ENV: canaries.word("stripe", "signing secret"),
        SLACK_ENV: f"{receiver.url}/services/T0/B0/{canaries.planted_word('address of a channel')}",
    }


@contextmanager
def logged(stream: io.StringIO) -> Iterator[None]:
    """Every line of this process at debug level through our own formatter, as it was before afterwards."""
    root = logging.getLogger()
    handlers, level = root.handlers, root.level
    levels = {name: logging.getLogger(name).level for name in list(logging.Logger.manager.loggerDict)}
    set_up_logging("debug", "json", stream=stream)
    try:
        yield
    finally:
        root.handlers = handlers
        root.setLevel(level)
        for name, before in levels.items():
            logging.getLogger(name).setLevel(before)


async def play(folder: Path, environ: Any, redis_url: str = "") -> World:
    """The whole incident; `environ(name, value)` sets a variable for as long as the caller likes."""
    world = World(folder)
    write_incident(folder / "bundle", world.canaries)
    prefix = f"rootproof-test-{secrets.token_hex(4)}"
    with logged(world.log), fake_provider(folder, script(world.canaries)) as provider:
        async with AsyncExitStack() as closing:
            receiver = await closing.enter_async_context(served(answer(200)))
            for name, value in environment(world.canaries, receiver).items():
                environ(name, value)
            settings = settings_of(world, provider, receiver, redis_url, prefix)
            tracer = TracerProvider()
            tracer.add_span_processor(SimpleSpanProcessor(world.spans))
            telemetry = ServiceTelemetry(OtelSpans(tracer.get_tracer("t"), tracer))
            opened = await open_backend(settings, telemetry=telemetry)
            closing.push_async_callback(opened.close)
            backend = replace(opened, inputs_of=failing_where_asked(opened, world.canaries))
            worker = await open_worker(settings, backend, closing)
            working = asyncio.create_task(worker.work())
            client = await closing.enter_async_context(serving(settings, backend))
            await _use(world, backend, client)
            await _read_everything(world, backend, client)
            await _keep(world, backend, receiver)
            await worker.stop(5)
            await working
        world.prompts = "\n".join(json.dumps(request, ensure_ascii=False) for request in provider.requests)
    if redis_url:
        _read_redis(world, redis_url, prefix)
    return world


def failing_where_asked(backend: Backend, canaries: Canaries) -> Any:
    """The inputs of a run; those of an unplugged one fail in every way that a source can."""

    async def inputs_of(run: Run) -> RunInputs:
        inputs = await backend.inputs_of(run)
        if UNPLUGGED not in run.question:
            return inputs
        words = iter(canaries.every("failure").values())
        told = ["; ".join([next(words) for _ in range(10)]) for _ in range(5)]
        sources = replace(
            inputs.sources,
            logs=FakeLogs(
                answer=SourceUnavailable(f"GET https://svc:{canaries.planted_word('url')}@logs/x: {told[0]}")
            ),
            metrics=_Failing(QueryRejected(told[1])),
            alerts=_Failing(SourceDenied(told[2])),
            cluster=_Failing(RuntimeError(told[3])),
            knowledge=_Failing(SourceTimeout(told[4])),
            notes=(*inputs.sources.notes,),
        )
        return replace(inputs, sources=sources)

    return inputs_of


@dataclass
class _Failing:
    """A source of any kind that raises."""

    error: Exception
    name: str = "broken"
    kind: str = "MOCK"

    async def fetch(self, *_: Any, **__: Any) -> str:
        raise self.error

    search = fetch


async def _use(world: World, backend: Backend, client: httpx2.AsyncClient) -> None:
    """Ask, follow up, alert, rate, make a case: with canaries in everything that a caller can say."""
    canaries = world.canaries

    async def post(name: str, path: str, body: Any, status: Sequence[int] = (200, 201, 202), **more: Any) -> Any:
        kept = world.writes if status[0] < 300 else world.refusals
        found = await client.post(path, json=body, timeout=120, **more)
        assert found.status_code in status, f"{name}: {found.status_code} {found.text}"
        kept[name] = found.text
        return found.json()

    asked = await post("a question", "/api/chat", {"question": question(canaries, "first")})
    session = asked["sessionId"]
    follow = {"sessionId": session, "question": question(canaries, "follow-up"), "model": "playbook"}
    await post("a follow-up", "/api/chat", follow)
    unplugged = f"{question(canaries, 'unplugged')} ({UNPLUGGED})"
    failed = await post("sources that fail", "/api/chat", {"question": unplugged, "model": "playbook"})
    assert failed["status"] == "COMPLETED"
    alert = payload(canaries, "asked")
    accept = {"Accept": "text/event-stream"}
    async with client.stream(
        "POST", f"/api/ai_ops?sessionId={session}", json=alert, headers=accept, timeout=120
    ) as streamed:
        world.streams["ai_ops"] = "".join([text async for text in streamed.aiter_text()])
        assert streamed.status_code == 200, world.streams["ai_ops"]
    headers = {
        f"X-Note-{n}": text.encode("unicode_escape").decode()
        for n, text in enumerate(canaries.every("header").values())
    }
    await post("an alert", "/api/alerts/alertmanager", payload(canaries, "webhook"), headers=headers)
    await post("no alert", "/api/alerts/alertmanager", {canaries.one("member"): canaries.one("body")}, (422,))
    await wait_until(lambda: _incident_done(backend), within_s=120)
    await _rate(world, client, post, session, asked["runId"])
    await _say_nonsense(world, client)


async def _incident_done(backend: Backend) -> bool:
    runs = await backend.services.runs.list_runs(limit=50)
    return len(runs) >= 5 and all(run.status.value not in ("QUEUED", "RUNNING") for run in runs)


async def _rate(world: World, client: httpx2.AsyncClient, post: Any, session: str, run_id: str) -> None:
    every = world.canaries.every("comment").values()
    said = {"runId": run_id, "verdict": "WRONG_CAUSE", "comment": "; ".join(list(every)[:30])[:3_900]}
    said["correctedCause"] = f"the pool of ledger; {world.canaries.text('postgres', 'corrected cause')}"
    said["idempotencyKey"] = world.canaries.word("github", "idempotency key")
    await post("feedback", f"/api/diagnosis/{session}/feedback", said)
    told = "; ".join(list(world.canaries.every("solution").values())[:30])
    case = {"runId": run_id, "title": world.canaries.one("title of a case"), "solution": told[:3_900]}
    made = await post("a case", "/api/cases", case)
    again = {"question": "ledger: connection pool exhausted again?", "model": "playbook"}
    await post("a question that is shown the case", "/api/chat", again)
    await post("a case revoked", f"/api/cases/{made['caseId']}/revoke", {"reason": world.canaries.one("reason")})


async def _say_nonsense(world: World, client: httpx2.AsyncClient) -> None:
    """Requests that are refused: with secrets in addresses, keys, bodies and ids."""
    canaries = world.canaries
    word = canaries.word
    as_json = {"Content-Type": "application/json"}
    other_model = f"openai:{word('npm', 'model name')}"
    tries = {
        "unknown path": client.get(f"/api/{word('github', 'unknown path')}"),
        "unknown run": client.get(f"/api/runs/{word('github', 'unknown run')}"),
        "unknown vendor": client.post(f"/api/alerts/{word('npm', 'unknown vendor')}", json={}),
        "wrong cursor": client.get("/api/runs", params={"cursor": word("stripe", "cursor")}),
        "wrong status": client.get("/api/runs", params={"status": canaries.one("status")}),
        "unknown parameter": client.get("/api/runs", params={word("github", "parameter"): canaries.one("value")}),
        "wrong key": client.get("/api/runs", headers={"Authorization": f"Bearer {word('gitlab', 'wrong key')}"}),
        "key in an address": client.get("/api/runs", params={"api_key": word("gitlab", "key in an address")}),
        "wrong login": client.post("/api/login", json={"key": word("stripe", "login")}),
        "no JSON": client.post("/api/chat", content=canaries.one("no json"), headers=as_json),
        "wrong types": client.post("/api/chat", json={"question": [canaries.one("types")], word("npm", "field"): 1}),
        "unknown model": client.post("/api/chat", json={"question": "x", "model": other_model}),
        "long question": client.post("/api/chat", json={"question": canaries.one("long") * 2_000}),
    }  # fmt: skip
    for name, call in tries.items():
        found = await call
        world.refusals[name] = f"{found.text} {dict(found.headers)}"


async def _read_everything(world: World, backend: Backend, client: httpx2.AsyncClient) -> None:
    """Every reading route that the server says it has, for every run, session, incident, case and skill."""

    async def ids(path: str, name: str, **params: str) -> list[str]:
        return [item[name] for item in (await client.get(path, params={"limit": "50"} | params)).json()["items"]]

    runs = await ids("/api/runs", "runId")
    first = await backend.services.runs.load(runs[-1])
    assert first is not None
    known: Mapping[str, list[str]] = {
        "runId": runs,
        "a": runs[:1],
        "b": runs[1:],
        "sessionId": await ids("/api/chat/sessions", "sessionId"),
        "incidentId": await ids("/api/incidents", "incidentId"),
        "caseId": await ids("/api/cases", "caseId", revoked="true"),
        "name": [SKILL],
        "invocationId": [f"{call.step_no}.{call.call_index}" for call in first.invocations],
    }
    routes = (await client.get("/openapi.json")).json()["paths"]
    for route in [path for path, methods in routes.items() if "get" in methods]:
        one = {"runId": runs[-1:]} if "/raw/" in route else {}
        for path in _filled(route, {**known, **one}):
            searched = f"ledger connection pool exhausted {world.canaries.one('words of a search')}"
            params = {"q": searched} if path.endswith("/search") else {}
            found = await client.get(path, params=params, timeout=60)
            if found.status_code == 200:
                world.routes.add(route)
            if "/raw/" in path:
                world.raw += found.text
            elif path.endswith("/bundle"):
                world.reads[path] = _unpacked(found.content)
            elif "/events" in path:
                world.streams[path] = found.text
            else:
                world.reads[path] = f"{found.text} {found.headers}"
    found = await client.get(f"/api/runs/{runs[-1]}/bundle", params={"format": "json"})
    world.reads["bundle of the first run as JSON"] = found.text


def _unpacked(data: bytes) -> str:
    """The names and texts of the files in an archive."""
    with ZipFile(io.BytesIO(data)) as archive:
        return "\n".join(f"{name} {archive.read(name).decode()}" for name in archive.namelist())


def _filled(route: str, known: Mapping[str, list[str]]) -> list[str]:
    """The route with every id in its place."""
    paths = [route]
    for name, values in known.items():
        if f"{{{name}}}" in route:
            paths = [path.replace(f"{{{name}}}", value) for path in paths for value in values]
    return paths


async def _keep(world: World, backend: Backend, receiver: LocalServer) -> None:
    """Rows, spans without words, and what was sent to others."""
    for run in await backend.services.runs.list_runs(limit=50):
        rows = await backend.services.runs.load(run.run_id)
        assert rows is not None
        world.runs.append(rows)
        world.plain_spans.append(repr(span_of(rows)))
        world.writes[f"outbox of {run.run_id}"] = repr(await backend.outbox.items(run.run_id))
    await wait_until(lambda: len(receiver.seen) >= 2 * len(world.runs), within_s=120)
    for seen in receiver.seen:
        world.sent.append(f"{seen.method} {seen.headers} {seen.body.decode()}")


def _read_redis(world: World, url: str, prefix: str) -> None:
    """Every key and value that begins with our prefix, the complete raw outputs apart; then they are deleted."""
    from redis import Redis

    client = Redis.from_url(url, decode_responses=False)
    for key in client.scan_iter(f"{prefix}*"):
        dumped = key + b" " + (client.dump(key) or b"") + b" " + _value(client, key)
        if b":raw:" in key or b"canonical" in key:
            world.redis_raw += dumped
        else:
            world.redis += dumped
        client.delete(key)
    client.close()


def _value(client: Any, key: bytes) -> bytes:
    """What a key holds, whatever its type."""
    match client.type(key):
        case b"string":
            return bytes(client.get(key))
        case b"list":
            return b" ".join(client.lrange(key, 0, -1))
        case b"hash":
            return repr(client.hgetall(key)).encode()
        case b"stream":
            return repr(client.xrange(key)).encode()
        case b"zset" | b"set":
            return repr(
                list(client.zscan_iter(key) if client.type(key) == b"zset" else client.sscan_iter(key))
            ).encode()
        case _:
            return b""
