"""The negations of a claim and the words that they cover."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from rootproof.agent.grounding import signs
from rootproof.agent.grounding.quantity import Bound, Quantity
from rootproof.agent.grounding.text import MAX_ATOMS, Kind, Token, reads
from rootproof.agent.grounding.vocabulary import STOP
from rootproof.agent.grounding.wordlists import words
from rootproof.agent.grounding.words import phrase_at


@dataclass(frozen=True, slots=True)
class Denial:
    """A negation with the content words it covers. `unable`: something could not be done, not: something did
    not happen.
    """

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
    predicate: tuple[str, ...] = ()
    """What `no alert is firing`, `neither replica is up` says of the thing: the words after the auxiliary."""


def is_noun_denial(position: int, denials: Sequence[Denial]) -> bool:
    """Whether the claim says that the thing at `position` is not there: it then need not be named by the evidence."""
    return any(
        denial.at < position <= denial.at + 2 and position < denial.end and (denial.noun or position == denial.at + 1)
        for denial in denials
    )


_NOT_A_DENIAL = (
    ("not", "only"),
    ("no", "doubt"),
    ("no", "more", "than"),
    ("no", "less", "than"),
    ("no", "fewer", "than"),
    ("not", "more", "than"),
    ("no", "later", "than"),
    ("not", "less", "than"),
    ("not", "just"),
    ("no", "matter"),
    ("not", "change"),
    ("no", "change"),
    ("not", "move"),
    ("no", "one"),
    ("no", "time"),
    ("no", "point"),
    ("nothing", "but"),
)


_SCOPE_END = words("""
    but because so while whereas after before when as since despite although though which where whose if
    and that until , ; . : ( ) ! ?
""")


_NOUN_NEGATORS = words("""
    no without zero 0 none neither nor free nothing lack lacked lacks absence non
""")


def _is_other_use(tokens: Sequence[Token], clauses: Sequence[int], position: int, numbers: Sequence[Quantity]) -> bool:
    """Whether a negator denies nothing here: free memory, fell to zero, not until 8, not beyond X, never above 30."""
    word = tokens[position].lower
    if word == "free" and not (position + 1 < len(tokens) and tokens[position + 1].lower == "of"):
        return True
    if _is_amount(tokens, position) or _until(tokens, clauses, position) or _still(tokens, position):
        return True
    return word in {"never", "not"} and _limits(tokens, clauses, position, numbers)


def find_denials(
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
            and (word not in signs.NEGATORS or reads(tokens, position, _NOT_A_DENIAL))
        ):
            continue
        if _is_other_use(tokens, clauses, position, numbers):
            continue
        scope, excepting, last = _scope(tokens, clauses, position, directions)
        predicate: tuple[str, ...] = ()
        if word in {"none", "neither", "nobody", "nothing", "no"}:
            said = _predicate(tokens, clauses, position)
            if said is not None and word != "no":
                scope, last = said
            elif said is not None:
                predicate, last = said[0], max(last, said[1])
        excepting = excepting or "yet" in {each.lower for each in tokens[position + 1 : position + 10]}
        number_follows = any(position < q.start <= position + 3 for q in numbers) and word in {"not", "never"}
        if number_follows and not scope and position and tokens[position - 1].text == ",":
            continue
        if (not scope and not number_follows) or (position in zeros and word != "zero" and word != "0"):
            continue
        unable = unable or _says_unable(tokens, position)
        text = " ".join(t.text for t in tokens[position : last + 1])
        found.append(
            Denial(
                text,
                position,
                scope,
                unable,
                word in _NOUN_NEGATORS or position in zeros,
                excepting,
                last + 1,
                predicate,
            )
        )
        if len(found) >= MAX_ATOMS:
            break
    return tuple(found)


def _limits(tokens: Sequence[Token], clauses: Sequence[int], position: int, numbers: Sequence[Quantity]) -> bool:
    """Whether a `not` or `never` belongs to the limit of a number: `never above 30`, checked with that number."""
    return any(
        q.bound is not Bound.EXACT
        and not (q.dimension.value == "time" and "in" in {token.lower for token in tokens[position : q.start]})
        and all(token.text != "," for token in tokens[position : q.start])
        and tokens[q.start - 1].lower not in {"to", "within", "inside"}
        and position < q.start <= position + 8
        and clauses[q.start] == clauses[position]
        for q in numbers
    )


def _still(tokens: Sequence[Token], position: int) -> bool:
    """Whether `not beyond X` says that it is still X."""
    return bool({"beyond", "past"} & {token.lower for token in tokens[position + 1 : position + 4]})


def _until(tokens: Sequence[Token], clauses: Sequence[int], position: int) -> bool:
    """Whether a negation only dates what did happen: `did not fire until 08:01`."""
    if "valid" in {token.lower for token in tokens[position + 1 : position + 2]}:
        return False
    return tokens[position].lower == "not" and any(
        tokens[index].lower in {"until", "till"} and clauses[index] == clauses[position]
        for index in range(position + 1, min(position + 7, len(tokens)))
    )


def _says_unable(tokens: Sequence[Token], position: int) -> bool:
    """Whether a negator makes an inability: `could not`, `not able`."""
    word = tokens[position].lower
    before = {token.lower for token in tokens[max(0, position - 2) : position]}
    following = [token.lower for token in tokens[position + 1 : position + 7]]
    if word == "no" and any(pair in {("could", "be"), ("can", "be")} for pair in itertools.pairwise(following)):
        return True
    return (word in {"not", "never", "no"} and bool(before & {"could", "can", "able"})) or (
        word == "not" and "able" in {token.lower for token in tokens[position : position + 3]}
    )


def _is_amount(tokens: Sequence[Token], position: int) -> bool:
    """Whether a word of nothing is a number here: `from none to 186`, `fell to zero`."""
    word = tokens[position].lower
    if (
        word in {"none", "nothing", "zero"}
        and tokens[position + 1 : position + 2]
        and (tokens[position + 1].lower in {"to", "at"})
    ):
        return True
    return (
        word in {"nothing", "zero", "0"}
        and position > 0
        and tokens[position - 1].lower in {"to", "at", "from", "was", "is", "of", "reached"}
    )


def _scope(
    tokens: Sequence[Token], clauses: Sequence[int], position: int, directions: set[int]
) -> tuple[tuple[str, ...], bool, int]:
    """The content words after a negator, whether it makes an exception, and the last position read."""
    scope: list[str] = []
    excepting = False
    last = position
    for index in range(position + 1, min(position + 12, len(tokens))):
        token = tokens[index]
        if (
            (token.lower in _SCOPE_END and not (token.lower == "since" and index == position + 1))
            or clauses[index] != clauses[position]
            or len(scope) >= 4
        ):
            break
        if index in directions:
            return (), False, index
        length, meaning = phrase_at([each.lower for each in tokens[index : index + 4]], 0)
        if length:
            scope.append(meaning[0])
            last = index + length - 1
            continue
        if token.lower in {"recently", "lately", "yet", "anymore"} or (token.lower in signs.EXCEPT and not scope):
            excepting = True
        elif (
            token.kind in {Kind.WORD, Kind.PLACEHOLDER}
            and (token.lower not in STOP or _is_state(tokens, index, position))
            and token.lower not in signs.NO_SIGN
            and token.lower not in signs.AUXILIARY
        ):
            scope.append(token.lower if token.kind is Kind.WORD else token.text)
            last = index
        if scope and token.lower in {"in", "on", "from", "for", "at", "during", "with", "by", "within", "between"}:
            break
    return tuple(scope), excepting, last


def _is_state(tokens: Sequence[Token], index: int, position: int) -> bool:
    """Whether a little word right behind `not` ends what is said: `is not up`, but not `not over the limit`."""
    following = tokens[index + 1] if index + 1 < len(tokens) else None
    return (
        index == position + 1
        and tokens[position].lower in {"not", "never"}
        and tokens[index].lower in {"up", "down", "out"}
        and (following is None or following.kind is not Kind.WORD or following.lower in {"and", "but", "because", "as"})
    )


def _predicate(tokens: Sequence[Token], clauses: Sequence[int], position: int) -> tuple[tuple[str, ...], int] | None:
    """For `none of the A is B`: B and its last position."""
    for index in range(position + 1, min(position + 12, len(tokens))):
        if clauses[index] != clauses[position] or tokens[index].text in {",", ")", "("} or tokens[index].lower == "and":
            return None
        if tokens[index].lower in {"is", "are", "was", "were", "has", "have", "had"}:
            words, _, last = _scope(tokens, clauses, index, set())
            words = tuple(word for word in words if not word.endswith("ly"))
            if not words:
                state = next((t for t in tokens[index + 1 : index + 3] if t.lower in _STATES), None)
                words = (state.lower,) if state is not None else ()
            return (words, last) if words else None
    return None


_STATES = words("up down out over back")
"""Little words that say in what state a thing is."""
