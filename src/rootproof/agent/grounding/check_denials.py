"""Negations: the evidence must say so itself, or the search for the thing must have been complete; and the reverse."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from rootproof.agent.grounding import signs
from rootproof.agent.grounding.atoms import Way
from rootproof.agent.grounding.check_affirmations import check_affirmed
from rootproof.agent.grounding.check_numbers import matching
from rootproof.agent.grounding.check_trends import ways_of
from rootproof.agent.grounding.coverage import TOOL_OF, complete
from rootproof.agent.grounding.entities import is_identifier
from rootproof.agent.grounding.facts import Item
from rootproof.agent.grounding.findings import Finding, Ground, State, about, terms
from rootproof.agent.grounding.negations import Denial
from rootproof.agent.grounding.quantity import Bound, Quantity
from rootproof.agent.grounding.text import parts
from rootproof.agent.grounding.units import Dimension
from rootproof.agent.grounding.vocabulary import STRICT
from rootproof.agent.grounding.words import concepts_of, phrase_at, spread, stem
from rootproof.domain.claim import ClaimKind

STRAINED_PERCENT = 85
"""From this share on, a resource cannot be called unstrained."""
_STRAINED: Final = frozenset(["exhausted", "pressure", "unhealthy", "latency", "throttle"])


def check_denials(ground: Ground) -> Iterator[Finding]:
    """One finding for each negation, and one for each plain statement that the evidence negates."""
    for denial in ground.parsed.denials:
        if denial.noun and denial.scope and set(denial.scope[:3]) & signs.JUDGEMENT:
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
        if _literal(denial, item) or (denial.excepting and _last_seen(denial, item)):
            return Finding(State.FOUND, f'{item.id} says "{shown}" itself.')
    other = _equivalent(denial, items)
    if other is None and _affirming(denial, items) is None:
        rest = [item for item in ground.items if item not in items]
        if rest and ground.closer(rest, items, denial.at, denial.at + 1):
            other = _equivalent(denial, rest)
    if other is not None:
        return Finding(State.FOUND, f'"{shown}" is what {other.id} says in other words.')
    if (found := _denied_number(denial, items, ground)) is not None:
        return found
    if _denies_strain(denial, ground) and (other := _strained(denial, items)) is not None:
        return Finding(State.CONTRADICTED, f'The claim says "{shown}"; {other.id} shows {STRAINED_PERCENT} % or more.')
    if (other := _measured_calm(denial, items, ground) or _calm(denial, items)) is not None:
        return Finding(State.FOUND, f'{other.id} bears out "{shown}".')
    if not denial.excepting and (other := _affirming(denial, _shown_by(denial, items, ground))) is not None:
        return Finding(State.CONTRADICTED, f'The claim says "{shown}"; {other.id} shows {_scope_text(denial)}.')
    if denial.unable:
        if (other := _failing(denial, items)) is not None:
            return Finding(State.FOUND, f'"{shown}" is the failure in {other.id}.', soft=True)
        return Finding(State.MISSING, f'{ground.ids} does not show "{shown}".')
    return _from_coverage(denial, ground)


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
    wanted = _denied_words(denial)
    hits = [word for word in wanted if terms(word) & denied]
    return bool(hits) and (len(hits) * 2 >= len(wanted))


def _equivalent(denial: Denial, items: Sequence[Item]) -> Item | None:
    """An item that states the failure of what could not be done, or the opposite of what was not so."""
    if not denial.unable and any(signs.FAILURES & set(concepts_of(word)) for word in denial.scope[1:2]):
        return None
    for item in items:
        concepts = item.words[1]
        if any(word in STRICT and not item.shares(word) for word in denial.scope):
            continue
        for word in denial.scope[:3]:
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


_BAD: Final = frozenset(
    ["broken", "failing", "stuck", "crashing", "dead", "affected", "involved", "trouble", "suffering"]
)


def _calm(denial: Denial, items: Sequence[Item]) -> Item | None:
    """An item that shows a thing at work, where the claim only denies that it is in a bad way."""
    if not set(denial.scope[:2]) & _BAD:
        return None
    return next((item for item in items if not _in_trouble(item)), None)


def _in_trouble(item: Item) -> bool:
    level = item.log.level if item.log is not None else "INFO"
    return level not in {"INFO", "DEBUG", "TRACE"} or bool(signs.FAILURES & item.direct)


def _failing(denial: Denial, items: Sequence[Item]) -> Item | None:
    """An item that shows a failure which may be that of what could not be done."""
    for item in items:
        if any(word in STRICT and not item.shares(word) for word in denial.scope):
            continue
        if signs.FAILURES & item.words[1] or (item.log is not None and item.log.level in {"ERROR", "FATAL"}):
            return item
    return None


def _affirms_word(word: str, item: Item) -> bool:
    return bool(terms(word) & item.denials[1])


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
        hits = [word for word in wanted if terms(word) & plain or word.lower() in names or set(parts(word)) <= plain]
        if hits and len(hits) == len(wanted) and not _zero_or_flat(item):
            return item
    return None


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


def _measured_calm(denial: Denial, items: Sequence[Item], ground: Ground) -> Item | None:
    """An item that bears out a denial by measure: a series at zero, one that is calm where strain is denied, a
    list without the name.
    """
    strained = _denies_strain(denial, ground) or _denies_change(denial, ground)
    for item in items:
        series = item.series
        if series is not None:
            if 0 in {series.value("max"), series.value("last"), series.value("after")} and any(
                item.shares(word) for word in denial.scope
            ):
                return item
            if strained and (Way.FLAT in ways_of(series) or Way.UP not in ways_of(series)):
                return item
        elif (
            strained
            and ground.parsed.claim.kind is ClaimKind.RULED_OUT
            and not item.words[1] & _STRAINED
            and any(item.shares(word) for word in denial.scope)
        ):
            return item
        named = [name.text for name in ground.parsed.names if item in ground.holders(name.text)]
        if named and len(denial.scope) == 1 and _looks_written(denial, ground) and not item.shares(denial.scope[0]):
            return item
    return None


def _denies_change(denial: Denial, ground: Ground) -> bool:
    """`not sending more than usual`, `no unusual traffic`."""
    lowers = {token.lower for token in ground.parsed.tokens[denial.at : denial.at + 9]}
    return bool(
        lowers & {"unusual", "abnormal", "spike", "surge", "increase", "change"}
        or ("than" in lowers and lowers & {"usual", "normal", "before"})
    )


def _strained(denial: Denial, items: Sequence[Item]) -> Item | None:
    """An item about the denied thing with a share so high that it is short."""
    for item in items:
        if any(item.shares(word) for word in denial.scope) and any(
            seen.dimension is Dimension.PERCENT and STRAINED_PERCENT <= seen.value <= 100 for seen in item.quantities
        ):
            return item
    return None


def _denies_strain(denial: Denial, ground: Ground) -> bool:
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


def _unheard(denial: Denial, ground: Ground) -> Finding | None:
    """For a denial in words that the evidence does not have: MISSING where it brings in a subject or covers
    something that the evidence says plainly; else None.
    """
    if denial.noun and not any(ground_has(word, ground) for word in denial.scope):
        subjects = any(word in STRICT for word in denial.scope)
    else:
        subjects = any(word in STRICT or word in signs.STATES for word in denial.scope)
    if subjects or not denial.scope or _covers_fact(denial, ground):
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
