"""Changes: what replaced what, who made it, which statement it was, what a setting was set to."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from rootproof.agent.grounding.changes import doers, pairs
from rootproof.agent.grounding.entities import stems_of_name
from rootproof.agent.grounding.findings import Finding, Ground, State, joined
from rootproof.agent.grounding.text import Kind
from rootproof.agent.grounding.wordlists import words
from rootproof.agent.grounding.words import is_prose, stem

_STATEMENTS: Final = words("SELECT INSERT UPDATE DELETE ALTER CREATE DROP TRUNCATE VACUUM COPY MERGE")
_MAX_DOERS: Final = 2
"""Names behind `by` that are read of one item; a change names one."""
_SETTINGS: Final = words("policy strategy mode class level algorithm protocol type plan")


def check_changes(ground: Ground) -> Iterator[Finding]:
    """CONTRADICTED for what an item has the other way round, of another doer or statement; else nothing."""
    yield from _exchanged(ground)
    yield from _undone(ground)
    yield from _done_by(ground)
    yield from _writer(ground)
    yield from _statement(ground)
    yield from _setting(ground)


def _exchanged(ground: Ground) -> Iterator[Finding]:
    """CONTRADICTED where the claim puts A in the place of B, and the items only B in the place of A."""
    shown = {pair: item for item in ground.items for pair in pairs(item.tokens)}
    for old, new in pairs(ground.parsed.tokens):
        item = shown.get((new, old))
        if item is not None and (old, new) not in shown:
            yield Finding(State.CONTRADICTED, f"{item.id} says from {new} to {old}, not from {old} to {new}.")
            return


def _undone(ground: Ground) -> Iterator[Finding]:
    """CONTRADICTED for `rolled back to A` where the items only have A replaced."""
    shown = {pair: item for item in ground.items for pair in pairs(item.tokens)}
    lowers = [token.lower for token in ground.parsed.tokens]
    for position, word in enumerate(lowers):
        lead = lowers[max(0, position - 5) : position]
        if word != "to" or not ("back" in lead or {"reverted", "downgraded", "returned"} & set(lead)):
            continue
        version = next(iter(lowers[position + 1 : position + 2]), "")
        into = any(new == version for _, new in shown)
        item = next((each for (old, _), each in shown.items() if old == version), None)
        if item is not None and not into:
            yield Finding(State.CONTRADICTED, f"{item.id} says from {version}, not back to it.")
            return


def _done_by(ground: Ground) -> Iterator[Finding]:
    """CONTRADICTED for `P removed it` where another one's item says removed and no item of P does."""
    tokens = ground.parsed.tokens
    made = [(name, item) for item in ground.items for name, _ in islice(doers(item.tokens), _MAX_DOERS)]
    for name in {each for each, _ in made}:
        verbs = {stem(each) for each in _verbs_of(name, ground)}
        own = {stem(token.lower) for doer, item in made if doer == name for token in item.tokens}
        for doer, item in made:
            others = {stem(token.lower) for token in item.tokens if token.lower.endswith("ed")}
            verb = next(iter((verbs & others) - own), None)
            if doer != name and verb is not None:
                at = next(token.text for token in tokens if stem(token.lower) == verb)
                yield Finding(State.CONTRADICTED, f"In {item.id} it was {doer} that {at}, not {name}.")
                return


def _verbs_of(name: str, ground: Ground) -> list[str]:
    """The verbs that the claim says of a doer: `NAME removed`, `removed by NAME`."""
    tokens = ground.parsed.tokens
    found: list[str] = []
    for position, token in enumerate(tokens):
        if token.text != name:
            continue
        near = tokens[position + 1 : position + 3]
        if position and tokens[position - 1].lower == "by":
            near = tokens[max(0, position - 6) : position - 1]
        found += [each.lower for each in near if each.kind is Kind.WORD and each.lower.endswith("ed")]
    return found


def _writer(ground: Ground) -> Iterator[Finding]:
    """CONTRADICTED for `X logged it` where all that is cited are lines of others, and X only stands in one."""
    tokens = ground.parsed.tokens
    for name in ground.parsed.names:
        said = {token.lower for token in tokens[name.at + 1 : name.at + 2]} & {"logged", "logs", "warned", "warns"}
        known = stems_of_name(name.text)
        if not said or any(item.log is None or known & item.about for item in ground.items):
            continue
        item = next(iter(ground.holders(name.text)), None)
        if item is not None and item.log is not None:
            yield Finding(State.CONTRADICTED, f"{item.id} was logged by {item.log.service}, not by {name.text}.")


def _statement(ground: Ground) -> Iterator[Finding]:
    """CONTRADICTED for an SQL statement of another kind than all that the items write."""
    mine = {token.text for token in ground.parsed.tokens} & _STATEMENTS
    theirs = {token.text for item in ground.items for token in item.tokens} & _STATEMENTS
    if mine and theirs and not mine & theirs:
        yield Finding(State.CONTRADICTED, f"The claim says {min(mine)}; {ground.ids} says {joined(sorted(theirs))}.")


def _setting(ground: Ground) -> Iterator[Finding]:
    """MISSING for `the policy of X is Z` where no item writes Z."""
    tokens = ground.parsed.tokens
    for position, token in enumerate(tokens[:-1]):
        value = tokens[position + 1]
        lead = {each.lower for each in tokens[max(0, position - 5) : position]}
        last = position + 2 >= len(tokens) or tokens[position + 2].text in {".", ",", ";"}
        if token.lower not in {"is", "was"} or not lead & _SETTINGS or not last or value.kind is not Kind.WORD:
            continue
        told = value.lower.endswith(("ed", "ing")) or is_prose(value.lower)
        if not told and not any(value.lower in item.searched for item in ground.items):
            yield Finding(State.MISSING, f"{ground.ids} does not say {value.text}.")
