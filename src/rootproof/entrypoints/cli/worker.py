"""`rootproof worker`: options over settings."""

from __future__ import annotations

from typing import Annotated

import typer


def worker(
    concurrency: Annotated[int | None, typer.Option("--concurrency", min=1, help="Runs at once.")] = None,
) -> None:
    """Carry out queued runs, until SIGINT or SIGTERM: any number of workers, on any machine that reaches the store."""
    from rootproof.entrypoints.worker import with_concurrency, work
    from rootproof.settings import load_settings

    work(with_concurrency(load_settings(), concurrency))
