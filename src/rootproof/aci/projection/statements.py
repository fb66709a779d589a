"""Slow statements in the query-log projection: by digest, the ones that cost the most time first.

What a DBA looks at first: which statements the time went into, how often they ran, how long the usual and the worst run
took, and how many rows were read for how many that were wanted. Every number stands in the item's text with its unit,
so that claims are checked against it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rootproof.aci.projection.fit import Item, size_of
from rootproof.aci.projection.raw import text_of
from rootproof.domain.window import iso
from rootproof.logs.record import LogRecord
from rootproof.logs.statements import Digest, Digests, Run, digests
from rootproof.logs.statements_reading import run_of

MAX_STATEMENTS = 8
_EXAMPLES = 3
"""Statements of which one run is shown as it was written, where that tells more."""
_SHARE = 0.55
"""Of the room, so that patterns and timeline have some too."""
_SHORTER = (1.0, 0.6, 0.35)
_HEAD_SHARE = 0.55
"""Of a long statement's characters that are its beginning; the rest is its end, where the conditions stand."""


_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class StatementItems:
    """The statements of one answer; empty where its records tell of none."""

    items: list[Item]
    totals: dict[str, Any]
    """Of all runs, for the head."""
    left_out: int
    """Statements that have no item."""


def statement_items(
    records: Sequence[LogRecord],
    logs: Sequence[Mapping[str, Any]],
    redact: Callable[[str], str],
    *,
    source: str,
    longest: int,
    room: float,
) -> StatementItems:
    """The statements of `records`, which are those of `logs` (the source's answer) under their `line`.

    `longest` is the most characters of a statement, `room` about the bytes that all sections have.
    """
    found = digests(_runs(records, logs))
    chosen = found.ranked[:MAX_STATEMENTS]
    items: list[Item] = []
    for share in _SHORTER:
        limit = max(40, int(longest * share))
        items = [
            _item(digest, place, found.total_s, redact, source, limit if place < _EXAMPLES else limit * 2 // 3)
            for place, digest in enumerate(chosen)
        ]
        if sum(map(size_of, items)) <= room * _SHARE:
            break
    while len(items) > 1 and sum(map(size_of, items)) > room * _SHARE:
        items.pop()
    return StatementItems(items, _totals(found), len(found.ranked) - len(items))


def _runs(records: Iterable[LogRecord], logs: Sequence[Mapping[str, Any]]) -> Iterable[Run]:
    for record in records:
        log = logs[record.line - 1]
        metrics = log.get("metrics")
        numbers = {
            name: float(value)
            for name, value in (metrics.items() if isinstance(metrics, dict) else ())
            if isinstance(value, int | float) and not isinstance(value, bool)
        }
        beside = text_of(log.get("beside"))
        run = run_of(record.message, numbers, at=record.timestamp, service=record.service, beside=beside)
        if run is not None:
            yield run


def _totals(found: Digests) -> dict[str, Any]:
    if not found.ranked:
        return {}
    told = {"statements": len(found.ranked), "runs": found.runs, "total_s": _rounded(found.total_s)}
    return told | ({"runs_of_other_statements": found.other.count} if found.other.count else {})


def _item(digest: Digest, place: int, total_s: float, redact: Callable[[str], str], source: str, limit: int) -> Item:
    statement = _shortened(redact(digest.statement), limit)
    unit = "s" if digest.timed else ""
    times = {
        "total": digest.total, "mean": digest.mean, "p95": digest.percentile(0.95), "max": digest.longest,
    }  # fmt: skip
    share = round(100 * digest.total / total_s, 1) if digest.timed and total_s else None
    fields: dict[str, Any] = {
        "statement": statement,
        "service": digest.service,
        "count": digest.count,
        "first": iso(digest.first) if digest.first else None,
        "last": iso(digest.last) if digest.last else None,
        **{f"{name}_{unit}" if unit else name: _rounded(value) for name, value in times.items()},
    }
    words = [", ".join(f"{name} {_number(value)}{' s' if unit else ''}" for name, value in times.items())]
    if share is not None:
        fields["share_pct"] = share
        words[0] = words[0].replace(", mean", f" ({_number(share)} % of the time of all), mean", 1)
    elif not digest.timed:
        words.append("the log gives these times no unit")
    words += _beside(digest, fields)
    text = f"{digest.count} x {digest.service or 'unknown'}{_span(digest)}: {statement}: {'; '.join(words)}"
    example = _shortened(redact(digest.example), limit) if place < _EXAMPLES else ""
    if _words(example) - _words(statement):
        fields["example"] = example
        text += f" (for example: {example})"
    return Item(fields, text, digest.service, source, digest.first, digest.last, digest.count, place=place)


def _beside(digest: Digest, fields: dict[str, Any]) -> Iterable[str]:
    """What the runs cost beside their time, and how many ran them; into `fields` too."""
    if digest.lock_s is not None:
        fields["lock_s"] = _rounded(digest.lock_s)
        yield f"lock time {_number(digest.lock_s)} s"
    if digest.rows_examined is not None:
        fields["rows_examined"] = round(digest.rows_examined)
        yield f"rows examined {round(digest.rows_examined)}"
    if digest.rows_sent is not None:
        fields["rows_sent"] = round(digest.rows_sent)
        yield f"rows sent {round(digest.rows_sent)}"
    for name, names in (("database", digest.databases), ("user", digest.users), ("host", digest.hosts)):
        if names:
            fields[f"{name}s"] = len(names)
            yield f"{len(names)} {name}{'s' if len(names) > 1 else ''}"


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))


def _span(digest: Digest) -> str:
    if digest.first is None or digest.last is None:
        return " (no times)"
    if digest.first == digest.last:
        return f" at {iso(digest.first)}"
    return f" between {iso(digest.first)} and {iso(digest.last)}"


def _shortened(text: str, limit: int) -> str:
    """On one line, without its middle where it is too long. Only for text that is already redacted."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    head = int(limit * _HEAD_SHARE)
    return f"{line[:head].rstrip()} … {line[len(line) - (limit - head - 3) :].lstrip()}"


def _rounded(value: float) -> float:
    """Thousandths are kept; of what is smaller, three digits."""
    return round(value, 3) if abs(value) >= 0.1 else float(f"{value:.3g}")


def _number(value: float) -> str:
    text = f"{_rounded(value):.6f}".rstrip("0").rstrip(".")
    return text or "0"
