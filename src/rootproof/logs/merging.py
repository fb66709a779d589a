"""Merge shapes that differ only where values stand.

In rounds, until nothing changes: shapes that agree wherever no value is expected are laid over one another, and a
column is opened when its words vary enough (`_columns_to_open`). Then shapes that differ in one word are merged when
enough different words stand in that place (`_siblings_to_open`). Two words are too few (Started, Stopped) unless they
follow `key=`, were values elsewhere, stand where another shape has a value, or look like names behind a word that names
things (`module loop`). The result does not depend on the order of the input, nor on the process.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from hashlib import blake2b
from itertools import combinations, pairwise
from typing import NamedTuple

from rootproof.logs.forms import Form, Look, Soft, expected, look, says_state, softness
from rootproof.logs.masking import GLUE, GLUED_MARK, MARK, Part, Shape, collapse, is_mark, texts

Parts = tuple[str, ...]
Known = frozenset[str]
"""Words that were values in another place."""
Opened = dict[Parts, tuple[int, ...]]
Key = tuple[int, int, int]

_MAX_ROUNDS = 8
_LEADING = 2
_PARTICIPLES = ("ed", "ing")
_SOME_WORDS = 6
_ENOUGH_WORDS = 2
_LED, _EXPECTED, _ELSEWHERE, _FIRST, _FEW_WORDS, _NEVER = 2, 3, 4, 8, 16, 1 << 30
_ANY = "*"


def merge(shapes: Sequence[Shape]) -> list[Shape]:
    """The merged shape of each of `shapes` (distinct by their texts), in the same order.

    Shape: equal texts mean one template; the word ranges stay those of the shape itself.
    """
    current = list(shapes)
    known: set[str] = set()
    steps: tuple[Callable[[list[Parts], Known], Opened], ...] = (
        partial(_columns_to_open, beside=True),
        partial(_columns_to_open, beside=False),
        _siblings_to_open,
        _tails_to_open,
    )
    for _ in range(_MAX_ROUNDS):
        changed = False
        for step in steps:
            opened = step(sorted({texts(shape) for shape in current}), frozenset(known))
            changed |= bool(opened)
            for index, shape in enumerate(current if opened else ()):
                if positions := opened.get(texts(shape)):
                    known.update(look(shape[at].text).bare for at in positions)
                    current[index] = _open(shape, positions)
        if not changed:
            break
    return current


def _open(shape: Shape, positions: Sequence[int]) -> Shape:
    """`shape` with a mark at `positions`, runs folded again."""
    parts = list(shape)
    for at in positions:
        parts[at] = parts[at]._replace(text=GLUED_MARK if parts[at].text.startswith(GLUE) else MARK)
    return collapse(parts)


def _columns_to_open(shapes: list[Parts], known: Known, *, beside: bool) -> Opened:
    """The columns that vary among shapes that agree wherever no value is expected."""
    groups: defaultdict[Parts, list[tuple[Parts, list[Soft]]]] = defaultdict(list)
    for parts in shapes:
        looks = list(map(look, parts))
        soft = [softness(looks, at, known, beside=beside) for at in range(len(looks))]
        frame = tuple(
            (GLUE + _ANY if own.glued else _ANY) if level or own.form is Form.MARK else part
            for part, own, level in zip(parts, looks, soft, strict=True)
        )
        if sum(own.wordy and not level for own, level in zip(looks, soft, strict=True)) >= _ENOUGH_WORDS:
            groups[frame].append((parts, soft))
    found: Opened = {}
    for members in groups.values():
        if len(members) == 1:
            continue
        columns = _varied_columns(members, known)
        for parts, _ in members:
            if positions := tuple(at for at in columns if not is_mark(parts[at])):
                found[parts] = positions
    return found


class _Column(NamedTuple):
    """One position of shapes laid over one another, where not all are equal."""

    at: int
    words: set[str]
    marked: bool
    """Whether some shape has a value there."""
    soft: Soft
    """What the least value-like of the words is."""


def _varied_columns(members: list[tuple[Parts, list[Soft]]], known: Known) -> list[int]:
    """The positions whose words vary enough."""
    columns: list[_Column] = []
    for at in range(len(members[0][0])):
        found = {parts[at] for parts, _ in members}
        if len(found) > 1:
            words = {part for part in found if not is_mark(part)}
            least = min(soft[at] for parts, soft in members if not is_mark(parts[at]))
            columns.append(_Column(at, words, len(words) < len(found), least))
    strong = sum(column.soft >= Soft.STRONG for column in columns)
    return [
        column.at
        for column in columns
        if column.marked
        or len(column.words) >= _EXPECTED
        or column.soft is Soft.KEYED
        or (column.soft is Soft.STRONG and strong > 1)
        or any(look(word).is_known(known) for word in column.words)
    ]


class _Evidence(NamedTuple):
    """What all shapes together say about one word in a place."""

    known: Known
    leads: Known
    """Plain words that stand before a value in several shapes."""
    siblings: dict[Key, int]
    """How many shapes differ only there."""
    familiar: dict[Key, int]
    """How many of the words there were values elsewhere."""
    nameable: set[Key]
    """Places where two words are enough: identifiers all, or words that stand for one another elsewhere too."""


def _siblings_to_open(shapes: list[Parts], known: Known) -> Opened:
    """For each shape that has one, its most varied position, where that is varied enough."""
    keys = [_keys(parts) for parts in shapes]
    evidence = _evidence(shapes, keys, known)
    existing = set(shapes)
    found: Opened = {}
    for parts, own in zip(shapes, keys, strict=True):
        looks = list(map(look, parts))
        words = sum(one.wordy for one in looks)
        best: tuple[int, int] | None = None
        for at, key in enumerate(own):
            if key is None or (best is not None and (evidence.siblings[key], at) < best):
                continue
            values, others = evidence.siblings[key], words - looks[at].wordy
            if (
                values >= _needed(looks, at, others, evidence.leads)
                or (values > 1 and others >= _ENOUGH_WORDS and key in evidence.nameable and _may_be_named(looks, at))
                or _is_familiar(looks, at, values, evidence.familiar.get(key, 0), others)
                or (_may_join(looks, at, others, key, evidence) and _opened(parts, at) in existing)
            ):
                best = (values, at)
        if best is not None:
            found[parts] = (best[1],)
    return found


def _evidence(shapes: list[Parts], keys: list[list[Key | None]], known: Known) -> _Evidence:
    siblings: defaultdict[Key, int] = defaultdict(int)
    familiar: defaultdict[Key, int] = defaultdict(int)
    plain: set[Key] = set()
    for parts, own in zip(shapes, keys, strict=True):
        for part, key in zip(parts, own, strict=True):
            if key is not None:
                siblings[key] += 1
                if known and look(part).is_known(known):
                    familiar[key] += 1
                if look(part).form is not Form.IDENTIFIER or part.isupper():
                    plain.add(key)
    few = {key for key, values in siblings.items() if 1 < values <= _SOME_WORDS}
    return _Evidence(known, _leads(shapes), siblings, familiar, (few - plain) | _interchangeable(shapes, keys, few))


def _leads(shapes: list[Parts]) -> Known:
    counts: Counter[str] = Counter()
    for parts in shapes:
        looks = list(map(look, parts))
        counts.update({
            before.bare
            for before, own in pairwise(looks)
            if own.form is Form.MARK and not own.glued and before.form is Form.PLAIN and before.bare.isalpha()
        })  # fmt: skip
    return frozenset(word for word, count in counts.items() if count >= _LEADING)


def _interchangeable(shapes: list[Parts], keys: list[list[Key | None]], few: set[Key]) -> set[Key]:
    """Those of the places `few` where two words stand that do so in another place too, behind the same word."""
    places: defaultdict[tuple[str, Key], set[str]] = defaultdict(set)
    for parts, own in zip(shapes, keys, strict=True):
        for at, key in enumerate(own):
            if at and key in few and key is not None:
                places[look(parts[at - 1]).bare, key].add(look(parts[at]).bare)
    pairs: defaultdict[tuple[str, str, str], set[Key]] = defaultdict(set)
    for (before, key), words in places.items():
        for one, other in combinations(sorted(words), 2):
            pairs[before, one, other].add(key)
    return set().union(*(found for found in pairs.values() if len(found) > 1))


def _may_be_named(looks: list[Look], at: int) -> bool:
    """Whether the word at `at` may be the name of what stands before it: `module loop`, not `module attached`."""
    before, own = looks[max(at - 1, 0)], looks[at]
    named = at > 0 and (before.form is Form.PLAIN or before.cue) and not before.label
    return named and own.form is not Form.CAPITALS and not own.bare.endswith(_PARTICIPLES)


def _keys(parts: Parts) -> list[Key | None]:
    """For each position that may vary: what is the same for all shapes that differ only there."""
    looks = list(map(look, parts))
    hashes = [_hash(at, part) for at, part in enumerate(parts)]
    total = sum(hashes)
    return [
        None if looks[at].form <= Form.FIXED or says_state(looks, at) else (len(parts), at, total - own)
        for at, own in enumerate(hashes)
    ]


@lru_cache(maxsize=1 << 18)
def _digest(part: str) -> int:
    return int.from_bytes(blake2b(part.encode("utf-8", "surrogatepass"), digest_size=8).digest())


def _hash(at: int, part: str) -> int:
    """64 bits that are the same in every process."""
    return (_digest(part) * (2 * at + 1) * 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF


def _opened(parts: Parts, at: int) -> Parts:
    return texts(_open(tuple(Part(text, 0, 0) for text in parts), (at,)))


def _needed(looks: list[Look], at: int, others: int, leads: Known) -> int:
    """How many different words must stand at `at`, with `others` that stay, before it counts as variable."""
    if others < _ENOUGH_WORDS:
        return _NEVER if others == 0 else _FEW_WORDS
    if at == 0:
        return _ELSEWHERE if others > _ENOUGH_WORDS and looks[0].form is Form.IDENTIFIER else _FIRST
    if _may_be_named(looks, at) and looks[at - 1].bare in leads:
        return _LED
    return _EXPECTED if expected(looks, at) else _ELSEWHERE


def _is_familiar(looks: list[Look], at: int, values: int, familiar: int, others: int) -> bool:
    """Whether enough of the `values` different words at `at` were values elsewhere."""
    if not others or not familiar:
        return False
    likely = looks[at].form > Form.PLAIN or (at > 0 and expected(looks, at))
    return values > (1 if likely else 2) and familiar > (others < _ENOUGH_WORDS)


def _may_join(looks: list[Look], at: int, others: int, key: Key, evidence: _Evidence) -> bool:
    """Whether the word at `at` may join a shape that has a value in its place: something must speak for a value."""
    if others < _ENOUGH_WORDS:
        return False
    if evidence.siblings[key] > 1 or looks[at].form > Form.PLAIN or looks[at].is_known(evidence.known):
        return True
    if at + 1 < len(looks) and looks[at + 1].form is Form.MARK and looks[at + 1].glued:
        return True
    before = looks[max(at - 1, 0)]
    return at > 0 and (before.key or before.strong_cue or (before.bare in evidence.leads and _may_be_named(looks, at)))


def _tails_to_open(shapes: list[Parts], _known: Known) -> Opened:
    """The words behind the last `key=` of a line of such pairs, where another shape has a single value there."""
    tails: defaultdict[Parts, list[tuple[Parts, Parts]]] = defaultdict(list)
    for parts in shapes:
        keys = [at for at, part in enumerate(parts) if part.endswith("=")]
        if len(keys) >= _ENOUGH_WORDS and keys[-1] + 1 < len(parts):
            behind = keys[-1] + 1
            head = tuple(GLUE + _ANY if part.startswith(GLUE) else part for part in parts[:behind])
            tails[head].append((parts, parts[behind:]))
    found: Opened = {}
    for head, members in tails.items():
        if not any(tail == (GLUED_MARK,) for _, tail in members):
            continue
        for parts, tail in members:
            if tail != (GLUED_MARK,) and not any(look(part).states or part[0] in "([{" for part in tail):
                found[parts] = tuple(range(len(head), len(parts)))
    return found
