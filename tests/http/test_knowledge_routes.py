"""Runbooks and skills over HTTP: what the configured folders hold, for every owner the same."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import httpx2
import pytest
from fastapi import FastAPI

from rootproof.diagnosis.backend import Backend
from rootproof.entrypoints.http.app import create_app
from rootproof.entrypoints.http.paging import encode_cursor, encode_name
from rootproof.settings import Settings, SourceSettings
from tests.http.conftest import T0, HandClock, client_of


@pytest.fixture
def runbooks(tmp_path: Path) -> Path:
    folder = tmp_path / "runbooks"
    (folder / "redis").mkdir(parents=True)
    (folder / "redis" / "eviction.md").write_text("# Redis evicts keys\n\n## Symptoms\n\nEvicted keys rise.\n")
    for number in range(5):
        (folder / f"page-{number}.md").write_text(f"# Page {number}\n\nNothing about caches here, number {number}.\n")
    (folder / "broken.md").write_bytes(b"\xff\xfe\x00")
    return folder


@pytest.fixture
def settings(settings: Settings, runbooks: Path) -> Settings:
    return replace(settings, sources=SourceSettings(knowledge=(str(runbooks),)))


async def test_a_search_finds_the_runbook(local: httpx2.AsyncClient) -> None:
    answer = (await local.get("/api/knowledge/search", params={"q": "redis evicted keys"})).json()
    assert answer["status"] == "OK"
    first = answer["results"][0]
    assert first["documentId"] == "redis/eviction.md"
    assert first["title"] == "Redis evicts keys"
    assert "Evicted keys rise" in first["excerpt"]
    nothing = (await local.get("/api/knowledge/search", params={"q": "zzyzx quux"})).json()
    assert (nothing["status"], nothing["results"]) == ("NO_EVIDENCE", [])


@pytest.mark.parametrize(
    "params",
    [{}, {"q": ""}, {"q": "x" * 501}, {"q": "a", "limit": 0}, {"q": "a", "limit": 51}, {"q": "a", "limit": "x"}],
)
async def test_searches_that_are_refused(local: httpx2.AsyncClient, params: dict[str, str]) -> None:
    response = await local.get("/api/knowledge/search", params=params)
    assert response.status_code == 422
    assert response.json()["errors"][0]["path"] in {"query.q", "query.limit"}


async def test_documents_come_in_pages(local: httpx2.AsyncClient, tmp_path: Path) -> None:
    seen: list[str] = []
    cursor = None
    for _ in range(10):
        params = {"limit": "2"} | ({"cursor": cursor} if cursor else {})
        response = await local.get("/api/knowledge", params=params)
        page = response.json()
        assert len(page["items"]) <= 2
        assert page["total"] == 6
        assert [problem.partition(":")[0] for problem in page["problems"]] == ["broken.md"]
        assert str(tmp_path) not in response.text
        seen += [item["documentId"] for item in page["items"]]
        cursor = page["nextCursor"]
        if cursor is None:
            break
    assert seen == sorted(seen)
    assert len(seen) == 6


@pytest.mark.parametrize(
    "cursor",
    ["", "x", "!!!!", "AAAA", encode_cursor(T0, "run-1"), "WzFd", "W10", "bnVsbA", "W1tbW1s", "é", "a" * 2_001],
)
async def test_cursors_that_no_page_gave(local: httpx2.AsyncClient, cursor: str) -> None:
    response = await local.get("/api/knowledge", params={"cursor": cursor})
    assert response.status_code == 422


async def test_new_files_are_seen_after_a_minute(local: httpx2.AsyncClient, runbooks: Path, clock: HandClock) -> None:
    assert (await local.get("/api/knowledge")).json()["total"] == 6
    (runbooks / "new.md").write_text("# New\n\nText.\n")
    assert (await local.get("/api/knowledge")).json()["total"] == 6
    clock.pass_time(61)
    assert (await local.get("/api/knowledge", params={"cursor": encode_name("m")})).json()["total"] == 7


async def test_without_folders(settings: Settings, backend: Backend) -> None:
    bare = replace(settings, sources=SourceSettings())
    async with client_of(create_app(bare, backend)) as client:
        assert (await client.get("/api/knowledge")).json() == {
            "items": [],
            "nextCursor": None,
            "total": 0,
            "problems": [],
        }
        assert (await client.get("/api/knowledge/search", params={"q": "a"})).json()["status"] == "NOT_CONFIGURED"


async def test_a_folder_that_is_gone_is_said(settings: Settings, backend: Backend) -> None:
    gone = replace(settings, sources=SourceSettings(knowledge=("/nowhere/at/all",)))
    async with client_of(create_app(gone, backend)) as client:
        response = await client.get("/api/knowledge")
    assert response.status_code == 503
    assert "/nowhere" not in response.text


async def test_skills(local: httpx2.AsyncClient) -> None:
    answer = (await local.get("/api/skills")).json()
    assert answer["complete"] is True
    names = [item["name"] for item in answer["items"]]
    assert len(names) > 5
    assert names == sorted(names)
    skill = (await local.get(f"/api/skills/{names[0]}")).json()
    assert skill["name"] == names[0]
    assert skill["description"] == answer["items"][0]["description"]
    assert len(skill["body"]) > 100
    missing = await local.get("/api/skills/no-such-skill")
    assert (missing.status_code, missing.json()["type"]) == (404, "not-found")


async def test_skills_of_a_folder_that_cannot_be_read(settings: Settings, backend: Backend, tmp_path: Path) -> None:
    broken = replace(settings, sources=SourceSettings(skills=(str(tmp_path / "gone"),)))
    app: FastAPI = create_app(broken, backend)
    async with client_of(app) as client:
        answer = (await client.get("/api/skills")).json()
    assert answer["complete"] is False
    assert len(answer["items"]) > 5
