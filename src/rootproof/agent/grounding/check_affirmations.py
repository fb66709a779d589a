"""Plain statements that the evidence negates: what was not so, could not be done, or is the opposite."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from rootproof.agent.grounding import signs
from rootproof.agent.grounding.atoms import Way
from rootproof.agent.grounding.check_trends import ways_of
from rootproof.agent.grounding.facts import Item
from rootproof.agent.grounding.findings import Finding, Ground, State, about, joined, terms
from rootproof.agent.grounding.text import Kind, reads
from rootproof.agent.grounding.vocabulary import EVENTS, STOP, STRICT
from rootproof.agent.grounding.words import concepts_of, phrase_at, stem
from rootproof.domain.claim import ClaimKind


def check_affirmed(ground: Ground) -> Iterator[Finding]:
    """CONTRADICTED for each thing the claim says was so, could be done or happened, where the evidence says it
    was not.
    """
    parsed = ground.parsed
    skipped = covered_positions(ground)
    for position, token in enumerate(parsed.tokens):
        if position in skipped or position in parsed.hypothesis or token.kind is not Kind.WORD:
            continue
        lead = [each.lower for each in parsed.tokens[max(0, position - 3) : position]]
        if set(lead) & (signs.NEGATORS | signs.FAILED_TO):
            continue
        finding = _could(position, ground) if token.lower in signs.ABILITY else None
        stated = set(lead[-2:]) & signs.AUXILIARY or any(name.at == position - 1 for name in parsed.names)
        stated = stated or token.lower in {"succeeded", "completed", "finished", "recovered", "ready", "available"}
        pair = position in parsed.topic and position + 1 in parsed.topic
        if token.lower in STOP and finding is None:
            continue
        if finding is None and any(
            signs.FAILURES & set(concepts_of(each.lower)) for each in parsed.tokens[position + 1 : position + 2]
        ):
            continue
        if finding is None and (stated or pair) and (stated or position in parsed.topic):
            words = (token.lower,) if stated else (token.lower, parsed.tokens[position + 1].lower)
            finding = _denied_by(words, about(position, ground))
        if finding is not None and not _all_taken(position, ground):
            yield finding


_TAKEN: Final = (("in", "use"), ("used",), ("taken",), ("occupied",), ("busy",))


def _all_taken(position: int, ground: Ground) -> bool:
    """Whether a claim says that all of a thing are taken, which evidence says as `no free seat`."""
    tokens = ground.parsed.tokens
    lead = {token.lower for token in tokens[max(0, position - 2) : position]}
    return bool(lead & {"all", "every"}) and any(
        reads(tokens, at, _TAKEN) for at in range(position + 1, min(position + 4, len(tokens)))
    )


def check_absent(ground: Ground) -> Iterator[Finding]:
    """CONTRADICTED for an event that the claim speaks of and that the cited items only deny: `in a restart`
    beside `0 restarts`.
    """
    skipped = covered_positions(ground)
    for position in ground.parsed.topic:
        word = ground.parsed.tokens[position].lower
        if position in skipped or position in ground.parsed.hypothesis or word not in _EVER_ABSENT:
            continue
        clause = ground.parsed.clauses[position]
        lead = {
            token.lower
            for index, token in enumerate(ground.parsed.tokens[:position])
            if ground.parsed.clauses[index] == clause and index >= position - 6
        }
        if lead & (signs.NEGATORS | {"not", "than", "rather", "instead", "if", "despite"}):
            continue
        items = about(position, ground)
        idle = next((item for item in items if _stayed_at_zero(item, word)), None)
        if idle is not None and not any(item.shares(word) for item in ground.items if item is not idle):
            yield Finding(State.CONTRADICTED, f"The claim says {word}; {idle.id} stayed at zero.")
        forms = {word, stem(word), *(("restart",) if "crash" in concepts_of(word) else ())}
        absent = [item for item in items if forms & item.absent]
        # Of a thing that the claim names and an item is about, another thing's item says nothing.
        owned = len(items) < len(ground.items) and any(
            items == ground.owners(name.text) for name in ground.parsed.names
        )
        told = items if owned else ground.items
        if absent and not any({word, stem(word)} & item.denials[1] for item in told):
            yield Finding(State.CONTRADICTED, f"The claim says {word}; {absent[0].id} says there was none.")


_EVER_ABSENT = STRICT | EVENTS | {"pressure", "error", "errors", "warnings", "failures", "leader", "limit"}


def check_enough(ground: Ground) -> Iterator[Finding]:
    """CONTRADICTED for `has enough memory`, `room to grow` where an item shows the lack of it."""
    skipped = covered_positions(ground)
    for position, token in enumerate(ground.parsed.tokens):
        if token.lower in {"room", "headroom", "spare"} and position not in skipped:
            full = next((item for item in ground.items if at_end(item)), None)
            if full is not None:
                yield Finding(State.CONTRADICTED, f"The claim says {token.text}; {full.id} is at its end.")
            continue
        if token.lower not in {"enough", "sufficient", "ample", "plenty"} or position in skipped:
            continue
        named = {c for each in ground.parsed.tokens[position + 1 : position + 4] for c in concepts_of(each.lower)}
        for item in about(position, ground):
            if named & item.words[1] and {"oom", "exhausted"} & item.affirmed:
                yield Finding(State.CONTRADICTED, f"The claim says {token.text}; {item.id} shows the lack of it.")
                break


def _stayed_at_zero(item: Item, word: str) -> bool:
    """Whether an item is a series of just that, and never left zero."""
    return item.series is not None and item.series.value("max") == 0 and item.shares(word)


def _is_idle(item: Item, verb: str | None) -> bool:
    """Whether a series speaks against `did VERB`: at zero all the time, or flat where it should have changed."""
    if item.series is None or item.series.value("max") == 0:
        return True
    return verb in {"change", "suffer", "move"} and Way.FLAT in ways_of(item.series)


def at_end(item: Item) -> bool:
    """Whether an item counts as many as there may be: `6 of at most 6`."""
    full = any(seen.whole is not None and 0 < seen.whole.value <= seen.value for seen in item.quantities)
    return full and bool({"limit", "quota"} & item.words[1])


def covered_positions(ground: Ground) -> frozenset[int]:
    """Positions that a negation or a zero of the claim covers."""
    parsed = ground.parsed
    spans = [(denial.at, max(denial.at + 6, denial.end)) for denial in parsed.denials]
    spans += [(quantity.start, quantity.end + 4) for quantity in parsed.quantities if quantity.value == 0]
    return frozenset(position for start, end in spans for position in range(start, min(end, len(parsed.tokens))))


def _could(position: int, ground: Ground) -> Finding | None:
    """CONTRADICTED where the claim says that something could be done and the evidence shows a failure of it."""
    tokens = ground.parsed.tokens
    verb = next((token.lower for token in tokens[position + 1 : position + 3] if token.lower != "to"), "")
    if verb == "be":
        verb = next(
            (
                token.lower
                for token in tokens[position + 2 : position + 3]
                if {token.lower, stem(token.lower)} & signs.EQUIVALENT_FAILURE.keys()
            ),
            "",
        )
    if (
        not verb
        or verb in {"be", "have", "explain", "not", "only", "mean", "lead", "cause", "no", "never"}
        or verb in signs.NEGATORS
        or (
            verb in signs.LIGHT_VERBS
            and any(signs.FAILURES & set(concepts_of(token.lower)) for token in tokens[position + 2 : position + 4])
        )
    ):
        return None
    known = signs.EQUIVALENT_FAILURE.get(verb) or signs.EQUIVALENT_FAILURE.get(stem(verb)) or signs.FAILURES
    if tokens[position].lower in {"did", "often", "normally"} and known is signs.FAILURES:
        return None
    loosely = tokens[position].lower in {"did", "often", "normally"}
    for item in ground.items if loosely else about(position, ground):
        if known & item.words[1] or (item.log is not None and item.log.level in {"ERROR", "FATAL"}):
            return Finding(
                State.CONTRADICTED, f"The claim says that it could {verb}; {item.id} says that it could not."
            )
    return None


def _denied_by(words: Sequence[str], items: Sequence[Item]) -> Finding | None:
    for item in items:
        if all(
            {word, stem(word)} & item.denials[1] - item.negated or set(concepts_of(word)) & item.affirmed
            for word in words
        ):
            return None
    for item in items:
        denied = item.denials[0] | ({"crash"} if "restart" in item.denials[0] else set())
        if len(words) > 1 and not item.absent & terms(words[-1]):
            continue
        loose = denied | item.negated if len(words) > 1 else denied
        if {words[-1], stem(words[-1])} & denied and all({word, stem(word)} & loose for word in words):
            return Finding(State.CONTRADICTED, f"The claim says {' '.join(words)}; {item.id} denies it.")
    return None


def check_ruled_out(ground: Ground) -> Iterator[Finding]:
    """For a RULED_OUT claim that blames instead: CONTRADICTED by a calm series, else MISSING."""
    parsed = ground.parsed
    if parsed.claim.kind is not ClaimKind.RULED_OUT:
        return
    skipped = covered_positions(ground)
    lowers = [token.lower for token in parsed.tokens]
    negated = parsed.denials or any(each.negated for each in parsed.directions)
    if not negated and not parsed.hypothesis and all(item.series is not None for item in ground.items):
        moved = {"leak", "surge", "spike"} & set(lowers)
        flat = next((item for item in ground.items if item.series and Way.FLAT in ways_of(item.series)), None)
        if moved and flat is not None:
            yield Finding(State.CONTRADICTED, f"The claim says that it moved; {flat.id} is flat.")
    did = next((verb for word, verb in pairwise(lowers) if word == "did" and verb in signs.DID), None)
    idle = next((item for item in ground.items if item.series and _is_idle(item, did)), None) if did else None
    if idle is not None:
        yield Finding(State.CONTRADICTED, f"The claim says that it did {did}; {idle.id} is flat or at zero.")
    for position, token in enumerate(parsed.tokens):
        ran_out = bool({"exhausted", "oom"} & set(phrase_at(lowers, position)[1]))
        if (token.lower not in signs.BLAME and not ran_out) or position in skipped or position in parsed.hypothesis:
            continue
        lead = {each.lower for each in parsed.tokens[max(0, position - 5) : position]}
        if "already" in lead or "in" in lead:
            continue
        if (ran_out or lead & {"is", "are", "was", "were"}) and not lead & {"not", "no", "never"}:
            items = about(position, ground)
            calm = next(
                (item for item in items if item.series is not None and Way.UP not in ways_of(item.series)), None
            )
            state = State.CONTRADICTED if calm is not None else State.MISSING
            yield Finding(
                state,
                f"The claim should rule something out but says {token.text}; "
                f"{(calm or items[0]).id} does not show that.",
            )


def check_opposites(ground: Ground) -> Iterator[Finding]:
    """CONTRADICTED for each state word whose opposite, and not itself, is in the cited evidence."""
    parsed = ground.parsed
    skipped = covered_positions(ground)
    plain: set[str] = set()
    written: set[str] = set()
    for item in ground.items:
        plain |= item.denials[1]
        written |= {token.lower for token in item.tokens}
    lowers = [token.lower for token in parsed.tokens]
    words = set(lowers)
    for position, token in enumerate(parsed.tokens):
        if position in skipped or position in parsed.hypothesis:
            continue
        if position in parsed.topic and (denied := _prefixed(token.lower, plain, written)) is not None:
            yield Finding(State.CONTRADICTED, f"The claim says {token.text}; {ground.ids} says {denied}.")
            continue
        for left, right in signs.OPPOSITES:
            if "read-only" in written and "read" in left | right:
                continue
            if (
                token.lower in left
                and right & plain
                and not left & plain
                and not ({stem(word) for word in left} & plain)
                and (not words & right or lowers[position - 1 : position] == ["still"])
            ):
                if token.lower == "pending" and not words & {"alert", "pod", "pods", "alerts"}:
                    continue
                shown = min(right & plain)
                ids = joined([item.id for item in ground.items if right & item.denials[1]])
                yield Finding(State.CONTRADICTED, f"The claim says {token.text}; {ids} says {shown}.")
                break


def _prefixed(word: str, plain: set[str], written: set[str]) -> str | None:
    """The opposite of `word` by its prefix where only that is in the evidence: sealed, unsealed."""
    if word in plain or stem(word) in plain:
        return None
    for prefix in ("un", "in", "dis", "de"):
        if f"{prefix}{word}" in written and len(word) > 4 and word.endswith(("ed", "able", "y", "ible")):
            return f"{prefix}{word}"
        if word.startswith(prefix) and len(word) > 6 and word[len(prefix) :] in plain:
            return word[len(prefix) :]
    return None


def needs_observation(kind: ClaimKind) -> bool:
    """Whether only OBSERVATION items may carry a claim of this kind."""
    return kind in {ClaimKind.CAUSE, ClaimKind.RULED_OUT}
