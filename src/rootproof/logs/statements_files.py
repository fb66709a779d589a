"""Files of slow statements, in any of their forms: told by name and content, and read into one record a statement.

A row's or an entry's message is written as `query_time: 4.2 s  SELECT ...`, so that whoever reads it sees how long it
took, and its numbers have MySQL's names. Lines in words (PostgreSQL's) say it themselves and stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from itertools import chain, islice

from rootproof.logs.parse import parse
from rootproof.logs.record import LogRecord
from rootproof.logs.statements import Run
from rootproof.logs.statements_reading import run_of, told
from rootproof.logs.statements_slowlog import is_slow_log, read_slow_log

_HEAD_LINES = 200
_SLOW = r"slow(?:[-_.]?(?:log|logs|quer(?:y|ies)|sql|statements?|ops?))*"
_SLOW_NAME = re.compile(rf"(?:^|[-_.]){_SLOW}(?:$|[-_.])", re.IGNORECASE)
_SLOW_SUFFIX = re.compile(rf"(?:^|[-_.]+){_SLOW}$", re.IGNORECASE)
_STATEMENTS = re.compile(
    r'duration: \d+(?:\.\d+)? ms|"Slow query"|"(?:sql|query|statement|sql_text|query_text)"\s*:|'
    r"\b(?:select\s[^\n]{1,400}\sfrom|insert\s+into|update\s[^\n]{1,200}\sset|delete\s+from)\b",
    re.IGNORECASE,
)


def holds_statements(stem: str, beginning: str) -> bool:
    """Whether a file is a slow-query log: by what it begins with, or by its name where statements are in it."""
    return is_slow_log(beginning) or bool(_SLOW_NAME.search(stem) and _STATEMENTS.search(beginning))


def without_slow(stem: str) -> str:
    """Whose slow log it is: `orders-db-slow` is `orders-db`'s."""
    return _SLOW_SUFFIX.sub("", stem)


def read_statements(
    lines: Iterable[str], *, default_year_from: datetime | None = None, timezone: tzinfo = UTC
) -> Iterator[LogRecord]:
    """The records of a slow-query log in the order of its lines, whatever form it has."""
    given = iter(lines)
    head = list(islice(given, _HEAD_LINES))
    every = chain(head, given)
    if is_slow_log("\n".join(head)):
        for entry in read_slow_log(every, timezone=timezone, default_year_from=default_year_from):
            run = run_of(entry.message, entry.metrics, beside=entry.beside)
            yield entry if run is None else replace(entry, message=told(run))
        return
    kept: list[str] = []
    for record in parse(_kept(every, kept), default_year_from=default_year_from, timezone=timezone):
        yield row_of(record, kept[record.line - 1].strip())


def row_of(record: LogRecord, text: str) -> LogRecord:
    """The record of `text`, as a statement where `text` is a row of fields that tells of one."""
    run = run_of(text, {}) if text[:1] == "{" else None
    return record if run is None else replace(record, message=told(run), metrics=_metrics(run), beside=_beside(run))


def _kept(lines: Iterable[str], kept: list[str]) -> Iterator[str]:
    for line in lines:
        kept.append(line)
        yield line


def _metrics(run: Run) -> dict[str, float]:
    numbers = {
        "query_time" if run.timed else "duration": run.took,
        "lock_time": run.lock_s,
        "rows_examined": run.rows_examined,
        "rows_sent": run.rows_sent,
    }
    return {name: value for name, value in numbers.items() if value is not None}


def _beside(run: Run) -> str:
    told = {"user": run.user, "host": run.host, "database": run.database}
    return " ".join(f"{name}={value}" for name, value in told.items() if value and " " not in value)
