"""Settings to a `Backend`: every store and channel of the service, on servers or embedded."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rootproof.bootstrap import INDEX_NAME, SourceSpec, memory_services, open_inputs, open_services
from rootproof.diagnosis.backend import Backend, RunBasis, RunInputs
from rootproof.diagnosis.publishing_store import PublishingRunStore
from rootproof.settings import Settings

if TYPE_CHECKING:
    from rootproof.domain.run import Run
    from rootproof.ports.cases import CaseStore

SESSIONS_NAME = "sessions"


def _made(module: str, name: str, *arguments: Any, **named: Any) -> Any:
    return getattr(importlib.import_module(f"rootproof.adapters.{module}"), name)(*arguments, **named)


async def open_backend(settings: Settings) -> Backend:
    """The backend on the configured stores; call `close` on it at the end.

    Raises: UsageError for a setting that cannot be used; StoreError for a store that is broken.
    """
    from rootproof.adapters.sql.run_store import SqlRunStore

    basis = await asyncio.to_thread(run_basis, settings)
    services = await open_services(settings)
    assert isinstance(services.runs, SqlRunStore)  # noqa: S101
    database = services.runs.database
    bus = _made("memory.event_bus", "InMemoryEventBus")
    cases = _made("sql.cases", "SqlCaseStore", database)
    return Backend(
        services=replace(services, runs=PublishingRunStore(services.runs, bus)),
        leases=_made("sql.run_leases", "SqlRunLeases", database),
        directory=_made("sql.run_directory", "SqlRunDirectory", database),
        sessions=_made("local.session_context", "FileSessionContext", settings.home / SESSIONS_NAME),
        bus=bus,
        queue=_made("memory.run_queue", "InMemoryRunQueue"),
        keys=_made("sql.api_keys", "SqlApiKeyStore", database),
        feedback=_made("sql.feedback", "SqlFeedbackStore", database),
        cases=cases,
        incidents=_made("sql.incidents", "SqlIncidentStore", database),
        outbox=_made("sql.outbox", "SqlOutboxStore", database),
        inputs_of=inputs_opener(settings, cases),
        basis=basis,
    )


def memory_backend(settings: Settings) -> Backend:
    """A backend that keeps nothing: for tests and benchmarks."""
    services = memory_services(settings)
    runs = services.runs
    bus = _made("memory.event_bus", "InMemoryEventBus")
    cases = _made("memory.cases", "InMemoryCaseStore", runs)
    return Backend(
        services=replace(services, runs=PublishingRunStore(runs, bus)),
        leases=_made("memory.run_leases", "InMemoryRunLeases", runs),
        directory=_made("memory.run_directory", "InMemoryRunDirectory", runs),
        sessions=_made("memory.session_context", "InMemorySessionContext"),
        bus=bus,
        queue=_made("memory.run_queue", "InMemoryRunQueue"),
        keys=_made("memory.api_keys", "InMemoryApiKeyStore"),
        feedback=_made("memory.feedback", "InMemoryFeedbackStore", runs),
        cases=cases,
        incidents=_made("memory.incidents", "InMemoryIncidentStore", runs),
        outbox=_made("memory.outbox", "InMemoryOutboxStore"),
        inputs_of=inputs_opener(settings, cases),
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
    from rootproof.adapters.index.cases import with_cases
    from rootproof.diagnosis.cases import known_cases

    async def inputs_of(run: Run) -> RunInputs:
        opened = await asyncio.to_thread(open_inputs, settings, SourceSpec.from_json(run.sources))
        known = await known_cases(cases, run.owner)
        index = settings.home / INDEX_NAME
        sources = await asyncio.to_thread(with_cases, opened.sources, known, index, store=cases)
        return RunInputs(sources, opened.skills)

    return inputs_of
