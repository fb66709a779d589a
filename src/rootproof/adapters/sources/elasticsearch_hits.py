"""Documents of Elasticsearch and OpenSearch as log records."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rootproof.adapters.sources.elasticsearch_query import Fields, first_of
from rootproof.adapters.sources.records import Entry, rank_of
from rootproof.adapters.sources.workload import workload_of
from rootproof.domain.cutting import within
from rootproof.logs.levels import level_field
from rootproof.logs.metrics import numbers_of

if TYPE_CHECKING:
    from rootproof.logs.record import LogRecord

MAX_MESSAGE_CHARS = 64 << 10
_HEAD_CHARS = 8 << 10
"""Of a message that is read as a log line."""
_MAX_FIELDS, _MAX_DEPTH = 400, 12
_TRACES = ("error.stack_trace", "exception.stacktrace", "stack_trace", "error.message")
_MILLISECONDS_FROM = 1e11
"""A larger number of a time is in milliseconds: in seconds it would be after the year 5000."""


def statement_of(hit: Mapping[str, Any], fields: Fields) -> Entry:
    """One hit of a slow-query log as a record whose message is the statement, where the document tells of one."""
    from rootproof.logs.record import LogRecord
    from rootproof.logs.statements_files import row_of

    entry = entry_of(hit, fields)
    source = json.dumps(hit.get("_source"), ensure_ascii=False)
    row = row_of(LogRecord(entry.message, metrics=entry.metrics), source)
    return replace(entry, message=row.message, metrics=row.metrics, beside=row.beside)


def entry_of(hit: Mapping[str, Any], fields: Fields) -> Entry:
    """One hit as a record. A document without a message is its own JSON text; nothing raises."""
    source = hit.get("_source")
    flat = dict(_flat(source if isinstance(source, dict) else {}))
    told = first_of(fields.message, flat)
    message = _text(told) if told is not None else json.dumps(source, ensure_ascii=False)
    level = level_field(first_of(fields.level, flat))
    inner = _inside(message[:_HEAD_CHARS]) if level is None or told is None else None
    service = _name(first_of(fields.service, flat)) or (inner.service if inner else None)
    instance = _name(first_of(fields.instance, flat)) or (inner.instance if inner else None)
    level = level or (inner.level if inner else None)
    message = _bounded(_with_trace(message, flat))
    return Entry(
        timestamp=_instant(flat.get(fields.time)) or (inner.timestamp if inner else None),
        level=level,
        service=service,
        instance=instance,
        message=message,
        metrics=numbers_of({key.lower(): value for key, value in flat.items()}),
        lines=1 + message.count("\n"),
        names=frozenset(name.lower() for name in _names(flat, fields, service, instance)),
        rank=rank_of(level, message),
    )


def _names(flat: Mapping[str, Any], fields: Fields, *found: str | None) -> Iterator[str]:
    for name in (*found, *(_name(flat.get(field)) for field in (*fields.service, *fields.instance))):
        if name:
            yield name
            if workload := workload_of(name):
                yield workload


def _flat(source: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Fields by their dotted names, whether the document nests them or not."""
    waiting: list[tuple[str, Any, int]] = [("", source, 0)]
    given = 0
    while waiting and given < _MAX_FIELDS:
        prefix, value, depth = waiting.pop()
        if isinstance(value, dict) and depth < _MAX_DEPTH:
            waiting += [(f"{prefix}.{key}" if prefix else str(key), inner, depth + 1)
                        for key, inner in reversed(value.items())]  # fmt: skip
        elif prefix:
            given += 1
            yield prefix, value


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return "\n".join(value)
    return json.dumps(value, ensure_ascii=False)


def _name(value: Any) -> str | None:
    """A name; of several the first."""
    if isinstance(value, list):
        value = value[0] if value else None
    return value.strip() or None if isinstance(value, str) else None


def _with_trace(message: str, flat: Mapping[str, Any]) -> str:
    """The message with the error that a document holds beside it."""
    for name in _TRACES:
        trace = flat.get(name)
        if isinstance(trace, str) and trace.strip() and trace.strip()[:200] not in message:
            return f"{message}\n{trace.strip()}"
    return message


def _bounded(message: str) -> str:
    kept = within(message, MAX_MESSAGE_CHARS)
    return kept if kept == message else f"{kept} ...[{len(message) - len(kept)} characters cut]"


def _instant(value: Any) -> datetime | None:
    """A document's time: ISO 8601 of any precision, or a number of milliseconds or seconds."""
    if isinstance(value, list):
        value = value[0] if value else None
    try:
        if isinstance(value, str) and not value.replace(".", "", 1).isdecimal():
            parsed = datetime.fromisoformat(value)
            return parsed.astimezone(UTC) if parsed.tzinfo else parsed.replace(tzinfo=UTC)
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            return None
        number = float(value)
        return datetime.fromtimestamp(number / 1000 if number >= _MILLISECONDS_FROM else number, UTC)
    except (ValueError, OverflowError, OSError):
        return None


@lru_cache(maxsize=256)
def _inside(message: str) -> LogRecord | None:
    """What a message says that is itself a log line."""
    from rootproof.logs.parse import parse

    return next(iter(parse(message.splitlines()[:50])), None)
