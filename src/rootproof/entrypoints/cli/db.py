"""`rootproof db`: the database's tables: adopt those of the old product, migrate, check."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rootproof.entrypoints.cli.output import Exit, emit_json, say, tell

if TYPE_CHECKING:
    from rootproof.adapters.sql.check import Finding
    from rootproof.adapters.sql.legacy_backfill import Progress, Report
    from rootproof.adapters.sql.migrate import Upgraded

app = typer.Typer(
    help="Adopt, migrate and check the database that is configured (ROOTPROOF_STORE_URL, else the embedded one).",
    no_args_is_help=True,
    rich_markup_mode=None,
)
AsJson = Annotated[bool, typer.Option("--json", help="JSON on stdout, for programs.")]
_EVERY_S = 2.0


@app.command("adopt")
def adopt() -> None:
    """Take on a database of the product before runs existed: check its tables and stamp it; nothing else changes."""
    from rootproof.adapters.sql.migrate import adopt as stamp

    if asyncio.run(stamp(_existing_url())):
        say("adopted: the tables are those of the product before runs existed. Next: rootproof db upgrade\n")
    else:
        say("this database was adopted before. Next: rootproof db upgrade\n")


@app.command("upgrade")
def upgrade(
    revision: Annotated[str, typer.Option("--revision", help="How far; the newest revision by default.")] = "head",
    owner: Annotated[
        str | None, typer.Option("--owner", help="Whose the old product's sessions are; `local` by default.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Migrate the database up. An interrupted upgrade goes on where it was; rows that the old product has written since
    the last one are linked as well."""
    from rootproof.adapters.sql.migrate import upgrade as migrate

    _check_owner(owner)
    done = asyncio.run(migrate(_url_to_make(), revision, owner=owner, report=_progress()))
    if as_json:
        emit_json({"schemaVersion": 1, "revision": done.revision, "figures": _figures(done)})
    else:
        lines = [f"the database is at revision {done.revision}", *(done.figures.lines() if done.figures else ())]
        say("\n".join(lines) + "\n")
    if done.figures is not None and done.figures.problems:
        tell(f"rootproof: {'; '.join(done.figures.problems)}: run `rootproof db upgrade` again")
        raise typer.Exit(Exit.FELL_SHORT)


@app.command("downgrade")
def downgrade(
    to: Annotated[str, typer.Option("--to", help="The revision to go down to: `legacy`, `0001`, ... or `base`.")],
    discard_runs: Annotated[
        bool, typer.Option("--discard-runs", help="Lose what was made since: runs, feedback, cases, keys.")
    ] = False,
) -> None:
    """Migrate the database down. Refused where runs made since would be lost, unless --discard-runs says so."""
    from rootproof.adapters.sql.migrate import downgrade as migrate

    reached = asyncio.run(migrate(_existing_url(), to, discard_runs=discard_runs))
    say(f"the database is at revision {reached or 'base'}\n")


@app.command("check")
def check(as_json: AsJson = False) -> None:
    """Count rows without a run, orphans, duplicates and runs without an end; exit 1 if there are any."""
    from rootproof.adapters.sql.check import check_database, ok
    from rootproof.adapters.sql.migrate import as_it_is

    async def findings() -> tuple[Finding, ...]:
        async with as_it_is(_existing_url()) as database:
            return await check_database(database)

    found = asyncio.run(findings())
    if as_json:
        emit_json({"schemaVersion": 1, "ok": ok(found), "findings": [_finding(item) for item in found]})
    else:
        for item in found:
            if item.count:
                say(f"FAIL {item.count} {item.what}: {item.action} ({', '.join(item.examples)})\n")
            else:
                say(f"ok   0 {item.what}\n")
    raise typer.Exit(Exit.DONE if ok(found) else Exit.FELL_SHORT)


def configured_url() -> str:
    """The URL in force; a server's or a file's."""
    from rootproof.bootstrap import database_url
    from rootproof.settings import load_settings

    return database_url(load_settings())


def _existing_url() -> str:
    """The URL in force. Raises: UsageError for a SQLite file that is not there: looking must not make one."""
    from rootproof.errors import UsageError

    url = configured_url()
    path = _file_of(url)
    if path is not None and not path.is_file():
        raise UsageError(f"there is no database {path}; ROOTPROOF_STORE_URL or ROOTPROOF_STORE_HOME name another one")
    return url


def _url_to_make() -> str:
    """The URL in force; a SQLite file that is not there is made for this user only."""
    from rootproof.adapters.index.private import make_file, make_folder
    from rootproof.errors import UsageError

    url = configured_url()
    path = _file_of(url)
    if path is not None and not path.is_file():
        try:
            make_folder(path.parent)
            make_file(path)
        except OSError as error:
            raise UsageError(f"the database {path} cannot be made: {error.strerror or error}") from error
    return url


def _file_of(url: str) -> Path | None:
    name = url.partition(":///")[2].partition("?")[0]
    return Path(name) if url.startswith("sqlite") and name and name != ":memory:" else None


def _check_owner(owner: str | None) -> None:
    from rootproof.domain.storable import OWNER_LENGTH, is_storable_id
    from rootproof.errors import UsageError

    if owner is not None and not is_storable_id(owner, OWNER_LENGTH):
        raise UsageError(
            f"--owner must be 1-{OWNER_LENGTH} printable characters without outer spaces, got {owner!r:.80}"
        )


def _progress() -> Report:
    """Tells every two seconds how far a part is, and when it is done."""
    last = time.monotonic()

    def report(progress: Progress) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= _EVERY_S and progress.rows:
            last = now
            tell(f"{progress.table}: row {progress.position} of {progress.last}")

    return report


def _figures(done: Upgraded) -> dict[str, object] | None:
    figures = done.figures
    if figures is None:
        return None
    return {
        "sessions": figures.sessions,
        "compatibilityRuns": figures.compatibility_runs,
        "problems": list(figures.problems),
        "tables": [
            {"table": item.table, "rows": item.rows, "linked": item.linked, "orphans": item.orphans}
            for item in figures.tables
        ],
    }


def _finding(item: Finding) -> dict[str, object]:
    return {
        "check": item.check,
        "count": item.count,
        "what": item.what,
        "action": item.action,
        "examples": list(item.examples),
    }
