"""Runs of statements out of log records: what was run, how long it took, on how many rows, by whom.

Reads what `statements_slowlog` gives, PostgreSQL's `duration: ... ms  statement: ...`, MongoDB's slow operations, rows
exported as JSON under the names in common use, and lines that say `took 3.2 s` before a statement.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from rootproof.logs.metrics import number
from rootproof.logs.statements import Run
from rootproof.logs.statements_slowlog import is_slow_log, read_slow_log

_MAX_JSON_CHARS = 1 << 18
_MAX_FIELDS, _MAX_DEPTH, _MAX_KEY_CHARS = 200, 4, 120
_VERBS = (
    "select|insert|update|delete|replace|merge|with|call|copy|alter|create|drop|truncate|refresh|vacuum|analyze|analyse|"
    "reindex|optimize|show|begin|start|commit|rollback|set|lock|explain|execute|prepare|fetch|declare|load|use|grant"
)
_COMMENT = r"(?:/\*.{0,2000}?\*/|--[^\n]{0,500}\n|#[^\n]{0,500}\n)"
_STATEMENT = re.compile(
    rf"[\s(]*(?:{_COMMENT}[\s(]*){{0,8}}(?:{_VERBS})\b|administrator command: |[\w$.\-]{{1,120}} \w{{1,40}} \{{",
    re.IGNORECASE | re.DOTALL,
)
_POSTGRES = re.compile(
    r"duration: (\d+(?:\.\d+)?) ms\s+(?:statement|execute [^:\n]{0,200}|fetch from [^:\n]{0,200}|plan):\s*(.*)",
    re.DOTALL,
)
_PLANNED = re.compile(r"Query Text: (.*?)(?=\n\s*[^\n]{0,200}\(cost=|\Z)", re.DOTALL)
_TOLD_FIRST = re.compile(r"\A(?:query_time: \S{1,30} s|duration: \S{1,30})  ")
_TOLD = re.compile(
    r"\b(?:took|duration|elapsed|time|slow ?(?:query|sql|statement))\b[^\d\n]{0,40}(\d{1,12}(?:\.\d{1,9})?) ?"
    r"(ns|us|\u00b5s|ms|millis|milliseconds|s|secs?|seconds)\b[^\n]{0,120}?"
    r"\b((?:select|insert|update|delete|replace|merge|with|call)\s.*)",
    re.DOTALL | re.IGNORECASE,
)
_SECONDS = {
    "ns": 1e-9, "nanos": 1e-9, "nanoseconds": 1e-9, "us": 1e-6, "\u00b5s": 1e-6, "micros": 1e-6, "microseconds": 1e-6,
    "ms": 1e-3, "millis": 1e-3, "milliseconds": 1e-3, "msec": 1e-3, "s": 1.0, "sec": 1.0, "secs": 1.0, "seconds": 1.0,
}  # fmt: skip
_UNITS = "|".join(sorted(_SECONDS, key=len, reverse=True))
_TIME_KEY = re.compile(
    rf"(?:query|exec|execution|statement|total|elapsed|response|lock)?_?(?:time|duration|elapsed|latency|took)"
    rf"(?:_(?:in_)?({_UNITS}))?"
)
_IN_SECONDS = frozenset({"query_time", "lock_time"})
"""Names of MySQL's, whose unit is seconds wherever they stand."""
_VALUE = re.compile(rf"(\d{{1,15}}(?:\.\d{{1,12}})?) ?({_UNITS})?")
_CLOCKED = re.compile(r"(\d{1,3}):(\d\d):(\d\d(?:\.\d{1,9})?)")
_SQL_KEYS = (
    "sql_text", "sql", "query_text", "query_sql", "sql_query", "statement", "query", "stmt", "argument", "digest_text",
    "normalized_query", "command_text",
)  # fmt: skip
_NAMES = {
    "rows_examined": ("rows_examined", "rows_scanned", "rows_read", "docs_examined", "examined_rows"),
    "rows_sent": ("rows_sent", "rows_returned", "nreturned", "returned_rows", "rows"),
    "database": ("db", "database", "schema", "dbname", "database_name", "db_name", "datname", "schema_name"),
    "user": ("user", "username", "user_name", "usename", "db_user"),
    "host": ("client_host", "client_ip", "client", "client_addr", "remote", "remote_host", "host"),
}
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_BESIDE = re.compile(r"(user|host|database)=(\S+)")


def run_of(
    message: str,
    metrics: Mapping[str, float],
    *,
    at: datetime | None = None,
    service: str | None = None,
    beside: str = "",
) -> Run | None:
    """The run that a record tells of, or None where it tells of no statement with its time."""
    if message[:2] == "# " and is_slow_log(message):
        return _logged(message, at, service)
    run = _exported(message) if message[:1] == "{" else _measured(message, metrics) or _worded(message)
    if run is None:
        return None
    told = dict(_BESIDE.findall(beside))
    return replace(
        run,
        at=at,
        service=service,
        database=run.database or told.get("database"),
        user=run.user or told.get("user"),
        host=run.host or told.get("host"),
    )


def _logged(message: str, at: datetime | None, service: str | None) -> Run | None:
    """A whole entry of MySQL's slow log in one message, as log shippers send it."""
    entries = list(read_slow_log(message.splitlines()))
    if len(entries) != 1 or is_slow_log(entries[0].message):
        return None
    (entry,) = entries
    return run_of(entry.message, entry.metrics, at=at or entry.timestamp, service=service, beside=entry.beside)


def told(run: Run) -> str:
    """A run in words that `run_of` reads again, with its record's metrics."""
    return f"query_time: {run.took:g} s  {run.statement}" if run.timed else f"duration: {run.took:g}  {run.statement}"


def _measured(message: str, metrics: Mapping[str, float]) -> Run | None:
    """A statement as the message, its numbers as the record's metrics."""
    message = _TOLD_FIRST.sub("", message, count=1)
    if not _STATEMENT.match(message):
        return None
    took = _time_of(metrics, lock=False)
    if took is None:
        return None
    lock = _time_of(metrics, lock=True)
    return Run(
        message,
        took[0],
        took[1],
        rows_examined=metrics.get("rows_examined"),
        rows_sent=metrics.get("rows_sent"),
        lock_s=lock[0] if lock and lock[1] else None,
    )


def _worded(message: str) -> Run | None:
    """A line in words: PostgreSQL's, or one that says how long before it says what."""
    if logged := _POSTGRES.search(message):
        planned = _PLANNED.search(logged[2])
        return Run((planned[1] if planned else logged[2]).strip(), float(logged[1]) / 1000)
    if told := _TOLD.search(message):
        return Run(told[3].strip(), float(told[1]) * _SECONDS[told[2].lower()])
    return None


def _exported(text: str) -> Run | None:
    """A row of an export or of a server that logs JSON."""
    if len(text) > _MAX_JSON_CHARS:
        return None
    try:
        row = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(row, dict):
        return None
    attributes = row.get("attr")
    if row.get("msg") == "Slow query" and isinstance(attributes, dict):
        return _operation(attributes)
    flat = _first_of_each(_flat(row))
    took = _time_of(flat, lock=False)
    statement = next((flat[key] for key in _SQL_KEYS if isinstance(flat.get(key), str) and flat[key].strip()), None)
    if took is None or statement is None:
        return None
    return _run(statement, took, flat)


def _run(statement: str, took: tuple[float, bool], flat: Mapping[str, Any]) -> Run:
    lock = _time_of(flat, lock=True)
    user_host = str(flat.get("user_host") or "")
    user = _text(flat, "user") or (user_host.split("[", maxsplit=1)[0].strip() or None)
    return Run(
        statement,
        took[0],
        took[1],
        rows_examined=_number(flat, "rows_examined"),
        rows_sent=_number(flat, "rows_sent"),
        lock_s=lock[0] if lock and lock[1] else None,
        database=_text(flat, "database"),
        user=user,
        host=_text(flat, "host"),
    )


def _operation(attributes: dict[str, Any]) -> Run | None:
    """A slow operation of MongoDB: the command's shape in place of a statement."""
    took = number(attributes.get("durationMillis"))
    command = attributes.get("command")
    if took is None or not isinstance(command, dict):
        return None
    verb = next(iter(command), "command")
    rest = {key: value for key, value in command.items() if key not in _NOT_SHAPE and key != verb}
    flat = {_snake(key): value for key, value in attributes.items() if not isinstance(value, dict | list)}
    namespace = str(attributes.get("ns") or command.get("$db") or "unknown")
    run = _run(f"{namespace} {verb} {_shape(rest)}", (took / 1000, True), flat)
    return replace(run, database=namespace.split(".", 1)[0], host=(run.host or "").rsplit(":", 1)[0] or None)


_NOT_SHAPE = frozenset({"lsid", "$clusterTime", "$db", "$readPreference", "readConcern", "writeConcern", "txnNumber",
                        "cursor", "shardVersion", "clientOperationKey", "signature", "apiVersion"})  # fmt: skip


def _shape(value: Any, depth: int = 0) -> str:
    if depth > 12:
        return "..."
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_shape(inner, depth + 1)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(dict.fromkeys(_shape(inner, depth + 1) for inner in value[:200])) + "]"
    return json.dumps(value, ensure_ascii=False)


def _first_of_each(fields: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in fields:
        if value is not None:
            found.setdefault(key, value)
    return found


def _flat(row: Mapping[str, Any], parent: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Fields by the last part of their names in snake case; the first of equal names stands, the outermost first."""
    inner: list[tuple[str, Mapping[str, Any]]] = []
    for key, value in list(row.items())[:_MAX_FIELDS]:
        above, _, last = str(key)[-_MAX_KEY_CHARS:].rpartition(".")
        if isinstance(value, dict):
            inner.append((_snake(last), value))
        elif not isinstance(value, list):
            yield _key(_snake(above.rpartition(".")[2]) or parent, _snake(last)), value
    for name, nested in inner if depth < _MAX_DEPTH else ():
        yield from _flat(nested, name, depth + 1)


def _key(parent: str, last: str) -> str:
    """The last part of a field's name, unless the one above it is what says what it is (as ECS has it)."""
    if (parent, last) == ("event", "duration"):
        return "duration_ns"
    if last in _SECONDS:
        return f"{parent}_{last}"
    if parent in ("source", "client") and last in ("ip", "domain", "address"):
        return "client"
    return parent if last == "name" and parent else last


def _snake(key: str) -> str:
    return _HUMP.sub("_", key).replace("-", "_").lower()


def _time_of(flat: Mapping[str, Any], *, lock: bool) -> tuple[float, bool] | None:
    """The time in the first field of that name, and whether its unit is known: then it is in seconds."""
    for key, value in flat.items():
        named = _TIME_KEY.fullmatch(key)
        if named is None or key.startswith("lock") != lock or (key == "time" and not isinstance(value, int | float)):
            continue
        unit = named[1] or ("s" if key in _IN_SECONDS else None)
        if isinstance(value, str) and (clock := _CLOCKED.fullmatch(value.strip())):
            return int(clock[1]) * 3600 + int(clock[2]) * 60 + float(clock[3]), True
        read = _VALUE.fullmatch(value.strip()) if isinstance(value, str) else None
        took = float(read[1]) if read else number(value)
        if took is None or took < 0:
            continue
        unit = (read[2] if read else None) or unit
        return (took * _SECONDS[unit], True) if unit else (took, False)
    return None


def _number(flat: Mapping[str, Any], name: str) -> float | None:
    return next((found for key in _NAMES[name] if (found := number(flat.get(key))) is not None), None)


def _text(flat: Mapping[str, Any], name: str) -> str | None:
    return next((str(flat[key]) for key in _NAMES[name] if isinstance(flat.get(key), str) and flat[key]), None)
