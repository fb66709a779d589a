"""What bears out a denial by measure: a series at zero or calm, a thing at work, a list without the name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rootproof.agent.grounding import signs
from rootproof.agent.grounding.atoms import Way
from rootproof.agent.grounding.check_trends import ways_of
from rootproof.agent.grounding.entities import is_identifier
from rootproof.agent.grounding.facts import Item
from rootproof.agent.grounding.findings import Ground
from rootproof.agent.grounding.negations import Denial
from rootproof.agent.grounding.times import any_match
from rootproof.agent.grounding.units import Dimension
from rootproof.agent.grounding.words import concepts_of, phrase_at
from rootproof.domain.claim import ClaimKind

STRAINED_PERCENT = 85
"""From this share on, a resource cannot be called unstrained."""


_STRAINED: Final = frozenset(["exhausted", "pressure", "unhealthy", "latency", "throttle"])


_BAD: Final = frozenset(
    [
        "broken",
        "failing",
        "stuck",
        "crashing",
        "dead",
        "affected",
        "involved",
        "trouble",
        "suffering",
        "suffer",
        "hurt",
        "touched",
    ]
)


def calm(denial: Denial, items: Sequence[Item]) -> Item | None:
    """An item that shows a thing at work, where the claim only denies that it is in a bad way."""
    if not set(denial.scope[:2]) & _BAD:
        return None
    if any(_in_trouble(item) or _moved(item) for item in items):
        return None
    return next(iter(items), None)


def _moved(item: Item) -> bool:
    return item.series is not None and Way.FLAT not in ways_of(item.series)


def _in_trouble(item: Item) -> bool:
    level = item.log.level if item.log is not None else "INFO"
    return level not in {"INFO", "DEBUG", "TRACE"} or bool(signs.FAILURES & item.direct)


def measured_calm(denial: Denial, items: Sequence[Item], ground: Ground) -> Item | None:
    """An item that bears out a denial by measure: a series at zero, one that is calm where strain is denied, a
    list without the name.
    """
    strained = denies_strain(denial, ground) or _denies_change(denial, ground)
    for item in items:
        series = item.series
        if series is not None:
            named = any(
                denial.at < each.at < denial.end + 4 and item in ground.holders(each.text)
                for each in ground.parsed.names
            )
            if (named and series.value("max") == 0) or (
                0 in {series.value("max"), series.value("last"), series.value("after")}
                and any(item.shares(word) for word in denial.scope)
            ):
                return item
            if series.value("min") == 0 and any(
                any_match(each, [series.times[role] for role in ("min",) if role in series.times])
                for each in ground.parsed.times
            ):
                return item
            worse = Way.DOWN if _free(item) else Way.UP
            if strained and (
                Way.FLAT in ways_of(series)
                or (worse not in ways_of(series) and any(item.shares(word) for word in denial.scope))
            ):
                return item
        elif (
            strained
            and ground.parsed.claim.kind is ClaimKind.RULED_OUT
            and not item.words[1] & _STRAINED
            and any(item.shares(word) for word in denial.scope)
        ):
            return item
        holding = [name.text for name in ground.parsed.names if item in ground.holders(name.text)]
        if holding and len(denial.scope) == 1 and _looks_written(denial, ground) and not item.shares(denial.scope[0]):
            return item
    return None


def _free(item: Item) -> bool:
    """Whether a series counts what is left: less of it is worse."""
    return bool({"free", "freeable", "avail", "available", "idle"} & item.head)


def _denies_change(denial: Denial, ground: Ground) -> bool:
    """`not sending more than usual`, `no unusual traffic`."""
    lowers = {token.lower for token in ground.parsed.tokens[denial.at : denial.at + 9]}
    return bool(
        lowers & {"unusual", "abnormal", "spike", "surge", "increase", "change"}
        or ("than" in lowers and lowers & {"usual", "normal", "before"})
    )


def strained(denial: Denial, items: Sequence[Item]) -> Item | None:
    """An item about the denied thing with a share so high that it is short."""
    for item in items:
        if any(item.shares(word) for word in denial.scope) and any(
            seen.dimension is Dimension.PERCENT and STRAINED_PERCENT <= seen.value <= 100 for seen in item.quantities
        ):
            return item
    return None


def denies_strain(denial: Denial, ground: Ground) -> bool:
    lowers = [token.lower for token in ground.parsed.tokens[denial.at : denial.end + 2]]
    phrases = {concept for position in range(len(lowers)) for concept in phrase_at(lowers, position)[1]}
    return bool(
        phrases & _STRAINED
        or set(lowers) & signs.STRAIN_WORDS
        or any(set(concepts_of(word)) & _STRAINED for word in denial.scope)
    )


def _looks_written(denial: Denial, ground: Ground) -> bool:
    """Whether what is denied is an identifier (a key, a variable), which a listing either holds or not."""
    tokens = ground.parsed.tokens[denial.at : denial.end]
    return any(token.lower == denial.scope[0] and is_identifier(token, frozenset()) for token in tokens)
