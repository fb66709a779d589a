"""SQL without its values: what runs of one statement share, whatever they were given. Linear in the text's length.

Literals, parameters and comments go, keywords are written in capitals, lists of values of any length become one value.
Names of tables, columns and schemas stay as they are written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from rootproof.logs.wordlists import word_set

MAX_CHARS = 16_384
"""Of a statement that are read; the rest cannot tell two statements apart."""

_PIECE = re.compile(
    r"""
      (?P<gap>\s+ | /\*.*?(?:\*/|\Z) | --(?=\s|\Z)[^\n]* | (?<![\w)\]'"`])--[^\n]* | \#(?![>\-#=])[^\n]*)
    | (?P<text>(?:[NnEeXxBbUu]&?|_[a-z0-9]+[ ]?)?'(?:[^'\\]|\\.|'')*(?:'|\Z) | \$(?P<tag>\w*)\$.*?(?:\$(?P=tag)\$|\Z))
    | (?P<quoted>"(?:[^"\\]|\\.|"")*(?:"|\Z))
    | (?P<name>`[^`]*(?:`|\Z) | \[[A-Za-z_][\w $]*\])
    | (?P<slot>\$\d+ | %s | %\(\w+\)s | \? | (?<![:\w]):[A-Za-z_]\w*)
    | (?P<number>0[xX][0-9a-fA-F]+ | (?:\d+(?:\.\d*)? | \.\d+)(?:[eE][+\-]?\d+)?(?![\w.]))
    | (?P<word>[@$]{0,2}\w[\w$]*)
    | (?P<sign>::|<=>|<=|>=|<>|!=|:=|\|\||&&|->>|->|\#>>|\#>|@>|<@|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_COMMENT = re.compile(r"/\*[^'\"`]*?\*/")
_MOST_COMMENTS = 8
"""In a statement that is read the short way; finding where very many end would take too long."""
_HARD = re.compile(r"[\"\\#\[]|--|/\*|\$(?!\d)")
"""What makes it unsure where a text begins and ends without reading piece by piece."""
_BACK_QUOTED = re.compile(r"`([^`]*)`?")
_VALUE = re.compile(r"'(?:[^']|'')*'|(?<![\w.$@])\d+(?![\w.])")
_VALUES = re.compile(r"\(\s*(?:(?:0|'')\s*,\s*)+(?:0|'')\s*\)")
_MOST_CACHED_CHARS = 4_096
_PLAIN_NAME = re.compile(r"[A-Za-z_][\w$]*")
_FUNCTIONS = word_set(
    "count sum avg min max coalesce ifnull nullif now concat lower upper length substring date date_add date_sub "
    "date_format extract round greatest least sleep cast convert"
)
_RESERVED = word_set(
    "select insert update delete replace merge from into values value set where and or not in is null like ilike "
    "between exists any some all as on using join inner left right full outer cross natural straight_join group by "
    "order having limit offset fetch first next rows row only union intersect except distinct case when then else "
    "end asc desc with recursive create alter drop truncate table index view temporary temp if begin start "
    "transaction commit rollback savepoint release lock unlock tables for share of nowait skip locked returning "
    "conflict do nothing duplicate key ignore low_priority delayed high_priority sql_no_cache force use explain "
    "analyze analyse vacuum freeze reindex optimize call execute prepare deallocate show describe grant revoke copy "
    "stdin stdout to over partition window interval collate true false default unique primary foreign references "
    "constraint add column rename modify change cascade restrict refresh materialized concurrently current_timestamp"
)
_KEYWORDS = _RESERVED | _FUNCTIONS
_LITERALS = frozenset({"TRUE", "FALSE", "NULL"})
_OPERATORS = frozenset("+-*/%=<>|&^~!") | {"<=", ">=", "<>", "!=", "<=>", ":=", "||", "&&"}
_GLUED = frozenset({".", "::", "->", "->>", "#>", "#>>"})
_CLOSING = frozenset({",", ")", "]", "}", ";", ":"})
_SIGNED_AFTER = _OPERATORS | {"(", "[", ",", ":", ""}


def normalise(statement: str) -> str:
    """`statement` without its values; empty where nothing is left of it.

    `SELECT * FROM t WHERE a IN (1, 2) -- x` and `select * from t where a in (3)` both give
    `SELECT * FROM t WHERE a IN (?)`.
    """
    text = statement[:MAX_CHARS]
    plain = _COMMENT.sub(" ", text) if text.count("/*") <= _MOST_COMMENTS else text
    if _HARD.search(plain) or any("'" in name for name in _BACK_QUOTED.findall(plain)):
        return shape_of(text)
    # Runs of one statement mostly differ in plain values: alike without them, they are taken apart once.
    plain = _VALUES.sub("(0)", _VALUE.sub(lambda found: "''" if found[0][0] == "'" else "0", plain))
    return _cached(plain) if len(plain) <= _MOST_CACHED_CHARS else shape_of(plain)


def shape_of(statement: str) -> str:
    """As `normalise`, piece by piece."""
    pieces = _without_lists(_without_signs(list(_pieces(statement))))
    while pieces and pieces[-1] == ";":
        pieces.pop()
    return _joined(pieces)


_cached = lru_cache(maxsize=2_048)(shape_of)


def _pieces(statement: str) -> Iterator[str]:
    """The statement's pieces, values as `?`, keywords in capitals."""
    names_in_quotes = '"' in statement and _quotes_names(statement)
    before = ""
    for match in _PIECE.finditer(statement):
        kind, text = match.lastgroup, match[0]
        if kind == "gap":
            continue
        if kind in ("text", "slot", "number"):
            piece = "?"
        elif kind == "quoted":
            piece = text.strip('"') if names_in_quotes and _PLAIN_NAME.fullmatch(text[1:-1]) else "?"
        elif kind == "name":
            inner = text.strip("`[]")
            piece = inner if _PLAIN_NAME.fullmatch(inner) else text
        elif kind == "word":
            piece = _word(text, before)
        else:
            piece = text
        yield piece
        before = piece


def _quotes_names(statement: str) -> bool:
    """Whether double quotes stand around names, as in standard SQL, and not around texts, as in MySQL."""
    return re.search(r'"\s{0,4}\.|\."|\b(?:from|into|update|join|table)\s{1,4}"', statement, re.IGNORECASE) is not None


def _word(text: str, before: str) -> str:
    upper = text.upper()
    if before == "." or text.lower() not in _KEYWORDS:
        return text
    if upper in _LITERALS and before not in ("IS", "NOT"):
        return "?"
    return upper


def _without_signs(pieces: list[str]) -> list[str]:
    """A sign before a value is a part of the value."""
    kept: list[str] = []
    for place, piece in enumerate(pieces):
        before = kept[-1] if kept else ""
        starts = before in _SIGNED_AFTER or (before.isupper() and before.lower() in _KEYWORDS)
        if piece in ("-", "+") and pieces[place + 1 : place + 2] == ["?"] and starts:
            continue
        kept.append(piece)
    return kept


def _without_lists(pieces: list[str]) -> list[str]:
    """`?, ?, ?` in brackets as `?`; equal groups after each other, and all rows of VALUES but the first, once."""
    kept: list[str] = []
    opened: list[int] = []
    """Where in `kept` the brackets that are still open begin."""
    for piece in pieces:
        kept.append(piece)
        if piece in ("(", "["):
            opened.append(len(kept) - 1)
        elif piece == "?" and opened and kept[-3:] == ["?", ",", "?"]:
            del kept[-2:]
        elif piece in (")", "]") and opened:
            _fold_group(kept, opened.pop())
    return kept


def _fold_group(kept: list[str], start: int) -> None:
    """Drop the group that begins at `start` and ends `kept`, where the one before the comma before it says the same."""
    if start < 2 or kept[start - 1] != "," or kept[start - 2] != ")":
        return
    first, depth = start - 2, 0
    for place in range(start - 2, max(-1, start - 2 - 2_000), -1):
        depth += {")": 1, "(": -1}.get(kept[place], 0)
        if not depth:
            first = place
            break
    rows = first > 0 and kept[first - 1] in ("VALUES", "VALUE")
    if rows or kept[first : start - 1] == kept[start:]:
        del kept[start - 1 :]


def _joined(pieces: list[str]) -> str:
    parts: list[str] = []
    before = ""
    for piece in pieces:
        tight = (
            not before
            or piece in _CLOSING
            or piece in _GLUED
            or before in ("(", "[", "{")
            or before in _GLUED
            or (piece == "(" and _calls(before))
            or (piece == "[" and before[-1:].isalnum())
        )
        parts.append(piece if tight else f" {piece}")
        before = piece
    return "".join(parts)


def _calls(before: str) -> bool:
    """Whether a bracket after this piece is a call's."""
    return bool(before) and (before[-1].isalnum() or before[-1] == "_") and before.lower() not in _RESERVED
