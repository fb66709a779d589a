"""`rootproof logs`: patterns and records of log files."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, tzinfo
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rootproof.entrypoints.cli.output import emit_json, emit_json_line, say

if TYPE_CHECKING:
    from rootproof.logs.patterns_table import PatternTable
    from rootproof.logs.record import LogRecord

app = typer.Typer(help="Read logs: patterns and records.", no_args_is_help=True, rich_markup_mode=None)


class LogFormat(StrEnum):
    """How lines become records."""

    AUTO = "auto"
    PLAIN = "plain"


Paths = Annotated[list[Path], typer.Argument(help="Files or folders; gzip is read; `-` reads stdin.")]
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
    timezone: Zone = "UTC",
    limit: Annotated[int, typer.Option("--limit", min=1, help="How many patterns to print for people.")] = 40,
    as_json: AsJson = False,
) -> None:
    """Show what the lines have in common: patterns with exact counts; counts and `other` add up to `scanned`."""
    from rootproof.bootstrap import timezone_of
    from rootproof.entrypoints.cli.input import files_below
    from rootproof.logs.patterns_table import as_json as table_json
    from rootproof.logs.patterns_table import of_lines

    files = [file for path in paths for file in files_below(path)]
    plain = log_format is LogFormat.PLAIN and not any(str(file) == "-" or _is_packed(file) for file in files)
    if plain:
        from rootproof.logs.patterns_fast import mine_paths

        table = of_lines(mine_paths(files, assign=assign))
    else:
        table = _record_table(files, log_format, timezone_of(timezone), assign)
    body = table_json(table)
    if as_json:
        emit_json(body)
    else:
        _show(body, limit)


@app.command("parse")
def parse_files(
    paths: Paths,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Stop after this many records.")] = None,
    timezone: Zone = "UTC",
    as_json: AsJson = False,
) -> None:
    """Show the records that were read, one a line."""
    from rootproof.bootstrap import timezone_of
    from rootproof.domain.window import iso
    from rootproof.entrypoints.cli.input import files_below

    left = limit
    for path in paths:
        for file in files_below(path):
            for record in _records(file, LogFormat.AUTO, timezone_of(timezone)):
                if left is not None:
                    if left == 0:
                        return
                    left -= 1
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


def _records(file: Path, log_format: LogFormat, zone: tzinfo) -> Iterator[LogRecord]:
    from rootproof.entrypoints.cli.input import open_lines
    from rootproof.logs.decode import decode, encoding_of, split_lines
    from rootproof.logs.parse import parse
    from rootproof.logs.record import LogRecord

    written = datetime.now(UTC) if str(file) == "-" else datetime.fromtimestamp(file.stat().st_mtime, UTC)
    if str(file) != "-" and encoding_of(_head(file)) not in ("utf-8", "utf-8-sig", "ascii"):
        from rootproof.entrypoints.cli.input import read_bytes

        # Wide encodings have no line feeds to split bytes at: such files are read whole, within the input limit.
        lines: Iterable[str] = split_lines(decode(read_bytes(file)))
    else:
        lines = (decode(line) for line in open_lines(file))
    if log_format is LogFormat.PLAIN:
        return (LogRecord(line.rstrip("\r"), line=number) for number, line in enumerate(lines, start=1))
    return parse(lines, default_year_from=written, timezone=zone)


def _head(file: Path) -> bytes:
    with file.open("rb") as opened:
        return opened.read(4096)


def _is_packed(file: Path) -> bool:
    return _head(file)[:2] == b"\x1f\x8b"


def _record_table(files: list[Path], log_format: LogFormat, zone: tzinfo, assign: Path | None) -> PatternTable:
    from rootproof.logs.patterns_table import line_ids, tabulate

    if assign is None:
        return tabulate(record for file in files for record in _records(file, log_format, zone))
    kept = {str(file): list(_records(file, log_format, zone)) for file in files}
    with assign.open("w", newline="", encoding="utf-8") as opened:
        out = csv.writer(opened)
        out.writerow(["file", "line", "patternId"])
        out.writerows(line_ids(kept))
    return tabulate(record for records in kept.values() for record in records)


def _show(body: dict[str, Any], limit: int) -> None:
    say(f"{body['scanned']} records, {len(body['patterns'])} patterns, {body['other']} in none\n")
    for row in body["patterns"][:limit]:
        where = " ".join(part for part in (row["level"], row["service"]) if part)
        span = f" {row['firstSeen']} .. {row['lastSeen']}" if row["firstSeen"] else ""
        say(f"{row['count']:>9}  {row['id']}  {where}{span}\n           {row['pattern'][:300]}\n")
    if len(body["patterns"]) > limit:
        say(f"… {len(body['patterns']) - limit} more patterns; --limit shows them\n")
