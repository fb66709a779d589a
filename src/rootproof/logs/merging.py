"""Merge shapes that differ in one word when enough different words stand in that place.

Two values are too few (Started, Stopped), three are enough where a value is expected (after a cue word, `:` or `=`, or
beside a value), five elsewhere, eight for the first word. One is enough where the merged shape is there already and a
value is expected. The result does not depend on the order of the input.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache

from rootproof.logs.masking import GLUE, GLUED_MARK, MARK, Part, Shape, collapse, is_mark, texts
from rootproof.logs.wordlists import word_set

Parts = tuple[str, ...]
Key = tuple[int, int, int]

_MAX_ROUNDS = 8
_ENOUGH_WORDS = 2
_EXPECTED, _ELSEWHERE, _FIRST, _FEW_WORDS, _NEVER = 3, 5, 8, 16, 1 << 30
_CUES = word_set(
    "for from to at by in on of with via into onto over under user host node pod service server client file "
    "path name id key value topic queue table database bucket address port url uri method class type thread "
    "job task container image namespace as is was are not than"
)
_STRONG_CUES = word_set("for from to at by user host node pod service client file path name")
_STATE_WORDS = word_set(
    "failed failure failing fail error errors success succeeded successful successfully ok started starting "
    "start stopped stopping stop up down timeout timedout refused denied rejected accepted ready notready "
    "unready running killed crashed lost closed opened open connected disconnected reset aborted cancelled "
    "canceled expired healthy unhealthy degraded pending completed complete finished done active inactive "
    "enabled disabled online offline created deleted removed added updated restarted restarting exhausted "
    "exceeded full empty missing unavailable available invalid valid allowed forbidden unauthorized locked "
    "unlocked joined left paused resumed warning fatal critical info debug trace severe oomkilled evicted "
    "terminated begin end enter exit leaving entering true false"
)


def merge(shapes: Sequence[Shape]) -> list[Shape]:
    """The merged shape of each of `shapes` (distinct by their texts), in the same order.

    Shape: equal texts mean one template; the word ranges stay those of the shape itself.
    """
    current = list(shapes)
    for _ in range(_MAX_ROUNDS):
        opened = _positions_to_open(sorted({texts(shape) for shape in current}))
        if not opened:
            break
        for index, shape in enumerate(current):
            position = opened.get(texts(shape))
            if position is not None:
                current[index] = _open(shape, position)
    return current


def _positions_to_open(shapes: list[Parts]) -> dict[Parts, int]:
    """One round: for each shape that has one, its most varied position, where that is varied enough."""
    siblings: defaultdict[Key, int] = defaultdict(int)
    keys = [_keys(parts) for parts in shapes]
    for own in keys:
        for key in own:
            if key is not None:
                siblings[key] += 1
    existing = set(shapes)
    found: dict[Parts, int] = {}
    for parts, own in zip(shapes, keys, strict=True):
        wordy = [_wordy(part) for part in parts]
        words = sum(wordy)
        best: tuple[int, int] | None = None
        for position, key in enumerate(own):
            if key is None or (best is not None and (siblings[key], position) < best):
                continue
            if _is_variable(parts, position, siblings[key], words - wordy[position], existing):
                best = (siblings[key], position)
        if best is not None:
            found[parts] = best[1]
    return found


def _is_variable(parts: Parts, position: int, values: int, words: int, existing: set[Parts]) -> bool:
    """Whether `values` different words at `position`, with `words` others that stay, make it variable."""
    if values >= _EXPECTED and values >= _needed(parts, position, words):
        return True
    if words < _ENOUGH_WORDS or not _may_join(parts, position):
        return False
    shape = tuple(Part(text, 0, 0) for text in parts)
    return texts(_open(shape, position)) in existing


def _keys(parts: Parts) -> list[Key | None]:
    """For each position that may vary: what is the same for all shapes that differ only there."""
    hashes = [hash((position, part)) for position, part in enumerate(parts)]
    total = sum(hashes)
    return [
        None if is_mark(part) or part.endswith("=") or _says_state(part) else (len(parts), position, total - own)
        for position, (part, own) in enumerate(zip(parts, hashes, strict=True))
    ]


def _open(shape: Shape, position: int) -> Shape:
    """`shape` with a mark at `position`, runs folded again."""
    part = shape[position]
    mark = GLUED_MARK if part.text.startswith(GLUE) else MARK
    return collapse((*shape[:position], part._replace(text=mark), *shape[position + 1 :]))


def _needed(parts: Parts, position: int, words: int) -> int:
    """How many different words must stand at `position` before it counts as variable."""
    if words < _ENOUGH_WORDS:
        return _NEVER if words == 0 else _FEW_WORDS
    if position == 0:
        return _FIRST
    return _EXPECTED if _value_expected(parts, position) else _ELSEWHERE


def _value_expected(parts: Parts, position: int) -> bool:
    before = parts[position - 1]
    if before.endswith((":", "=")) or is_mark(before):
        return True
    if position + 1 < len(parts) and is_mark(parts[position + 1]):
        return True
    return before.strip("([\"'").lower() in _CUES


def _may_join(parts: Parts, position: int) -> bool:
    """Whether one word may join a shape that has a value in its place: it must look like a value by its neighbours."""
    if position + 1 < len(parts) and parts[position + 1] == GLUED_MARK:
        return True
    if position == 0:
        return False
    before = parts[position - 1]
    return before.endswith("=") or before.lower() in _STRONG_CUES


@lru_cache(maxsize=16384)
def _says_state(part: str) -> bool:
    """Whether a part says how something went: such a word is never a value, however many stand beside it."""
    return part.strip("\x02([{<\"'`)]}>,;:.!?*").lower() in _STATE_WORDS


@lru_cache(maxsize=16384)
def _wordy(part: str) -> bool:
    """Whether a part holds a word that stays."""
    return sum(map(str.isalpha, part)) >= 2
