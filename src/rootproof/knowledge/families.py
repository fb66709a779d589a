"""Near-duplicates of a corpus, found as documents come: those whose words are nearly the same set.

MinHash over words with banding finds whom to compare, so the work is linear in the documents. Source: Broder, "On the
resemblance and containment of documents" (1997); Leskovec, Rajaraman, Ullman, "Mining of Massive Datasets", 3.4.
"""

from __future__ import annotations

import zlib
from functools import lru_cache

ALIKE = 0.8
"""Share of two documents' words that both have, from which on they count as one."""
_MASK = (1 << 32) - 1
_FACTORS = (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D, 0x27D4EB2F, 0x165667B1, 0xD3A2646D, 0xFD7046C5, 0xB55A4F09)
_BAND = 2
_COMPARED = 8
"""Most families that one document is compared with in a band."""


class Families:
    """The families seen so far; each is led by its first document."""

    def __init__(self) -> None:
        self.count = 0
        self._leaders: list[frozenset[str]] = []
        self._known: list[set[str]] = []
        self._bands: dict[tuple[int, ...], list[int]] = {}

    def new_words(self, words: frozenset[str]) -> frozenset[str]:
        """Those of a document's words that its family did not have before; all of them where it begins one."""
        compared = _without_numbers(words)
        bands = _bands(compared)
        family = self._family(compared, bands)
        if family is not None:
            fresh = words - self._known[family]
            self._known[family] |= fresh
            return fresh
        for band in bands:
            self._bands.setdefault(band, []).append(self.count)
        self._leaders.append(compared)
        self._known.append(set(words))
        self.count += 1
        return words

    def _family(self, words: frozenset[str], bands: list[tuple[int, ...]]) -> int | None:
        met: set[int] = set()
        for band in bands:
            for family in self._bands.get(band, ())[:_COMPARED]:
                if family in met:
                    continue
                met.add(family)
                leader = self._leaders[family]
                both = len(words & leader)
                if both >= ALIKE * (len(words) + len(leader) - both):
                    return family
        return None


def _without_numbers(words: frozenset[str]) -> frozenset[str]:
    """Without what holds a digit: copies differ in numbers, hosts and versions. All words where there are no others."""
    return frozenset(word for word in words if word.isalpha()) or words


@lru_cache(maxsize=1 << 16)
def _hashes(word: str) -> tuple[int, ...]:
    seed = zlib.crc32(word.encode("utf-8", "surrogatepass")) | 1
    return tuple(((seed * factor) ^ (seed >> 7)) * 0x2545F491 & _MASK for factor in _FACTORS)


def _bands(words: frozenset[str]) -> list[tuple[int, ...]]:
    """The document's sketch in bands, each with its number: equal bands are a reason to compare."""
    if not words:
        return [(0,)]
    least = [min(column) for column in zip(*map(_hashes, words), strict=True)]
    return [(at, *least[at : at + _BAND]) for at in range(0, len(least), _BAND)]
