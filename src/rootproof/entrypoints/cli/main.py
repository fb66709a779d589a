"""`rootproof`: the command tree. Importing this module loads Typer and nothing else that is heavy."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from rootproof import __version__
from rootproof.entrypoints.cli import (
    alerts,
    baseline,
    cases,
    config,
    db,
    diagnose,
    evaluation,
    feedback,
    keys,
    knowledge,
    logs,
    redact,
    runs,
    runs_again,
    serve,
    skills,
    verify,
    worker,
)
from rootproof.entrypoints.cli.output import Exit, guarded, write

app = typer.Typer(
    name="rootproof",
    help="Root cause, with proof: diagnose an incident; every claim cites evidence that code has checked.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("demo")(diagnose.demo)
app.command("diagnose")(diagnose.diagnose)
app.command("feedback")(feedback.feedback)
app.command("redact")(redact.redact)
app.command("serve")(serve.serve)
app.command("verify")(verify.verify)
app.command("worker")(worker.worker)
runs.app.command("replay")(runs_again.replay_stored)
runs.app.command("diff")(runs_again.diff)
runs.app.command("export")(runs_again.export)
app.add_typer(runs.app, name="runs")
app.add_typer(cases.app, name="cases")
app.add_typer(skills.app, name="skills")
app.add_typer(knowledge.app, name="knowledge")
app.add_typer(logs.app, name="logs")
app.add_typer(alerts.app, name="alerts")
app.add_typer(evaluation.app, name="eval")
app.add_typer(config.app, name="config")
app.add_typer(db.app, name="db")
app.add_typer(baseline.app, name="baseline")
app.add_typer(keys.app, name="keys")


def _version(wanted: bool) -> None:
    if wanted:
        write(f"rootproof {__version__}\n")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Root cause, with proof: diagnose an incident; every claim cites evidence that code has checked."""


def run() -> None:
    """The console script."""
    sys.exit(main(sys.argv[1:]))


def _open_what_is_closed() -> None:
    """A standard stream that the caller has closed is an empty one: no file that is opened later takes its number."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - stays open


def _escape_what_lacks() -> None:
    """What a terminal's encoding does not have is written as an escape, by libraries too."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def main(arguments: list[str]) -> int:
    """Run one command line; its exit code."""
    _open_what_is_closed()
    _escape_what_lacks()
    code: int | str | None = 0

    def call() -> None:
        nonlocal code
        try:
            app(args=arguments)
        except SystemExit as leaving:
            code = leaving.code
        if code == Exit.INTERRUPTED:
            raise KeyboardInterrupt
        sys.stdout.flush()

    ended = guarded(call)
    return ended or (code if isinstance(code, int) else 0)
