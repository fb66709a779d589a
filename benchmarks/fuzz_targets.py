"""What is fuzzed and what must hold: each target takes bytes, raises when an invariant breaks, and gives a signature.

The signature tells in a few words what happened inside (forms and kinds found, orders of magnitude). An input with a
new signature is kept and mutated further: that stands in for the coverage that other fuzzers measure.
"""

from __future__ import annotations

import io
import json
import random
import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from rootproof.aci.identifiers import IdentifierMap
from rootproof.aci.projection.fit import EvidenceNumbering
from rootproof.aci.projection.logs import LogQueryScope, QueryLogsProjector
from rootproof.aci.requests import LogTopic, QueryLogsRequest
from rootproof.domain.limits import ToolProjectionLimits
from rootproof.domain.window import TimeWindow
from rootproof.errors import UsageError
from rootproof.intake.normalize import normalize
from rootproof.logs.decode import decode, split_lines
from rootproof.logs.parse import parse
from rootproof.logs.patterns import mine
from rootproof.logs.patterns_fast import mine_blocks
from rootproof.logs.patterns_table import tabulate
from rootproof.logs.record import LogRecord
from rootproof.logs.statements import digests
from rootproof.logs.statements_files import read_statements
from rootproof.logs.statements_reading import run_of
from rootproof.logs.templates import OTHER
from rootproof.logs.timeline import sample
from rootproof.logs.timestamps import Clock, stamp_at, time_field
from rootproof.logs.unpack import Damaged, packing_of, unpacked
from rootproof.redaction import Numbering, find, redact, redact_structure, visible, without_credentials

Signature = Hashable
YEAR: Final = datetime(2026, 5, 4, tzinfo=UTC)
NOW: Final = datetime(2026, 5, 4, 10, 30, tzinfo=UTC)
CANARY: Final = "Zk3vQ9xT7bLm2RwYc8HdNf5PjSgA4uEo1iKq"
PLANTED: Final = (
    f"ghp_{CANARY}",
    f"password={CANARY}",
    f"Authorization: Bearer {CANARY}",
    f"postgresql://app:{CANARY}@db:5432/x",
    f'{{"api_key": "{CANARY}"}}',
)
_PIECES: Final = tuple(CANARY[at : at + 8] for at in range(len(CANARY) - 7))
_SLOT: Final = re.compile(r"<[a-z]+>")
_UNSEEN: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")


class Broken(AssertionError):
    """An invariant that does not hold."""


def _must(holds: bool, what: str) -> None:
    if not holds:
        raise Broken(what)


def _must_be_clean(text: str, where: str) -> None:
    _must(not any(piece in text for piece in _PIECES), f"a planted secret came out of {where}")


def _scale(count: int) -> int:
    return count.bit_length()


def _records(data: bytes) -> tuple[list[str], list[LogRecord]]:
    lines = split_lines(decode(data))
    return lines, list(parse(lines, default_year_from=YEAR))


def fuzz_parse(data: bytes) -> Signature:
    """Bytes to records: no line is lost, every time has a zone."""
    lines, records = _records(data)
    text = "\n".join(lines)
    _must("\x00" not in text, "a NUL is left in the text")
    if records:
        _must(sum(record.lines for record in records) == len(lines), "the records have not all lines")
        _must(all(1 <= record.line <= len(lines) and record.lines >= 0 for record in records), "a record of no line")
        _must(all(r.timestamp is None or r.timestamp.tzinfo is not None for r in records), "a time without a zone")
        _must(all(record.repeated >= 1 for record in records), "a record that stands for nothing")
    else:
        _must(not text.strip(), "lines without a record")
    seen = {
        (r.level, r.timestamp is not None, r.service is not None, r.logger is not None, bool(r.metrics), r.lines > 1)
        for r in records
    }
    return len(seen), frozenset(list(seen)[:3]), _scale(len(records))


def fuzz_timestamps(data: bytes) -> Signature:
    """Times at any place of a text, and in a field."""
    text = decode(data)[:2_000]
    clock = Clock(UTC, YEAR)
    found = set()
    for start in range(min(len(text), 12)):
        stamp = stamp_at(text, start, clock)
        if stamp is not None:
            _must(start < stamp.end <= len(text), "a time that ends outside the text")
            _must(stamp.instant is None or stamp.instant.tzinfo is not None, "a time without a zone")
            found.add((stamp.end - start, stamp.instant is not None, stamp.zoned))
    value: Any = text
    with suppress(ValueError, RecursionError):
        value = json.loads(text)
    instant = time_field(value, clock)
    return frozenset(found), instant is not None, type(value).__name__


def fuzz_patterns(data: bytes) -> Signature:
    """Messages to templates: every message has one or is counted, in whatever order they come."""
    messages = split_lines(decode(data))[:400]
    mined = mine(messages)
    _must(len(mined.assignment) == len(messages), "a message without an assignment")
    _must(sum(mined.counts().values()) == len(messages), "the counts are not those of the messages")
    _must(all(index == OTHER or 0 <= index < len(mined.templates) for index in mined.assignment), "no such template")
    back = mine(messages[::-1])
    _must(set(mined.templates) == set(back.templates), "another order gives other templates")
    slots = {slot for template in mined.templates for slot in _SLOT.findall(template)}
    return frozenset(slots), _scale(len(mined.templates)), OTHER in mined.assignment


def fuzz_blocks(data: bytes) -> Signature:
    """Blocks of whole lines to patterns: the counts are conserved, and no cut between lines changes them."""
    data = decode(data).encode("utf-8", "replace")  # as every reader hands blocks on
    if not data:
        return ()
    whole, ids = mine_blocks([data])
    lines = data.count(b"\n") + (not data.endswith(b"\n"))
    _must(sum(whole.counts) + whole.other == whole.scanned, "sum(counts) + other is not scanned")
    _must(whole.scanned == lines, f"{whole.scanned} lines scanned of {lines}")
    cut = data.find(b"\n", len(data) // 2) + 1
    if 0 < cut < len(data):
        halves, _ = mine_blocks([data[:cut], data[cut:]])
        counted = dict(zip(whole.templates, whole.counts, strict=True))
        again = dict(zip(halves.templates, halves.counts, strict=True))
        _must(again == counted, "a cut between two lines changes the patterns")
    slots = {slot for template in whole.templates for slot in _SLOT.findall(template)}
    return frozenset(slots), _scale(len(ids)), whole.other > 0


def fuzz_table(data: bytes) -> Signature:
    """Records to a table of patterns: `sum(count) + other == scanned`."""
    _, records = _records(data)
    table = tabulate(records)
    _must(sum(row.count for row in table.rows) + table.other == table.scanned, "sum(count) + other is not scanned")
    _must(table.scanned == sum(1 for _ in records), "not all records were scanned")
    _must(0 <= table.unparsed <= table.scanned, "more unparsed than scanned")
    _must(len({row.id for row in table.rows}) == len(table.rows), "two patterns with one id")
    return _scale(len(table.rows)), frozenset(row.level for row in table.rows), table.unparsed > 0


def fuzz_timeline(data: bytes) -> Signature:
    """Records to a sample: bounded, in range, nothing twice, what is left out is counted."""
    _, records = _records(data)
    records = records[:300]
    for limit in (0, 1, 12):
        chosen = sample(records, limit)
        _must(len(chosen.indexes) <= limit, "more than asked for")
        _must(len(set(chosen.indexes)) == len(chosen.indexes), "a record twice")
        _must(all(0 <= index < len(records) for index in chosen.indexes), "a record that is none")
        _must(len(chosen.indexes) + chosen.left_out == len(records), "left_out is wrong")
    return _scale(len(records)), chosen.patterns_left_out > 0, chosen.left_out > 0


def _plant(data: bytes) -> tuple[str, str]:
    """The text, and the text with a canary on a line of its own, at a place that follows from the data."""
    text = decode(data)
    rng = random.Random(data[:64])
    words = rng.choice(PLANTED)
    lines = text.split("\n")
    lines.insert(rng.randint(0, len(lines)), words)
    return text, "\n".join(lines)


def fuzz_find(data: bytes) -> Signature:
    """Findings lie inside the text, in order and apart."""
    text = decode(data)
    position = 0
    findings = find(text)
    for finding in findings:
        _must(position <= finding.start < finding.end <= len(text), "findings overlap or lie outside")
        position = finding.end
    return frozenset(finding.kind for finding in findings), _scale(len(findings))


def fuzz_redact(data: bytes) -> Signature:
    """A planted secret is gone, twice is once, nothing unseen is left."""
    text, planted = _plant(data)
    numbering = Numbering()
    once = redact(planted, numbering)
    _must_be_clean(once, "redact")
    _must(redact(once, numbering) == once, "redacting twice is not redacting once")
    _must(redact(once, Numbering()) == once, "redacting in another run changes what was redacted")
    _must(not _UNSEEN.search(once), "an unseen character is left")
    _must(visible(once) == once, "something is not visible")
    kept = without_credentials(planted)
    _must_be_clean(kept, "without_credentials")
    kinds = {finding.kind for finding in find(text)}
    return frozenset(kinds), _scale(len(once)), once == planted


def fuzz_structure(data: bytes) -> Signature:
    """A JSON value: the shape stays, planted secrets are gone, twice is once."""
    text, planted = _plant(data)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = [line.split("=", 1) if "=" in line else {"k": line} for line in text.split("\n")[:50]]
    whole = {"value": value, "inside": [planted, {"password": CANARY}, {"name": "DB_PASSWORD", "value": CANARY}]}
    numbering = Numbering()
    once = redact_structure(whole, numbering)
    _must_be_clean(json.dumps(once, ensure_ascii=False), "redact_structure")
    _must(list(once) == list(whole), "the keys are not those that went in")
    _must(redact_structure(once, numbering) == once, "redacting twice is not redacting once")
    kinds = {name[1:].partition(":")[0] for name in re.findall(r"<[a-z:-]+:", json.dumps(once["value"], default=str))}
    return type(value).__name__, frozenset(kinds), _scale(len(numbering.identifiers)), once["value"] == value


_PROJECTED: Final = ToolProjectionLimits()


def fuzz_projection(data: bytes) -> Signature:
    """A source's answer to what a model sees: within the limit, valid JSON, planted secrets gone."""
    _, planted = _plant(data)
    records = list(parse(split_lines(planted), default_year_from=YEAR))[:300]
    logs = [_as_raw(record) for record in records]
    raw = json.dumps({"success": True, "total": len(logs), "scanned": len(logs), "more": False, "logs": logs})
    projector = QueryLogsProjector(IdentifierMap(), EvidenceNumbering(), _PROJECTED)
    topic = LogTopic.DATABASE_SLOW_QUERY if b"uery_time" in data else LogTopic.APPLICATION
    scope = LogQueryScope(topic, TimeWindow.lookback(NOW, 60), "MOCK")
    result = projector.project(QueryLogsRequest(topic=topic), "call_0", scope, raw)
    _must(len(result.text.encode()) <= _PROJECTED.max_bytes, f"{len(result.text.encode())} bytes are over the limit")
    shown = json.loads(result.text)
    _must_be_clean(result.text + repr(result.evidence) + repr(result.facts), "the projection")
    slots = {slot for item in result.evidence for slot in _SLOT.findall(item.text)}
    return frozenset(shown), result.truncated, _scale(len(result.evidence)), frozenset(slots)


def _as_raw(record: LogRecord) -> dict[str, Any]:
    """The record as sources hand it on."""
    return {
        "timestamp": record.timestamp.isoformat() if record.timestamp else None,
        "level": record.level,
        "service": record.service,
        "instance": record.instance,
        "message": record.message,
        "metrics": dict(record.metrics),
        "lines": record.lines,
    }


def fuzz_statements(data: bytes) -> Signature:
    """A slow-query log: every line is in a record, every run in a digest."""
    lines = split_lines(decode(data))
    records = list(read_statements(lines, default_year_from=YEAR))
    told = [run_of(r.message, r.metrics, at=r.timestamp, service=r.service, beside=r.beside) for r in records]
    runs = [run for run in told if run is not None]
    grouped = digests(runs)
    _must(grouped.runs == len(runs), "the digests have not all runs")
    few = digests(runs, most=2)
    _must(few.runs == len(runs), "the digests have not all runs where only a few may be told apart")
    return _scale(len(records)), _scale(len(runs)), frozenset(run.timed for run in runs)


def fuzz_alerts(data: bytes) -> Signature:
    """A webhook's body: alerts, a handshake, nothing known, or a clear refusal."""
    try:
        found = normalize(data)
    except UsageError as error:
        return "refused", str(error)[:20]
    return found.vendor, found.kind, _scale(len(found.alerts))


def fuzz_unpack(data: bytes) -> Signature:
    """A packed file: its bytes in bounded pieces, or a clear word that it is damaged."""
    packing = packing_of(data)
    if packing is None:
        return "plain"
    size = 0
    try:
        for piece in unpacked(io.BytesIO(data).read, packing):
            size += len(piece)
            if size > 1 << 24:
                break
    except Damaged as error:
        return packing, str(error)[:30], _scale(size)
    return packing, _scale(size)


@dataclass(frozen=True, slots=True)
class Target:
    """One thing that is fuzzed."""

    name: str
    run: Callable[[bytes], Signature]
    longest: int = 4_096
    """Bytes of an input: patterns and projections need many lines, times need few characters."""


TARGETS: Final[Sequence[Target]] = (
    Target("parse", fuzz_parse),
    Target("timestamps", fuzz_timestamps, 200),
    Target("patterns", fuzz_patterns),
    Target("blocks", fuzz_blocks),
    Target("table", fuzz_table),
    Target("timeline", fuzz_timeline),
    Target("find", fuzz_find),
    Target("redact", fuzz_redact),
    Target("structure", fuzz_structure),
    Target("projection", fuzz_projection),
    Target("statements", fuzz_statements),
    Target("alerts", fuzz_alerts),
    Target("unpack", fuzz_unpack),
)
BY_NAME: Final[Mapping[str, Target]] = {target.name: target for target in TARGETS}
