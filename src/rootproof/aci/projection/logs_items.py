"""Patterns and records as items: redacted first, then shortened to what their place in the answer allows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rootproof.aci.identifiers import IdentifierMap
from rootproof.aci.projection.fit import Item, size_of
from rootproof.domain.window import iso
from rootproof.logs.record import LogRecord
from rootproof.logs.story_patterns import Group
from rootproof.logs.story_traces import excerpt
from rootproof.logs.templates import pattern_id

_NO_PATTERN = "(records of too many shapes for a pattern)"
_FEW = 5
"""A pattern of so few records is shown with one as it was written."""
_SHORTER = (1.0, 0.75, 0.5, 0.375)
_SHARE = 0.68
"""Of the room that the patterns may take before their texts are shortened, so that the timeline has some too."""


@dataclass(slots=True)
class LogItems:
    """Makes the items of one answer."""

    identifiers: IdentifierMap
    records: Sequence[LogRecord]
    focus: Mapping[int, Sequence[str]]
    """For a record that stands for something surprising: its telling words."""
    source: str
    _redacted: dict[str, str] = field(default_factory=dict)

    def said(self, message: str, limit: int, focus: Sequence[str] = ()) -> str:
        """Redacted as a whole, then cut: so no half of a secret survives the cut."""
        known = self._redacted.get(message)
        if known is None:
            known = self._redacted[message] = self.identifiers.redact(message)
        return excerpt(known, limit, focus)

    def pattern(self, group: Group, limit: int) -> Item:
        """The group. One record is shown as it was written; a few, or serious ones, with one of them."""
        records = self.records
        index = next((index for index in group.records if index in self.focus), group.records[0])
        message, focus = records[index].message, self.focus.get(index, ())
        single = group.count == 1
        template = group.template if group.template is not None else _NO_PATTERN
        pattern = self.said(message if single else template, limit, focus)
        fields: dict[str, Any] = {
            "id": pattern_id(group.template) if group.template is not None else None,
            "level": group.level,
            "service": group.service,
            "pattern": pattern,
            "count": group.count,
            "first": iso(group.first) if group.first else None,
            "last": iso(group.last) if group.last else None,
        }
        if fields["id"] is None:
            del fields["id"]
        if group.mark:
            fields["mark"] = group.mark
        text = f"{group.count} x {group.level or 'LOG'} {group.service or 'unknown'}{_span(group)}: {pattern}"
        if not single and message != template and (group.serious or group.count <= _FEW or group.template is None):
            fields["example"] = self.said(message, limit, focus)
            text += f" (for example: {fields['example']})"
        return Item(fields, text, group.service, self.source, group.first, group.last, group.count)

    def event(self, index: int, limit: int) -> Item:
        """The record."""
        record = self.records[index]
        message = self.said(record.message, limit, self.focus.get(index, ()))
        time = iso(record.timestamp) if record.timestamp else None
        fields = {"time": time, "level": record.level, "service": record.service, "message": message}
        text = f"{time or 'no time'} {record.level or 'LOG'} {record.service or 'unknown'}: {message}"
        return Item(fields, text, record.service, self.source, record.timestamp, record.timestamp, 1)


def within(room: float, longest: int, make: Callable[[int], list[Item]]) -> list[Item]:
    """The items with texts as long as `room` bytes allow, the shortest texts where even those need more."""
    items: list[Item] = []
    for share in _SHORTER:
        items = make(max(1, int(longest * share)))
        if sum(map(size_of, items)) <= room:
            break
    return items


def pattern_items(make: LogItems, chosen: Sequence[tuple[Group, int]], longest: int, room: float) -> list[Item]:
    """The patterns in their order, within about two thirds of `room` bytes."""
    return within(
        room * _SHARE,
        longest,
        lambda limit: [replace(make.pattern(group, limit), place=place) for group, place in chosen],
    )


def event_items(make: LogItems, indexes: Sequence[int], places: Sequence[int], longest: int, room: float) -> list[Item]:
    """The records in their order, within `room` bytes as far as shorter texts help."""
    return within(
        room,
        longest,
        lambda limit: [
            replace(make.event(index, limit), place=place) for index, place in zip(indexes, places, strict=True)
        ],
    )


def _span(group: Group) -> str:
    if group.first is None or group.last is None:
        return " (no times)"
    if group.first == group.last:
        return f" at {iso(group.first)}"
    return f" between {iso(group.first)} and {iso(group.last)}"
