"""The HTTP application: what stands around the routes, and which routes there are."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

from fastapi import FastAPI
from fastapi.routing import APIRoute

from rootproof import __version__
from rootproof.diagnosis.backend import Backend
from rootproof.entrypoints.http.auth import Gate
from rootproof.entrypoints.http.edge import Edge
from rootproof.entrypoints.http.library import Library
from rootproof.entrypoints.http.limits import BodyLimits
from rootproof.entrypoints.http.measured import Measured
from rootproof.entrypoints.http.openapi import describe
from rootproof.entrypoints.http.problem_answers import install
from rootproof.entrypoints.http.routes import (
    ai_ops,
    alerts,
    cases,
    chat,
    feedback,
    incidents,
    knowledge,
    login,
    metrics,
    ops,
    runs,
    sessions,
    skills,
    trace,
)
from rootproof.settings import Settings

ROUTERS = (
    ops.router,
    metrics.router,
    login.router,
    runs.router,
    sessions.router,
    trace.router,
    chat.router,
    ai_ops.router,
    feedback.router,
    cases.router,
    alerts.router,
    incidents.router,
    knowledge.router,
    skills.router,
)

Lifespan = Callable[[FastAPI], AbstractAsyncContextManager[None]]


def create_app(settings: Settings, backend: Backend, *, lifespan: Lifespan | None = None) -> FastAPI:
    """The application over a backend that its caller opened and closes.

    `app.state.draining` set to True makes `/readyz` answer 503 while the server shuts down.
    """
    app = FastAPI(
        title="Rootproof",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url="/openapi.json",
        generate_unique_id_function=_operation_id,
        lifespan=lifespan,
    )
    app.state.settings = settings
    app.state.backend = backend
    app.state.gate = Gate(settings, backend.keys, backend.services.clock)
    app.state.library = Library(settings, backend.services.clock)
    app.state.draining = False
    install(app)
    for router in ROUTERS:
        app.include_router(router)
    describe(app)
    app.add_middleware(BodyLimits, max_bytes=settings.server.max_body_bytes)
    app.add_middleware(Edge)
    app.add_middleware(Measured, telemetry=backend.telemetry)
    return app


def _operation_id(route: APIRoute) -> str:
    return route.name
