"""The order words of a claim and the two events they join; and what a RULED_OUT claim only names to rule it out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rootproof.agent.grounding import signs
from rootproof.agent.grounding.text import MAX_ATOMS, Kind, Token, reads
from rootproof.agent.grounding.units import unit
from rootproof.agent.grounding.words import is_prose


@dataclass(frozen=True, slots=True)
class Order:
    """Two spans of token positions, the first of which happened earlier."""

    word: str
    at: int
    earlier: tuple[int, int]
    later: tuple[int, int]
    strict: bool
    """Whether it must be shown: `before` is a matter of time, `after` is as often one of cause."""


_SWAPPED = frozenset({"followed", "preceded"})


def find_orders(tokens: Sequence[Token], clauses: Sequence[int]) -> tuple[Order, ...]:
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
        if _is_aside(tokens, position):
            continue
        if word in {"prior", "ahead"} and following not in {"to", "of"}:
            continue
        if word == "followed" and following in {"at", "in", "within", "on", "suit", "soon", "shortly"}:
            continue
        if word == "after" and _counts(tokens, position + 1):
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
    return (*found, *_responses(tokens), *_causal(tokens))[:MAX_ATOMS]


def _is_aside(tokens: Sequence[Token], position: int) -> bool:
    """Whether an order word repeats another one (`after it, not before it`) or names an aim (`before it can`)."""
    lead = [token.lower for token in tokens[max(0, position - 2) : position]]
    following = {token.lower for token in tokens[position + 1 : position + 5]}
    again = tokens[position].lower in {token.lower for token in tokens[:position]}
    return (lead == [",", "not"] and not again) or (
        tokens[position].lower == "before" and bool(following & {"can", "could"})
    )


def _responses(tokens: Sequence[Token]) -> list[Order]:
    """`A in response to B`: B came first."""
    found: list[Order] = []
    for position in range(1, len(tokens)):
        if not reads(tokens, position, (("in", "response", "to"), ("in", "reaction", "to"))):
            continue
        left, right = _sides(tokens, position)
        if left is not None and right is not None and left[1] <= position:
            found.append(Order("in response to", position, right, left, strict=False))
    return found


_MADE = frozenset({"caused", "causes", "made", "makes", "led", "leads", "forced", "brought"})
CAUSAL = "cause"
"""The word of an order that follows from what is called cause and effect."""


def _causal(tokens: Sequence[Token]) -> list[Order]:
    """`A caused B`: A is not to come later; the passive is left alone."""
    found: list[Order] = []
    for position, token in enumerate(tokens):
        following = tokens[position + 1].lower if position + 1 < len(tokens) else ""
        before = tokens[position - 1].lower if position else ""
        if token.lower not in _MADE or following == "by" or before in {"is", "was", "were", "are", "been", "be"}:
            continue
        left, right = _sides(tokens, position)
        if left is not None and right is not None and left[1] <= position:
            found.append(Order(CAUSAL, position, left, right, strict=False))
    return found


def _sides(tokens: Sequence[Token], position: int) -> tuple[tuple[int, int] | None, tuple[int, int] | None]:
    """The spans left and right of an order word, each to the next sentence end; `After A, B` takes B as the
    left one.
    """
    begin = position
    while begin > 0 and tokens[begin - 1].text not in {".", ";", "!", "?"}:
        begin -= 1
    end = position + 1
    while end < len(tokens) and tokens[end].text not in {".", ";", "!", "?", ":"}:
        end += 1
    if any(_tells(t) for t in tokens[begin:position]):
        aside = any(token.text == "," for token in tokens[begin:position])
        stop = next(
            (
                index
                for index in range(position + 1, end)
                if _opens_reason(tokens, index) or (aside and tokens[index].text == ",")
            ),
            end,
        )
        return ((begin, position) if begin < position else None), (
            (position + 1, stop) if position + 1 < stop else None
        )
    for comma in range(position + 1, end):
        if tokens[comma].text == ",":
            return (comma + 1, end), (position + 1, comma)
    return None, None


def _counts(tokens: Sequence[Token], position: int) -> bool:
    """Whether a count follows, so that `after` tells how often: `gave up after 22 attempts`."""
    following = tokens[position : position + 2]
    return (
        len(following) == 2
        and following[0].kind is Kind.NUMBER
        and following[0].text.isdigit()
        and following[1].kind is Kind.WORD
        and unit(following[1].lower) is None
    )


def _tells(token: Token) -> bool:
    """Whether a token left of an order word names an event: `half a minute before` does not."""
    if token.kind in {Kind.PLACEHOLDER, Kind.CLOCK, Kind.TIME}:
        return True
    return token.kind is Kind.WORD and token.lower not in _SPAN_WORDS and not is_prose(token.lower)


def _opens_reason(tokens: Sequence[Token], index: int) -> bool:
    """Whether a comma ends the event that an order word speaks of: `since before the incident, so it is unrelated`."""
    following = {token.lower for token in tokens[index + 1 : index + 2]}
    if tokens[index].lower == "and":
        return bool(following & {"was", "were", "is", "are", "has", "had"})
    return tokens[index].text == "," and bool(
        following & {"so", "which", "because", "hence", "therefore", "making", "and", "with"}
    )


_SPAN_WORDS = frozenset(
    {"only", "shortly", "just", "soon", "and", "right", "immediately", "well", "long", "not", "never"}
)


_CUE_AFTER = (
    ("ruled", "out"),
    ("be", "excluded"),
    ("is", "excluded"),
    ("was", "excluded"),
    ("be", "dismissed"),
    ("out", "of", "the", "question"),
    ("is", "unlikely"),
    ("looks", "unlikely"),
    ("seems", "unlikely"),
    ("is", "not", "the"),
    ("are", "not", "the"),
    ("was", "not", "the"),
    ("were", "not", "the"),
    ("not", "to", "blame"),
    ("not", "responsible"),
    ("not", "involved"),
    ("not", "a"),
    ("not", "at", "fault"),
    ("is", "unrelated"),
    ("not", "an"),
    ("does", "not", "explain"),
    ("can", "not", "explain"),
    ("did", "not", "cause"),
    ("not", "behind"),
)


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


def find_hypothesis(tokens: Sequence[Token], clauses: Sequence[int]) -> frozenset[int]:
    """Positions around a ruling-out phrase: what stands before `is ruled out`, or after `rules out`."""
    found: set[int] = set()
    if tokens and tokens[0].lower == "not":
        found.update(
            range(next((at for at, token in enumerate(tokens) if token.text in {",", ".", ";", "("}), len(tokens)))
        )
    for position in range(len(tokens)):
        cue_after, cue_before = reads(tokens, position, _CUE_AFTER), reads(tokens, position, _CUE_BEFORE)
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
        if reads(tokens, position, (("not", "due", "to"), ("not", "caused", "by"))):
            begin = next((at for at in range(position, same[0], -1) if tokens[at].lower in {",", "so"}), same[0])
            found.update(range(begin, position))
        tail = [index for index in same if index >= position]
        stop = next(
            (index for index in tail if tokens[index].text == "," or tokens[index].lower in {"because", "since", "as"}),
            None,
        )
        if cue_before or cue_after:
            found.update(index for index in tail if stop is None or index < stop)
    return frozenset(found)
