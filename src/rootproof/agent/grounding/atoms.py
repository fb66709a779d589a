"""A claim taken apart: quotes, names, numbers, times, directions, denials, order, and the words that are left."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from rootproof.agent.grounding import signs
from rootproof.agent.grounding.entities import is_common_use, is_evidence_reference, is_identifier
from rootproof.agent.grounding.negations import Denial, find_denials, is_noun_denial
from rootproof.agent.grounding.orders import Order, find_hypothesis, find_orders
from rootproof.agent.grounding.quantities import quantities
from rootproof.agent.grounding.quantity import Quantity
from rootproof.agent.grounding.text import (
    MAX_ATOMS,
    MAX_CLAIM_CHARS,
    MAX_QUOTE_CHARS,
    Kind,
    Token,
    clean,
    plain_words,
    reads,
    tokenize,
)
from rootproof.agent.grounding.times import TimeMention, mentions
from rootproof.agent.grounding.vocabulary import STOP
from rootproof.agent.grounding.words import is_prose, phrase_at
from rootproof.domain.claim import Claim, ClaimKind

MAX_CLAIM_TOKENS = 500
"""Pieces of one sentence that are looked at; checks of one piece may look at all others."""


class Way(StrEnum):
    """Where a measured thing went."""

    UP = "up"
    DOWN = "down"
    FLAT = "flat"


@dataclass(frozen=True, slots=True)
class Name:
    """An identifier at a token position."""

    text: str
    at: int


@dataclass(frozen=True, slots=True)
class Direction:
    """A word that says where something went; `factor` where the word says by how much (doubled)."""

    word: str
    at: int
    way: Way
    negated: bool = False
    factor: float | None = None


@dataclass(frozen=True, slots=True)
class Parsed:
    """The atoms of one claim; positions index `tokens`."""

    claim: Claim
    tokens: tuple[Token, ...]
    clauses: tuple[int, ...]
    """The clause number of each token."""
    quotes: tuple[str, ...] = ()
    names: tuple[Name, ...] = ()
    quantities: tuple[Quantity, ...] = ()
    times: tuple[TimeMention, ...] = ()
    directions: tuple[Direction, ...] = ()
    denials: tuple[Denial, ...] = ()
    orders: tuple[Order, ...] = ()
    references: tuple[str, ...] = ()
    """Evidence ids written into the text."""
    hypothesis: frozenset[int] = field(default_factory=frozenset)
    """Positions of the words that a RULED_OUT claim only names to rule them out."""
    topic: tuple[int, ...] = ()
    """Positions of the ordinary content words."""
    too_long: bool = False

    def words(self, start: int, end: int) -> str:
        """The text of tokens [start, end), for reasons."""
        return " ".join(token.text for token in self.tokens[start:end])


_QUOTED = re.compile(r'"([^"]{1,2000})"|`([^`]{1,2000})`|(?<![\w>])\'([^\']{1,2000})\'(?!\w)')
_CLAUSE_MARKS = frozenset({";", ".", "!", "?", ":"})
_CLAUSE_WORDS = frozenset({"while", "whereas", "but", "although", "though"})


def parse(claim: Claim, lexicon: frozenset[str]) -> Parsed:
    """The atoms of `claim`; `lexicon` holds the names that evidence of the run is about."""
    text = clean(claim.text, MAX_CLAIM_CHARS)
    quotes: list[str] = []

    def take(found: re.Match[str]) -> str:
        inner = (found[1] or found[2] or found[3] or "").strip()
        if " " not in inner:
            return f" {inner} "
        if len(quotes) < MAX_ATOMS:
            quotes.append(inner[:MAX_QUOTE_CHARS])
        return ' " '

    tokens = tuple(tokenize(plain_words(_plain_arrows(_QUOTED.sub(take, text)))))
    too_long = len(claim.text) > MAX_CLAIM_CHARS or len(tokens) > MAX_CLAIM_TOKENS
    tokens = tokens[:MAX_CLAIM_TOKENS]
    times = tuple(mentions(tokens))
    taken = {position for mention in times for position in range(mention.start, mention.end)}
    numbers = tuple(q for q in quantities(tokens, claim=True) if q.start not in taken)
    inside_number = {position for q in numbers for position in range(q.start, q.end)}
    names = _names(tokens, lexicon, inside_number | taken)
    clauses = _clauses(tokens)
    directions = _directions(tokens)
    denials = find_denials(tokens, clauses, numbers, {each.at for each in directions})
    hypothesis = find_hypothesis(tokens, clauses) if claim.kind is ClaimKind.RULED_OUT else frozenset()
    busy = inside_number | taken | {name.at for name in names} | {each.at for each in directions}
    zero = {denial.at for denial in denials}
    denied_names = {index for denial in denials for index in range(denial.at, denial.end)}
    return Parsed(
        claim=claim,
        tokens=tokens,
        clauses=clauses,
        quotes=tuple(quotes),
        names=tuple(name for name in names if name.at not in denied_names or not is_noun_denial(name.at, denials)),
        quantities=tuple(q for q in numbers if q.start not in zero and not _is_contrast(tokens, q)),
        times=times,
        directions=tuple(d for d in directions if d.at not in hypothesis),
        denials=tuple(d for d in denials if d.at not in hypothesis),
        orders=find_orders(tokens, clauses),
        references=tuple(token.text for token in tokens if is_evidence_reference(token)),
        hypothesis=hypothesis,
        topic=tuple(p for p in range(len(tokens)) if p not in busy and _is_topical_at(tokens, p)),
        too_long=too_long,
    )


_ARROW = re.compile(r"\s*-{1,2}>\s*")
_FROM_NUMBER = re.compile(r"(?<![\w.:])(?:from\s+)?(~?[0-9][0-9.,]*[A-Za-z%/]{0,8})\s*-{1,2}>\s*(?=~?[0-9])")


def _plain_arrows(text: str) -> str:
    """`text` with `4 -> 31` as `from 4 to 31`, and any other arrow as the end of a clause."""
    if "->" not in text:
        return text
    return _ARROW.sub(" ; ", _FROM_NUMBER.sub(r"from \1 to ", text))


def _names(tokens: Sequence[Token], lexicon: frozenset[str], elsewhere: set[int]) -> tuple[Name, ...]:
    """The identifiers, but for the positions that belong to numbers and times."""
    return tuple(
        Name(_spoken(tokens, position), position)
        for position, token in enumerate(tokens)
        if position not in elsewhere
        and (
            (is_identifier(token, lexicon) and not is_common_use(tokens, position)) or _is_percentile(tokens, position)
        )
    )[:MAX_ATOMS]


_ORDINAL = re.compile(r"([0-9]{2})th")


def _spoken(tokens: Sequence[Token], position: int) -> str:
    """The name at a position; `95th percentile` is p95."""
    if tokens[position].lower == "median":
        return "p50"
    ordinal = _ORDINAL.fullmatch(tokens[position].text)
    return f"p{ordinal[1]}" if ordinal else tokens[position].text


def _is_percentile(tokens: Sequence[Token], position: int) -> bool:
    return tokens[position].lower == "median" or (
        position + 1 < len(tokens)
        and tokens[position + 1].lower == "percentile"
        and _ORDINAL.fullmatch(tokens[position].text) is not None
    )


def _is_contrast(tokens: Sequence[Token], number: Quantity) -> bool:
    """Whether a number is only named as what it is not: `143, not 137`, `rather than 5`."""
    lead = tuple(token.lower for token in tokens[max(0, number.start - 2) : number.start])
    return lead in {("rather", "than"), ("instead", "of")} or (
        lead[-1:] == ("not",) and number.start >= 2 and tokens[number.start - 2].text == ","
    )


def _is_topical_at(tokens: Sequence[Token], position: int) -> bool:
    """Whether a word says something by itself or as the head of a phrase (`timed out`)."""
    if _is_topical(tokens[position]):
        return True
    lowers = [token.lower for token in tokens[position : position + 3]]
    return lowers[0] not in STOP and phrase_at(lowers, 0)[0] > 0


def _is_topical(token: Token) -> bool:
    return (
        token.kind is Kind.WORD
        and not is_evidence_reference(token)
        and len(token.text) > 1
        and token.text.isascii()
        and not is_prose(token.lower)
    )


def _clauses(tokens: Sequence[Token]) -> tuple[int, ...]:
    number, found = 0, []
    for token in tokens:
        if token.text in _CLAUSE_MARKS or token.lower in _CLAUSE_WORDS:
            number += 1
        found.append(number)
    return tuple(found)


_AS_BEFORE = (("as", "before"), ("as", "usual"), ("as", "ever"))


def _by_how_much(tokens: Sequence[Token], position: int) -> bool:
    """Whether `down 89 %` is written."""
    following = [token for token in tokens[position + 1 : position + 4] if token.lower not in signs.APPROXIMATE]
    return (
        bool(following)
        and following[0].kind is Kind.NUMBER
        and (following[0].text.endswith("%") or [token.text for token in following[1:2]] == ["%"])
    )


def _is_negated(tokens: Sequence[Token], position: int) -> bool:
    """Whether a negation before a direction word, in the same phrase, covers it."""
    for index in range(position - 1, max(-1, position - 7), -1):
        word = tokens[index].lower
        if word in {"not", "never", "no", "without"}:
            return position - index <= 3 or any(t.lower in signs.LIGHT_VERBS for t in tokens[index + 1 : position])
        if word in {"nor", "neither", "none"}:
            return True
        if tokens[index].kind is Kind.PUNCT or word in {"but", "and", "because", "while", "as"}:
            return False
    return False


def _compares(tokens: Sequence[Token], position: int) -> bool:
    """Whether `more`, `fewer` says that something grew or shrank: `answers fewer queries`, not `two more`."""
    before = tokens[position - 1] if position else None
    after = tokens[position + 1] if position + 1 < len(tokens) else None
    return (
        before is not None
        and after is not None
        and after.kind is Kind.WORD
        and after.lower not in STOP
        and before.kind is Kind.WORD
        and before.lower
        not in {"no", "any", "once", "one", "two", "three", "and", "or", "the", "not", "far", "some", "with", "by"}
    )


def _directions(tokens: Sequence[Token]) -> tuple[Direction, ...]:
    found: list[Direction] = []
    for position, token in enumerate(tokens):
        way = _way(tokens, position)
        if way is None:
            continue
        negated = not reads(tokens, position, signs.FLAT_PHRASES) and _is_negated(tokens, position)
        found.append(Direction(token.lower, position, way, negated, signs.FACTORS.get(token.lower)))
        if len(found) >= MAX_ATOMS:
            break
    return tuple(found)


def _is_no_direction(tokens: Sequence[Token], position: int) -> bool:
    """Whether a word of direction is none here: `dropped off`, `alert raised`, `three times as many as before`."""
    if tokens[position].kind is not Kind.WORD or reads(tokens, position, signs.NOT_DIRECTION):
        return True
    lead = {token.lower for token in tokens[max(0, position - 6) : position]}
    return (tokens[position].lower == "raised" and bool({"alert", "alerts"} & lead)) or (
        reads(tokens, position, _AS_BEFORE) and bool({"times", "fold", "more"} & lead)
    )


def _way(tokens: Sequence[Token], position: int) -> Way | None:
    """Where the word or phrase at a position says that something went; None for other words."""
    if _is_no_direction(tokens, position):
        return None
    word = tokens[position].lower
    if word in signs.FLAT or reads(tokens, position, signs.FLAT_PHRASES):
        return Way.FLAT
    if word in signs.UP or reads(tokens, position, signs.UP_PHRASES):
        return Way.UP
    if word in signs.DOWN or reads(tokens, position, signs.DOWN_PHRASES):
        return Way.DOWN
    if word in signs.SLOWER | signs.FASTER:
        return Way.UP if word in signs.SLOWER else Way.DOWN
    if word in signs.COMPARED and _compares(tokens, position):
        return Way.UP if word in signs.MORE else Way.DOWN
    if word in {"up", "down"} and _by_how_much(tokens, position):
        return Way.UP if word == "up" else Way.DOWN
    return Way.UP if word.endswith("fold") and word in signs.FACTORS else None
