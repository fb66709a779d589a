"""What one line gave, before lines are joined into records."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from rootproof.logs.record import Level


@dataclass(slots=True)
class Draft:
    """The parts found in a line; the message is what is left of it."""

    message: str
    instant: datetime | None = None
    level: Level | None = None
    service: str | None = None
    logger: str | None = None
    instance: str | None = None
    metrics: dict[str, float] = field(default_factory=dict)
    form: str = "plain"
    """`plain` when nothing was recognised; a line in another form always begins a record."""
    open: bool = True
    """Whether following lines can belong to this record (not so for JSON, which holds all its lines)."""
    stream: str = ""
    """Lines of one stream continue each other only (`stdout` and `stderr` of CRI and Docker)."""
    named: bool = False
    """Whether the message came from a field of that name, and is not just the line."""
    beside: str = ""
    """The fields beside the message that tell where a slow or failed call went."""
    bare: bool = False
    """A runtime's envelope around a line that is plain by itself: that line may continue the one before it."""
    takes_plain: bool = False
    """Whether all lines of no known form that follow belong to this record: it is a heading."""
    partial: bool = False
    """The line was cut by the runtime: the next one of its stream goes on where it ends."""

    @property
    def recognised(self) -> bool:
        return self.form != "plain"

    def says_more(self) -> bool:
        """Whether a line inside another one (a message that is itself a log line) told more than plain text."""
        return self.recognised and any((self.level, self.service, self.logger, self.metrics, self.named))

    def inside(self, outer: Draft) -> Draft:
        """This draft, found inside `outer`: the inner words win, but the outer time was taken by one clock for all."""
        self.instant = outer.instant or self.instant
        self.level = self.level or outer.level
        self.service = self.service or outer.service
        self.logger = self.logger or outer.logger
        self.instance = outer.instance or self.instance
        self.metrics = {**outer.metrics, **self.metrics}
        self.beside = self.beside or outer.beside
        self.stream, self.partial = outer.stream, outer.partial
        return self
