"""`rootproof config`: what is set, and whether it works."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rootproof.entrypoints.cli.output import Exit, emit_json, say

if TYPE_CHECKING:
    from rootproof.settings import Settings

_LOOK_MINUTES = 5
_LOOK_S = 10.0

app = typer.Typer(help="Check the configuration.", no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def _group() -> None:
    """Keeps `check` a sub-command while it is the only one."""


@app.command("check")
def check(as_json: Annotated[bool, typer.Option("--json", help="JSON on stdout, for programs.")] = False) -> None:
    """Check settings, store, model, sources and skills; exit 1 when something does not work."""
    from rootproof.bootstrap.log_sources import configured_servers
    from rootproof.settings import load_settings

    settings = load_settings()
    findings = [
        {"what": "settings", "ok": True, "detail": settings.config_file or "defaults and environment; no file"},
        _tried("store", lambda: asyncio.run(_try_store(settings))),
        _tried("model", lambda: _try_model(settings)),
        *[_tried(f"redaction policy {path}", lambda path=path: _try_policy(path))
          for path in [settings.redaction.policy] if path],
        *[_tried(f"logs {path}", lambda path=path: _try_path(path)) for path in settings.sources.logs],
        *[_tried(section, lambda section=section: asyncio.run(_try_log_server(settings, section)))
          for section in configured_servers(settings)],
        *[_tried(f"knowledge {path}", lambda path=path: _try_knowledge(settings, path))
          for path in settings.sources.knowledge],
        _tried("skills", lambda: _try_skills(settings)),
    ]  # fmt: skip
    ok = all(item["ok"] for item in findings)
    if as_json:
        emit_json({"ok": ok, "settings": _shown(asdict(settings)), "checks": _shown(findings)})
    else:
        for item in _shown(findings):
            say(f"{'ok  ' if item['ok'] else 'FAIL'} {item['what']}: {item['detail']}\n")
    raise typer.Exit(Exit.DONE if ok else Exit.FELL_SHORT)


def _tried(what: str, work: Any) -> dict[str, Any]:
    from rootproof.errors import RootproofError

    try:
        return {"what": what, "ok": True, "detail": work()}
    except RootproofError as error:
        return {"what": what, "ok": False, "detail": str(error)}


async def _try_store(settings: Settings) -> str:
    from rootproof.bootstrap import database_url, open_services

    services = await open_services(settings)
    try:
        newest = await services.runs.list_runs(limit=1)
        unfinished = await services.runs.unfinished()
    finally:
        await services.runs.close()
    held = "holds runs" if newest else "no runs yet"
    return f"{database_url(settings)} ({held}, {len(unfinished)} unfinished)"


def _try_model(settings: Settings) -> str:
    from rootproof.bootstrap import models
    from rootproof.skills.catalog import Catalog

    model = models(settings.model)(settings.model.name, Catalog([]))
    return f"{model.name}" + (" (built in: no key, no network)" if model.name == "playbook" else "")


def _try_policy(path: str) -> str:
    from rootproof.bootstrap.policy import open_policy

    shown = sorted(open_policy(path).shown)
    return f"shows {', '.join(shown)}; hides every other class" if shown else "hides every class"


def _try_path(path: str) -> str:
    from rootproof.entrypoints.cli.input import files_below

    return f"{len(files_below(Path(path)))} files"


async def _try_log_server(settings: Settings, section: str) -> str:
    from rootproof.aci.requests import LogTopic
    from rootproof.aci.tools.evidence_tools import SOURCE_TOPIC
    from rootproof.bootstrap.log_sources import open_log_server
    from rootproof.domain.window import TimeWindow
    from rootproof.ports.sources import LogQuery

    server = open_log_server(settings, section)
    window = TimeWindow.lookback(datetime.now(UTC), _LOOK_MINUTES)
    query = LogQuery(SOURCE_TOPIC[LogTopic.APPLICATION], "default", window, limit=1)
    answer = await server.fetch(query, deadline_s=_LOOK_S)
    found = json.loads(answer)["total"]
    return f"{getattr(settings, section).url} answers ({found} lines in the last {_LOOK_MINUTES} minutes)"


def _try_knowledge(settings: Settings, path: str) -> str:
    from rootproof.bootstrap import open_knowledge_source

    source = open_knowledge_source(settings, [Path(path)])
    return f"{source.documents} documents, {len(source.problems)} problems"


def _try_skills(settings: Settings) -> str:
    from rootproof.bootstrap import open_skills

    catalog = open_skills([Path(path) for path in settings.sources.skills])
    problems = "".join(f"; {problem}" for problem in catalog.problems)
    return f"{len(catalog.infos())} skills{problems}"


def _shown(value: Any) -> Any:
    """The value with the credentials in its texts replaced: addresses hold passwords, errors quote them.

    Each text by itself: the names of settings, such as `api_key_env`, say nothing secret of their values.
    """
    from rootproof.redaction import without_credentials

    match value:
        case str():
            return without_credentials(value)
        case dict():
            return {key: _shown(item) for key, item in value.items()}
        case list() | tuple():
            return [_shown(item) for item in value]
        case _:
            return value
