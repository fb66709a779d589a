"""Which problem an exception becomes, and how the framework's own errors are answered."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterator, Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute

from rootproof import redaction
from rootproof.entrypoints.http.limits import is_json
from rootproof.entrypoints.http.problems import MEDIA_TYPE, Problem, conflict, invalid, too_many, unavailable
from rootproof.errors import (
    LimitExceeded,
    ModelError,
    RootproofError,
    SourceError,
    SourceTimeout,
    SourceUnavailable,
    StaleWrite,
    StoreError,
    UsageError,
)

log = logging.getLogger("rootproof.http")

MAX_FIELD_ERRORS = 20
_MAX_PATH_CHARS = 200
_MAX_DETAIL_CHARS = 1_000
_MAX_FRAMES = 15
_RETRY_S = 5


def install(app: FastAPI) -> None:
    """Answer every exception that routes may raise with a problem document."""
    app.add_exception_handler(Problem, _answer)
    app.add_exception_handler(RootproofError, _answer)
    app.add_exception_handler(RequestValidationError, _answer_validation)
    app.add_exception_handler(HTTPException, _answer_framework)


def problem_of(error: Exception, request_id: str) -> Problem:
    """The problem that an exception is to a caller; what is ours alone goes to the log under `request_id`."""
    match error:
        case Problem():
            return error
        case HTTPException():
            return _of_framework(error)
        case UsageError():
            return invalid(leaving(str(error)))
        case StaleWrite():
            log.warning("%s: a write came too late: %s", request_id, leaving(str(error)))
            return conflict("it was changed by somebody else at the same time; read it again and then decide")
        case StoreError():
            log.error("%s: the store failed: %s", request_id, leaving(str(error)))
            return unavailable("the store cannot be used at the moment; try again", retry_after_s=_RETRY_S)
        case SourceUnavailable() | SourceTimeout():
            return unavailable(leaving(str(error)), retry_after_s=_RETRY_S)
        case SourceError() | ModelError():
            return Problem(502, "outside-failed", leaving(str(error)))
        case LimitExceeded():
            return too_many(leaving(str(error)), retry_after_s=_RETRY_S)
        case _:
            log.error("%s: internal error: %s", request_id, _trail(error))
            return Problem(
                500,
                "internal-error",
                f"this is a bug of the server, which has noted it as {request_id}; please report it with that id",
            )


def leaving(text: str) -> str:
    """`text` as it may leave the server: bounded, credentials replaced by placeholders, identifiers left alone."""
    return redaction.without_credentials(text)[:_MAX_DETAIL_CHARS]


async def _answer(request: Request, error: Exception) -> JSONResponse:
    request_id = request.state.request_id
    problem = problem_of(error, request_id)
    document = problem.document(instance=request.scope["path"], request_id=request_id)
    return JSONResponse(document, problem.status, headers=problem.headers, media_type=MEDIA_TYPE)


async def _answer_framework(request: Request, error: Exception) -> JSONResponse:
    if isinstance(error, HTTPException) and error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        # The framework names the methods of the first route of this path only.
        allowed = ", ".join(_methods(request.app, request.url.path)) or "other methods"
        detail = f"this path takes {allowed}"
        error = Problem(HTTPStatus.METHOD_NOT_ALLOWED, "method-not-allowed", detail, headers={"Allow": allowed})
    return await _answer(request, error)


def _methods(app: FastAPI, path: str) -> list[str]:
    """The methods that the routes of this path take."""
    return sorted(
        {name for route in _routes(app.routes) if route.path_regex.match(path) for name in route.methods or ()}
    )


def _routes(routes: Sequence[BaseRoute]) -> Iterator[APIRoute]:
    """Every route, those of included routers too, which newer versions of the framework keep apart."""
    for route in routes:
        if isinstance(route, APIRoute):
            yield route
        else:
            included = getattr(route, "original_router", None)
            yield from _routes(included.routes) if included is not None else ()


async def _answer_validation(request: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, RequestValidationError):  # the signature that starlette asks for is wider
        raise error
    return await _answer(request, _of_validation(error.errors(), request.headers.get("content-type")))


def _of_validation(errors: Sequence[Any], content_type: str | None) -> Problem:
    """Paths and messages; values stay out, they may be secrets."""
    if any(tuple(one["loc"]) == ("body",) and one["type"] != "missing" for one in errors) and not is_json(content_type):
        return Problem(415, "unsupported-media-type", "send the body as JSON, with `Content-Type: application/json`")
    shown = [{"path": _path(one["loc"]), "message": leaving(one["msg"])} for one in errors]
    first = shown[0]
    more = f" (and {len(shown) - 1} more)" if len(shown) > 1 else ""
    detail = f"{first['path']}: {first['message']}{more}"
    return Problem(422, "invalid-request", detail, errors=shown[:MAX_FIELD_ERRORS])


def _path(where: Sequence[str | int]) -> str:
    return leaving(".".join(str(part) for part in where))[:_MAX_PATH_CHARS]


def _of_framework(error: HTTPException) -> Problem:
    headers = dict(error.headers or {})
    match error.status_code:
        case HTTPStatus.NOT_FOUND:
            return Problem(404, "not-found", "there is nothing at this path; /openapi.json lists what there is")
        case status:
            kind = HTTPStatus(status).phrase.lower().replace(" ", "-")
            return Problem(status, kind, leaving(str(error.detail)), headers=headers)


def _trail(error: BaseException) -> str:
    """Type, message without credentials, and the last frames: what a maintainer needs, and no values of frames."""
    frames = traceback.extract_tb(error.__traceback__)[-_MAX_FRAMES:]
    path = " < ".join(
        f"{frame.name} ({frame.filename.rpartition('/')[2]}:{frame.lineno})" for frame in reversed(frames)
    )
    return f"{type(error).__name__}: {leaving(str(error))!r} in {path}"
