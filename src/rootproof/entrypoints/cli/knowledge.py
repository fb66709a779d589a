"""`rootproof knowledge`: search runbooks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from rootproof.entrypoints.cli.output import Exit, emit_json, emit_json_line, say, tell

app = typer.Typer(help="Search runbooks.", no_args_is_help=True, rich_markup_mode=None)
_EXCERPT_CHARS = 400


@app.callback()
def _group() -> None:
    """Keeps `search` a sub-command while it is the only one."""


@app.command("search")
def search(
    query: Annotated[str | None, typer.Argument(help="What to look for.")] = None,
    knowledge: Annotated[list[Path] | None, typer.Option("--knowledge", help="Search this folder.")] = None,
    queries: Annotated[
        Path | None, typer.Option("--queries", help="JSON lines {id, query} or {id, alert}; answers as JSON lines.")
    ] = None,
    top_k: Annotated[int, typer.Option("--top", min=1, max=50, help="How many documents.")] = 5,
    as_json: Annotated[bool, typer.Option("--json", help="JSON on stdout, for programs.")] = False,
) -> None:
    """Search runbooks; exit 1 when nothing usable is found."""
    from rootproof.bootstrap import open_knowledge_source
    from rootproof.errors import UsageError
    from rootproof.settings import load_settings

    if (query is None) == (queries is None):
        raise UsageError("give either a query or --queries FILE")
    settings = load_settings()
    paths = [Path(path) for path in (*settings.sources.knowledge, *(knowledge or ()))]
    if not paths:
        raise UsageError("no runbooks to search: give --knowledge DIR, or set sources.knowledge in rootproof.toml")
    source = open_knowledge_source(settings, paths)
    for problem in source.problems:
        tell(f"skipped: {problem}")
    if queries is not None:
        for number, text in _queries(queries):
            emit_json_line(_answer(number, text, json.loads(source.search_now(text, top_k=top_k))))
        return
    answer = _answer(None, query or "", json.loads(source.search_now(query or "", top_k=top_k)))
    if as_json:
        emit_json(answer)
    else:
        _show(answer)
    raise typer.Exit(Exit.DONE if answer["results"] else Exit.FELL_SHORT)


def _queries(path: Path) -> Iterator[tuple[Any, str]]:
    from rootproof.agent.retrieval_query import recommended_query
    from rootproof.entrypoints.cli.input import read_bytes
    from rootproof.errors import UsageError
    from rootproof.intake.normalize import alert_from_fields

    for number, line in enumerate(read_bytes(path).decode("utf-8", "replace").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
            text = entry.get("query") or recommended_query(alert_from_fields(entry["alert"]))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise UsageError(f"{path}, line {number}: needs an object with `query` or `alert` ({error})") from error
        yield entry.get("id", number), text


def _answer(query_id: Any, query: str, raw: dict[str, Any]) -> dict[str, Any]:
    results = [
        {
            "documentId": block.get("documentId") or block["source"],
            "source": block["source"],
            "title": block["title"],
            "breadcrumb": block["breadcrumb"],
            "score": block["score"],
            "excerpt": block["content"][:_EXCERPT_CHARS],
        }
        for block in raw["evidenceBlocks"]
    ]
    status = "OK" if results else "NO_EVIDENCE"
    return {"id": query_id, "query": query, "transformed": raw["queryTransform"], "status": status, "results": results}


def _show(answer: dict[str, Any]) -> None:
    if not answer["results"]:
        say("NO_EVIDENCE: no document is about this\n")
    for number, result in enumerate(answer["results"], start=1):
        say(f"{number}. {result['title']}  ({result['source']}, score {result['score']:.2f})\n")
        say(f"   {result['breadcrumb']}\n")
        say("   " + " ".join(result["excerpt"].split())[:240] + "\n")
