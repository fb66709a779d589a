"""The slow query log of MySQL, MariaDB and Percona Server: its lines in, one record a logged statement out.

A record's message is the statement; `query_time`, `lock_time` (seconds), `rows_sent`, `rows_examined` and such are its
metrics; who ran it where stands in `beside` as `user=... host=... database=...`. Servers write the line with the time
only where the second has changed, and `use` only where the database has: what is not said again still holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo

from rootproof.logs.record import NO_METRICS, LogRecord
from rootproof.logs.timestamps import Clock, stamp_at

MAX_STATEMENT_CHARS = 64 << 10
"""A longer statement is cut here and says by how much."""

_SIGN = re.compile(r"^# (?:Query_time: \d|User@Host: \S)", re.MULTILINE)
_SERVER = re.compile(r".{0,300}?, Version: .{1,300} started with:?\s*|Tcp port: .*|Time +Id +Command +Argument\s*")
_TIME = re.compile(r"# Time: (\S.{7,39})")
_WHO = re.compile(r"# User@Host: ([^\[\s]*)(?:\[[^\]]*\])? @ +([^\s\[]*) ?(?:\[([^\]]*)\])?")
_SCHEMA = re.compile(r"\bSchema: (\S+)")
_NUMBER = re.compile(r"(Query_time|Lock_time|Rows_sent|Rows_examined|Rows_affected|Bytes_sent): (\d+(?:\.\d+)?)")
_COMMAND = re.compile(r"# (administrator command: .*?);?\s*")
_STAMP = re.compile(r"SET (?:\w+=-?\d+,)*timestamp=(\d{1,11}(?:\.\d{1,6})?);?\s*", re.IGNORECASE)
_USE = re.compile(r"use `?([^`;]+)`?;?\s*", re.IGNORECASE)


def is_slow_log(text: str) -> bool:
    """Whether `text`, the beginning of a file, is such a log's."""
    return _SIGN.search(text) is not None


def read_slow_log(
    lines: Iterable[str], *, timezone: tzinfo = UTC, default_year_from: datetime | None = None
) -> Iterator[LogRecord]:
    """The logged statements, in the order of the log.

    Shape: what stands before the first whole entry (the log's end was cut out) is one record without metrics; the
    lines that a server writes at its start belong to the record after them. `timezone` is for old servers' local times.
    """
    reader = _Reader(Clock(timezone, default_year_from))
    number = 0
    for number, line in enumerate(lines, start=1):
        done = reader.feed(line.rstrip("\r\n"), number)
        if done is not None:
            yield done
    done = reader.finish(number + 1)
    if done is not None:
        yield done


def begins_entry(line: str) -> bool:
    """Whether `line` can be the first one of an entry, or of what a server writes at its start."""
    if line[:1] == "#":
        return line.startswith(("# Time: ", "# User@Host: ", "# Query_time: "))
    return ", Version: " in line and _SERVER.fullmatch(line) is not None


def in_header(lines: Iterable[str]) -> bool:
    """Whether neither numbers nor a statement are among `lines`, so that more of the entry's header may follow."""
    return all(
        _SERVER.fullmatch(line) if line[:1] != "#" else not line.startswith(("# Query_time: ", "# administrator "))
        for line in lines
    )


def read_entry(lines: Iterable[str], clock: Clock) -> LogRecord | None:
    """The one entry that `lines` are, or None where they are none or several."""
    reader = _Reader(clock)
    found = [reader.feed(line, number) for number, line in enumerate(lines, start=1)]
    entries = [entry for entry in (*found, reader.finish(len(found) + 1)) if entry is not None]
    return entries[0] if len(entries) == 1 else None


@dataclass(slots=True)
class _Entry:
    """A logged statement while its lines come in."""

    line: int
    at: datetime | None = None
    """What its `# Time:` line says, or the last one before it."""
    zoned: bool = False
    own_time: bool = False
    started_at: datetime | None = None
    user: str = ""
    host: str = ""
    schema: str = ""
    metrics: dict[str, float] = field(default_factory=dict)
    use: str = ""
    body: list[str] = field(default_factory=list)
    chars: int = 0
    cut: int = 0

    @property
    def begun(self) -> bool:
        """Whether it is past its header."""
        return bool(self.body or self.started_at or self.metrics)


class _Reader:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._entry = _Entry(1)
        self._database = ""

    def feed(self, line: str, number: int) -> LogRecord | None:
        """Take one line; give back the entry that it ends."""
        done = None
        if self._begins(line):
            done = self._end(number)
        if line[:1] == "#" and self._header(line):
            return done
        if _SERVER.fullmatch(line):
            return done or self._end(number)
        if (stamp := _STAMP.fullmatch(line)) and not self._entry.body:
            self._entry.started_at = _epoch(stamp[1])
        elif (use := _USE.fullmatch(line)) and not self._entry.body and not self._entry.started_at:
            self._database = use[1].strip()
            self._entry.use = f"use {self._database}"
        elif line.strip() or self._entry.body:
            self._add(line)
        return done

    def finish(self, number: int) -> LogRecord | None:
        return self._end(number)

    def _begins(self, line: str) -> bool:
        """A time or a user begins an entry; numbers do where the one before has some, as nobody logged a user."""
        if line[:2] != "# ":
            return False
        if line.startswith("# Time: "):
            return True
        return self._entry.begun and bool(line.startswith("# Query_time: ") or _WHO.match(line))

    def _end(self, number: int) -> LogRecord | None:
        entry, before = self._entry, self._entry
        if not entry.body and not entry.metrics:
            self._entry = replace(entry, own_time=False)
            return None
        self._entry = _Entry(number, before.at, before.zoned)
        if entry.cut:
            entry.body.append(f"...[{entry.cut} characters cut]")
        database = entry.schema or self._database
        told = {"user": entry.user, "host": entry.host, "database": database}
        return LogRecord(
            message="\n".join(entry.body).strip() or entry.use,
            timestamp=self._time_of(entry),
            metrics=entry.metrics or NO_METRICS,
            beside=" ".join(f"{name}={value}" for name, value in told.items() if value),
            line=entry.line,
            lines=number - entry.line,
        )

    @staticmethod
    def _time_of(entry: _Entry) -> datetime | None:
        """Its own line's time where that has a zone, else the epoch that the server sets, else the last time seen."""
        if entry.own_time and entry.zoned:
            return entry.at
        return entry.started_at or entry.at

    def _header(self, line: str) -> bool:
        """Read a line that begins with `#`; false where it is the statement's own comment."""
        entry = self._entry
        if (time := _TIME.match(line)) and not entry.body:
            stamp = stamp_at(time[1].strip(), 0, self._clock)
            if stamp is not None and stamp.instant is not None:
                entry.at, entry.zoned, entry.own_time = stamp.instant, stamp.rfc3339, True
        elif who := _WHO.match(line):
            entry.user, entry.host = who[1], who[2] or who[3] or ""
        elif command := _COMMAND.fullmatch(line):
            self._add(command[1])
        elif entry.body:
            return False
        if schema := _SCHEMA.search(line):
            entry.schema = schema[1]
        for name, value in _NUMBER.findall(line):
            entry.metrics[name.lower()] = float(value)
        return True

    def _add(self, line: str) -> None:
        room = MAX_STATEMENT_CHARS - self._entry.chars
        if room > 0:
            self._entry.body.append(line[:room])
        self._entry.chars += len(line) + 1
        self._entry.cut += max(0, len(line) - max(0, room))


def _epoch(seconds: str) -> datetime | None:
    try:
        return datetime.fromtimestamp(float(seconds), UTC)
    except (OverflowError, OSError, ValueError):
        return None
