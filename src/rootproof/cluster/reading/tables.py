"""kubectl's tables as rows of `{COLUMN: value}`, with or without their header."""

from __future__ import annotations

import re
from collections.abc import Sequence

Row = dict[str, str]
_HEADER_CELL = re.compile(r"\S+(?: \S+)*")
_HEADER = re.compile(r"(?:[A-Z0-9 ()./%-]|\(cores\)|\(bytes\)){1,2000}")
_TWO_SPACES = re.compile(r"\s{2,}|\t")
_READY = re.compile(r"\d{1,6}/\d{1,6}")
_RESTARTS = re.compile(r"\d{1,9}(?: \([^)]{1,30} ago\))?")
_EVENT = re.compile(
    r"(?:(?P<namespace>[a-z0-9-]{1,63})\s+)?(?P<age><unknown>|<invalid>|(?:\d{1,9}(?:y|d|h|ms|m|s)){1,4}"
    r"(?: \(x\d{1,9}(?: over \S{1,20})?\))?)\s+(?P<type>Normal|Warning)\s+(?P<reason>[A-Za-z]{1,80})\s+"
    r"(?P<object>[A-Za-z]{1,80}/\S{1,253})\s+(?P<message>.*)"
)
_MULTI_WORD = (
    "LAST SEEN",
    "FIRST SEEN",
    "NOMINATED NODE",
    "READINESS GATES",
    "ACCESS MODES",
    "RECLAIM POLICY",
    "NODE SELECTOR",
    "LAST SCHEDULE",
)
_NO_VALUE = frozenset({"<none>", "<unset>", "-"})
_HEADLESS: dict[str, tuple[str, ...]] = {
    "deployment": ("NAME", "READY", "UP-TO-DATE", "AVAILABLE", "AGE", "CONTAINERS", "IMAGES", "SELECTOR", "LABELS"),
    "statefulset": ("NAME", "READY", "AGE", "CONTAINERS", "IMAGES", "LABELS"),
    "replicaset": ("NAME", "DESIRED", "CURRENT", "READY", "AGE", "CONTAINERS", "IMAGES", "SELECTOR", "LABELS"),
    "daemonset": ("NAME", "DESIRED", "CURRENT", "READY", "UP-TO-DATE", "AVAILABLE", "NODE SELECTOR", "AGE"),
    "service": ("NAME", "TYPE", "CLUSTER-IP", "EXTERNAL-IP", "PORT(S)", "AGE", "SELECTOR", "LABELS"),
    "node": ("NAME", "STATUS", "ROLES", "AGE", "VERSION", "INTERNAL-IP", "EXTERNAL-IP"),
    "endpoints": ("NAME", "ENDPOINTS", "AGE"),
    "pod": ("NAME", "READY", "STATUS", "RESTARTS", "AGE", "IP", "NODE", "NOMINATED NODE", "READINESS GATES", "LABELS"),
}


def table(text: str) -> list[Row] | None:
    """The rows of a table with a header; None when the first line is no header.

    Columns are cut where the header's words start, so that empty cells stay empty. A table whose spacing was lost is
    split at white space.
    """
    lines = [line.rstrip() for line in text.expandtabs().splitlines() if line.strip()]
    if not lines or not is_header(lines[0]):
        return None
    if _TWO_SPACES.search(lines[0].strip()) is None and len(lines[0].split()) > 2:
        return _collapsed(lines)
    cells = [(match.start(), match.group()) for match in _HEADER_CELL.finditer(lines[0])]
    return [_cut(line, cells) for line in lines[1:] if not is_header(line)]


def is_header(line: str) -> bool:
    """Whether a line is a table's header: capitals only, naming at least one column that kubectl uses."""
    stripped = line.strip()
    return bool(_HEADER.fullmatch(stripped)) and any(
        word in stripped for word in ("NAME", "LAST SEEN", "REASON", "READY", "STATUS", "TYPE")
    )


def _cut(line: str, cells: Sequence[tuple[int, str]]) -> Row:
    starts = [start for start, _ in cells]
    crossing = any(start > 0 and start < len(line) and line[start - 1] != " " for start in starts)
    if crossing:
        # A value is wider than its column: the positions do not hold for this row.
        values = _TWO_SPACES.split(line.strip())
        if len(values) == len(cells):
            return {name: value for (_, name), value in zip(cells, values, strict=True)}
    row: Row = {}
    for index, (start, name) in enumerate(cells):
        end = starts[index + 1] if index + 1 < len(cells) else len(line)
        row[name] = line[start:end].strip()
    return row


def _collapsed(lines: Sequence[str]) -> list[Row]:
    header = lines[0]
    for words in _MULTI_WORD:
        header = header.replace(words, words.replace(" ", "_"))
    names = [name.replace("_", " ") for name in header.split()]
    rows = []
    for line in lines[1:]:
        values = re.sub(r"(\d) \((\S{1,20}) ago\)", r"\1_(\2_ago)", line).split()
        if len(values) > len(names):
            values = [*values[: len(names) - 1], " ".join(values[len(names) - 1 :])]
        rows.append(
            {
                name: value.replace("_(", " (").replace("_ago)", " ago)")
                for name, value in zip(names, values, strict=False)
            }
        )
    return rows


def headless(text: str, kind: str, *, with_namespace: bool) -> list[Row]:
    """The rows of a table that lost its header (`| grep ...`), by the columns that kubectl gives the kind.

    Lines that do not fit are left out.
    """
    if kind == "event":
        return _headless_events(text, with_namespace=with_namespace)
    columns = _HEADLESS.get(kind)
    if columns is None:
        return []
    rows = []
    for line in text.splitlines():
        values = _TWO_SPACES.split(line.strip())
        row = _fit(values, columns, with_namespace=with_namespace)
        if row is not None:
            rows.append(row)
    return rows


def _headless_events(text: str, *, with_namespace: bool) -> list[Row]:
    rows: list[Row] = []
    for line in text.splitlines():
        match = _EVENT.fullmatch(line.rstrip())
        if match is not None and bool(match["namespace"]) == with_namespace:
            rows.append(
                {
                    "NAMESPACE": match["namespace"] or "",
                    "LAST SEEN": match["age"],
                    "TYPE": match["type"],
                    "REASON": match["reason"],
                    "OBJECT": match["object"],
                    "MESSAGE": match["message"],
                }
            )
        elif rows and line.strip():
            rows[-1]["MESSAGE"] = f"{rows[-1]['MESSAGE']} {line.strip()}"
    return rows


def _fit(values: list[str], columns: tuple[str, ...], *, with_namespace: bool) -> Row | None:
    names = ("NAMESPACE", *columns) if with_namespace else columns
    if len(values) < min(3, len(names)):
        return None
    row = dict(zip(names, values, strict=False))
    ready = row.get("READY", "")
    if columns[1] == "READY" and _READY.fullmatch(ready) is None:
        return None
    if "RESTARTS" in row and _RESTARTS.fullmatch(row["RESTARTS"]) is None:
        return None
    return row


def known(value: str | None) -> str | None:
    """A cell's value; None for an absent column, an empty cell and kubectl's words for nothing."""
    if value is None:
        return None
    stripped = value.strip()
    return None if not stripped or stripped in _NO_VALUE else stripped


def number(value: str | None) -> int | None:
    """A cell's leading whole number; None without one."""
    match = re.match(r"\d{1,12}", (value or "").strip())
    return int(match.group()) if match else None


def labels(text: str | None) -> dict[str, str] | None:
    """`a=b,c=d` as a mapping; None when the column is absent, empty for `<none>`."""
    if text is None:
        return None
    found: dict[str, str] = {}
    for part in text.split(","):
        key, equals, value = part.strip().partition("=")
        if equals and key:
            found[key] = value
    return found
