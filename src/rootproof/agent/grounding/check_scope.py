"""How much a claim takes in: all, most, everything; and whether it says that what was tried also failed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rootproof.agent.grounding import signs
from rootproof.agent.grounding.check_trends import ways_of
from rootproof.agent.grounding.complements import is_complement
from rootproof.agent.grounding.facts import Item
from rootproof.agent.grounding.findings import Finding, Ground, State
from rootproof.agent.grounding.text import Kind, Token, parts
from rootproof.agent.grounding.units import Dimension
from rootproof.agent.grounding.wordlists import words
from rootproof.agent.grounding.words import concepts_of, phrase_at, stem

_MOST: Final = words("most mostly mainly largely majority bulk chiefly primarily dominated")
_ALL: Final = words("all every each always everything entirely completely both alike")
_DONE: Final = words("""
    applied renewed delivered processed served loaded stored sent published wrote written saved accepted connected
    completed finished succeeded pulled mounted created imported uploaded downloaded replicated resolved
    verified authenticated scheduled synced joined
""")
_NOT_DONE: Final = (
    signs.FAILED_TO
    | signs.NEGATORS
    | words("""
    until before after when wrong broken trouble late delayed interrupted aborted cancelled
""")
)


def check_scope(ground: Ground) -> Iterator[Finding]:
    """One finding for each `most` and `all` that the items speak against, and for a failure told as a success."""
    tokens = ground.parsed.tokens
    for position, token in enumerate(tokens):
        if position in ground.parsed.hypothesis:
            continue
        if token.lower in _MOST and (finding := _most(position, ground)) is not None:
            yield finding
        if token.lower in _ALL and (finding := _all(position, ground)) is not None:
            yield finding
    yield from _switched(ground)
    if (plain := _told_as_success(ground)) is not None:
        yield plain


def _switched(ground: Ground) -> Iterator[Finding]:
    """CONTRADICTED where the claim has something turned on that an item has turned off, or the reverse."""
    mine = _switch(ground.parsed.tokens)
    for item in ground.items if mine is not None else ():
        theirs = _switch(item.tokens)
        if theirs is not None and theirs != mine:
            yield Finding(State.CONTRADICTED, f"The claim says {mine}; {item.id} says {theirs}.")
            return


def _switch(tokens: Sequence[Token]) -> str | None:
    """`on` or `off` where something is turned or switched so, or a thing is; None where nothing is."""
    for position, token in enumerate(tokens):
        if token.lower in {"turned", "switched", "turning", "switching"}:
            for later in tokens[position + 1 : position + 6]:
                if later.lower in {"on", "off"}:
                    return later.lower
    return None


def _most(position: int, ground: Ground) -> Finding | None:
    """CONTRADICTED for `most of it was X` where an item's own list of parts gives another one more."""
    tokens = ground.parsed.tokens
    said = {form for token in tokens[position + 1 : position + 12] for form in (token.lower, stem(token.lower))}
    for item in ground.items:
        keyed = [seen for seen in item.quantities if seen.key and seen.dimension is item.quantities[0].dimension]
        keyed = keyed or [seen for seen in item.quantities if seen.key]
        if len(keyed) < 2:
            continue
        named = [seen for seen in keyed if said & _called(seen.key or "")]
        top = max(keyed, key=lambda seen: seen.value)
        if named and top not in named:
            return Finding(State.CONTRADICTED, f"{item.id} gives {top.key} most, not {named[0].key}.")
    return None


def _called(key: str) -> set[str]:
    """What a part of a list may be called: of a wait `Class:Event` the class or the whole event, no verb in it."""
    head, colon, event = key.partition(":")
    named = {each for piece in parts(head) for each in (piece, stem(piece))}
    return named | {key.lower(), event.lower()} if colon else named


def _all(position: int, ground: Ground) -> Finding | None:
    """CONTRADICTED where the series that `all` takes in went different ways, MISSING where no item says it of all."""
    lowers = [token.lower for token in ground.parsed.tokens]
    if position and lowers[position - 1] in {"not", "at", "above", "after", "of", "in", "for", "once"}:
        return None
    series = [item for item in ground.items if item.series is not None]
    heads = {item.text.partition(" of ")[0] for item in series}
    ways = {ways_of(item.series) for item in series if item.series is not None}
    if len(series) > 1 and len(heads) == 1 and not frozenset.intersection(*ways):
        ids = " and ".join(item.id for item in series)
        return Finding(State.CONTRADICTED, f"The claim says {lowers[position]}; {ids} went different ways.")
    mixed = next((item for item in ground.items if _mixed(item)), None)
    if (
        mixed is not None
        and lowers[position] in {"all", "every"}
        and {"pods", "replicas", "containers", "pod"} & set(lowers[position + 1 : position + 4])
    ):
        return Finding(
            State.CONTRADICTED, f"The claim says {lowers[position]}; {mixed.id} counts some in another state."
        )
    share = next((item for item in series if _never_all(item, lowers)), None)
    if (
        share is not None
        and lowers[position] in {"all", "every"}
        and all(q.dimension is not Dimension.PERCENT for q in ground.parsed.quantities)
    ):
        return Finding(State.CONTRADICTED, f"The claim says {lowers[position]}; {share.id} never was all of them.")
    counted = lowers[position + 1 : position + 2]
    if lowers[position] == "every" and not set(counted) & {"one", "time"} and not _told_of_all(position, ground):
        return Finding(State.MISSING, f"{ground.ids} does not say it of {lowers[position]} {' '.join(counted)}.")
    return None


def _mixed(item: Item) -> bool:
    """Whether an item counts some of its pods in one state and some in another."""
    if any(seen.whole is not None and 0 < seen.value < seen.whole.value for seen in item.quantities):
        return True
    pods = [seen for seen in item.quantities if seen.after[:1] in (("pods",), ("pod",))]
    running = [seen for seen in item.quantities if seen.after[:1] == ("running",)]
    return bool(pods and running) and 0 < running[0].value < pods[0].value


def _never_all(item: Item, lowers: Sequence[str]) -> bool:
    peak = item.series.values.get("max") if item.series is not None else None
    low = item.series.values.get("min") if item.series is not None else None
    if low is not None and is_complement(lowers, item):
        return low.dimension is Dimension.PERCENT and low.value > 1
    return peak is not None and peak.dimension is Dimension.PERCENT and 1 < peak.value < 99


def _told_of_all(position: int, ground: Ground) -> bool:
    """Whether an item says all or each itself, or the word only counts time or rate."""
    following = {token.lower for token in ground.parsed.tokens[position + 1 : position + 4]}
    if following & {"minute", "minutes", "second", "seconds", "hour", "hours", "few", "other"} or any(
        token.kind is Kind.NUMBER for token in ground.parsed.tokens[position + 1 : position + 3]
    ):
        return True
    return any(
        item.words[0] & {"all", "every", "each", "always", "per"}
        or any(seen.whole is not None for seen in item.quantities)
        for item in ground.items
    )


def _told_as_success(ground: Ground) -> Finding | None:
    """MISSING where all that is cited are failures, and the claim says that a thing was done and of no failure."""
    tokens = ground.parsed.tokens
    lowers = [token.lower for token in tokens]
    done = [word for word in lowers if word in _DONE]
    failing = [item for item in ground.items if _complains(item)]
    if not done or not failing or ground.parsed.denials or ground.parsed.quotes:
        return None
    at = lowers.index(done[0])
    subject = [lowers[position] for position in ground.parsed.topic if at - 4 <= position < at]
    if any(
        not _complains(item) and (not subject or any(item.shares(word) for word in subject)) for item in ground.items
    ):
        return None
    if set(lowers) & _NOT_DONE or any(stem(done[0]) in _said(item) for item in failing):
        return None
    if any(signs.FAILURES & {*concepts_of(word), *phrase_at(lowers, at)[1]} for at, word in enumerate(lowers)):
        return None
    return Finding(State.MISSING, f"The claim says {done[0]}; {failing[0].id} is about a failure.")


def _said(item: Item) -> set[str]:
    return {stem(token.lower) for token in item.tokens if token.lower.isalpha()}


def _complains(item: Item) -> bool:
    level = item.log.level if item.log is not None else ""
    return level in {"ERROR", "FATAL", "CRITICAL"} and bool(signs.FAILURES & item.direct)
