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
from rootproof.agent.grounding.words import concepts_of, phrase_at, stem

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
            or _failed(position, lowers, ground)
            or _succeeded(position, word, ground)
            or _within(position, lowers, ground)
            or _down(position, lowers, ground)
            or _completed(position, lowers, ground)
        )
        if finding is not None:
            yield finding
    yield from _replaced(ground)
    yield from _others_trouble(ground)
    yield from _befell(ground)


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
    phrase = phrase or (
        lowers[position] in {"reached", "hit"}
        and bool(set(lowers[max(0, position - 6) : position]) & {"limit", "quota"})
    )
    if not phrase and lowers[position] not in _USED_UP:
        return None
    if set(lowers[max(0, position - 2) : position]) & _NOT_FULL:
        return None
    resource = lowers[position + 2 : position + 3] if lowers[position + 1 : position + 2] == ["of"] else []
    resource = lowers[position + 3 : position + 4] if lowers[position + 1 : position + 3] == ["out", "of"] else resource
    told = resource and {"memory", "disk"} & set(concepts_of(resource[0]))
    if told and not any(told & (item.direct if item.log is not None else item.words[1]) for item in ground.items):
        return Finding(State.MISSING, f"{ground.ids} says nothing about {resource[0]}.")
    measured = [item for item in ground.items if item.series is not None and resource and item.shares(resource[0])]
    if any(_shows_shortage(item) for item in measured or ground.items):
        return None
    if (
        flat := next((item for item in measured if item.series and Way.FLAT in ways_of(item.series)), None)
    ) is not None:
        return Finding(State.CONTRADICTED, f"The claim says out of {resource[0]}; {flat.id} is flat and far from it.")
    calm = next((item for item in about(position, ground) if item.series is not None), None)
    if calm is not None and calm.series is not None and Way.FLAT in ways_of(calm.series):
        return Finding(State.CONTRADICTED, f"The claim says {lowers[position]}; {calm.id} is flat and far from it.")
    return Finding(State.MISSING, f"{ground.ids} does not show that anything is {lowers[position]}.")


def _shows_shortage(item: Item) -> bool:
    if item.series is not None and {"success", "hit", "availability"} & item.head:
        return False
    if {"exhausted", "oom", "pressure", "quota", "throttle", "refused", "wait", "expired"} & item.affirmed:
        return True
    if "pool" in item.words[1] and item.log is not None and item.log.level in {"ERROR", "FATAL"}:
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


def _failed(position: int, lowers: Sequence[str], ground: Ground) -> Finding | None:
    """For a failure that no item shows, where what is cited is calm."""
    word = lowers[position]
    if word not in {"failed", "fails", "failing", "failure", "failures", "crashed", "broke", "aborted"}:
        return None
    if lowers[position + 1 : position + 2] in (["over"], ["back"]):
        return None
    if any(shows_failure(item) for item in ground.items):
        return None
    return Finding(State.MISSING, f"{ground.ids} shows nothing that {word}.")


def shows_failure(item: Item) -> bool:
    level = item.log.level if item.log is not None else ""
    return bool(
        {"error", "crash", "unhealthy", "refused", "timeout", "missing", "expired"} & item.direct
        or level in {"WARN", "WARNING", "ERROR", "FATAL", "CRITICAL"}
        or (item.series is not None and {"success", "availability"} & item.head)
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


_TROUBLES: Final = frozenset(
    ["timeout", "refused", "oom", "crash", "restart", "throttle", "eviction", "lock", "expired"]
)


def _others_trouble(ground: Ground) -> Iterator[Finding]:
    """MISSING for trouble said of a thing that the items about it do not have, though other cited items do."""
    parsed, skip = ground.parsed, covered_positions(ground) | ground.parsed.hypothesis
    lowers = [token.lower for token in parsed.tokens]
    for position in range(len(lowers)):
        length, meaning = phrase_at(lowers, position)
        wanted = (set(meaning) if length else set(concepts_of(lowers[position]))) & _TROUBLES
        name = next((each for each in reversed(parsed.names) if position - 5 <= each.at < position), None)
        if not wanted or name is None or position in skip or parsed.clauses[name.at] != parsed.clauses[position]:
            continue
        between = set(lowers[name.at + 1 : position])
        if between & _OTHER_SUBJECT or (name.at and lowers[name.at - 1] in _OBJECT_OF):
            continue
        owned, rest = ground.owners(name.text), [item for item in ground.items if name.text not in item.names]
        if owned and rest and not any(wanted & item.words[1] for item in ground.items if item not in rest):
            yield Finding(State.MISSING, f"{owned[0].id}, about {name.text}, says nothing of {lowers[position]}.")


_OTHER_SUBJECT: Final = words(
    ", ; and because while since which when as but after before where ( ) then so that for by"
)
_OBJECT_OF: Final = words("to of from against by on with in for into at than between via")


_DAMAGE: Final = words("lost corrupted deleted leaked destroyed duplicated overwritten stolen")


def _befell(ground: Ground) -> Iterator[Finding]:
    """MISSING for `511 orders were lost` where the log that counts them does not say so."""
    tokens = ground.parsed.tokens
    for quantity in ground.parsed.quantities:
        said = [token.lower for token in tokens[quantity.end : quantity.end + 4]]
        if quantity.dimension is not Dimension.NONE or said[1:2] not in (["were"], ["was"]) or len(said) < 3:
            continue
        counting = [item for item in ground.items if item.log is not None and item.log.count == quantity.value]
        if counting and said[2] in _DAMAGE and not any(item.shares(said[2]) for item in ground.items):
            yield Finding(State.MISSING, f"{counting[0].id} does not say that any were {said[2]}.")


_GONE: Final = frozenset(
    [
        "down",
        "refused",
        "timeout",
        "crash",
        "unhealthy",
        "network",
        "dns",
        "wait",
        "kill",
        "missing",
        "endpoint",
        "close",
    ]
)


def _down(position: int, lowers: Sequence[str], ground: Ground) -> Finding | None:
    """MISSING for `X is down` where the items show that X answered, or nothing of the sort."""
    if lowers[position] not in {"down", "offline", "unreachable", "dead"}:
        return None
    following = lowers[position + 1 : position + 2]
    if not set(lowers[max(0, position - 2) : position]) & {"is", "was", "are", "were", "be", "been", "went"}:
        return None
    if following in (["to"], ["from"], ["by"], ["for"]) or any(
        _GONE & item.words[1] or item.series is not None or "0" in lowers for item in ground.items
    ):
        return None
    return Finding(State.MISSING, f"{ground.ids} does not show that anything is {lowers[position]}.")


def _completed(position: int, lowers: Sequence[str], ground: Ground) -> Finding | None:
    """CONTRADICTED for a rollout or job that is said to be done where fewer than all are ready."""
    if lowers[position] not in {"completed", "complete", "finished", "succeeded"}:
        return None
    if set(lowers[max(0, position - 4) : position]) & {"not", "never", "to", "if"}:
        return None
    done = {"complet", "finish", "succeed", "success", "done", "clos", "end"}
    if not any(
        {*item.words[0]} & done or item.series is not None or item.words[1] & _TROUBLES or _reports_work(item)
        for item in ground.items
    ):
        return Finding(State.MISSING, f"{ground.ids} does not say that anything was {lowers[position]}.")
    for item in ground.items:
        fewer = any(
            seen.whole is not None and seen.value < seen.whole.value and "ready" in (*seen.after[:1], *seen.before[:1])
            for seen in item.quantities
        )
        if fewer:
            return Finding(State.CONTRADICTED, f"The claim says {lowers[position]}; in {item.id} not all are ready.")
    return None


def _reports_work(item: Item) -> bool:
    """Whether an item is a calm log line of something done: `paid out 12 orders`."""
    said = {token.lower for token in item.tokens[item.log.message_at :]} if item.log is not None else set()
    return (
        item.log is not None
        and item.log.level == "INFO"
        and any(word.endswith("ed") or word in {"paid", "sent", "wrote", "built"} for word in said)
        and not said & {"started", "retried", "queued", "skipped", "aborted", "cancelled", "stopped"}
    )


def _within(position: int, lowers: Sequence[str], ground: Ground) -> Finding | None:
    """CONTRADICTED for `stayed within its budget` where the items are complaints, for `exceeded` the reverse."""
    within = lowers[position] in _WITHIN and set(lowers[max(0, position - 2) : position]) & _STAYED
    if not within and lowers[position] not in {"met", "meets", "meeting", "honoured", "honored"}:
        return None
    named = [word for word in lowers[position + 1 : position + 8] if word in _LIMITS]
    if not named or {"free", "available", "left", "spare"} & set(lowers):
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
