"""`rootproof logs`: patterns and records of log files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rootproof.entrypoints.cli.output import Exit, emit_json, emit_json_line, say, tell
from rootproof.errors import UsageError

if TYPE_CHECKING:
    from rootproof.entrypoints.cli.input import InputFile
    from rootproof.logs.marks import InWindows
    from rootproof.logs.patterns_table import PatternTable
    from rootproof.logs.table_job import PatternJob

app = typer.Typer(help="Read logs: patterns and records.", no_args_is_help=True, rich_markup_mode=None)

_RARE_SHOWN = 10


class LogFormat(StrEnum):
    """How lines become records."""

    AUTO = "auto"
    PLAIN = "plain"


Paths = Annotated[
    list[Path],
    typer.Argument(help="Files or folders, with subfolders; gzip, zstd, bzip2 and xz are unpacked; `-` reads stdin."),
]
Zone = Annotated[str, typer.Option("--timezone", help="Zone of times that name none, such as Europe/Berlin.")]
AsJson = Annotated[bool, typer.Option("--json", help="JSON on stdout, for programs.")]


@app.command("patterns")
def patterns(
    paths: Paths,
    log_format: Annotated[
        LogFormat, typer.Option("--format", help="auto: find records; plain: each physical line is a message.")
    ] = LogFormat.AUTO,
    assign: Annotated[
        Path | None, typer.Option("--assign", help="Write file,line,patternId of every input line to this CSV.")
    ] = None,
    show: Annotated[
        str | None, typer.Option("--show", metavar="ID", help="Print the lines of this pattern instead of the table.")
    ] = None,
    window: Annotated[
        str | None,
        typer.Option("--window", help="Mark what changed in the last 15m, 2h, 1d against as long before it."),
    ] = None,
    context: Annotated[
        int, typer.Option("--context", min=0, max=20, help="Lines around the first line of each pattern shown.")
    ] = 0,
    timezone: Zone = "UTC",
    limit: Annotated[int, typer.Option("--limit", min=1, help="How many patterns to print for people.")] = 40,
    as_json: AsJson = False,
) -> None:
    """Show what the lines have in common: patterns with exact counts; counts and `other` add up to `scanned`."""
    from rootproof.bootstrap import timezone_of
    from rootproof.logs.table_job import PatternJob

    length, plain = _length(window), log_format is LogFormat.PLAIN
    if plain and (length or context):
        raise UsageError("--window and --context need records: leave out `--format plain`")
    if show is not None and not re.fullmatch(r"p-[0-9a-f]{12}", show):
        raise UsageError(f"{show!r} is no pattern id; `rootproof logs patterns PATH` prints them, as p-0123456789ab")
    files = _inputs(paths, again=bool(assign or show or context or length))
    if assign is not None:
        _check_target(assign, files)
    job = PatternJob(files, timezone_of(timezone), plain=plain)
    table = job.table()
    if assign is not None:
        _write_assignment(job, files, assign)
    if show is not None:
        _show_lines(job, table, files, show, as_json=as_json)
    else:
        windows = job.windows(table, length) if length else None
        _show_table(job, table, windows, files, context=context, limit=limit, as_json=as_json)
    _end(files)


@app.command("parse")
def parse_files(
    paths: Paths,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Stop after this many records.")] = None,
    timezone: Zone = "UTC",
    as_json: AsJson = False,
) -> None:
    """Show the records that were read, one a line."""
    from itertools import islice

    from rootproof.bootstrap import timezone_of
    from rootproof.domain.window import iso
    from rootproof.logs.decode import split_lines
    from rootproof.logs.parse import parse

    files, zone = _inputs(paths), timezone_of(timezone)
    records = (
        record
        for file in files
        for record in parse(
            (line for block in file.blocks(prompt=True) for line in split_lines(block.decode())),
            default_year_from=file.written,
            timezone=zone,
        )
    )
    for record in islice(records, limit):
        time = iso(record.timestamp) if record.timestamp else None
        if as_json:
            emit_json_line(
                {
                    "timestamp": time,
                    "level": record.level,
                    "service": record.service,
                    "logger": record.logger,
                    "message": record.message,
                    "lines": record.lines,
                }
            )
        else:
            say(f"{time or '-'} {record.level or '-'} {record.service or '-'} {record.message}\n")
    _end(files)


def _inputs(paths: Sequence[Path], *, again: bool = False) -> list[InputFile]:
    """The files that were named and those in the folders; what is no log in a folder is told and passed over."""
    from rootproof.entrypoints.cli.input import InputFile, files_below

    files = []
    for path in paths:
        below = files_below(path)
        if not below:
            raise UsageError(f"{path} holds no files; give a folder with logs")
        for file in below:
            found = InputFile(file, again=again)
            if file != path and (why := found.no_log()):
                tell(f"rootproof: {why}; it was passed over")
                continue
            files.append(found)
    if not files:
        raise UsageError(f"{', '.join(map(str, paths))}: no file there is a log that can be read")
    return files


def _end(files: Sequence[InputFile]) -> None:
    """Say what of the input was not read; then the result is there, but the command fell short."""
    damaged = [file for file in files if file.damage]
    for file in damaged:
        tell(f"rootproof: {file.path}: {file.damage}")
    if damaged:
        raise typer.Exit(Exit.FELL_SHORT)


_UNITS = {"s": timedelta(seconds=1), "m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1)}


def _length(window: str | None) -> timedelta | None:
    if window is None:
        return None
    match = re.fullmatch(r"([1-9]\d{0,5})([smhd])", window.strip())
    if match is None:
        raise UsageError(f"--window {window!r} is no length of time; use one such as 90s, 15m, 2h or 1d")
    return int(match[1]) * _UNITS[match[2]]


def _check_target(out: Path, files: Sequence[InputFile]) -> None:
    """Refuse to write over a log that is read, whatever name it has. Raises: UsageError."""
    if out.exists() and any(file.path.exists() and out.samefile(file.path) for file in files):
        raise UsageError(f"--assign {out} is one of the inputs, which it would overwrite; name another file")


def _write_assignment(job: PatternJob, files: Sequence[InputFile], out: Path) -> None:
    from rootproof.logs.table_assign import HEADER

    try:
        with out.open("wb") as opened:
            opened.write(HEADER)
            for number, file in enumerate(files):
                for ids in job.ids(number):
                    ids.write(opened, str(file.path))
    except OSError as error:
        raise UsageError(f"{out} cannot be written: {error.strerror or error}") from error


def _show_lines(job: PatternJob, table: PatternTable, files: Sequence[InputFile], name: str, *, as_json: bool) -> None:
    if all(row.id != name for row in table.rows):
        raise UsageError(f"{name} is no pattern of these lines; without --show all of them are printed")
    for number, line, text in job.lines_of(name):
        if as_json:
            emit_json_line({"file": str(files[number].path), "line": line, "text": text})
        else:
            say(f"{files[number].path}:{line}:{text}\n")


def _show_table(
    job: PatternJob,
    table: PatternTable,
    windows: Mapping[str, InWindows] | None,
    files: Sequence[InputFile],
    *,
    context: int,
    limit: int,
    as_json: bool,
) -> None:
    from rootproof.logs.patterns_table import as_json as table_json

    body = table_json(table, windows)
    rare = [at for at, row in enumerate(body["patterns"]) if at >= limit and "rare" in row["marks"]][:_RARE_SHOWN]
    shown = [*range(min(limit, len(table.rows))), *rare]
    if context:
        contexts = job.contexts([table.rows[at] for at in shown], context)
        for at in shown:
            row = table.rows[at]
            body["patterns"][at]["firstContext"] = {
                "file": str(files[row.position[0]].path),
                "line": row.position[1],
                "lines": [{"line": line, "text": text} for line, text in contexts[row.id]],
            }
    if as_json:
        emit_json(body)
        return
    say(f"{body['scanned']} records, {len(body['patterns'])} patterns, {body['other']} in none\n")
    for at in shown[: len(shown) - len(rare)]:
        say("".join(_told(body["patterns"][at])))
    if rare:
        say("rare:\n")
    for at in rare:
        say("".join(_told(body["patterns"][at])))
    if len(body["patterns"]) > len(shown):
        say(f"… {len(body['patterns']) - len(shown)} more patterns; --limit shows them\n")


def _told(row: Mapping[str, Any]) -> Iterator[str]:
    """A pattern for people."""
    worst = next(iter(row["levels"]), None)
    level = row["level"] if worst == row["level"] else f"{worst} in {row['levels'][worst]}"
    where = " ".join(part for part in (level, row["service"], *row["marks"]) if part)
    span = f" {row['firstSeen']} .. {row['lastSeen']}" if row["firstSeen"] else ""
    yield f"{row['count']:>9}  {row['id']}  {where}{span}\n           {row['pattern'][:300]}\n"
    if found := row.get("firstContext"):
        yield f"           first in {found['file']}:{found['line']}\n"
        for line in found["lines"]:
            sign = ">" if line["line"] == found["line"] else " "
            yield f"         {sign} {line['text'][:200]}\n"
