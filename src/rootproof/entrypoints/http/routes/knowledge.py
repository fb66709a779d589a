"""Knowledge: the runbooks in the configured folders, which every owner of the server may read."""

from __future__ import annotations

import asyncio
import json
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import Field

from rootproof.diagnosis.present import View
from rootproof.entrypoints.http.deps import Reader, SettingsDep
from rootproof.entrypoints.http.library import Library
from rootproof.entrypoints.http.paging import MAX_LIMIT, CursorQuery, LimitQuery, decode_name, encode_name
from rootproof.redaction import structure_without_credentials, without_credentials

if TYPE_CHECKING:
    from rootproof.adapters.index.folder import FolderKnowledge

router = APIRouter(tags=["knowledge"])
EXCERPT_CHARS = 400
MAX_QUERY_CHARS = 500
MAX_PROBLEMS = 100


class SearchStatus(StrEnum):
    """What came of a search."""

    OK = "OK"
    NO_EVIDENCE = "NO_EVIDENCE"
    """No document is about this."""
    NOT_CONFIGURED = "NOT_CONFIGURED"
    """The server has no knowledge folders (`sources.knowledge`)."""


class PassageView(View):
    """A passage that was found."""

    document_id: str = Field(description="The document's path inside its folder.", examples=["redis/eviction.md"])
    source: str = Field(description="The document's name in citations.")
    title: str = Field(description="The document's title.")
    breadcrumb: str = Field(description="The headings above the passage.")
    score: float = Field(description="Higher is better; comparable within one answer only.")
    excerpt: str = Field(description=f"The passage, at most {EXCERPT_CHARS} characters.")


class SearchView(View):
    """The answer to a search."""

    query: str = Field(description="What was asked.")
    transformed: dict[str, Any] = Field(description="What the search made of it: terms, identifiers, synonyms.")
    status: SearchStatus = Field(description="What came of it.")
    results: list[PassageView] = Field(description="Best first.")


class DocumentView(View):
    """A document that is searched."""

    document_id: str = Field(description="Its path inside its folder.", examples=["redis/eviction.md"])
    title: str = Field(description="Its title.")
    version: str = Field(description="SHA-256 of its text, hex.")


class DocumentListView(View):
    """Documents by id."""

    items: list[DocumentView] = Field(description="By document id.")
    next_cursor: str | None = Field(description="The next page's `cursor`; null on the last page.")
    total: int = Field(description="How many documents there are.")
    problems: list[str] = Field(description=f"Documents that were passed over, and why; at most {MAX_PROBLEMS}.")


@router.get(
    "/api/knowledge",
    response_model=DocumentListView,
    summary="List the documents",
    description="The runbooks in the configured folders. Changes to the files are seen within a minute.",
)
async def list_documents(
    principal: Reader,  # noqa: ARG001 - checks the caller
    request: Request,
    limit: LimitQuery = 50,
    cursor: CursorQuery = None,
) -> DocumentListView:
    """One page of the documents."""
    library: Library = request.app.state.library
    after = decode_name(cursor)
    source = await library.knowledge()
    if source is None:
        return DocumentListView(items=[], next_cursor=None, total=0, problems=[])
    documents = await asyncio.to_thread(_shown_documents, source)
    rest = [document for document in documents if after is None or document.document_id > after]
    items = rest[:limit]
    more = encode_name(items[-1].document_id) if len(rest) > limit else None
    problems = [without_credentials(_inside(problem)) for problem in source.problems[:MAX_PROBLEMS]]
    return DocumentListView(items=items, next_cursor=more, total=len(documents), problems=problems)


def _shown_documents(source: FolderKnowledge) -> list[DocumentView]:
    """Every document by the id that is shown: credentials in names and titles are replaced."""
    shown = [
        DocumentView(document_id=without_credentials(one.id), title=without_credentials(one.title), version=one.version)
        for one in source.contents()
    ]
    return sorted(shown, key=lambda document: document.document_id)


@router.get(
    "/api/knowledge/search",
    response_model=SearchView,
    summary="Search the documents",
    description="The passages that are about the words of `q`, best first, with the document each is from.",
)
async def search_knowledge(
    principal: Reader,  # noqa: ARG001 - checks the caller
    request: Request,
    settings: SettingsDep,
    q: Annotated[str, Query(min_length=1, max_length=MAX_QUERY_CHARS, description="What to look for.")],
    limit: Annotated[int, Query(ge=1, le=min(50, MAX_LIMIT), description="How many passages at most.")] = 5,
) -> SearchView:
    """What the runbooks say about it."""
    library: Library = request.app.state.library
    source = await library.knowledge()
    if source is None:
        return SearchView(query=without_credentials(q), transformed={}, status=SearchStatus.NOT_CONFIGURED, results=[])
    raw = json.loads(await source.search(q, top_k=limit, deadline_s=settings.limits.call_s))
    told = {"query": q, "transformed": raw["queryTransform"], "blocks": raw["evidenceBlocks"]}
    shown = await asyncio.to_thread(structure_without_credentials, told)
    results = [_passage(block) for block in shown["blocks"]]
    status = SearchStatus.OK if results else SearchStatus.NO_EVIDENCE
    return SearchView(query=shown["query"], transformed=shown["transformed"], status=status, results=results)


def _passage(block: dict[str, Any]) -> PassageView:
    return PassageView(
        document_id=block.get("documentId") or block["source"],
        source=block["source"],
        title=block["title"],
        breadcrumb=block["breadcrumb"],
        score=block["score"],
        excerpt=block["content"][:EXCERPT_CHARS],
    )


def _inside(problem: str) -> str:
    """A problem without the folders of the server's machine: the last part of the path says enough."""
    path, colon, what = problem.partition(": ")
    return f"{path.rpartition('/')[2]}{colon}{what}" if path.startswith("/") else problem
