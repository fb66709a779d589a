"""Tokens that are known by their shape alone: finds the rules of `shapes` in a text.

A text is looked at once for each joint in it (`_`, `-`, `.`), not once for each rule; a rule is compiled when its
prefix is first seen.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from rootproof.redaction.finding import SECRET, Span
from rootproof.redaction.shapes import KEYED, RULES
from rootproof.redaction.values import looks_random


class _Rule(NamedTuple):
    prefix: str
    offset: int
    """Where the first joint stands in the prefix; 0 if it has none."""
    kind: str
    pattern: str


_LOOSE: Final = SECRET + "loose-token"
_ESCAPE_BEFORE: Final = re.compile(r"(?:\\[nrt]|%[0-9A-Fa-f]{2}|\\u00[0-9A-Fa-f]{2})\Z")
SHORTEST_TOKEN: Final = 14
"""Every token known here, but for password hashes, has a run (see `measure`) of at least this length."""
_FEW: Final = 24
"""Up to so many joints are looked at one by one; more of them are searched by pattern."""
_KEYED_PLAIN: Final = tuple(entry for entry in KEYED if "$" not in entry[0])
_CHOICE: Final = re.compile(
    r"(?P<start>(?:[A-Za-z0-9_/~ -]|\\[.$ ])*)(?:\[(?P<set>[A-Za-z0-9]+)\]|\(\?:(?P<words>[A-Za-z|]+)\))(?![?*{+])"
)
_RUN: Final = re.compile(r"[A-Za-z0-9]*+")
_PLAIN_PREFIX: Final = re.compile(r"(?:[A-Za-z0-9_/~ -](?![?*{+])|\\[.$ ])+")


def _prefix(pattern: str) -> str:
    """Return the literal text that every match of the pattern starts with."""
    match = _PLAIN_PREFIX.match(pattern)
    if match is None or len(match.group()) < 2:
        raise ValueError(f"the rule {pattern!r} has no literal prefix of two characters; name each prefix by itself")
    return match.group().replace("\\", "")


def _expanded(pattern: str) -> Iterator[str]:
    """Yield the pattern once for each choice right behind its literal start: `gh[op]_x` is `gho_x`, `ghp_x`."""
    match = _CHOICE.match(pattern)
    if match is None:
        yield pattern
        return
    choices = match["set"] or match["words"].split("|")
    for choice in choices:
        yield from _expanded(match["start"] + choice + pattern[match.end() :])


def _by_mark() -> tuple[dict[str, dict[str, list[_Rule]]], dict[str, list[_Rule]]]:
    """Return the rules by the first joint of their prefix and what stands before it; the rest by first letter."""
    marked: dict[str, dict[str, list[_Rule]]] = defaultdict(lambda: defaultdict(list))
    plain: dict[str, list[_Rule]] = defaultdict(list)
    for kind, patterns in RULES.items():
        for pattern in (one for written in patterns for one in _expanded(written)):
            prefix = _prefix(pattern)
            offset = next((i for i, c in enumerate(prefix) if i and c in "_-./~"), 0)
            rule = _Rule(prefix, offset, SECRET + kind, pattern)
            if offset:
                marked[prefix[offset]][prefix[max(0, offset - 2) : offset + 1]].append(rule)
            else:
                plain[prefix[0]].append(rule)
    return {mark: dict(pairs) for mark, pairs in marked.items()}, dict(plain)


_MARKED, _UNMARKED = _by_mark()
_pattern = lru_cache(maxsize=512)(re.compile)  # a rule is compiled when its prefix is first seen


def vendor_tokens(text: str) -> Iterator[Span]:
    """Yield every token, webhook path and password hash that is known by its shape."""
    rejected: dict[str, int] = {}
    for mark, endings in _MARKED.items():
        if mark in text:
            yield from _joined(text, mark, endings, rejected)
    for first, plain in _UNMARKED.items():
        if first in text:
            for rule in plain:
                if rule[0] in text:
                    yield from _matches(text, rule, rejected)
    for word, kind, pattern in KEYED if "$" in text else _KEYED_PLAIN:
        if word in text:
            for match in _pattern(pattern).finditer(text):
                yield match.start(1), match.end(1), kind


def _joined(text: str, mark: str, endings: dict[str, list[_Rule]], rejected: dict[str, int]) -> Iterator[Span]:
    if text.count(mark) < _FEW:
        pieces = text.split(mark)[:-1]
        tails = [piece[-2:] for piece in pieces]
        ones, twos = _tails(mark)
        if twos.isdisjoint(tails) and ones.isdisjoint([tail[-1:] for tail in tails]):
            return
        at = -1
        for piece in pieces:
            at += len(piece) + 1
            for ending in (piece[-1:] + mark, piece[-2:] + mark):
                if ending in endings and at > 0:
                    yield from _behind_mark(text, at, endings[ending], rejected)
        return
    for pattern in _joints(mark):
        for joint in pattern.finditer(text):
            rules = endings.get(joint.group())
            if rules is not None:
                yield from _behind_mark(text, joint.end() - 1, rules, rejected)


@lru_cache(maxsize=16)
def _tails(mark: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return what stands before the joint in some prefix: the single characters, and the pairs."""
    before = [ending[:-1] for ending in _MARKED[mark]]
    return frozenset(b for b in before if len(b) == 1), frozenset(b for b in before if len(b) == 2)


@lru_cache(maxsize=16)
def _joints(mark: str) -> tuple[re.Pattern[str], ...]:
    """Return patterns for the joint with the (one or two) characters that stand before it in some prefix."""
    endings = _MARKED[mark]
    patterns = []
    for size in (1, 2):
        columns = list(zip(*(ending[:-1] for ending in endings if len(ending) == size + 1), strict=True))
        if columns:
            sets = "".join(f"[{''.join(sorted(set(column)))}]" for column in columns)
            patterns.append(re.compile(sets + re.escape(mark)))
    return tuple(patterns)


def _behind_mark(text: str, at: int, rules: list[_Rule], rejected: dict[str, int]) -> Iterator[Span]:
    for rule in rules:
        start = at - rule.offset
        if start >= 0 and text.startswith(rule.prefix, start) and _starts_here(text, start):
            span = _match_at(text, start, rule, rejected)
            if span is not None:
                yield span


def _matches(text: str, rule: _Rule, rejected: dict[str, int]) -> Iterator[Span]:
    start = text.find(rule.prefix)
    while start >= 0:
        end = start + 1
        if _starts_here(text, start):
            span = _match_at(text, start, rule, rejected)
            if span is not None:
                yield span
                end = span[1]
        else:
            run = _RUN.match(text, start)  # no other start within this run of letters and digits
            end = run.end() if run else end
        start = text.find(rule.prefix, end)


def _match_at(text: str, start: int, rule: _Rule, rejected: dict[str, int]) -> Span | None:
    if start < rejected.get(rule.prefix, 0):
        return None
    match = _pattern(rule.pattern).match(text, start)
    if match is None:
        return None
    if rule.kind == _LOOSE and not looks_random(match.group()):
        rejected[rule.prefix] = match.end()  # else a run of `sk-sk-sk-` would be read again from every start
        return None
    rest = _RUN.match(text, match.end())  # a token of a later format, in more letters: no readable end is left
    return start, rest.end() if rest else match.end(), SECRET + "token" if rule.kind == _LOOSE else rule.kind


def _starts_here(text: str, position: int) -> bool:
    """Return True if no letter or digit stands before, but for the end of an escape such as `\\n` or `%3D`."""
    before = text[position - 1] if position else " "
    if not (before.isascii() and before.isalnum()):
        return True
    return _ESCAPE_BEFORE.search(text[max(0, position - 6) : position]) is not None
