"""Settings to a `Backend`: every store and channel of the service, on servers or embedded."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rootproof.bootstrap import SourceSpec, memory_services, open_inputs, open_services
from rootproof.bootstrap.records import remembering
from rootproof.diagnosis.backend import Backend, RunBasis, RunInputs
from rootproof.diagnosis.publishing_store import PublishingRunStore
from rootproof.errors import UsageError
from rootproof.settings import Settings
from rootproof.settings.report_targets import report_targets

if TYPE_CHECKING:
    from rootproof.adapters.observability.service import ServiceTelemetry
    from rootproof.adapters.outgoing.http_sender import HttpSender
    from rootproof.domain.run import Run
    from rootproof.ports.canonical_store import CanonicalInvocationStore
    from rootproof.ports.cases import CaseStore
    from rootproof.ports.event_bus import EventBus
    from rootproof.ports.run_queue import RunQueue
    from rootproof.ports.session_context import SessionContextStore
    from rootproof.ports.telemetry import Telemetry

SESSIONS_NAME = "sessions"


class ProcessChannels:
    """What the threads of one process share where Redis is not there, or is away: its bus and its queue."""

    def __init__(self) -> None:
        from rootproof.adapters.memory.event_bus import InMemoryEventBus
        from rootproof.adapters.memory.run_queue import InMemoryRunQueue

        self.bus = InMemoryEventBus()
        self.queue = InMemoryRunQueue()


@dataclass(frozen=True, slots=True)
class _Channels:
    """What Redis does where there is one."""

    bus: EventBus
    queue: RunQueue
    sessions: SessionContextStore
    canonical: CanonicalInvocationStore
    close: Callable[[], Awaitable[None]]


async def open_backend(
    settings: Settings, *, telemetry: Telemetry | None = None, shared: ProcessChannels | None = None
) -> Backend:
    """The backend on the configured stores, for one event loop; `await backend.close()` at the end.

    Loops of one process are given the same `shared`, so that they hear each other without Redis.

    Raises: UsageError for a setting that cannot be used; StoreError for a store that is broken.
    """
    from rootproof.adapters.sql.api_keys import SqlApiKeyStore
    from rootproof.adapters.sql.cases import SqlCaseStore
    from rootproof.adapters.sql.feedback import SqlFeedbackStore
    from rootproof.adapters.sql.incidents import SqlIncidentStore
    from rootproof.adapters.sql.outbox import SqlOutboxStore
    from rootproof.adapters.sql.run_directory import SqlRunDirectory
    from rootproof.adapters.sql.run_leases import SqlRunLeases
    from rootproof.adapters.sql.run_store import SqlRunStore
    from rootproof.bootstrap.log_sources import configured_servers, open_log_server
    from rootproof.ports.telemetry import NoTelemetry

    notify = report_targets(settings)
    if not settings.sources.bundle:
        for section in configured_servers(settings):
            open_log_server(settings, section)  # a secret that is named and missing stops the start, not each run
    basis = await asyncio.to_thread(run_basis, settings)
    services = await open_services(settings)
    if not isinstance(services.runs, SqlRunStore):
        raise TypeError(f"a backend is kept in SQL, these runs are in {type(services.runs).__name__}")
    database = services.runs.database
    try:
        channels = _channels(settings, services.canonical, shared or ProcessChannels())
    except BaseException:
        await services.runs.close()
        raise
    runs = PublishingRunStore(services.runs, channels.bus)
    cases = SqlCaseStore(database)
    return Backend(
        services=replace(services, runs=runs, canonical=channels.canonical),
        leases=SqlRunLeases(database),
        directory=SqlRunDirectory(database),
        sessions=channels.sessions,
        bus=channels.bus,
        queue=channels.queue,
        keys=SqlApiKeyStore(database),
        feedback=SqlFeedbackStore(database),
        cases=cases,
        incidents=SqlIncidentStore(database),
        outbox=SqlOutboxStore(database),
        inputs_of=inputs_opener(settings, cases),
        notify=notify,
        basis=basis,
        telemetry=telemetry or NoTelemetry(),
        span_content=settings.telemetry.content,
        close_channels=channels.close,
    )


def _channels(settings: Settings, canonical: CanonicalInvocationStore, shared: ProcessChannels) -> _Channels:
    """Redis where it is configured, reachable or not; else this process and a folder. Raises: UsageError."""
    if not settings.redis.url:
        from rootproof.adapters.local.session_context import FileSessionContext

        sessions = FileSessionContext(settings.home / SESSIONS_NAME)
        return _Channels(shared.bus, shared.queue, sessions, canonical, _nothing)
    try:
        from rootproof.adapters.docket.run_queue import DocketRunQueue
        from rootproof.adapters.redis.canonical_store import RedisCanonicalStore
        from rootproof.adapters.redis.client import RedisLink
        from rootproof.adapters.redis.event_bus import RedisEventBus
        from rootproof.adapters.redis.session_context import RedisSessionContext
    except ModuleNotFoundError as error:
        raise UsageError(
            f"redis.url is set, and a package for it is not installed ({error.name}): install rootproof[redis], or "
            "leave redis.url empty"
        ) from error
    from rootproof.diagnosis.kept_outputs import KeptOutputs

    chosen = settings.redis
    link = RedisLink(chosen.url, prefix=chosen.prefix, timeout_s=chosen.timeout_s)
    queue = DocketRunQueue(
        chosen.url,
        prefix=chosen.prefix,
        timeout_s=chosen.timeout_s,
        redelivery_s=settings.worker.lease_s,
        fallback=shared.queue,
    )
    kept = KeptOutputs(RedisCanonicalStore(link), canonical)
    return _Channels(RedisEventBus(link), queue, RedisSessionContext(link), kept, link.close)


async def _nothing() -> None:
    """There is nothing to close."""


def memory_backend(settings: Settings) -> Backend:
    """A backend that keeps nothing: for tests and benchmarks."""
    from rootproof.adapters.memory.api_keys import InMemoryApiKeyStore
    from rootproof.adapters.memory.cases import InMemoryCaseStore
    from rootproof.adapters.memory.event_bus import InMemoryEventBus
    from rootproof.adapters.memory.feedback import InMemoryFeedbackStore
    from rootproof.adapters.memory.incidents import InMemoryIncidentStore
    from rootproof.adapters.memory.outbox import InMemoryOutboxStore
    from rootproof.adapters.memory.run_directory import InMemoryRunDirectory
    from rootproof.adapters.memory.run_leases import InMemoryRunLeases
    from rootproof.adapters.memory.run_queue import InMemoryRunQueue
    from rootproof.adapters.memory.run_store import InMemoryRunStore
    from rootproof.adapters.memory.session_context import InMemorySessionContext

    services = memory_services(settings)
    runs = services.runs
    if not isinstance(runs, InMemoryRunStore):
        raise TypeError(f"these runs are in {type(runs).__name__}")
    bus, cases = InMemoryEventBus(), InMemoryCaseStore()
    return Backend(
        services=replace(services, runs=PublishingRunStore(runs, bus)),
        leases=InMemoryRunLeases(runs),
        directory=InMemoryRunDirectory(runs),
        sessions=InMemorySessionContext(),
        bus=bus,
        queue=InMemoryRunQueue(),
        keys=InMemoryApiKeyStore(),
        feedback=InMemoryFeedbackStore(runs),
        cases=cases,
        incidents=InMemoryIncidentStore(runs),
        outbox=InMemoryOutboxStore(),
        inputs_of=inputs_opener(settings, cases),
        notify=report_targets(settings),
        basis=run_basis(settings),
    )


def run_basis(settings: Settings) -> RunBasis:
    """What runs of the service start from. Raises: UsageError for a bundle that cannot be read."""
    reasoner = settings.model.name
    if not settings.sources.bundle:
        return RunBasis(reasoner=reasoner)
    from rootproof.adapters.sources.bundle import open_bundle

    folder = str(Path(settings.sources.bundle).expanduser().absolute())
    return RunBasis({"bundle": folder}, open_bundle(Path(folder)).now, reasoner)


def inputs_opener(settings: Settings, cases: CaseStore) -> Callable[[Run], Awaitable[RunInputs]]:
    """Opens a stored run's sources and skills in a thread, with its owner's past cases beside them."""

    async def inputs_of(run: Run) -> RunInputs:
        opened = await asyncio.to_thread(open_inputs, settings, SourceSpec.from_json(run.sources))
        return RunInputs(await remembering(opened.sources, cases, run.owner), opened.skills)

    return inputs_of


def service_telemetry(settings: Settings) -> ServiceTelemetry:
    """Logs of this process set up as configured, and what it measures. Raises: UsageError."""
    from rootproof import __version__
    from rootproof.adapters.observability.logs import set_up_logging
    from rootproof.adapters.observability.service import open_telemetry

    chosen = settings.telemetry
    set_up_logging(chosen.log_level, chosen.log_format)
    return open_telemetry(chosen.otlp_endpoint, __version__)


def report_sender(settings: Settings) -> HttpSender:
    """What sends finished reports; `await sender.close()` at the end."""
    from rootproof.adapters.outgoing.http_sender import HttpSender

    return HttpSender(allow_private=settings.notify.allow_private)
