"""What routes ask for: the backend, the settings, who is calling. Every route names the scope it needs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated

from fastapi import Depends, Request

from rootproof.diagnosis.backend import Backend
from rootproof.domain.api_key import Principal, Scope
from rootproof.entrypoints.http.problems import Problem
from rootproof.settings import Settings

if TYPE_CHECKING:
    from rootproof.entrypoints.http.auth import Gate


def backend_of(request: Request) -> Backend:
    """The backend that `create_app` was given."""
    backend: Backend = request.app.state.backend
    return backend


def settings_of(request: Request) -> Settings:
    """The settings that `create_app` was given."""
    settings: Settings = request.app.state.settings
    return settings


async def caller(request: Request) -> Principal:
    """Who is calling. Raises: Problem 401."""
    gate: Gate = request.app.state.gate
    return await gate.principal(request)


def requires(scope: Scope) -> Callable[..., Awaitable[Principal]]:
    """A dependency that gives the caller, who must have `scope`. Raises: Problem 401, 403."""

    async def allowed(principal: Annotated[Principal, Depends(caller)]) -> Principal:
        if scope not in principal.scopes:
            raise Problem(403, "forbidden", f"this key does not have the scope {scope.value!r}")
        return principal

    return allowed


BackendDep = Annotated[Backend, Depends(backend_of)]
SettingsDep = Annotated[Settings, Depends(settings_of)]
Reader = Annotated[Principal, Depends(requires(Scope.READ))]
Diagnoser = Annotated[Principal, Depends(requires(Scope.DIAGNOSE))]
Admin = Annotated[Principal, Depends(requires(Scope.ADMIN))]
