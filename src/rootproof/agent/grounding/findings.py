"""What a check of one atom found, and the ground it was checked against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from rootproof.agent.grounding.atoms import Parsed
from rootproof.agent.grounding.entities import is_ordinary, knows, stems_of_name
from rootproof.agent.grounding.facts import Item
from rootproof.agent.grounding.run import Run
from rootproof.agent.grounding.text import Token, parts
from rootproof.agent.grounding.words import concepts_of, stem
from rootproof.domain.report import Coverage

QUOTE_MARK = '"'
"""What stands in the tokens for a quotation."""
NEAR = 4
"""A name that all cited items share may be told apart by a name this many words away (the series of an instance)."""


class State(StrEnum):
    """What became of an atom."""

    FOUND = "found"
    MISSING = "missing"
    CONTRADICTED = "contradicted"


@dataclass(frozen=True, slots=True)
class Finding:
    """One atom's outcome with its sentence; `soft` findings do not make a claim supported by themselves."""

    state: State
    reason: str
    soft: bool = False


@dataclass(frozen=True, slots=True)
class Ground:
    """A parsed claim and the cited items that may carry it."""

    parsed: Parsed
    items: tuple[Item, ...]
    coverage: Sequence[Coverage] = ()
    kinds: frozenset[str] = frozenset()
    """What the things that the items are about are known as in the run (`database`), by their other series."""
    run: Run | None = None
    """All evidence of the run, for what speaks against the claim; it never speaks for it."""

    @property
    def ids(self) -> str:
        """The items' ids for reasons: `E1`, `E1 and E4`."""
        return joined([item.id for item in self.items])

    def holders(self, name: str) -> tuple[Item, ...]:
        """The items that know `name`."""
        return tuple(item for item in self.items if knows(name, item.names, item.aliases))

    def owners(self, name: str) -> tuple[Item, ...]:
        """The items that are about `name`."""
        return tuple(item for item in self.items if is_about(item, name))

    def bound_items(self, start: int, end: int) -> tuple[str | None, tuple[Item, ...]]:
        """The nearest name or measured word that tells the cited items apart, and the items it leaves.

        All items, and None, where nothing in the clause tells them apart.
        """
        if len(self.items) < 2:
            return None, self.items
        shared_at: int | None = None
        for position in self._nearest(start, end):
            if shared_at is not None and abs(position - shared_at) > NEAR:
                break
            token = self.parsed.tokens[position]
            if position in self._name_positions():
                kept = self.owners(token.text) or (() if self.is_state(token.text) else self.holders(token.text))
            else:
                kept = self._measured(token.lower)
            if kept and len(kept) < len(self.items):
                return token.text, kept
            if kept and position in self._name_positions() and shared_at is None:
                shared_at = position
        return None, self.items

    def closer(self, held: Sequence[Item], wanted: Sequence[Item], start: int, end: int) -> bool:
        """Whether the words right around [start, end) are those of an item of `held` rather than of `wanted`."""
        first, last = self._walls(start, end)
        cuts = {",", "and", "(", ")", "while", "but"}
        for position in range(start - 1, first - 1, -1):
            if self.parsed.tokens[position].lower in cuts:
                first = position + 1
                break
        for position in range(end, last):
            if self.parsed.tokens[position].lower in cuts:
                last = position
                break
        local = [self.parsed.tokens[position].lower for position in self.parsed.topic if first <= position < last]
        named = [name.text for name in self.parsed.names if first <= name.at < last]
        if any(item in self.owners(name) and item not in held for name in named for item in wanted):
            return False
        return max(shared(local, item) for item in held) > max((shared(local, item) for item in wanted), default=0)

    def is_state(self, name: str) -> bool:
        """Whether a name is one of a state or reason (`NotReady`, `OOMKilled`): several things may be in it."""
        return name.isalpha() and name != name.lower() and all(is_ordinary(piece) for piece in parts(name))

    def _name_positions(self) -> frozenset[int]:
        return frozenset(name.at for name in self.parsed.names)

    def _measured(self, word: str) -> tuple[Item, ...]:
        """The series that are about a measured word (cpu, lag), where all items are series."""
        if not (concepts_of(word) or len(word) > 3) or any(item.series is None for item in self.items):
            return ()
        return tuple(item for item in self.items if item.shares(word))

    def _nearest(self, start: int, end: int) -> list[int]:
        """Positions of names and topic words of the clause: one joined to the number first, then backwards,
        then forwards.

        An order word (before, after, then) is a wall, and so is a quotation: what stands behind it is another thing.
        """
        parsed = self.parsed
        first, last = self._walls(start, end)
        wanted = sorted(self._name_positions() | set(parsed.topic))
        same = [position for position in wanted if first <= position < last and not start <= position < end]
        stops = {q.start for q in parsed.quantities} | {t.start for t in parsed.times}
        following = []
        for position in same:
            if position < end or position > end + 5:
                continue
            between = range(end, position)
            if any(
                index in stops or parsed.tokens[index].text in {",", ";"} or parsed.tokens[index].lower in {"and", "to"}
                for index in between
            ):
                break
            if (
                any(parsed.tokens[index].lower in {"in", "on", "from", "for", "by", "of"} for index in between)
                or position == end
            ):
                following.append(position)
        backwards = [position for position in reversed(same) if position < start]
        comma = next((at for at in range(end, last) if parsed.tokens[at].text == ","), last)
        if any(at not in stops for at in backwards) and parsed.tokens[start - 1].text == "(":
            same = [position for position in same if position < comma]
        forwards = [position for position in same if position >= end and position not in following]
        clause = parsed.clauses[start] if start < len(parsed.clauses) else 0
        earlier = (
            [position for position in reversed(wanted) if position < first and parsed.clauses[position] < clause]
            if not parsed.orders
            else []
        )
        return following + backwards + forwards + earlier

    def _walls(self, start: int, end: int) -> tuple[int, int]:
        """The stretch of the clause around [start, end) that no order word cuts."""
        parsed = self.parsed
        clause = parsed.clauses[start] if start < len(parsed.clauses) else 0
        cuts = {order.at for order in parsed.orders}
        cuts |= {position for position, token in enumerate(parsed.tokens) if token.text == QUOTE_MARK}
        for position, token in enumerate(parsed.tokens):
            if token.text == "," and any(
                order.at < position and _leads(parsed.tokens, order.at) for order in parsed.orders
            ):
                cuts.add(position)
        first = start
        while first > 0 and parsed.clauses[first - 1] == clause and first - 1 not in cuts:
            first -= 1
        last = end
        while last < len(parsed.tokens) and parsed.clauses[last] == clause and last not in cuts:
            last += 1
        return first, last


def _leads(tokens: Sequence[Token], position: int) -> bool:
    """Whether an order word opens its sentence: `After A, B`."""
    return position == 0 or tokens[position - 1].text in {".", ";"}


def is_about(item: Item, name: str) -> bool:
    """Whether an item is about `name` or the family it belongs to."""
    return name in item.about or any(
        each in item.about for each in stems_of_name(name) if name.endswith(("/" + each, f":{each}>"))
    )


def joined(ids: Sequence[str]) -> str:
    """`E1`, `E1 and E2`, `E1, E2 and E3`."""
    if len(ids) < 2:
        return "".join(ids)
    return f"{', '.join(ids[:-1])} and {ids[-1]}"


def shared(words: Sequence[str], item: Item) -> int:
    """How many of `words` an item shares, by stem or concept."""
    return sum(1 for word in words if item.shares(word))


def same_word(left: str, right: str) -> bool:
    """Whether two lower-case words are inflections of one word or name one concept."""
    return left == right or stem(left) == stem(right) or bool(set(concepts_of(left)) & set(concepts_of(right)))


def about(denial_at: int, ground: Ground) -> tuple[Item, ...]:
    return ground.bound_items(denial_at, denial_at + 1)[1]


def terms(word: str) -> set[str]:
    return {word, stem(word), *concepts_of(word)}
