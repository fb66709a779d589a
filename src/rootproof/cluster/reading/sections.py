"""The indented `Key: value` text of `kubectl describe` as nested sections."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from rootproof.cluster.reading.tables import Row

_KEY = re.compile(r"(?P<key>[A-Za-z][^:\n]{0,80}?):(?:\s+(?P<value>.*))?")
_CELL = re.compile(r"\S+(?: \S+)*")
_NEW_OBJECT = re.compile(r"(?m)^(?=Name:\s)")


@dataclass(slots=True)
class Section:
    """A key, the text behind its colon, and the lines below that are indented deeper than the key."""

    key: str
    value: str
    lines: list[str] = field(default_factory=list)

    def children(self) -> list[Section]:
        """The lines below as sections of their own."""
        return sections(self.lines)

    def values(self) -> list[str]:
        """The value and the continuation lines, without white space; `<none>` and blanks left out."""
        return [text for text in (part.strip() for part in (self.value, *self.lines)) if text and text != "<none>"]


def described_objects(text: str) -> list[str]:
    """The texts of the objects that a `describe` output holds, one each."""
    parts = [part for part in _NEW_OBJECT.split(text) if part.strip()]
    # A label or an event message may hold a line starting with `Name:`; a real object names its fields after it.
    return [part for part in parts if part.startswith("Name:")]


def sections(lines: list[str] | tuple[str, ...]) -> list[Section]:
    """Lines as sections by their least indentation; lines before the first key are dropped.

    After `Events` nothing at the same depth starts a new section: event messages may go over several lines.
    """
    filled = [line for line in lines if line.strip()]
    if not filled:
        return []
    depth = min(len(line) - len(line.lstrip()) for line in filled)
    found: list[Section] = []
    for line in lines:
        if not line.strip():
            continue
        indent = len(line) - len(line.lstrip())
        match = _KEY.fullmatch(line.strip()) if indent == depth else None
        if match is not None and not (found and found[-1].key == "Events" and depth == 0):
            found.append(Section(match["key"].strip(), (match["value"] or "").strip()))
        elif found:
            found[-1].lines.append(line)
    return found


def by_key(items: list[Section]) -> dict[str, Section]:
    """Sections by key, the first of equal keys."""
    found: dict[str, Section] = {}
    for item in items:
        found.setdefault(item.key, item)
    return found


def text_of(found: dict[str, Section], key: str) -> str | None:
    """A section's value; None when it is absent, empty or `<none>`."""
    item = found.get(key)
    if item is None or not item.value or item.value in {"<none>", "<unset>", "<nil>"}:
        return None
    return item.value


def labels_of(found: dict[str, Section], key: str) -> dict[str, str] | None:
    """`Labels:`-like sections as a mapping: one `a=b` a line, or `a=b,c=d`; None when the section is absent."""
    item = found.get(key)
    if item is None:
        return None
    pairs: dict[str, str] = {}
    for line in item.values():
        for part in line.split(","):
            name, equals, value = part.strip().partition("=")
            if equals and name:
                pairs[name] = value
    return pairs


def section_table(lines: list[str]) -> list[Row]:
    """The table below a section (`Conditions`, `Events`, quotas): header, rule of dashes, rows.

    A line that does not start where the header starts goes on in the last cell of the row before.
    """
    filled = [line.rstrip() for line in lines if line.strip()]
    if len(filled) < 2:
        return []
    start = len(filled[0]) - len(filled[0].lstrip())
    cells = [(match.start(), match.group()) for match in _CELL.finditer(filled[0])]
    cells = _separate(filled[0], filled[1], cells)
    rows: list[Row] = []
    for line in filled[1:]:
        if set(line) <= {"-", " "}:
            continue
        indent = len(line) - len(line.lstrip())
        if indent != start and rows:
            last = cells[-1][1]
            rows[-1][last] = f"{rows[-1][last]} {line.strip()}".strip()
            continue
        rows.append(_row(line, cells))
    return rows


def _separate(header: str, rule: str, cells: list[tuple[int, str]]) -> list[tuple[int, str]]:
    # The dashes below say where columns start, also where one space parts two header words.
    if not set(rule) <= {"-", " "}:
        return cells
    starts = [match.start() for match in re.finditer(r"-+(?: -+)*", rule)]
    if len(starts) < 2:
        return cells
    ends = [*starts[1:], len(header)]
    return [(start, header[start:end].strip()) for start, end in zip(starts, ends, strict=True)]


def _row(line: str, cells: list[tuple[int, str]]) -> Row:
    starts = [start for start, _ in cells]
    if any(0 < start < len(line) and line[start - 1] != " " for start in starts):
        values = re.split(r"\s{2,}", line.strip())
        if len(values) == len(cells):
            return {name: value for (_, name), value in zip(cells, values, strict=True)}
    row: Row = {}
    for index, (start, name) in enumerate(cells):
        end = starts[index + 1] if index + 1 < len(cells) else len(line)
        row[name] = line[start:end].strip()
    return row
