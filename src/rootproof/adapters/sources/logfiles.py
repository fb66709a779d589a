"""Log files as a log source answers from them: read once, on the first query that needs them, then filtered."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from rootproof.adapters.sources.deadline import Deadline
from rootproof.adapters.sources.logreading import Reading, Tail, account_of, read_tail, size_words, without_hole
from rootproof.adapters.sources.records import (
    APPLICATION,
    SLOW_QUERY,
    SYSTEM_EVENTS,
    Entry,
    fitting,
    matcher,
    newest,
    rank_of,
    whole_message,
)
from rootproof.adapters.sources.workload import stem_of, workload_of
from rootproof.domain.window import iso
from rootproof.errors import SourceDenied, SourceError, SourceGarbled, SourceUnavailable
from rootproof.logs.unpack import HEAD_BYTES, Damaged, packing_of, unpacked
from rootproof.ports.sources import LogQuery

if TYPE_CHECKING:
    from rootproof.logs.record import LogRecord

MAX_TOTAL_BYTES = 256 * 1024 * 1024

_TOPIC_STEMS = {SYSTEM_EVENTS: SYSTEM_EVENTS, SLOW_QUERY: SLOW_QUERY}
_TOPIC_NAMES = {
    "application": APPLICATION,
    "application-logs": APPLICATION,
    "database-slow-query": SLOW_QUERY,
    "system-events": SYSTEM_EVENTS,
}
_NAMELESS = frozenset({"application", "application-logs", "app", "log", "logs", "stdout", "stderr", "output"})
"""Stems that say what the file is, not whose it is."""

_JOURNAL = re.compile(r'\s*\{[^\n]{0,4000}"__REALTIME_TIMESTAMP"\s*:')
_SYSTEM_SERVICE = re.compile(r"kernel|init|systemd(?:-[a-z-]+)?|kubelet|containerd|dockerd|crio|cri-o|networkmanager")
"""Who speaks for the machine in its journal."""
_END_BYTES = 64 << 10
"""Where the newest record of a file is looked for."""
_BEGINNING_BYTES = 64 << 10
"""Of a file that tell whether it is a slow-query log."""
_PARSING_SHARE = 0.6
"""Of a query's time that may go into parsing; the rest is for filtering and writing the answer."""
_FIRST_RATE = 400_000.0
"""Bytes a second that are parsed on a slow machine. A file that would take too long at this rate is tried first."""
_TRIED_BYTES, _TRIED_LINE = 1024 * 1024, 1024
_LEAST_BYTES = 256 * 1024
"""Of each file that are parsed however little time there is."""
_CHECK_EVERY = 2_000


@dataclass(frozen=True, slots=True)
class LogFile:
    """One file, with what its name says."""

    path: Path
    label: str
    topic: str
    stem: str
    workload: str | None
    pod: str | None
    year_from: datetime
    """A moment near the file's records, for formats without a year."""
    journal: bool = False
    """Whether it is systemd's journal, which holds what programs and what the system itself says."""


def describe_file(path: Path, label: str, year_from: datetime) -> LogFile:
    """What `path` is by its name: topic, stem, and the workload and pod where the stem is one's."""
    stem = stem_of(path.name)
    lowered = stem.lower().replace("_", "-")
    topic = APPLICATION
    for prefix, named in _TOPIC_STEMS.items():
        if lowered.startswith(prefix):
            topic, lowered = named, lowered.removeprefix(prefix).strip("-.")
    pod_workload = workload_of(lowered)
    workload = pod_workload or (stem if topic == APPLICATION else lowered)
    return LogFile(
        path=path,
        label=label,
        topic=topic,
        stem=stem,
        workload=None if workload.lower() in _NAMELESS or not workload else workload,
        pod=lowered if pod_workload else None,
        year_from=year_from,
    )


def by_content(file: LogFile) -> LogFile:
    """`file` as what its beginning shows it to be: a slow-query log, systemd's journal as JSON, or what its name says.

    Never raises: reading the file says what is wrong with it.
    """
    from rootproof.logs.statements_files import holds_statements, without_slow

    beginning = _beginning(file.path)
    if _JOURNAL.match(beginning):
        return replace(file, journal=True)
    if holds_statements(file.stem, beginning):
        return replace(file, topic=SLOW_QUERY, workload=without_slow(file.stem) or None)
    return file


def _of_system(entry: Entry) -> bool:
    """Whether a journal's record is the system's own, and no program's."""
    return entry.service is not None and _SYSTEM_SERVICE.fullmatch(entry.service.lower()) is not None


def _beginning(path: Path) -> str:
    try:
        with path.open("rb") as raw:
            head = raw.read(_BEGINNING_BYTES)
        if packing := packing_of(head[:HEAD_BYTES]):
            head = next(unpacked(BytesIO(head).read, packing), b"")
    except (OSError, Damaged):
        return ""
    return head[:_BEGINNING_BYTES].decode("utf-8", "replace")


@dataclass(slots=True)
class LogArchive:
    """Log files behind the filters of `LogQuery`. Thread-safe; each file is parsed once.

    A record without a level counts as INFO when a level is asked for, or as ERROR where its message says failure
    (`error`, `refused`, `timed out`, ...): output of shells and runtimes has no levels, and an ERROR query that hid it
    would hide the cause. Its `level` stays null.
    """

    files: list[LogFile]
    timezone: tzinfo
    source: str
    _parsed: dict[Path, list[Entry]] = field(default_factory=dict)
    _problems: dict[Path, SourceError] = field(default_factory=dict)
    _readings: dict[Path, Reading] = field(default_factory=dict)
    _by_content: dict[Path, LogFile] = field(default_factory=dict)
    _bytes_read: int = 0
    _rate: float | None = None
    """Bytes a second that were parsed of the last file; None until one was."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, query: LogQuery, deadline: Deadline) -> str:
        """The raw JSON answer.

        Shape: as in `ports.sources.LogSource`; with `oldest` and `newest` of the topic when nothing matched. `more` is
        also true when a file could not be read or not as a whole; `files` then says in words which and why, `reading`
        in numbers: `{"file", "bytes_read", "bytes_total" or null, "whole", "problem" or null}`.
        Raises: the first file's error when none of the topic's files can be read.
        """
        wanted = _TOPIC_NAMES.get(query.topic.lower().replace("_", "-"), query.topic)
        seen = [self._seen(file) for file in self.files]
        files = [file for file in seen if file.topic == wanted or (file.journal and wanted == SYSTEM_EVENTS)]
        entries = self._entries(files, wanted, deadline)
        bad = [file for file in files if file.path in self._problems]
        if bad and len(bad) == len(files):
            raise self._problems[bad[0].path]
        matched = list(filter(matcher(query), entries))
        kept, left_out = newest(matched, query.limit)
        logs, cut = fitting([entry.as_json() for entry in kept])
        readings = [self._reading(file) for file in files]
        answer = {
            "success": True,
            "total": len(matched),
            "scanned": len(entries),
            "more": left_out or cut or not all(reading.whole for reading in readings),
            "files": [_file_line(reading) for reading in readings],
            "reading": [reading.as_json() for reading in readings],
            "logs": logs,
        }
        times = [entry.timestamp for entry in entries if entry.timestamp] if not matched else []
        if times:
            answer |= {"oldest": iso(min(times)), "newest": iso(max(times))}
        return json.dumps(answer, ensure_ascii=False)

    def newest(self, deadline: Deadline) -> datetime | None:
        """The time of the newest record near the end of any file, or None where no record there has one."""
        times: list[datetime] = []
        for file in self.files:
            try:
                tail = read_tail(file.path, file.label, deadline, most=_END_BYTES)
            except SourceError:
                continue  # the query that needs this file says what is wrong with it
            entries = _parse(file, tail.content, self.timezone, deadline)
            times += [entry.timestamp for entry in entries if entry.timestamp]
        return max(times, default=None)

    def _seen(self, file: LogFile) -> LogFile:
        """The file, with the topic that its content tells where its name does not."""
        if file.path not in self._by_content:
            self._by_content[file.path] = by_content(file) if file.topic == APPLICATION else file
        return self._by_content[file.path]

    def _reading(self, file: LogFile) -> Reading:
        if problem := self._problems.get(file.path):
            words = str(problem).removeprefix(f"{file.label}: ")
            return Reading(file.label, 0, None, whole=False, problem=f"not read: {words}")
        return self._readings[file.path]

    def _entries(self, files: list[LogFile], topic: str, deadline: Deadline) -> list[Entry]:
        if not self._lock.acquire(timeout=max(deadline.left_s, 0.001)):
            raise deadline.passed()
        try:
            new = [file for file in files if file.path not in self._parsed and file.path not in self._problems]
            budget = Deadline(deadline.left_s * _PARSING_SHARE, self.source)
            for index, file in enumerate(new):
                self._load(file, deadline, share_s=budget.left_s / (len(new) - index))
            return [
                entry
                for file in files
                for entry in self._parsed.get(file.path, ())
                if not file.journal or _of_system(entry) == (topic == SYSTEM_EVENTS)
            ]
        finally:
            self._lock.release()

    def _load(self, file: LogFile, deadline: Deadline, *, share_s: float) -> None:
        """Parse as much of the file's end as fits in its share of the time, so that one huge file hides no other."""
        if self._bytes_read >= MAX_TOTAL_BYTES:
            self._problems[file.path] = SourceUnavailable(
                f"{file.label}: {size_words(MAX_TOTAL_BYTES)} of logs were read before it; name fewer files"
            )
            return
        try:
            tail = read_tail(file.path, file.label, deadline)
        except (SourceUnavailable, SourceDenied, SourceGarbled) as error:
            self._problems[file.path] = error
            return
        kept = tail.last(self._room(file, tail, deadline, share_s))
        self._bytes_read += len(kept.content)
        started = time.monotonic()
        self._parsed[file.path] = _parse(file, kept.content, self.timezone, deadline)
        self._readings[file.path] = account_of(file.label, tail, kept)
        if len(kept.content) >= _LEAST_BYTES:
            self._rate = len(kept.content) / max(time.monotonic() - started, 0.001)

    def _room(self, file: LogFile, tail: Tail, deadline: Deadline, share_s: float) -> int:
        """How many bytes of the file's end may be parsed in its share of the time."""
        if self._rate is None and len(tail.content) > share_s * _FIRST_RATE:
            tried = tail.last(_TRIED_BYTES).content
            _parse(file, tried[:_TRIED_LINE], self.timezone, deadline)  # what loads the parser is not its speed
            started = time.monotonic()
            _parse(file, tried, self.timezone, deadline)
            took_s = max(time.monotonic() - started, 0.001)
            self._rate = len(tried) / took_s
            share_s -= took_s
        return max(_LEAST_BYTES, int(share_s * (self._rate or _FIRST_RATE)))


def _file_line(reading: Reading) -> str:
    return f"{reading.file} ({reading.problem})" if reading.problem else reading.file


def _parse(file: LogFile, content: bytes, timezone: tzinfo, deadline: Deadline) -> list[Entry]:
    from rootproof.logs.parse import decode, split_lines

    @cache
    def names_of(service: str | None, instance: str | None) -> frozenset[str]:
        names = {name for name in (service, instance, file.workload, file.stem, file.pod) if name}
        names |= {stem for name in (service, instance) if name and (stem := workload_of(name))}
        return frozenset(name.lower() for name in names)

    entries: list[Entry] = []
    lines = _watched(split_lines(decode(without_hole(content))), deadline)
    for record in _records(file, lines, timezone):
        service = record.service or file.workload
        instance = record.instance or file.pod
        entries.append(
            Entry(
                timestamp=record.timestamp,
                level=record.level,
                service=service,
                instance=instance,
                message=record.message if file.topic == SLOW_QUERY else whole_message(record),
                metrics=record.metrics,
                lines=record.lines,
                names=names_of(service, instance),
                rank=rank_of(record.level, record.message),
                beside=record.beside if file.topic == SLOW_QUERY else "",
            )
        )
    return entries


def _records(file: LogFile, lines: Iterator[str], timezone: tzinfo) -> Iterator[LogRecord]:
    """The records of a file's lines; in a slow-query log each is a statement."""
    from rootproof.logs.parse import parse
    from rootproof.logs.statements_files import read_statements

    read = read_statements if file.topic == SLOW_QUERY else parse
    return read(lines, default_year_from=file.year_from, timezone=timezone)


def _watched(lines: list[str], deadline: Deadline) -> Iterator[str]:
    for number, line in enumerate(lines):
        if number % _CHECK_EVERY == 0:
            deadline.check()
        yield line
