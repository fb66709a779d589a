"""A claim taken apart: quotes, names, numbers, times, directions, denials, order, and the words that are left."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from rootproof.agent.grounding import signs
from rootproof.agent.grounding.entities import is_common_use, is_evidence_reference, is_identifier
from rootproof.agent.grounding.quantities import Bound, Quantity, quantities
from rootproof.agent.grounding.text import MAX_CLAIM_CHARS, MAX_QUOTE_CHARS, Kind, Token, clean, plain_words, tokenize
from rootproof.agent.grounding.times import TimeMention, mentions
from rootproof.agent.grounding.vocabulary import STOP
from rootproof.agent.grounding.words import is_prose
from rootproof.domain.claim import Claim, ClaimKind

MAX_CLAIM_TOKENS = 500
"""Pieces of one sentence that are looked at; checks of one piece may look at all others."""
MAX_ATOMS = 60
"""Names, quotes, directions and denials each; a sentence has a handful."""


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
class Denial:
    """A negation with the content words it covers. `unable`: something could not be done, not: something did not happen."""

    text: str
    at: int
    scope: tuple[str, ...]
    unable: bool = False
    noun: bool = False
    """After no, without, zero: the scope is one noun phrase."""
    excepting: bool = False
    """`no other`, `no longer`: what remains is allowed."""
    end: int = 0
    """Position after the last word covered."""


@dataclass(frozen=True, slots=True)
class Order:
    """Two spans of token positions, the first of which happened earlier."""

    word: str
    at: int
    earlier: tuple[int, int]
    later: tuple[int, int]
    strict: bool
    """Whether it must be shown: `before` is a matter of time, `after` is as often one of cause."""


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

    tokens = tuple(tokenize(plain_words(_QUOTED.sub(take, text))))
    too_long = len(claim.text) > MAX_CLAIM_CHARS or len(tokens) > MAX_CLAIM_TOKENS
    tokens = tokens[:MAX_CLAIM_TOKENS]
    times = tuple(mentions(tokens))
    taken = {position for mention in times for position in range(mention.start, mention.end)}
    numbers = tuple(q for q in quantities(tokens, claim=True) if q.start not in taken)
    inside_number = {position for q in numbers for position in range(q.start, q.end)}
    names = tuple(
        Name(_spoken(tokens, position), position)
        for position, token in enumerate(tokens)
        if position not in inside_number
        and position not in taken
        and (
            (is_identifier(token, lexicon) and not is_common_use(tokens, position)) or _is_percentile(tokens, position)
        )
    )[:MAX_ATOMS]
    clauses = _clauses(tokens)
    directions = _directions(tokens)
    denials = _denials(tokens, clauses, numbers, {each.at for each in directions})
    hypothesis = _hypothesis(tokens, clauses) if claim.kind is ClaimKind.RULED_OUT else frozenset()
    busy = inside_number | taken | {name.at for name in names} | {each.at for each in directions}
    zero = {denial.at for denial in denials}
    denied_names = {index for denial in denials for index in range(denial.at, denial.end)}
    return Parsed(
        claim=claim,
        tokens=tokens,
        clauses=clauses,
        quotes=tuple(quotes),
        names=tuple(name for name in names if name.at not in denied_names or not _is_noun_denial(name.at, denials)),
        quantities=tuple(q for q in numbers if q.start not in zero and not _is_contrast(tokens, q)),
        times=times,
        directions=tuple(d for d in directions if d.at not in hypothesis),
        denials=tuple(d for d in denials if d.at not in hypothesis),
        orders=_orders(tokens, clauses),
        references=tuple(token.text for token in tokens if is_evidence_reference(token)),
        hypothesis=hypothesis,
        topic=tuple(p for p, token in enumerate(tokens) if p not in busy and _is_topical(token)),
        too_long=too_long,
    )


_ORDINAL = re.compile(r"([0-9]{2})th")


def _spoken(tokens: Sequence[Token], position: int) -> str:
    """The name at a position; `95th percentile` is p95."""
    ordinal = _ORDINAL.fullmatch(tokens[position].text)
    return f"p{ordinal[1]}" if ordinal else tokens[position].text


def _is_percentile(tokens: Sequence[Token], position: int) -> bool:
    return (
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


def _is_noun_denial(position: int, denials: Sequence[Denial]) -> bool:
    """Whether the claim says that the thing at `position` is not there: it then need not be named by the evidence."""
    return any(
        denial.at < position <= denial.at + 2 and position < denial.end and (denial.noun or position == denial.at + 1)
        for denial in denials
    )


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


def _phrase(tokens: Sequence[Token], position: int, phrases: Sequence[tuple[str, ...]]) -> bool:
    return any(
        tuple(token.lower for token in tokens[position : position + len(phrase)]) == phrase for phrase in phrases
    )


def _directions(tokens: Sequence[Token]) -> tuple[Direction, ...]:
    found: list[Direction] = []
    for position, token in enumerate(tokens):
        if token.kind is not Kind.WORD or _phrase(tokens, position, signs.NOT_DIRECTION):
            continue
        word = token.lower
        way: Way | None = None
        if word in signs.FLAT or _phrase(tokens, position, signs.FLAT_PHRASES):
            way = Way.FLAT
        elif word in signs.UP or _phrase(tokens, position, signs.UP_PHRASES):
            way = Way.UP
        elif word in signs.DOWN or _phrase(tokens, position, signs.DOWN_PHRASES):
            way = Way.DOWN
        elif word in signs.SLOWER or word in signs.FASTER:
            way = Way.UP if word in signs.SLOWER else Way.DOWN
        elif word.endswith("fold") and word in signs.FACTORS:
            way = Way.UP
        if way is None:
            continue
        negated = not _phrase(tokens, position, signs.FLAT_PHRASES) and any(
            t.lower in {"not", "never", "no", "without"} for t in tokens[max(0, position - 3) : position]
        )
        found.append(Direction(word, position, way, negated, signs.FACTORS.get(word)))
        if len(found) >= MAX_ATOMS:
            break
    return tuple(found)


_NOT_A_DENIAL = (
    ("not", "only"), ("no", "doubt"), ("no", "more", "than"), ("no", "less", "than"), ("no", "fewer", "than"), ("not", "more", "than"), ("no", "later", "than"),
    ("not", "less", "than"), ("not", "just"), ("no", "matter"), ("not", "change"), ("no", "change"), ("not", "move"), ("no", "one"), ("nothing", "but"),
)  # fmt: skip
_SCOPE_END = frozenset(
    "but because so while whereas after before when as since despite although though which where whose if and or that until , ; . : ( ) ! ?".split()
)
_NOUN_NEGATORS = frozenset(
    {
        "no",
        "without",
        "zero",
        "0",
        "none",
        "neither",
        "nor",
        "free",
        "nothing",
        "lack",
        "lacked",
        "lacks",
        "absence",
        "non",
    }
)


def _denials(
    tokens: Sequence[Token], clauses: Sequence[int], numbers: Sequence[Quantity], directions: set[int]
) -> tuple[Denial, ...]:
    zeros = {
        q.start for q in numbers if q.value == 0 and q.whole is None and q.high is None and q.dimension.value == "none"
    }
    found: list[Denial] = []
    for position, token in enumerate(tokens):
        word = token.lower
        unable = word in signs.FAILED_TO and position + 1 < len(tokens) and tokens[position + 1].lower == "to"
        if (
            not unable
            and position not in zeros
            and (word not in signs.NEGATORS or _phrase(tokens, position, _NOT_A_DENIAL))
        ):
            continue
        if word == "free" and not (position + 1 < len(tokens) and tokens[position + 1].lower == "of"):
            continue
        if (
            word in {"nothing", "zero", "0"}
            and position
            and tokens[position - 1].lower in {"to", "at", "from", "was", "is", "of", "reached"}
        ):
            continue
        bounded = any(
            q.bound is not Bound.EXACT
            and tokens[q.start - 1].lower != "to"
            and position < q.start <= position + 8
            and clauses[q.start] == clauses[position]
            for q in numbers
        )
        if bounded and word in {"never", "not"}:
            continue
        scope, excepting, last = _scope(tokens, clauses, position, directions)
        if word in {"none", "neither", "nobody", "nothing"}:
            scope, last = _predicate(tokens, clauses, position) or (scope, last)
        number_follows = any(position < q.start <= position + 3 for q in numbers) and word in {"not", "never"}
        if number_follows and not scope and position and tokens[position - 1].text == ",":
            continue
        if (not scope and not number_follows) or (position in zeros and word != "zero" and word != "0"):
            continue
        before = {t.lower for t in tokens[max(0, position - 2) : position]}
        unable = (
            unable
            or (word in {"not", "never", "no"} and bool(before & {"could", "can", "able"}))
            or (word == "not" and "able" in {t.lower for t in tokens[position : position + 3]})
        )
        text = " ".join(t.text for t in tokens[position : last + 1])
        found.append(
            Denial(text, position, scope, unable, word in _NOUN_NEGATORS or position in zeros, excepting, last + 1)
        )
        if len(found) >= MAX_ATOMS:
            break
    return tuple(found)


def _scope(
    tokens: Sequence[Token], clauses: Sequence[int], position: int, directions: set[int]
) -> tuple[tuple[str, ...], bool, int]:
    """The content words after a negator, whether it makes an exception, and the last position read."""
    scope: list[str] = []
    excepting = False
    last = position
    for index in range(position + 1, min(position + 12, len(tokens))):
        token = tokens[index]
        if token.lower in _SCOPE_END or clauses[index] != clauses[position] or len(scope) >= 4:
            break
        if index in directions:
            return (), False, index
        if token.lower in {"recently", "lately", "yet", "anymore"} or (token.lower in signs.EXCEPT and not scope):
            excepting = True
        elif (
            token.kind in {Kind.WORD, Kind.PLACEHOLDER}
            and token.lower not in STOP
            and token.lower not in signs.NO_SIGN
            and token.lower not in signs.AUXILIARY
        ):
            scope.append(token.lower if token.kind is Kind.WORD else token.text)
            last = index
        if scope and token.lower in {"in", "on", "from", "for", "at", "during", "with", "by", "within", "between"}:
            break
    return tuple(scope), excepting, last


def _predicate(tokens: Sequence[Token], clauses: Sequence[int], position: int) -> tuple[tuple[str, ...], int] | None:
    """For `none of the A is B`: B and its last position."""
    for index in range(position + 1, min(position + 12, len(tokens))):
        if clauses[index] != clauses[position] or tokens[index].text == ",":
            return None
        if tokens[index].lower in {"is", "are", "was", "were", "has", "have", "had"}:
            words, _, last = _scope(tokens, clauses, index, set())
            return (words, last) if words else None
    return None


_SWAPPED = frozenset({"followed", "preceded"})


def _orders(tokens: Sequence[Token], clauses: Sequence[int]) -> tuple[Order, ...]:
    found: list[Order] = []
    for position, token in enumerate(tokens):
        word = token.lower
        following = tokens[position + 1].lower if position + 1 < len(tokens) else ""
        reversed_by = word in _SWAPPED and following == "by"
        if (
            word not in signs.BEFORE | signs.AFTER | signs.THEN | {"followed", "prior", "ahead", "predated"}
            or len(found) >= MAX_ATOMS
        ):
            continue
        if word in {"prior", "ahead"} and following not in {"to", "of"}:
            continue
        left, right = _sides(tokens, position)
        if left is None or right is None:
            continue
        if following in {"", ",", ".", ";", ":", "!", ")"} or (
            position and tokens[position - 1].lower in {"than", "as", "never", "ever", "like"}
        ):
            continue
        if word in signs.THEN or (word == "followed" and reversed_by):
            earlier, later = left, right
        elif word in signs.AFTER or word == "followed" or (word == "preceded" and reversed_by):
            earlier, later = right, left
        else:
            earlier, later = left, right
        found.append(Order(word, position, earlier, later, word in signs.BEFORE | {"prior", "ahead", "followed"}))
    del clauses
    return tuple(found)


def _sides(tokens: Sequence[Token], position: int) -> tuple[tuple[int, int] | None, tuple[int, int] | None]:
    """The spans left and right of an order word, each to the next sentence end; `After A, B` takes B as the left one."""
    begin = position
    while begin > 0 and tokens[begin - 1].text not in {".", ";", "!", "?"}:
        begin -= 1
    end = position + 1
    while end < len(tokens) and tokens[end].text not in {".", ";", "!", "?"}:
        end += 1
    if any(
        t.kind in {Kind.WORD, Kind.PLACEHOLDER, Kind.CLOCK, Kind.TIME}
        and t.lower not in {"only", "shortly", "just", "soon", "and", "right", "immediately"}
        and t.kind is not Kind.NUMBER
        for t in tokens[begin:position]
    ):
        return ((begin, position) if begin < position else None), ((position + 1, end) if position + 1 < end else None)
    for comma in range(position + 1, end):
        if tokens[comma].text == ",":
            return (comma + 1, end), (position + 1, comma)
    return None, None


_CUE_AFTER = (("ruled", "out"), ("be", "excluded"), ("is", "excluded"), ("was", "excluded"), ("be", "dismissed"), ("is", "unlikely"), ("is", "not", "the"), ("are", "not", "the"), ("was", "not", "the"),
    ("were", "not", "the"), ("not", "to", "blame"), ("not", "responsible"), ("not", "involved"), ("not", "a"), ("not", "at", "fault"), ("is", "unrelated"), ("not", "an"), ("does", "not", "explain"), ("can", "not", "explain"), ("did", "not", "cause"), ("not", "behind"))  # fmt: skip
_CUE_BEFORE = (
    ("ruled", "out"),
    ("rule", "out"),
    ("rules", "out"),
    ("ruling", "out"),
    ("not", "caused", "by"),
    ("not", "due", "to"),
    ("not", "a"),
    ("not", "an"),
    ("not", "the"),
    ("unrelated", "to"),
    ("argues", "against"),
    ("speaks", "against"),
    ("nothing", "to", "do", "with"),
)


def _hypothesis(tokens: Sequence[Token], clauses: Sequence[int]) -> frozenset[int]:
    """Positions around a ruling-out phrase: what stands before `is ruled out`, or after `rules out`."""
    found: set[int] = set()
    for position in range(len(tokens)):
        cue_after, cue_before = _phrase(tokens, position, _CUE_AFTER), _phrase(tokens, position, _CUE_BEFORE)
        if not (cue_after or cue_before):
            continue
        same = [index for index in range(len(tokens)) if clauses[index] == clauses[position]]
        led = [
            index
            for index in same
            if index < position and tokens[index].kind is Kind.WORD and not is_prose(tokens[index].lower)
        ]
        if cue_after and led:
            found.update(index for index in same if index <= position + 1)
        tail = [index for index in same if index >= position]
        stop = next(
            (index for index in tail if tokens[index].text == "," or tokens[index].lower in {"because", "since", "as"}),
            None,
        )
        if cue_before or cue_after:
            found.update(index for index in tail if stop is None or index < stop)
    return frozenset(found)
