"""Negations: the evidence must say so itself, or the search for the thing must have been complete; and the reverse."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from rootproof.agent.grounding import signs
from rootproof.agent.grounding.calm import STRAINED_PERCENT, calm, denies_strain, measured_calm, strained
from rootproof.agent.grounding.check_affirmations import at_end, check_affirmed
from rootproof.agent.grounding.coverage import TOOL_OF, complete
from rootproof.agent.grounding.facts import Item
from rootproof.agent.grounding.findings import Finding, Ground, State, about, terms
from rootproof.agent.grounding.labels import GOOD
from rootproof.agent.grounding.matching import matching
from rootproof.agent.grounding.negations import Denial
from rootproof.agent.grounding.quantity import Bound, Quantity
from rootproof.agent.grounding.text import Kind, parts
from rootproof.agent.grounding.units import Dimension
from rootproof.agent.grounding.vocabulary import STRICT
from rootproof.agent.grounding.wordlists import words
from rootproof.agent.grounding.words import concepts_of, spread, stem
from rootproof.domain.claim import ClaimKind


def check_denials(ground: Ground) -> Iterator[Finding]:
    """One finding for each negation, and one for each plain statement that the evidence negates."""
    for denial in ground.parsed.denials:
        if denial.noun and denial.scope and set(denial.scope[:3]) & signs.JUDGEMENT:
            continue
        if ground.parsed.claim.kind is ClaimKind.RULED_OUT and set(denial.scope[:2]) & signs.BLAME:
            continue
        finding = _check(denial, ground)
        if finding is not None:
            yield finding
    yield from check_affirmed(ground)


def _check(denial: Denial, ground: Ground) -> Finding | None:
    found = _check_scope(denial, ground)
    if found is None or found.state is State.FOUND or not denial.predicate:
        return found
    said = _check_scope(replace(denial, scope=denial.predicate, noun=False, predicate=()), ground)
    return said if said is not None and said.state is State.FOUND else found


def _check_scope(denial: Denial, ground: Ground) -> Finding | None:
    items = about(denial.at, ground)
    shown = denial.text
    for item in (*items, *(each for each in ground.items if each not in items and _says_so(denial, each))):
        if not _same_subject(denial, item, ground):
            return Finding(State.MISSING, f'{item.id} says "{shown}" of something else.')
        if _literal(denial, item) or (denial.excepting and _last_seen(denial, item)):
            return Finding(State.FOUND, f'{item.id} says "{shown}" itself.')
    if (other := _in_other_words(denial, items, ground)) is not None:
        return Finding(State.FOUND, f'"{shown}" is what {other.id} says in other words.')
    if (other := _partly(denial, items)) is not None:
        return Finding(State.FOUND, f'{other.id} counts fewer than all, as "{shown}" says.')
    if (found := _denied_number(denial, items, ground)) is not None:
        return found
    if denies_strain(denial, ground) and (other := strained(denial, items)) is not None:
        return Finding(State.CONTRADICTED, f'The claim says "{shown}"; {other.id} shows {STRAINED_PERCENT} % or more.')
    if (
        other := measured_calm(denial, items, ground) or calm(denial, items) or _refused(denial, items, ground)
    ) is not None:
        return Finding(State.FOUND, f'{other.id} bears out "{shown}".')
    if denial.unable and (other := _failing(denial, items) or _at_limit(items)) is not None:
        return Finding(State.FOUND, f'"{shown}" is the failure in {other.id}.', soft=True)
    if not denial.excepting and (other := _affirming(denial, _shown_by(denial, items, ground))) is not None:
        return Finding(State.CONTRADICTED, f'The claim says "{shown}"; {other.id} shows {_scope_text(denial)}.')
    if denial.unable:
        return Finding(State.MISSING, f'{ground.ids} does not show "{shown}".')
    return _from_coverage(denial, ground)


def _same_subject(denial: Denial, item: Item, ground: Ground) -> bool:
    """Whether what an item says does not exist may be what the claim says it of."""
    if denial.scope[:1] != ("exist",) or not _says_so(denial, item):
        return True
    mine = {t.lower for t in ground.parsed.tokens[max(0, denial.at - 5) : denial.at] if t.kind is Kind.WORD}
    at = next(
        (at for at in range(len(item.tokens) - 1) if [t.lower for t in item.tokens[at : at + 2]] == ["not", "exist"]), 0
    )
    theirs = {t.lower for t in item.tokens[max(0, at - 7) : at] if t.kind is Kind.WORD}
    return bool((mine & theirs) - signs.AUXILIARY - {"the", "a", "that"})


def _in_other_words(denial: Denial, items: Sequence[Item], ground: Ground) -> Item | None:
    """The item that states the failure or opposite, of the clause's first; of others where none affirms it."""
    other = _equivalent(denial, items)
    if other is not None or _affirming(denial, items) is not None:
        return other
    return _equivalent(denial, [item for item in ground.items if item not in items])


def _shown_by(denial: Denial, items: Sequence[Item], ground: Ground) -> Sequence[Item]:
    """The items that may show what is denied: those of the clause, and others whose words it has."""
    rest = [item for item in ground.items if item not in items]
    return (*items, *rest) if rest and ground.closer(rest, items, denial.at, denial.at + 1) else items


def _says_so(denial: Denial, item: Item) -> bool:
    return f" {denial.text.lower()}" in item.text.lower()


def _last_seen(denial: Denial, item: Item) -> bool:
    """Whether the item dates the last time of what is denied since (`not changed recently`; `last change 2026-...`)."""
    return (
        bool(item.times)
        and bool({"last", "since"} & item.words[0])
        and any(item.shares(word) for word in denial.scope[:1])
    )


def _scope_text(denial: Denial) -> str:
    return " ".join(denial.scope[:3])


def _denied_words(denial: Denial) -> tuple[str, ...]:
    """What is denied: the noun phrase after `no`, the first verb that says something after `not`."""
    if denial.text.lower().startswith(("none of", "neither of")):
        return denial.scope[-1:]
    if denial.noun:
        return denial.scope[:3]
    telling = [word for word in denial.scope if word not in signs.LIGHT_VERBS]
    return tuple(telling[:1]) or denial.scope[:1]


def _literal(denial: Denial, item: Item) -> bool:
    """Whether the item denies the same thing."""
    if _says_so(denial, item):
        return True
    denied = frozenset(spread(item.denials[0])) - item.denials[1]
    if denial.noun:
        denied |= item.absent
    wanted = _denied_words(denial)
    hits = [word for word in wanted if terms(word) & denied]
    return bool(hits) and (len(hits) * 2 >= len(wanted))


_NETWORK: Final = frozenset(["timeout", "network", "reset", "connection", "reach"])
"""Only what failed on the way was not reached: who is denied has reached it."""


def _was_reached(word: str, item: Item) -> bool:
    return word in {"reach", "reached", "contact"} and "auth" in item.words[1] and not _NETWORK & item.direct


def _equivalent(denial: Denial, items: Sequence[Item]) -> Item | None:
    """An item that states the failure of what could not be done, or the opposite of what was not so."""
    if not denial.unable and any(signs.FAILURES & set(concepts_of(word)) for word in denial.scope[1:2]):
        return None
    for item in items:
        concepts = item.words[1]
        if any(word in STRICT and not item.shares(word) for word in denial.scope):
            continue
        for word in denial.scope[:3]:
            if _was_reached(word, item):
                continue
            known = signs.EQUIVALENT_FAILURE.get(word) or signs.EQUIVALENT_FAILURE.get(stem(word)) or frozenset()
            fits = denial.unable or (word in signs.RESULTS and (denial.noun or word == denial.scope[0]))
            if (
                known & concepts
                and fits
                and (denial.unable or not _affirms_word(word, item) or word in {"ready", "available"})
            ):
                return item
            if denial.unable and "error" in concepts and _affirms_word(word, item):
                return item
            if (
                denial.unable
                and denial.text.lower().startswith(("fail", "unable", "refus"))
                and {"error", "refused", "timeout"} & concepts
                and item.shares(word)
            ):
                return item
        plain = item.denials[1]
        for left, right in signs.OPPOSITES:
            if denial.scope and denial.scope[0] in left and right & plain and not left & plain:
                return item
    return None


def _failing(denial: Denial, items: Sequence[Item]) -> Item | None:
    """An item that shows a failure which may be that of what could not be done."""
    for item in items:
        if any((word in STRICT and not item.shares(word)) or _was_reached(word, item) for word in denial.scope):
            continue
        if signs.FAILURES & item.words[1] or (item.log is not None and item.log.level in {"ERROR", "FATAL"}):
            return item
    return None


def _at_limit(items: Sequence[Item]) -> Item | None:
    """An item that says something is at its end."""
    return next((item for item in items if {"exhausted", "quota"} & item.direct or at_end(item)), None)


def _partly(denial: Denial, items: Sequence[Item]) -> Item | None:
    """An item that counts fewer than all in the state that is denied: `not ready` beside `1/3 ready`."""
    for item in items:
        for seen in item.quantities:
            fewer = seen.whole is not None and seen.value < seen.whole.value
            if fewer and set(denial.scope[:1]) & GOOD & {*seen.after[:1], *seen.before[:1]}:
                return item
    return None


def _affirms_word(word: str, item: Item) -> bool:
    return bool(terms(word) & item.denials[1])


_GETS: Final = words("gets get got receives receive received obtains obtain has have had finds find found")
_LACKING: Final = words("no not without lack lacks lacking insufficient")
_REFUSED: Final = frozenset({"refused", "exhausted", "missing", "quota"})
_AROUND: Final = 4
"""Tokens around a noun that may say it is refused or short."""


def _refused(denial: Denial, items: Sequence[Item], ground: Ground) -> Item | None:
    """An item that refuses or lacks the thing that the claim says is not had: `no license`, `license refused`."""
    if not denial.noun or not denial.at or ground.parsed.tokens[denial.at - 1].lower not in _GETS:
        return None
    wanted = _denied_words(denial)
    if not wanted or any((signs.OBSERVABLE | signs.FAILURES) & set(concepts_of(word)) for word in wanted):
        return None
    for item in items:
        lowers = [token.lower for token in item.tokens]
        for at, word in enumerate(lowers):
            near = lowers[max(0, at - _AROUND) : at + _AROUND + 1]
            lacking = any(each in _LACKING or _REFUSED & set(concepts_of(each)) for each in near)
            if lacking and stem(word) == stem(wanted[-1]) and all(item.shares(each) for each in wanted):
                return item
    return None


def _affirming(denial: Denial, items: Sequence[Item]) -> Item | None:
    """An item that plainly shows what the claim denies."""
    wanted = _denied_words(denial)
    if not wanted:
        return None
    for item in items:
        if (
            item.log is not None
            and item.log.level in {"INFO", "DEBUG", "TRACE", "WARN", "WARNING"}
            and "error" in concepts_of(wanted[0])
            and (item.log.level.startswith("WARN") or "error" not in item.denials[1])
        ):
            continue
        plain = item.affirmed
        names = {name.lower() for name in item.names}
        names -= item.denials[0]
        hits = [
            word for word in wanted if _specific(word) & plain or word.lower() in names or set(parts(word)) <= plain
        ]
        if hits and len(hits) == len(wanted) and not _zero_or_flat(item):
            return item
    return None


def _specific(word: str) -> set[str]:
    """The terms of a word without the resource that it happens to: `oom` is not `memory`."""
    found = terms(word)
    return found - {"memory", "cpu", "disk", "network"} if word in found and len(concepts_of(word)) > 1 else found


def _zero_or_flat(item: Item) -> bool:
    """Whether an item is a series that stayed at zero or flat: it names the thing without showing it."""
    return item.series is not None and (item.series.value("max") == 0 or item.series.trend == "flat")


def _denied_number(denial: Denial, items: Sequence[Item], ground: Ground) -> Finding | None:
    """CONTRADICTED where the negation covers a number that the evidence gives just so: `never logged 37 warnings`."""
    if denial.noun or denial.excepting or denial.unable:
        return None
    clause = ground.parsed.clauses[denial.at]
    for quantity in ground.parsed.quantities:
        between = {token.lower for token in ground.parsed.tokens[denial.at : quantity.start]}
        if between & {"because", "since", "as", "so", ","}:
            continue
        if (
            denial.at < quantity.start <= denial.at + 12
            and not _is_period(quantity, ground)
            and ground.parsed.clauses[quantity.start] == clause
            and quantity.bound is Bound.EXACT
        ):
            item = next((item for item in items if matching(quantity, item)), None)
            if item is not None:
                return Finding(
                    State.CONTRADICTED, f'The claim denies {quantity.text} ("{denial.text}"); {item.id} has it.'
                )
    return None


def _is_period(quantity: Quantity, ground: Ground) -> bool:
    """Whether a number only says for how long something was not so: `not ready for 21 hours`."""
    lead = {token.lower for token in ground.parsed.tokens[max(0, quantity.start - 3) : quantity.start]}
    return quantity.dimension is Dimension.TIME and bool(lead & {"in", "for", "over", "within", "after", "since"})


def _unheard(denial: Denial, ground: Ground) -> Finding | None:
    """For a denial in words that the evidence does not have: MISSING where it brings in a subject or covers
    something that the evidence says plainly; else None.
    """
    if denial.noun and not any(ground_has(word, ground) for word in denial.scope):
        subjects = any(word in STRICT for word in denial.scope)
    else:
        subjects = any(word in STRICT or word in signs.STATES for word in denial.scope)
    affirms = ground.parsed.claim.kind is not ClaimKind.RULED_OUT
    if (affirms and not denial.excepting) or subjects or not denial.scope or _covers_fact(denial, ground):
        return Finding(State.MISSING, f'{ground.ids} does not say "{denial.text}".')
    return None


def ground_has(word: str, ground: Ground) -> bool:
    return any(_affirms_word(word, item) for item in ground.items)


def _covers_fact(denial: Denial, ground: Ground) -> bool:
    """Whether the rest of the denied clause holds a time, a number or a word that the evidence says plainly."""
    parsed = ground.parsed
    end = denial.at + 1
    while end < len(parsed.tokens) and parsed.tokens[end].lower not in _CLAUSE_END:
        end += 1
    inside = range(denial.at + 1, end)
    if any(mention.start in inside for mention in parsed.times):
        return True
    if any(q.start in inside and not _is_period(q, ground) and q.bound is Bound.EXACT for q in parsed.quantities):
        return True
    if any(name.at in inside and _is_said(name.at, ground) for name in parsed.names):
        return True
    if parsed.tokens[denial.at].lower == "never" and _failing(denial, ground.items) is not None:
        return bool(set(denial.scope[:2]) & signs.LIGHT_VERBS - {"gets", "get", "got"}) or ground_has(
            denial.scope[0], ground
        )
    return any(position in inside and ground_has(parsed.tokens[position].lower, ground) for position in parsed.topic)


def _is_said(position: int, ground: Ground) -> bool:
    """Whether a denied name is one that the evidence uses in what it says, or the doer (`by NAME`)."""
    name = ground.parsed.tokens[position].text
    if ground.parsed.tokens[position - 1].lower == "by":
        return True
    return any(name in item.text and name not in item.about for item in ground.holders(name))


_CLAUSE_END: Final = frozenset([",", ";", ".", ":", "(", ")", "because", "since", "but", "while", "so", "although"])


def _from_coverage(denial: Denial, ground: Ground) -> Finding | None:
    shown = denial.text
    words = denial.scope if denial.noun else _denied_words(denial)
    concepts = [concept for word in words for concept in concepts_of(word)]
    concepts += [concept for word in words for piece in parts(word) for concept in concepts_of(piece)]
    observable = [concept for concept in concepts if concept in signs.OBSERVABLE]
    if not observable:
        return _unheard(denial, ground)
    tools = {TOOL_OF[concept] for concept in observable if concept in TOOL_OF}
    tools |= {item.evidence.tool for item in ground.items if item.observed} if not tools else set()
    for tool in sorted(tools):
        if complete(tool, ground.coverage):
            return Finding(
                State.FOUND, f'{tool} was searched completely and shows nothing against "{shown}" ({ground.ids}).'
            )
    return Finding(
        State.MISSING,
        f'"{shown}" needs a complete search with {" or ".join(sorted(tools))}, and there was none ({ground.ids}).',
    )
