"""The OpenAPI document: every operation with the same security, problems and ids; committed and checked.

`python -m rootproof.entrypoints.http.openapi [PATH]` writes it.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic.alias_generators import to_camel

from rootproof.entrypoints.http.auth import COOKIE, CSRF_HEADER, KEY_HEADER
from rootproof.entrypoints.http.field_words import describe_fields
from rootproof.entrypoints.http.problems import MEDIA_TYPE, ProblemView

PAGE = Path("docs/reference/openapi.json")
DESCRIPTION = (
    "Root cause, with proof: diagnose an incident; every claim cites evidence that code has checked. Bodies are JSON "
    "in UTF-8 without duplicate keys; times are RFC 3339 in UTC; errors are problem documents (RFC 9457). What belongs "
    "to another owner answers exactly like what is not there."
)
_TAGS = {
    "operations": "Is the server alive, can it take work.",
    "login": "A browser's cookie in place of the key.",
    "knowledge": "Runbooks.",
    "skills": "Playbooks.",
}
_SCHEMES: dict[str, Any] = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "An API key: `rp_...`."},
    "apiKey": {"type": "apiKey", "in": "header", "name": KEY_HEADER, "description": "An API key: `rp_...`."},
    "login": {
        "type": "apiKey",
        "in": "cookie",
        "name": COOKIE,
        "description": f"The cookie of `POST /api/login`; requests that change something also need `{CSRF_HEADER}`. "
        "Over TLS its name begins with `__Host-`.",
    },
}
OPEN_PATHS = frozenset({"/healthz", "/readyz", "/openapi.json", "/api/login"})
"""Answered without a key; of `/api/login` only POST. Webhooks that a vendor signs say so themselves: `security: []`."""
_PROBLEMS: dict[int, str] = {
    400: "The body is not the JSON that is taken, or a key stands in the address.",
    401: "No key, or none that is valid: unknown, revoked and expired keys look the same.",
    403: "The key does not have the scope, or the request comes from another site.",
    404: "Not there, or another owner's.",
    408: "The body did not arrive in time.",
    413: "The body is larger than `server.max_body_bytes`.",
    415: "The body is not JSON.",
    421: "A server without keys does not answer to the name in `Host`.",
    422: "Something in the request must change; `errors` lists the fields.",
    500: "A bug; `requestId` finds it in the server's log.",
    503: "Not possible at the moment; `Retry-After` says when to try again.",
}
_PARAMETERS = {"vendor": "Whose webhook it is; `generic` for any other system."}
_METHODS = frozenset({"get", "put", "post", "delete", "patch"})


def describe(app: FastAPI) -> None:
    """Make `app.openapi()` give the document of `document`."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = document(app)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]  # the way that FastAPI documents


def document(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI 3.1 document of the app's routes."""
    whole = get_openapi(
        title=app.title,
        version=app.version,
        summary="Incident diagnosis over HTTP",
        description=DESCRIPTION,
        routes=app.routes,
        tags=[{"name": name, "description": text} for name, text in _TAGS.items()],
    )
    schemas = whole.setdefault("components", {}).setdefault("schemas", {})
    schemas["ProblemView"], parts = _schema_of_problem()
    schemas.update(parts)
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    describe_fields(schemas)
    whole["components"]["schemas"] = dict(sorted(schemas.items()))
    whole["components"]["securitySchemes"] = _SCHEMES
    whole["paths"] = {_camel_path(path): operations for path, operations in whole["paths"].items()}
    for path, operations in whole["paths"].items():
        for method, operation in operations.items():
            if method in _METHODS:
                _complete(path, method, operation)
    return whole


def text(app: FastAPI) -> str:
    """The document as it is committed."""
    return json.dumps(app.openapi(), indent=1, ensure_ascii=False) + "\n"


def _complete(path: str, method: str, operation: dict[str, Any]) -> None:
    """Add what all operations have in common; what a route says itself stays."""
    is_open = path in OPEN_PATHS and not (path == "/api/login" and method == "get")
    if "security" not in operation:
        operation["security"] = [] if is_open else [{name: []} for name in _SCHEMES]
    for parameter in operation.get("parameters", []):
        if parameter["in"] == "path":
            parameter["name"] = to_camel(parameter["name"])
        if parameter["name"] in _PARAMETERS:
            parameter.setdefault("description", _PARAMETERS[parameter["name"]])
    has_body = "requestBody" in operation
    statuses = {400, 500, 503}
    statuses |= {401, 403, 421} if operation["security"] else set()
    statuses |= {401, 403, 409} if (path, method) == ("/api/login", "post") else set()
    statuses |= {408, 413} if method != "get" else set()
    statuses |= {415, 422} if has_body else set()
    statuses |= {422} if operation.get("parameters") else set()
    statuses |= {404} if "{" in path else set()
    responses = operation["responses"]
    for status in statuses:
        responses.setdefault(str(status), {"description": _PROBLEMS.get(status, "The state does not allow it.")})
    for status, response in responses.items():
        stream = response.get("content", {}).get("text/event-stream")
        if stream is not None:
            stream["schema"] = _event_of(stream.get("schema", {}))
        if status >= "4":
            _as_problem(int(status), response)
    operation["responses"] = dict(sorted(responses.items()))


def _camel_path(path: str) -> str:
    """The path with its parameters named as callers see them."""
    return re.sub(r"\{(\w+)\}", lambda found: "{" + to_camel(found[1]) + "}", path)


def _as_problem(status: int, response: dict[str, Any]) -> None:
    """Errors are problem documents, unless the route answers with a document of its own."""
    content = response.get("content", {})
    schema = content.get("application/json", {}).get("schema", {})
    own = schema.get("$ref", "").rpartition("/")[2] not in {"", "HTTPValidationError", "ProblemView"}
    problem = {"schema": {"$ref": "#/components/schemas/ProblemView"}}
    response["content"] = ({"application/json": content["application/json"]} if own else {}) | {MEDIA_TYPE: problem}
    if response.get("description") in {None, "", "Validation Error"}:
        response["description"] = _PROBLEMS.get(status, "A problem.")


def _event_of(message: dict[str, Any]) -> dict[str, Any]:
    """The schema of one server-sent event, whose data is a JSON text of what the route says that it sends."""
    if message.get("type") == "object":
        return message
    data: dict[str, Any] = {"type": "string", "contentMediaType": "application/json"}
    if "$ref" in message:
        data["contentSchema"] = {"$ref": message["$ref"]}
    return {
        "type": "object",
        "description": "One event of the stream.",
        "properties": {
            "event": {"type": "string", "description": "What kind of event it is."},
            "id": {"type": "string", "description": "For `Last-Event-ID`, where the stream can be resumed."},
            "data": data | {"description": "The message, as JSON."},
        },
    }


def _schema_of_problem() -> tuple[dict[str, Any], dict[str, Any]]:
    schema = ProblemView.model_json_schema(ref_template="#/components/schemas/{model}")
    parts = schema.pop("$defs", {})
    return schema, parts


def described_app() -> FastAPI:
    """An app whose routes are described and never called: its backend keeps nothing."""
    from rootproof.bootstrap.backend import memory_backend
    from rootproof.entrypoints.http.app import create_app
    from rootproof.settings import Settings

    return create_app(Settings(), memory_backend(Settings()))


def main(arguments: list[str]) -> None:
    """Write the document to the path given, else to its place in the docs."""
    path = Path(arguments[0]) if arguments else PAGE
    path.write_text(text(described_app()), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
