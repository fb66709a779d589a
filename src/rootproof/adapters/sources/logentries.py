"""What the lines of a log server say: read by our own parser, named by their labels, and written as a raw answer.

A server's line may be in any format, so its level and message are read from it as from a file; the labels say whose it
is, and the server's time is the one that counts: it is what the window asks for.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from rootproof.adapters.sources.deadline import Deadline
from rootproof.adapters.sources.logreading import Reading
from rootproof.adapters.sources.records import SLOW_QUERY, Entry, fitting, matcher, newest, rank_of, whole_message
from rootproof.adapters.sources.workload import workload_of
from rootproof.domain.storable import visible
from rootproof.domain.window import iso
from rootproof.logs.levels import level_field
from rootproof.logs.metrics import metric_name
from rootproof.logs.parse import parse
from rootproof.logs.statements_files import read_statements
from rootproof.ports.sources import LogQuery

SERVICE_NAMES = (
    "service_name", "service.name", "service", "app", "app_kubernetes_io_name", "kubernetes.pod_labels.app",
    "kubernetes.labels.app", "job", "container", "container_name", "kubernetes.container_name", "unit",
)  # fmt: skip
"""Labels and fields that name a service, in the order in which they are believed."""
_INSTANCE_NAMES = (
    "pod", "pod_name", "k8s_pod_name", "k8s.pod.name", "kubernetes.pod_name", "instance", "host.name", "hostname",
    "host", "node_name", "nodename",
)  # fmt: skip
_LEVEL_NAMES = ("level", "severity", "severity_text", "log.level")
"""Loki's `detected_level` is a guess from the words of the line, so no record takes its level from it."""
_DETAIL_NAMES = (
    "error", "err", "error.message", "error_message", "exception", "exception.message", "exception_message", "cause",
    "reason", "exception.stacktrace", "exception_stacktrace", "stacktrace", "stack_trace",
)  # fmt: skip
"""Fields beside a line that say why: they are read together with it."""
POD_ENDING = r"(-[a-z0-9]{8,10}-[a-z0-9]{5}|-[a-z0-9]{5}|-[0-9]{1,2})?"
"""What stands behind a workload's name in the names of its pods (RE2)."""
_NO_NAME = frozenset({"", "unknown_service"})
_LEVEL_WORDS = (
    ("TRACE", "trace|trc|verbose"),
    ("DEBUG", "debug|dbg"),
    ("INFO", "info|information|informational|notice"),
    ("WARN", "warn|warning"),
    ("ERROR", "error|err"),
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_CHECK_EVERY = 1_000
_NUMBER_CHARS = 20


@dataclass(frozen=True, slots=True)
class ServedLine:
    """One entry of a log server."""

    at_ns: int
    """Nanoseconds since 1970."""
    text: str
    labels: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Account:
    """What was pulled, and what is known of the rest."""

    lines: int
    size_bytes: int
    counted: int | None = None
    """What the server counts for the same question; None where it was not asked or did not say."""
    looked_at: int | None = None
    """What the server counts without level and words."""
    problems: tuple[str, ...] = ()
    """Why the answer is not whole, for people."""
    span: tuple[datetime, datetime] | None = None
    """Where the topic's lines lie when nothing matched."""


def nanoseconds(instant: datetime) -> int:
    """Nanoseconds since 1970, exact."""
    return (instant - _EPOCH) // timedelta(microseconds=1) * 1_000


def instant_of(at_ns: int) -> datetime:
    """The instant, its nanoseconds cut."""
    return _EPOCH + timedelta(microseconds=at_ns // 1_000)


def lower_levels(level: str | None) -> str:
    """The words of the levels below `level`, as alternatives of a regular expression; empty where there are none."""
    names = [name for name, _ in _LEVEL_WORDS]
    below = names.index(level.upper()) if level and level.upper() in names else len(names) if level else 0
    return "|".join(words for _, words in _LEVEL_WORDS[:below])


def words_in(contains: str | None) -> tuple[str, ...]:
    """The parts of `contains` that stand in a raw line wherever they stand in its message.

    Quotes, backslashes and whatever JSON may write as an escape are left out, and so are spaces, since a message may be
    put together from several fields: what a server finds by these words is searched for the whole text again.
    """
    plain = "".join(
        char if char.isascii() and (char.isalnum() or char in "-_.:,;#@%+()[]") else " " for char in contains or ""
    )
    return tuple(dict.fromkeys(plain.split()))


def quoted(text: str) -> str:
    """`text` as a double-quoted literal of LogQL and LogsQL (both take Go's): nothing in it can end the literal.

    Source: Go specification, "String literals"; lone surrogates become `?`.
    """
    parts = []
    for char in text.encode("utf-8", "replace").decode():
        if char in '"\\':
            parts.append(f"\\{char}")
        elif char.isprintable():
            parts.append(char)
        else:
            parts.append(f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}")
    return f'"{"".join(parts)}"'


def literal_pattern(text: str) -> str:
    """A regular expression (RE2) that matches exactly `text`."""
    return "".join(f"\\{char}" if char in r"\.+*?()|[]{}^$" else char for char in text)


def service_of(labels: Mapping[str, str], first: str = "") -> str | None:
    """The service's name: `namespace/name` gives its name."""
    for name in (first, *SERVICE_NAMES):
        value = labels.get(name, "").rpartition("/")[2]
        if value not in _NO_NAME:
            return value
    return None


def entries_of(lines: Iterable[ServedLine], query: LogQuery, deadline: Deadline, *, service_label: str) -> list[Entry]:
    """The records of the lines, oldest first, read as the query's topic is.

    Lines of one service and instance are read in their order, so that a stack trace which came line by line is one
    record. Raises: SourceTimeout.
    """
    streams: dict[tuple[str | None, str | None], list[ServedLine]] = defaultdict(list)
    for line in lines:
        instance = next((line.labels[name] for name in _INSTANCE_NAMES if line.labels.get(name)), None)
        streams[service_of(line.labels, service_label), instance].append(line)
    found: list[Entry] = []
    for (service, instance), stream in streams.items():
        stream.sort(key=lambda line: line.at_ns)
        found += _read(stream, service, instance, deadline, statements=query.topic == SLOW_QUERY)
    return sorted(found, key=lambda entry: entry.timestamp or _EPOCH)


def _read(
    stream: Sequence[ServedLine], service: str | None, instance: str | None, deadline: Deadline, *, statements: bool
) -> Iterator[Entry]:
    physical: list[str] = []
    owner: list[ServedLine] = []
    for line in stream:
        for part in _whole_text(line).split("\n"):
            physical.append(visible(part))
            owner.append(line)
    for number, record in enumerate(read_statements(physical) if statements else parse(physical)):
        if number % _CHECK_EVERY == 0:
            deadline.check()
        begun = owner[record.line - 1]
        named, where = service or record.service, instance or record.instance
        level = record.level or level_of(begun.labels)
        yield Entry(
            timestamp=instant_of(begun.at_ns),
            level=level,
            service=named,
            instance=where,
            message=record.message if statements else whole_message(record),
            metrics={**_numbers(begun.labels), **record.metrics},
            lines=record.lines,
            names=_names(named, where, record.service),
            rank=rank_of(level, record.message),
            beside=record.beside if statements else "",
        )


def _whole_text(line: ServedLine) -> str:
    """The line; with what its fields say of a failure as one JSON object, which our parser reads as such."""
    details = {name: value for name in _DETAIL_NAMES if (value := line.labels.get(name))}
    return json.dumps({"message": line.text, **details}, ensure_ascii=False) if details else line.text


def _numbers(labels: Mapping[str, str]) -> dict[str, float]:
    """Measurements among the labels, under their allow-listed names."""
    found: dict[str, float] = {}
    for label, value in labels.items():
        if value[:1].isdecimal() and len(value) < _NUMBER_CHARS and (name := metric_name(label)):
            with suppress(ValueError):
                found[name] = float(value)
    return found


def level_of(labels: Mapping[str, str]) -> str | None:
    """The level that a label says."""
    return next((level for name in _LEVEL_NAMES if (level := level_field(labels.get(name)))), None)


def _names(*given: str | None) -> frozenset[str]:
    names = {name for name in given if name}
    names |= {stem for name in names if (stem := workload_of(name.lower()))}
    return frozenset(name.lower() for name in names)


def answer_of(source: str, query: LogQuery, entries: Sequence[Entry], account: Account) -> str:
    """The raw answer, as `ports.sources.LogSource` says.

    `total` is exact where every matching line was pulled, or where the server counted what was not and nothing had to
    be looked for after parsing; else it is a lower bound, and `reading` says so.
    """
    matched = list(filter(matcher(query), entries))
    unread = max(0, (account.counted or 0) - account.lines)
    exact = query.level is None and query.contains is None and len(matched) == len(entries)
    total = len(matched) + (unread if exact else 0)
    kept, left_out = newest(matched, query.limit)
    logs, cut = fitting([entry.as_json() for entry in kept])
    problems = list(account.problems)
    if problems and not exact:
        problems.append("counts are of what was read: there may be more")
    problem = "; ".join(problems)
    answer = {
        "success": True,
        "total": total,
        "scanned": max(total, account.looked_at or account.counted or 0, account.lines),
        "more": bool(problem) or left_out or cut or unread > 0,
        "files": [f"{source} ({problem})" if problem else source],
        "reading": [Reading(source, account.size_bytes, None, whole=not problem, problem=problem).as_json()],
        "logs": logs,
    }
    if not matched and account.span:
        answer |= {"oldest": iso(account.span[0]), "newest": iso(account.span[1])}
    return json.dumps(answer, ensure_ascii=False)


def not_set_up(source: str, query: LogQuery, what: str) -> str:
    """The answer for a topic that the settings do not place on this server: nothing was searched, and it says so."""
    return answer_of(source, query, [], Account(0, 0, problems=(f"no {what} set for {query.topic}",)))
