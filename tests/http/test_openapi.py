"""The OpenAPI document: committed, complete, and what a live server answers with."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from benchmarks.schema_fuzz import fuzz, running_server
from rootproof.entrypoints.http.field_words import FIELD_WORDS, PART_WORDS
from rootproof.entrypoints.http.openapi import described_app, text

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "openapi.json"
HUMAN = PAGE.with_name("http-api.md")


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    made: dict[str, Any] = json.loads(text(described_app()))
    return made


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def test_the_committed_document_is_that_of_the_application() -> None:
    made = text(described_app())
    assert PAGE.read_text(encoding="utf-8") == made, (
        "run `python -m rootproof.entrypoints.http.openapi` and commit docs/reference/openapi.json"
    )
    assert json.loads(made)["openapi"].startswith("3.1.")


async def test_the_server_shows_the_same_document(local: httpx2.AsyncClient, document: dict[str, Any]) -> None:
    assert (await local.get("/openapi.json")).json() == document


def test_every_operation_is_described(document: dict[str, Any]) -> None:
    ids = []
    for path, method, operation in operations(document):
        where = f"{method} {path}"
        ids.append(operation["operationId"])
        assert len(operation["summary"]) > 5, where
        assert len(operation["description"]) > 20, where
        assert operation["tags"], where
        for parameter in operation.get("parameters", []):
            assert len(parameter.get("description", "")) > 3, f"{where}: {parameter['name']}"
        assert any(status < "4" for status in operation["responses"]), where
    assert len(ids) == len(set(ids))
    assert len(ids) > 25


def test_every_error_is_a_problem(document: dict[str, Any]) -> None:
    for path, method, operation in operations(document):
        where = f"{method} {path}"
        failures = {status: response for status, response in operation["responses"].items() if status >= "4"}
        for response in failures.values():
            schema = response["content"]["application/problem+json"]["schema"]
            assert schema == {"$ref": "#/components/schemas/ProblemView"}, where
            assert len(response["description"]) > 5, where
        assert {"400", "500", "503"} <= set(failures), where
        assert ("401" in failures) or not operation["security"], where
        assert ("404" in failures) or "{" not in path, where
        assert ("415" in failures) or "requestBody" not in operation, where


def test_only_what_says_so_needs_no_key(document: dict[str, Any]) -> None:
    open_ones = {f"{method} {path}" for path, method, operation in operations(document) if not operation["security"]}
    assert open_ones == {"get /healthz", "get /readyz", "post /api/login"}


def schema_of(document: dict[str, Any], path: str, method: str, part: str) -> dict[str, Any]:
    operation = document["paths"][path][method]
    holder = operation["requestBody"] if part == "request" else operation["responses"][part]
    content: dict[str, Any] = next(iter(holder["content"].values()))
    return content


def has_example(document: dict[str, Any], content: dict[str, Any]) -> bool:
    if "example" in content or "examples" in content:
        return True
    schema = content["schema"]
    schema = document["components"]["schemas"].get(schema.get("$ref", "").rpartition("/")[2], schema)
    return "example" in schema or "examples" in schema


@pytest.mark.parametrize(
    ("ends", "method", "part"),
    [
        ("/trace", "get", "200"),
        ("/api/runs", "get", "200"),
        ("/events", "get", "200"),
        ("/feedback", "post", "request"),
        ("/feedback", "post", "200"),
        ("/healthz", "get", "500"),
    ],
)
def test_the_shapes_that_others_build_on_have_an_example(
    document: dict[str, Any], ends: str, method: str, part: str
) -> None:
    path = next(known for known in document["paths"] if known.endswith(ends))
    assert has_example(document, schema_of(document, path, method, part))


def test_every_field_is_described(document: dict[str, Any]) -> None:
    missing = [
        f"{name}.{field}"
        for name, schema in document["components"]["schemas"].items()
        for field, shape in schema.get("properties", {}).items()
        if not shape.get("description")
    ]
    assert missing == [], "give the field a docstring, or words in entrypoints/http/field_words.py"


def test_no_words_are_kept_for_fields_that_are_gone(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    fields = {f"{name}.{field}" for name, schema in schemas.items() for field in schema.get("properties", {})}
    assert set(PART_WORDS) <= fields
    assert set(FIELD_WORDS) <= {field.partition(".")[2] for field in fields}


def test_the_page_for_people_names_every_route(document: dict[str, Any]) -> None:
    page = HUMAN.read_text(encoding="utf-8")
    for path, method, _ in operations(document):
        assert f"`{method.upper()} {path}`" in page, f"document {method.upper()} {path} in docs/reference/http-api.md"


def test_a_live_server_answers_as_the_document_says() -> None:
    """A short run; `python -m benchmarks.schema_fuzz` is the long one."""
    with running_server() as server:
        outcome = fuzz(server, examples=1, seed=7, phases=["fuzzing"])
    assert outcome.passed, outcome.output[-6_000:]
    assert outcome.cases > 50
