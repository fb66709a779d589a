"""`rootproof serve`: options over settings."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rootproof.settings import Settings, SourceSettings


def serve(
    host: Annotated[
        str | None, typer.Option("--host", help="Address to listen on; without keys a loopback one.")
    ] = None,
    port: Annotated[int | None, typer.Option("--port", min=0, max=65_535, help="Port; 0 takes a free one.")] = None,
    bundle: Annotated[
        Path | None, typer.Option("--bundle", help="A recorded incident that every run looks at: for trying it out.")
    ] = None,
    logs: Annotated[list[Path] | None, typer.Option("--logs", help="Log file or folder; may be repeated.")] = None,
    knowledge: Annotated[list[Path] | None, typer.Option("--knowledge", help="Runbooks; may be repeated.")] = None,
    model: Annotated[
        str | None, typer.Option("--model", help="playbook (no key, no network), openai:NAME, anthropic:NAME.")
    ] = None,
    concurrency: Annotated[
        int | None, typer.Option("--concurrency", min=0, help="Runs at once in this process; 0: none.")
    ] = None,
) -> None:
    """Serve the HTTP API and carry out runs, until SIGINT or SIGTERM. Options stand over the settings."""
    from rootproof.bootstrap import check_model
    from rootproof.entrypoints.serve import serve as serve_http
    from rootproof.entrypoints.worker import with_concurrency
    from rootproof.settings import load_settings

    settings = with_concurrency(load_settings(), concurrency)
    server = settings.server
    settings = replace(
        settings,
        server=replace(server, host=host or server.host, port=server.port if port is None else port),
        sources=_sources(settings, bundle, logs or (), knowledge or ()),
        model=replace(settings.model, name=model or settings.model.name),
    )
    check_model(settings, settings.model.name)
    serve_http(settings)


def _sources(
    settings: Settings, bundle: Path | None, logs: list[Path] | tuple[()], knowledge: list[Path] | tuple[()]
) -> SourceSettings:
    """The sources of every run. Raises: UsageError for a path that is not there, before anything is served."""
    from rootproof.errors import UsageError

    for path in (*logs, *knowledge):
        if not path.exists():
            raise UsageError(f"{path} is not there; give a file or a folder that exists")
    chosen = settings.sources
    return replace(
        chosen,
        bundle=str(bundle.absolute()) if bundle is not None else chosen.bundle,
        logs=tuple(str(path.absolute()) for path in logs) or chosen.logs,
        knowledge=tuple(str(path.absolute()) for path in knowledge) or chosen.knowledge,
    )
