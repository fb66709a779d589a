"""Rows under a header that names their columns: CSV and its kin, W3C extended logs, tab-separated logs of sensors."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass

from rootproof.logs.access import status_level
from rootproof.logs.draft import Draft
from rootproof.logs.fields import from_fields
from rootproof.logs.levels import level_token
from rootproof.logs.timestamps import Clock, stamp_at
from rootproof.logs.wordlists import word_set

Inner = Callable[[str], Draft]

_TIMES = word_set(
    "timestamp time date datetime ts @timestamp timegenerated timeunixnano date_and_time eventtime event_time "
    "log_time created_at timecreated"
)
_TEXTS = word_set("message msg log body text content description details error_message line")
_MAX_HEADER = 2_000
_W3C_NAMES = {
    "cs-method": "method",
    "cs-uri-stem": "path",
    "sc-status": "status",
    "time-taken": "duration",
    "sc-bytes": "bytes",
    "s-computername": "host",
}


@dataclass(frozen=True, slots=True)
class Header:
    """The columns of the rows that follow."""

    columns: tuple[str, ...]
    separator: str
    """Empty for columns that any white space separates."""
    quoted: bool = False
    """Whether a value may hold line ends and separators between quotes."""


def header_of(text: str, *, first: bool) -> Header | None:
    """The header that `text` is, or None; `first`: only the first line of a file can be one without a mark."""
    if text[:1] == "#":
        if text.startswith("#Fields: "):
            return Header(tuple(text.split()[1:]), "")
        if text.startswith("#fields\t"):
            return Header(tuple(text.split("\t")[1:]), "\t")
        return None
    if not first or len(text) > _MAX_HEADER or text[:1] == "{":
        return None
    for separator in ",;\t|":
        if separator in text:
            columns = tuple(column.strip().strip('"').strip() for column in text.split(separator))
            names = {_key(column) for column in columns}
            if names & _TIMES and names & _TEXTS:
                return Header(columns, separator, quoted=True)
    return None


def _key(column: str) -> str:
    return column.lower().replace(" ", "_")


def read_row(header: Header, text: str, clock: Clock, inner: Inner) -> Draft | None:
    """The row `text` under `header`, or None when it has other columns."""
    if not header.quoted:
        return _w3c_row(header, text, clock)
    try:
        row = next(csv.reader([text] if "\n" not in text else text.split("\n"), delimiter=header.separator), [])
    except csv.Error:
        return None
    if "\n" in text:
        row = _cells(text, header.separator)
    if len(row) != len(header.columns):
        return None
    data = {_key(column): value for column, value in zip(header.columns, row, strict=True)}
    return from_fields(data, clock, inner, whole=text, form="csv")


def _cells(text: str, separator: str = ",") -> list[str]:
    """The cells of one row that may go over several lines."""
    try:
        return next(csv.reader(text.splitlines(keepends=True), delimiter=separator), [])
    except csv.Error:
        return []


def _w3c_row(header: Header, text: str, clock: Clock) -> Draft | None:
    row = text.split(header.separator or None)
    if text[:1] == "#" or len(row) != len(header.columns):
        return None
    data = {_W3C_NAMES.get(name, name): value for name, value in zip(header.columns, row, strict=True) if value != "-"}
    if "date" in data and "time" in data:
        data["timestamp"] = f"{data.pop('date')} {data.pop('time')}"
    draft = from_fields(data, clock, Draft, whole=text, form="w3c")
    draft.level = draft.level or status_level(int(draft.metrics.get("status", 0)))
    return draft


def read_csv_levelled(text: str, clock: Clock) -> Draft | None:
    """A row without a header: the time first, later a level in capitals, then a code or the message."""
    stamp = stamp_at(text, 0, clock)
    if stamp is None or stamp.instant is None or text[stamp.end : stamp.end + 1] != ",":
        return None
    row = _cells(text)
    for at, cell in enumerate(row[:-1]):
        level = level_token(cell) if cell.isupper() else None
        if level is None:
            continue
        rest = [value for value in row[at + 1 : at + 3] if value]
        message = next((value for value in rest if " " in value), rest[0] if rest else "")
        return Draft(message, stamp.instant, level, form="csv", open=False)
    return None
