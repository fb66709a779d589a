"""How the tables of log shapes are written and checked: a few lines of one format, and what they must be read as."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from rootproof.logs.parse import parse, split_lines

NEAR = datetime(2026, 5, 20, tzinfo=UTC)
AT = datetime(2026, 5, 4, 9, 15, 30, 250_000, tzinfo=UTC)
"""The time in nearly all shapes; its epoch second is 1777886130."""
SECOND = AT.replace(microsecond=0)
MINUTE = SECOND.replace(second=0)


@dataclass(frozen=True, slots=True)
class Variant:
    """One format in a few lines."""

    shape: str
    text: str
    at: datetime | None
    level: str | None
    source: str | None
    """The name that must be the record's service or logger; None when neither may be filled."""
    message: str
    """How the message of the first record begins."""
    lines: tuple[int, ...] = (1,)
    """How many physical lines each record has."""
    first: int = 0
    """Which record is looked at: files may begin with headers."""

    def problems(self) -> list[str]:
        """What differs from the expectation; empty when all is right."""
        records = list(parse(split_lines(self.text), default_year_from=NEAR))
        shape = tuple(record.lines for record in records)
        if shape != self.lines:
            return [f"records of {shape} lines, not {self.lines}"]
        record = records[self.first]
        found = []
        if record.timestamp != self.at:
            found.append(f"time {record.timestamp}, not {self.at}")
        if record.level != self.level:
            found.append(f"level {record.level}, not {self.level}")
        named = (record.service, record.logger)
        if self.source not in named or (self.source is None and named != (None, None)):
            found.append(f"source {named}, not {self.source}")
        if not record.message.startswith(self.message) or (not self.message and record.message):
            found.append(f"message {record.message!r}, not {self.message!r}")
        return found
