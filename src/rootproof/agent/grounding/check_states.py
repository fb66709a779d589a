"""States that a claim brings in: used up, failed, within limits, the new version: each must be what the items show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rootproof.agent.grounding.atoms import Way
from rootproof.agent.grounding.check_affirmations import covered_positions
from rootproof.agent.grounding.check_trends import ways_of
from rootproof.agent.grounding.facts import Item
from rootproof.agent.grounding.findings import Finding, Ground, State, about
from rootproof.agent.grounding.text import Kind
from rootproof.agent.grounding.units import Dimension
from rootproof.agent.grounding.wordlists import words
from rootproof.agent.grounding.words import phrase_at, stem

NEARLY_FULL: Final = 80.0
"""From this share on, a thing may be called used up or nearly so."""
_USED_UP: Final = words("""
    exhausted exhausting exhaustion saturated saturation depleted full maxed overloaded starved starvation
""")
_NOT_FULL: Final = words("half partly percent % far fully full-scale in")
_SUCCEEDED: Final = words("succeeded succeeds connected authenticated recovered healthy")
_WITHIN: Final = words("within below under inside")
_LIMITS: Final = words("""
    limit limits budget threshold deadline quota target targets ceiling allowance maximum slo sla objective
    objectives
""")
_STAYED: Final = words("stayed stays stay remained remains kept is are was were been")
_OLD: Final = words("""
    from old older previous previously instead earlier former replaced last than not rolled back -> until since
""")


def check_states(ground: Ground) -> Iterator[Finding]:
    """MISSING or CONTRADICTED for each state that no cited item shows; nothing for those that one shows."""
    skip = covered_positions(ground) | ground.parsed.hypothesis
    lowers = [token.lower for token in ground.parsed.tokens]
    for position, word in enumerate(lowers):
        if position in skip or ground.parsed.tokens[position].kind is not Kind.WORD:
            continue
        finding = (
            _used_up(position, lowers, ground)
            or _failed(word, ground)
            or _succeeded(position, word, ground)
            or _within(position, lowers, ground)
        )
        if finding is not None:
            yield finding
    yield from _replaced(ground)


def _used_up(position: int, lowers: Sequence[str], ground: Ground) -> Finding | None:
    """For `the pool is exhausted`, `ran out of`: a flat series that is far from its end denies it."""
    phrase: bool = "exhausted" in phrase_at(lowers, position)[1] and lowers[position] in {
        "used",
        "ran",
        "run",
        "running",
    }
    phrase = phrase or bool(
        lowers[position : position + 2] == ["out", "of"]
        and set(lowers[max(0, position - 1) : position]) & {"is", "are", "was", "were", "ran", "runs", "run"}
        and lowers[position + 2 : position + 3] != ["sync"]
        and position + 2 in ground.parsed.topic
    )
    if not phrase and lowers[position] not in _USED_UP:
        return None
    if set(lowers[max(0, position - 2) : position]) & _NOT_FULL:
        return None
    if any(_shows_shortage(item) for item in ground.items):
        return None
    calm = next((item for item in about(position, ground) if item.series is not None), None)
    if calm is not None and calm.series is not None and Way.FLAT in ways_of(calm.series):
        return Finding(State.CONTRADICTED, f"The claim says {lowers[position]}; {calm.id} is flat and far from it.")
    return Finding(State.MISSING, f"{ground.ids} does not show that anything is {lowers[position]}.")


def _shows_shortage(item: Item) -> bool:
    if {"exhausted", "oom", "pressure", "quota", "throttle", "refused", "wait", "expired"} & item.affirmed:
        return True
    for seen in item.quantities:
        share = seen.value if seen.dimension is Dimension.PERCENT else 0.0
        if seen.whole is not None and seen.whole.value > 0:
            share = 100 * seen.value / seen.whole.value
        if NEARLY_FULL <= share <= 100.5 or (seen.value == 0 and seen.end):
            return True
    if item.series is None or any(each.dimension is Dimension.PERCENT for each in item.series.values.values()):
        return False
    return Way.FLAT not in ways_of(item.series)


def _failed(word: str, ground: Ground) -> Finding | None:
    """For a failure that no item shows, where what is cited is calm."""
    if word not in {"failed", "fails", "failing", "failure", "failures", "crashed", "broke", "aborted"}:
        return None
    if any(shows_failure(item) for item in ground.items):
        return None
    return Finding(State.MISSING, f"{ground.ids} shows nothing that {word}.")


def shows_failure(item: Item) -> bool:
    level = item.log.level if item.log is not None else ""
    return bool(
        {"error", "crash", "unhealthy", "refused", "timeout", "missing", "expired"} & item.direct
        or level in {"WARN", "WARNING", "ERROR", "FATAL", "CRITICAL"}
        or (item.evidence.tool == "query_alerts" and "inactive" not in item.denials[1])
    )


def _succeeded(position: int, word: str, ground: Ground) -> Finding | None:
    """For a success of which the items show only the failure."""
    logged_in = word == "logged" and [t.lower for t in ground.parsed.tokens[position + 1 : position + 2]] == ["in"]
    if word not in _SUCCEEDED and not logged_in:
        return None
    items = about(position, ground)
    if any(stem(word) in item.denials[1] and not logged_in for item in ground.items):
        return None
    failing = [item for item in items if item.log is not None and item.log.level in {"ERROR", "FATAL"}]
    if failing and len(failing) == len(items):
        return Finding(State.MISSING, f"{failing[0].id} shows a failure, not that it {word}.")
    return None


def _within(position: int, lowers: Sequence[str], ground: Ground) -> Finding | None:
    """CONTRADICTED for `stayed within its budget` where the items are complaints, for `exceeded` the reverse."""
    within = lowers[position] in _WITHIN and set(lowers[max(0, position - 2) : position]) & _STAYED
    if not within and lowers[position] not in {"met", "meets", "meeting", "honoured", "honored"}:
        return None
    named = [word for word in lowers[position + 1 : position + 8] if word in _LIMITS]
    if not named:
        return None
    for item in about(position, ground):
        complains = item.log is not None and item.log.level in {"WARN", "WARNING", "ERROR", "FATAL"}
        if complains or stem("exceeded") in item.denials[1]:
            return Finding(
                State.CONTRADICTED, f"The claim says {lowers[position]} the {named[0]}; {item.id} says it was passed."
            )
    return None


def _replaced(ground: Ground) -> Iterator[Finding]:
    """MISSING for a version or value that the items say was replaced, where the claim takes it for the new one."""
    lowers = [token.lower for token in ground.parsed.tokens]
    mine = {name.text for name in ground.parsed.names}
    for name in ground.parsed.names:
        for item in ground.items:
            newer = _replacement(name.text, item)
            lead = set(lowers[max(0, name.at - 4) : name.at]) | set(lowers[name.at + 1 : name.at + 3])
            directly = set(lowers[max(0, name.at - 1) : name.at]) & {"was", "were", "before"}
            if newer is not None and newer not in mine and not lead & _OLD and not directly:
                yield Finding(State.MISSING, f"{item.id} says that {name.text} was replaced by {newer}.")


def _replacement(name: str, item: Item) -> str | None:
    """What `A -> B` in an item puts in the place of `name`, where A is it."""
    texts = [token.text for token in item.tokens]
    for index, text in enumerate(texts[:-3]):
        if text == name and texts[index + 1 : index + 3] == ["-", ">"]:
            return texts[index + 3]
    return None
