"""No canary, nor eight characters of one, comes out of any opening of the service, whatever it stood in."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from rootproof.entrypoints.http.openapi import described_app, text
from rootproof.redaction import Numbering, redact, redact_structure
from tests.canary.forms import FORMS, Canaries
from tests.canary.incident import MARKS, write_incident
from tests.canary.sinks import SINKS
from tests.canary.world import World, play
from tests.service.redis_url import redis_url

pytestmark = pytest.mark.timeout(300)
"""The world is made once for all tests of a kind: seconds, and minutes on a machine that does ten other things."""
QUIET = frozenset({"metrics", "spans without words", "log lines"})
"""Sinks in which no word of an incident stands at all, so that nothing in them had to be replaced."""
ONLY_WITH_REDIS = "redis"
UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")
ESCAPED_UNSEEN = re.compile(r"(?<!\\)(?:\\\\)*\\u(?:00(?:0[0-8bcef]|1[0-9a-f]|7f)|200[b-f]|202[a-e]|206[6-9])")
"""An odd number of backslashes: an even one is the text of an escape, which is what is to be seen."""


def _made(kind: str, factory: pytest.TempPathFactory) -> Iterator[World]:
    url = redis_url() if kind == "redis" else ""
    with pytest.MonkeyPatch.context() as patch:
        yield asyncio.run(play(factory.mktemp("canary"), patch.setenv, url))


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    yield from _made("embedded", tmp_path_factory)


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    yield from _made("redis", tmp_path_factory)


@pytest.fixture(params=["embedded", "redis"])
def world(request: pytest.FixtureRequest) -> World:
    """Each is made once in a process, whatever the order of its tests."""
    made: World = request.getfixturevalue(request.param)
    return made


@pytest.mark.parametrize("sink", SINKS)
def test_no_canary_comes_out(world: World, sink: str) -> None:
    came_out = SINKS[sink](world)
    assert world.canaries.found_in(came_out) == []
    if sink == ONLY_WITH_REDIS and not world.redis:
        return
    assert len(came_out) > 1_000, "or nothing was looked at"
    if sink == "files" and world.redis:  # the sessions are in Redis then
        return
    assert sink in QUIET or "<secret:" in came_out, "or no secret came near it"


def test_the_canaries_were_really_there(world: World) -> None:
    """Every kind of place was shown to the model, and the raw outputs hold what was taken out."""
    for place, mark in MARKS.items():
        assert mark in world.prompts, place
    raw = world.raw + world.redis_raw.decode("latin-1")
    assert len(world.canaries.found_in(raw)) > 100
    assert {rows.run.status_reason.value for rows in world.runs if rows.run.status_reason} == {"REPORTED"}
    assert {call.status.value for rows in world.runs for call in rows.invocations} >= {
        "OK",
        "DENIED",
        "TIMEOUT",
        "TOOL_ERROR",
    }


def test_every_reading_route_was_read(world: World) -> None:
    paths = json.loads(text(described_app()))["paths"]
    assert {path for path, methods in paths.items() if "get" in methods} == world.routes


def test_the_input_holds_every_canary_and_eight_characters_of_one_are_seen(tmp_path: Path) -> None:
    """The check itself can fail."""
    canaries = Canaries()
    folder = write_incident(tmp_path / "bundle", canaries)
    written = "\n".join(f"{path} {path.read_text()}" for path in folder.rglob("*") if path.is_file())
    assert len(canaries.found_in(written)) > 1_500
    secret = canaries.planted["github in log message"]
    assert canaries.found_in(f"x {secret[9:17]} y") == ["github in log message"]
    assert canaries.found_in(f"x {secret[9:16]} y") == []


@pytest.mark.parametrize("form", FORMS)
def test_each_form_is_replaced_wherever_it_stands(form: str) -> None:
    """In the middle of a line, in a structure, escaped as JSON, at the end of a long line."""
    canaries = Canaries()
    for number in range(5):
        words = canaries.text(form, str(number))
        for shown in (words, f"2026-05-04T10:00:00Z ERROR ledger {words}: 41 waiting", "waiting " * 4_000 + words):
            assert canaries.found_in(redact(shown, Numbering())) == []
            assert canaries.found_in(redact(json.dumps({"msg": shown}), Numbering())) == []
            assert canaries.found_in(str(redact_structure({"log": [{"msg": shown}]}, Numbering()))) == []


@pytest.mark.parametrize(
    "sink", ["prompts", "answers to reading", "answers to writing", "server-sent events", "refusals"]
)
def test_nothing_unseen_comes_out(world: World, sink: str) -> None:
    """Terminal codes and zero-width characters, as they are or as a JSON escape: readers of JSON turn those back."""
    came_out = SINKS[sink](world)
    assert UNSEEN.search(came_out) is None
    assert ESCAPED_UNSEEN.search(came_out) is None
