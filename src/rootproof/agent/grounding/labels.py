"""What a number is called: its role in a series, its label, the thing it counts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rootproof.agent.grounding import signs
from rootproof.agent.grounding.agreement import agrees
from rootproof.agent.grounding.facts import Item
from rootproof.agent.grounding.findings import Ground
from rootproof.agent.grounding.quantity import Bound, Quantity
from rootproof.agent.grounding.text import Kind, reads
from rootproof.agent.grounding.units import Dimension
from rootproof.agent.grounding.wordlists import words
from rootproof.agent.grounding.words import concepts_of, spread, stem

_ROLE_WORDS: Final[dict[str, frozenset[str]]] = {
    word: frozenset(roles.split())
    for words, roles in (
        ("peak peaked peaking peaks maximum max highest topped high", "max"),
        ("minimum min lowest bottomed trough low", "min"),
        ("mean average averaged averaging averages avg", "mean"),
    )
    for word in words.split()
}


_FROM: Final = frozenset({"first", "before", "min", "mean"})


_TO: Final = frozenset({"last", "after", "max", "min"})


_USED: Final = words("uses used using use usage consumes consumed consuming occupies holds took takes reached")
_BOUNDS: Final = words("limit request quota capacity maximum allocatable threshold budget target allowance ceiling")
_SAYS_BOUND: Final = _BOUNDS | words("""
    limits limited capped cap requests requested requesting reserved max most allowed allows size sized configured set
    ceiling over above than exceeded exceeds hit hits threshold target under below within out allotted granted given
""")


_LABELS: Final = words("""
    requested request reserved
    exit restart limit port threshold quota capacity status idle active waiting pending
""")


COUNT_NOUNS: Final = words("""
    time occurr occurrence entri entry line log record event messag instanc case hit match error failur
    fail exception problem sampl point
""")


_POINTS: Final = frozenset({"point", "datapoint"})


_NOT_LOGGED: Final = words("""
    pod node warning memory cpu disk replication thread restart alert image certificate
""")
"""What the count of a log pattern does not count, unless its text speaks of it."""


def role_of(quantity: Quantity, ground: Ground) -> frozenset[str]:
    """The roles that the words beside a number give it: peak -> max, from -> the beginning; empty where they
    give none.
    """
    for word in (*quantity.before[:3], *quantity.after[:1]):
        if word in _ROLE_WORDS:
            return _ROLE_WORDS[word]
    tokens = ground.parsed.tokens
    lead = [token.lower for token in tokens[max(0, quantity.start - 3) : quantity.start]]
    if "reached" in lead:
        return _TO
    while lead and lead[-1] in {
        "about",
        "around",
        "roughly",
        "nearly",
        "almost",
        "just",
        "a",
        "an",
        "some",
        "approximately",
        "over",
        "under",
    }:
        lead.pop()
    if lead and lead[-1] == "from":
        return _FROM
    if (
        lead
        and lead[-1] == "to"
        and any(
            token.lower == "from" or token.kind is Kind.NUMBER
            for token in tokens[max(0, quantity.start - 9) : quantity.start]
        )
    ):
        return _TO
    return frozenset()


_AT_END: Final = (("at", "the", "end"), ("by", "the", "end"), ("in", "the", "end"))
_AT_START: Final = (("at", "the", "beginning"), ("at", "the", "start"), ("in", "the", "beginning"))


def _end_of(quantity: Quantity, ground: Ground) -> frozenset[str]:
    """The roles of a number that is said to be the one at the end (beginning) of the window."""
    tokens = ground.parsed.tokens
    for at in range(max(0, quantity.start - 5), min(len(tokens), quantity.end + 3)):
        if any(
            quantity.end <= other.start <= at or at <= other.start < quantity.start
            for other in ground.parsed.quantities
        ):
            continue
        if any(token.text == "," for token in (*tokens[quantity.end : at], *tokens[at : quantity.start])):
            continue
        if reads(tokens, at, _AT_END):
            return frozenset({"last", "after"})
        if reads(tokens, at, _AT_START):
            return frozenset({"first", "before"})
    return frozenset()


def mislabelled(quantity: Quantity, seen: Quantity, item: Item, ground: Ground) -> bool:
    """Whether the claim gives the number a role or label that the item gives to another number."""
    if item.series is not None:
        roles = role_of(quantity, ground)
        ends = _end_of(quantity, ground)
        if ends and not any(agrees(quantity, value) for role, value in item.series.values.items() if role in ends):
            return any(role in item.series.values for role in ends)
        mine = [role for role, value in item.series.values.items() if value is seen or agrees(quantity, value)]
        if roles and mine and not roles & {*mine, item.series.statistic}:
            return any(role in item.series.values for role in roles)
        points = any(stem(word) in _POINTS for word in quantity.after[:1])
        return points and not any(stem(word) in _POINTS for word in seen.after[:1])
    if _wanted_for_had(seen, ground):
        return True
    if quantity.whole is not None or item.lock is not None:
        return False
    if _limit_for_use(quantity, seen, item, ground) or _threshold(quantity, seen, item, ground):
        return True
    if _other_noun(quantity, seen, item):
        return True
    if _counts_another(quantity, seen, item, ground):
        return True
    mine_labels = claim_labels(quantity)
    if item.log is not None and seen.value == item.log.count:
        mine_labels.discard(stem("requests"))
    for label in mine_labels:
        carriers = [
            other for other in numbers_of(item) if has_label(other, label) and other.dimension is seen.dimension
        ]
        if carriers and not has_label(seen, label) and not any(agrees(quantity, other) for other in carriers):
            return True
    return False


def _threshold(quantity: Quantity, seen: Quantity, item: Item, ground: Ground) -> bool:
    """Whether an alert only compares with the number and the claim gives it as what was measured."""
    if item.evidence.tool != "query_alerts" or quantity.bound is not Bound.EXACT:
        return False
    if not set(seen.before[:1]) & (signs.ABOVE | signs.BELOW | {"than"}):
        return False
    return not {token.lower for token in ground.parsed.tokens} & (_SAYS_BOUND | {"than", "alert", "alerts", "least"})


_WANTS: Final = words(
    "wants want wanted needs need needed desires desired would asks requires required target calls ideal"
)


def _wanted_for_had(seen: Quantity, ground: Ground) -> bool:
    """Whether the evidence gives the number as what is wanted, and the claim as what there is or may be."""
    if not set(seen.before[:1]) & {"wants", "desired", "wanted"}:
        return False
    return not {token.lower for token in ground.parsed.tokens} & _WANTS


def _limit_for_use(quantity: Quantity, seen: Quantity, item: Item, ground: Ground) -> bool:
    """Whether the evidence gives the number as a limit or request and the claim as what is used."""
    near_before = {token.lower for token in ground.parsed.tokens[max(0, quantity.start - 5) : quantity.start]}
    if near_before & {"wants", "needs", "requests", "asks", "requires"} and {"limited", "limit"} & set(seen.before[:2]):
        return True
    bound = item.tokens[:1] and item.tokens[0].lower in {"pvc", "persistentvolumeclaim"}
    if not bound and not {*seen.before[:2], *(seen.key or "").lower().split("_")} & _BOUNDS:
        return False
    tokens, clause = ground.parsed.tokens, ground.parsed.clauses[quantity.start]
    near = {
        tokens[at].lower
        for at in range(max(0, quantity.start - 8), min(len(tokens), quantity.end + 6))
        if ground.parsed.clauses[at] == clause
    }
    return bool(near & _USED) and not near & _SAYS_BOUND


def _other_noun(quantity: Quantity, seen: Quantity, item: Item) -> bool:
    """Whether the evidence counts one thing right behind the number and the claim another: 23 restarts, 23 errors."""
    if not quantity.after or not seen.after or (item.log is not None and seen.value == item.log.count):
        return False
    if quantity.dimension is not Dimension.NONE or seen.after[0].endswith(("ed", "ing")):
        return False
    theirs, mine = concepts_of(seen.after[0]), concepts_of(quantity.after[0])
    if not theirs or not mine or set(mine) & spread(theirs) or stem(seen.after[0]) == stem(quantity.after[0]):
        return False
    if theirs == ("pod",) and not set(mine) & _NO_POD:
        return False
    near = (*quantity.after[1:2], *(word for word in quantity.before[:2] if word.isalpha() and len(word) < 12))
    return not any(set(concepts_of(word)) & set(theirs) for word in near)


_NO_POD: Final = words("restart error node warning crash kill image cpu memory disk alert probe")
"""What is not itself run as a pod: brokers, replicas and workers are."""


GOOD: Final = words("ready available healthy running up active working fine")
_BAD: Final = words("""
    unready unavailable unhealthy failed failing pending down waiting terminating crashing stuck out missing
""")


def opposite_state(quantity: Quantity, seen: Quantity) -> bool:
    """Whether the claim and the evidence say opposite things of what they count: 3 ready, 3 unavailable."""
    return (bool(set(quantity.tail) & GOOD) and bool(set(seen.after[:1]) & _BAD)) or (
        bool(set(quantity.tail) & _BAD) and bool(set(seen.after[:1]) & GOOD) and not set(quantity.tail) & {"not", "no"}
    )


def _counts_another(quantity: Quantity, seen: Quantity, item: Item, ground: Ground) -> bool:
    """Whether what the claim says of a number is what the item says of another one: 141 failed, where 1 did."""
    tokens = ground.parsed.tokens
    said: list[str] = []
    for token in tokens[quantity.end : quantity.end + 4]:
        if token.kind is not Kind.WORD or token.lower in {"and", "while", "but", "of", "in", "on", "from", "not"}:
            break
        said.append(token.lower)
    verbs = {word for word in said if word.endswith("ed") and word not in seen.after}
    return any(
        other is not seen and not agrees(quantity, other) and set(other.after[:1]) & verbs
        for other in numbers_of(item)
        if other.end and other.dimension is seen.dimension and other.after
    )


def claim_labels(quantity: Quantity) -> set[str]:
    after = quantity.after[:1] if quantity.after[1:2] and quantity.after[1].endswith("ed") else quantity.after[:2]
    near = [*quantity.before[:2], *after]
    labels = {stem(word) for word in near if stem(word) in {stem(each) for each in _LABELS}}
    return labels - {stem("size"), stem("code")} if stem("exit") in labels or stem("status") in labels else labels


def has_label(seen: Quantity, label: str) -> bool:
    near = [*seen.before[:2], *seen.after[:1], *((seen.key or "").lower().replace("-", "_").split("_"))]
    return any(stem(word) == label for word in near if word)


def label_of(seen: Quantity, item: Item) -> str:
    if item.series is not None:
        for role, value in item.series.values.items():
            if value is seen:
                return role
    return seen.key or " ".join((*reversed(seen.before[:2]), *seen.after[:1])) or "something else"


def noun_fits(quantity: Quantity, item: Item, seen: Quantity) -> bool:
    """Whether what the claim counts is something the item speaks of."""
    if quantity.dimension is not Dimension.NONE or not quantity.after:
        return True
    for word in quantity.after[:2]:
        root = stem(word)
        if item.shares(word):
            return not _wrong_level(word, item)
        if root in COUNT_NOUNS or root in {stem(each) for each in COUNT_NOUNS}:
            return not _wrong_level(word, item)
    if item.log is not None and seen.value == item.log.count:
        return not any(concept in _NOT_LOGGED for word in quantity.after[:2] for concept in concepts_of(word))
    if item.series is None:
        return not any(concept in _NOT_LOGGED for concept in concepts_of(quantity.after[0]))
    meant = concepts_of(quantity.after[0]) or (concepts_of(quantity.after[1]) if len(quantity.after) > 1 else ())
    return not meant


def _wrong_level(word: str, item: Item) -> bool:
    """Whether a log item's level says that these are not errors (or warnings)."""
    if item.log is None:
        return False
    level = item.log.level.upper()
    if "warning" in concepts_of(word):
        return level not in {"WARN", "WARNING"} and "warning" not in item.words[1]
    if word in {"error", "errors", "exceptions", "exception", "failures"}:
        return level in {"INFO", "DEBUG", "TRACE"} and "error" not in item.words[1]
    return False


def numbers_of(item: Item) -> Iterator[Quantity]:
    """The numbers of an item, both of `A of B`."""
    for seen in item.quantities:
        yield seen
        if seen.whole is not None:
            yield seen.whole
