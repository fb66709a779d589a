"""Errors as RFC 9457 problems: the only place that knows status codes.

Source: RFC 9457, `application/problem+json`.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict, Field

from rootproof.redaction import without_credentials

MEDIA_TYPE = "application/problem+json"

TITLES: dict[str, str] = {
    "bad-json": "The body is not the JSON that is taken",
    "conflict": "It is not in the state for that",
    "cross-origin": "The request comes from another site",
    "forbidden": "Not allowed",
    "host-refused": "The server does not answer to this name",
    "internal-error": "A fault of the server",
    "invalid-request": "The request must be changed",
    "key-in-url": "A key does not belong in an address",
    "method-not-allowed": "There is nothing like that here",
    "not-found": "Not found",
    "outside-failed": "An outside system failed",
    "slow-body": "The body did not arrive",
    "too-large": "The body is too large",
    "too-many": "Too many",
    "unauthorized": "A valid key is needed",
    "unavailable": "Not possible at the moment",
    "unsupported-media-type": "The body must be JSON",
}


class FieldError(BaseModel):
    """One field that is not as it must be."""

    path: str = Field(description="Where it stands.", examples=["body.question"])
    message: str = Field(description="What is wrong; never the value.", examples=["Field required"])


class ProblemView(BaseModel):
    """An error: what went wrong, where, what to do next (RFC 9457)."""

    model_config = ConfigDict(
        extra="allow",
        json_schema_extra={
            "examples": [
                {
                    "type": "not-found",
                    "title": "Not found",
                    "status": 404,
                    "detail": "there is no run 'run-1'",
                    "instance": "/api/runs/run-1",
                    "requestId": "req-5b1f6d0c9a7e4c52",
                }
            ]
        },
    )

    type: str = Field(description="A word for the kind of problem, stable across versions.", examples=["not-found"])
    title: str = Field(description="The kind of problem in words.", examples=["Not found"])
    status: int = Field(description="The HTTP status.", examples=[404])
    detail: str = Field(description="What happened, and what to do next.", examples=["there is no run 'run-1'"])
    instance: str | None = Field(None, description="The path that was asked for.", examples=["/api/runs/run-1"])
    requestId: str | None = Field(  # noqa: N815 - as it is sent; also the header `X-Request-ID`
        None, description="Names this request in the server's log.", examples=["req-5b1f6d0c9a7e4c52"]
    )
    errors: list[FieldError] | None = Field(None, description="The fields that must change, where it is about fields.")


_PLAIN_IN_PATHS = "/:@!$&'()*+,;=~"
"""Beside letters, digits and `_.-`, what a path may hold as it is (RFC 3986, pchar)."""


class Problem(Exception):
    """Raised by routes, answered as a problem document."""

    def __init__(
        self, status: int, kind: str, detail: str, *, headers: dict[str, str] | None = None, **more: Any
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.kind = kind
        self.detail = detail
        self.headers = headers or {}
        self.more = more

    def document(self, *, instance: str | None, request_id: str | None) -> dict[str, Any]:
        """The document as it is sent; `instance`, a path, becomes the URI reference that it is by the RFC.

        Both may hold the caller's own words: proxies and clients log answers, so credentials are replaced here.
        """
        shown: dict[str, Any] = {
            "type": self.kind,
            "title": TITLES.get(self.kind, self.kind.replace("-", " ").capitalize()),
            "status": self.status,
            "detail": without_credentials(self.detail),
        }
        shown_path = instance and quote(without_credentials(quote(instance, _PLAIN_IN_PATHS)), _PLAIN_IN_PATHS + "%")
        about = {"instance": shown_path, "requestId": request_id}
        return shown | {name: value for name, value in about.items() if value is not None} | self.more


def absent(what: str, name: str) -> Problem:
    """The one answer for what is not there and for what belongs to somebody else."""
    return Problem(404, "not-found", f"there is no {what} {name!r:.100}")


def invalid(detail: str) -> Problem:
    """The caller must change the request."""
    return Problem(422, "invalid-request", detail)


def bad_json(detail: str) -> Problem:
    """The body cannot be read as one JSON value in one way only."""
    return Problem(400, "bad-json", detail)


def conflict(detail: str) -> Problem:
    """What was asked for does not fit the state of the thing."""
    return Problem(409, "conflict", detail)


def unauthorized(detail: str = "this needs a valid API key: Authorization: Bearer rp_..., or X-API-Key") -> Problem:
    """No key, or none that is valid: unknown, revoked and expired ones look the same."""
    return Problem(401, "unauthorized", detail, headers={"WWW-Authenticate": 'Bearer realm="rootproof"'})


def forbidden(detail: str) -> Problem:
    """The caller is known, and may not do this."""
    return Problem(403, "forbidden", detail)


def too_many(detail: str, *, retry_after_s: int) -> Problem:
    """The caller asks for more than its share."""
    return Problem(429, "too-many", detail, headers={"Retry-After": str(retry_after_s)})


def unavailable(detail: str, *, retry_after_s: int = 5) -> Problem:
    """The same request may work later."""
    return Problem(503, "unavailable", detail, headers={"Retry-After": str(retry_after_s)})
