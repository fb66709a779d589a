"""What a pronoun points at: `before this began` is the start of the report's symptoms, `its primary` the other side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from rootproof.agent.grounding.check_onset import TOLERANCE
from rootproof.agent.grounding.findings import Finding, Ground, State
from rootproof.agent.grounding.text import Token, parts
from rootproof.agent.grounding.wordlists import words
from rootproof.agent.grounding.words import stem
from rootproof.domain.window import iso

_SIDES = frozenset({"primary", "replica"})


def check_began(ground: Ground) -> Iterator[Finding]:
    """CONTRADICTED for `before it began`, `after this began` of what came on the other side of every symptom."""
    lowers = [token.lower for token in ground.parsed.tokens]
    word = next(
        (
            lowers[at - 2]
            for at in range(2, len(lowers))
            if lowers[at] in {"began", "started"} and lowers[at - 1] in {"it", "this"}
        ),
        "",
    )
    dated = [item.onset for item in ground.items if item.onset is not None]
    symptoms = ground.run.symptoms if ground.run is not None else []
    others = [at for item, at in symptoms if item not in ground.items and not item.is_change]
    if word not in {"before", "after"} or not dated or not others:
        return
    late, early = min(dated) > max(others) + TOLERANCE, max(dated) < min(others) - TOLERANCE
    if (early and word == "after") or (late and word == "before"):
        yield Finding(
            State.CONTRADICTED,
            f'The claim says "{word}"; {ground.ids} is of {iso(dated[0])}, and it began at {iso(min(others))}.',
        )


def check_sides(ground: Ground) -> Iterator[Finding]:
    """CONTRADICTED for `its replica` said of a replica, `its primary` of a primary."""
    tokens = ground.parsed.tokens
    for name in ground.parsed.names:
        for at in range(name.at + 1, min(name.at + 10, len(tokens) - 1)):
            side = tokens[at + 1].lower
            if tokens[at].lower == "its" and side in _SIDES & set(parts(name.text)):
                yield Finding(State.CONTRADICTED, f"{name.text} is itself the {side}.")


_CONTRARY: Final = (
    ("old", "new"),
    ("first", "last"),
    ("upper", "lower"),
    ("internal", "external"),
    ("minimum", "maximum"),
    ("hard", "soft"),
)


def check_qualified(ground: Ground) -> Iterator[Finding]:
    """CONTRADICTED for `the new ReplicaSet` where the items know only the old one."""
    mine = _pairs(ground.parsed.tokens)
    theirs = {pair for item in ground.items for pair in _pairs(item.tokens)}
    for adjective, noun in mine - theirs:
        for pair in _CONTRARY:
            other = pair[1 - pair.index(adjective)] if adjective in pair else None
            if other is not None and (other, noun) in theirs and (other, noun) not in mine:
                yield Finding(State.CONTRADICTED, f"{ground.ids} says {other} {noun}, not {adjective} {noun}.")


def _pairs(tokens: Sequence[Token]) -> set[tuple[str, str]]:
    return {(left.lower, stem(right.lower)) for left, right in pairwise(tokens) if right.lower.isalpha()}


_LESS: Final = words("less fewer under below lower")
_ASKS: Final = words("asks wants requests uses needs")


def check_wants(ground: Ground) -> Iterator[Finding]:
    """CONTRADICTED for `wants less CPU than its limit` where an item asks for more than the limit, and the reverse."""
    lowers = [token.lower for token in ground.parsed.tokens]
    for at, word in enumerate(lowers[:-3]):
        end = next((i for i in range(at + 1, min(at + 5, len(lowers))) if lowers[i] == "than"), None)
        if end is None or not _ASKS & set(lowers[max(0, at - 2) : at]) or "limit" not in lowers[end : end + 4]:
            continue
        for item in ground.items:
            limits = [each.value for each in item.quantities if "limit" in each.before[:2]]
            asked = [each.value for each in item.quantities if _ASKS & set(each.before[:3])]
            if len(limits) != 1 or len(asked) != 1 or word not in _LESS | {"more", "higher"}:
                continue
            if (asked[0] > limits[0]) is (word in _LESS):
                yield Finding(State.CONTRADICTED, f"{item.id} asks for {asked[0]:g}, with a limit of {limits[0]:g}.")
