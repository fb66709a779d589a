"""A payload shape as a table row: which keys make it that vendor's, and which paths hold what."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rootproof.domain.alert import Alert, AlertStatus, Severity
from rootproof.intake.fields import (
    dig,
    first_text,
    first_time,
    labels_of,
    make_alert,
    state_period,
    text,
)
from rootproof.intake.words import status_of, word


@dataclass(frozen=True, slots=True)
class Shape:
    """One payload shape with one alert in a body. All paths are dotted; the first of several that holds text counts."""

    vendor: str
    requires: tuple[str, ...]
    """Paths that must all be present (null counts as present)."""
    any_of: tuple[str, ...] = ()
    """Of these at least one must be present, unless there are none."""
    equals: Mapping[str, str] = field(default_factory=dict)
    """Path to the text that must stand there, compared as words."""
    name: tuple[str, ...] = ()
    status: tuple[str, ...] = ()
    status_words: Mapping[str, AlertStatus | None] = field(default_factory=dict)
    """Words (see `words.word`) that this vendor uses in its own sense."""
    implied_status: AlertStatus | None = None
    """What a body of this shape says by being sent, where it has no state field at all."""
    title_prefix: re.Pattern[str] | None = None
    """A state that the vendor writes before the title, as group 1; it is cut off the name."""
    severity: tuple[str, ...] = ()
    severity_words: Mapping[str, Severity | None] = field(default_factory=dict)
    service: tuple[str, ...] = ()
    summary: tuple[str, ...] = ()
    description: tuple[str, ...] = ()
    started: tuple[str, ...] = ()
    ended: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    """The one instant of a body that does not tell start and end apart."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """Label name to the path of its value."""
    label_maps: tuple[str, ...] = ()
    """Paths of objects, pair lists or tag lists that are labels as they stand."""
    annotations: Mapping[str, str] = field(default_factory=dict)
    annotation_maps: tuple[str, ...] = ()
    identity: tuple[str, ...] = ()
    """The vendor's own id of the alert, equal in its firing and its resolved body."""

    def matches(self, body: Mapping[str, Any]) -> bool:
        """Whether `body` has this shape."""
        return (
            all(_present(body, path) for path in self.requires)
            and (not self.any_of or any(_present(body, path) for path in self.any_of))
            and all(word(text(dig(body, path)) or "") == word(wanted) for path, wanted in self.equals.items())
        )

    def read(self, body: Mapping[str, Any]) -> Alert:
        """The alert in `body`."""
        title, status = self._title_and_status(body)
        started_at, ended_at = first_time(body, self.started), first_time(body, self.ended)
        if started_at is None and ended_at is None:
            started_at, ended_at = state_period(status, first_time(body, self.changed))
        raw_severity = first_text(body, self.severity)
        return make_alert(
            name=title,
            status=status,
            raw_severity=raw_severity,
            severity=self.severity_words.get(word(raw_severity)) if raw_severity else None,
            service=first_text(body, self.service),
            summary=first_text(body, self.summary),
            description=first_text(body, self.description),
            started_at=started_at,
            ended_at=ended_at,
            labels=_collected(body, self.label_maps, self.labels),
            annotations=_collected(body, self.annotation_maps, self.annotations),
            fingerprint=first_text(body, self.identity),
        )

    def _title_and_status(self, body: Mapping[str, Any]) -> tuple[str | None, AlertStatus | None]:
        title = first_text(body, self.name)
        status = self._status_of(first_text(body, self.status))
        if title and self.title_prefix and (match := self.title_prefix.match(title)):
            status = status or self._status_of(match[1])
            title = title[match.end() :].strip() or title
        return title, status or self.implied_status

    def _status_of(self, state: str | None) -> AlertStatus | None:
        if state is None:
            return None
        key = word(state)
        return self.status_words[key] if key in self.status_words else status_of(state)


def _collected(body: Mapping[str, Any], maps: tuple[str, ...], named: Mapping[str, str]) -> dict[str, str]:
    """What stands at `maps`, then at the paths of `named` under their names; what came first stays."""
    found: dict[str, str] = {}
    for path in maps:
        found.update(labels_of(dig(body, path)))
    for key, path in named.items():
        if (value := text(dig(body, path))) is not None:
            found.setdefault(key, value)
    return found


def _present(body: Any, path: str) -> bool:
    head, _, last = path.rpartition(".")
    holder = dig(body, head) if head else body
    return isinstance(holder, Mapping) and last in holder
