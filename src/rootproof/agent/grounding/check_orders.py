"""Order: what the claim puts first must have begun first, by the times of the cited items."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final

from rootproof.agent.grounding import signs
from rootproof.agent.grounding.facts import Item
from rootproof.agent.grounding.findings import Finding, Ground, State
from rootproof.agent.grounding.orders import CAUSAL, Order
from rootproof.agent.grounding.text import Kind, Token, reads
from rootproof.agent.grounding.times import any_match
from rootproof.agent.grounding.units import Dimension
from rootproof.agent.grounding.vocabulary import STOP
from rootproof.agent.grounding.wordlists import words
from rootproof.agent.grounding.words import concepts_of, is_prose
from rootproof.domain.window import iso

SAME: Final = timedelta(seconds=90)
"""What is said to have come at the same moment may be this far apart."""
_GRID: Final = timedelta(minutes=1)
"""The step of most series: what happened within it shows at its beginning."""
_AT_ONCE: Final = (
    (words("right immediately directly instantly straight"), timedelta(minutes=10)),
    (words("shortly soon just moments"), timedelta(hours=1)),
)


def check_orders(ground: Ground) -> Iterator[Finding]:
    """One finding for each order word that joins two dated things, or that the evidence itself uses otherwise."""
    if (turned := _turned(ground)) is not None:
        yield turned
    if (apart := _apart(ground)) is not None:
        yield apart
    for order in ground.parsed.orders:
        finding = _check(order, ground)
        if finding is not None:
            yield finding


def _check(order: Order, ground: Ground) -> Finding | None:
    pair = _resolve(order, ground)
    if pair is not None:
        (left, left_at), (right, right_at) = pair
        said = f"{left.id} at {iso(left_at)}, {right.id} at {iso(right_at)}"
        negated = any(
            token.lower in {"not", "never"} for token in ground.parsed.tokens[max(0, order.at - 2) : order.at]
        )
        if order.word == CAUSAL:
            late = left_at > right_at + SAME and not negated
            return Finding(State.CONTRADICTED, f"The cause came after the effect: {said}.") if late else None
        if (soon := _too_far(order, right_at - left_at, ground)) is not None:
            return Finding(State.CONTRADICTED, f'"{soon} {order.word}" is not what the times are: {said}.')
        if (left_at < right_at) is not negated and left_at != right_at:
            return Finding(State.FOUND, f'The order "{order.word}" holds: {said}.')
        if left_at == right_at and not order.strict:
            return None
        in_step = right_at <= left_at < right_at + _GRID
        if left.series is None and right.series is not None and in_step and not negated:
            return None
        return Finding(State.CONTRADICTED, f'The order "{order.word}" does not hold: {said}.')
    if order.word == CAUSAL:
        return None
    literal = _literal(order, ground)
    if literal is not None:
        return literal
    if not (_speaks(order.earlier, ground) and _speaks(order.later, ground)):
        return None
    if len(ground.items) > 1 and order.strict and not _joins_time(order, ground):
        return Finding(State.MISSING, f'The order "{order.word}" cannot be told from the times of {ground.ids}.')
    return None


def _too_far(order: Order, gap: timedelta, ground: Ground) -> str | None:
    """The word before the order word (`right after`, `shortly before`) that the gap is too long for."""
    lead = ground.parsed.tokens[max(0, order.at - 1) : order.at]
    for token in lead:
        for near, most in _AT_ONCE:
            if token.lower in near and gap > most:
                return token.lower
    return None


def _resolve(order: Order, ground: Ground) -> tuple[tuple[Item, datetime], tuple[Item, datetime]] | None:
    """The two different items, with their times, that the two sides speak of; None where that cannot be told."""
    if len(ground.items) < 2:
        return None
    best: tuple[int, Item, Item] | None = None
    scores = {
        side: {item.id: _score(span, item, ground) for item in ground.items}
        for side, span in (("earlier", order.earlier), ("later", order.later))
    }
    dated = [item for item in ground.items if item.onset is not None]
    for left in dated:
        for right in dated:
            if left is right or not scores["earlier"][left.id] or not scores["later"][right.id]:
                continue
            total = scores["earlier"][left.id] + scores["later"][right.id]
            cross = scores["earlier"][right.id] + scores["later"][left.id]
            if total > cross and (best is None or total > best[0]):
                best = (total, left, right)
    if best is None:
        pair = _one_side(order, ground)
        if pair is None:
            return None
        best = (0, *pair)
    _, left, right = best
    left_at, right_at = _when(order.earlier, left, ground), _when(order.later, right, ground)
    if left_at is None or right_at is None:
        return None
    return (left, left_at), (right, right_at)


def _one_side(order: Order, ground: Ground) -> tuple[Item, Item] | None:
    """Of two cited items, the one that one side clearly points at; the other side then speaks of the other."""
    dated = [item for item in ground.items if item.onset is not None]
    if len(dated) != 2:
        return None
    first, second = dated
    lean = sum(
        sign * _score(span, item, ground, STOP.__contains__)
        for span, way in ((order.earlier, 1), (order.later, -1))
        for item, sign in ((first, way), (second, -way))
    )
    if not lean:
        return None
    return (first, second) if lean > 0 else (second, first)


def _score(span: tuple[int, int], item: Item, ground: Ground, plain: Callable[[str], bool] = is_prose) -> int:
    """How strongly the words of a span point at an item: names count three, times and words one each."""
    score = 0
    names = {name.at: name.text for name in ground.parsed.names}
    for position in range(*span):
        token = ground.parsed.tokens[position]
        if position in names:
            score += (
                3 if item in ground.owners(names[position]) else 2 if item in ground.holders(names[position]) else 0
            )
        elif token.kind is Kind.WORD and not plain(token.lower) and item.shares(token.lower):
            score += 2
    score += sum(
        3 for mention in ground.parsed.times if span[0] <= mention.start < span[1] and any_match(mention, item.times)
    )
    return score


def _when(span: tuple[int, int], item: Item, ground: Ground) -> datetime | None:
    """The time that the span itself gives for the item, else the item's onset."""
    for mention in ground.parsed.times:
        if span[0] <= mention.start < span[1]:
            for instant in item.times:
                if any_match(mention, [instant]):
                    return instant
    said = {ground.parsed.tokens[position].lower for position in range(*span)}
    if item.log is not None and item.times and said & {"last", "final", "latest"}:
        return max(item.times)
    if item.series is None and item.times and any("expired" in concepts_of(word) for word in said):
        return max(item.times)
    return item.onset


def _speaks(span: tuple[int, int], ground: Ground) -> bool:
    """Whether a side names anything: `before it began` does not."""
    parsed = ground.parsed
    starts = [
        *parsed.topic,
        *(n.at for n in parsed.names),
        *(t.start for t in parsed.times),
        *(d.at for d in parsed.directions),
        *(q.start for q in parsed.quantities),
    ]
    return any(span[0] <= start < span[1] for start in starts)


def _joins_time(order: Order, ground: Ground) -> bool:
    """Whether the order word stands before a time or a span of time, which is checked as such."""
    after = order.at + 1
    return any(mention.start - after in range(3) for mention in ground.parsed.times) or any(
        (q.start - after in range(3) or (order.at < q.start and "by" in _lead(q.start, ground)))
        and q.dimension is Dimension.TIME
        for q in ground.parsed.quantities
    )


def _lead(start: int, ground: Ground) -> set[str]:
    return {token.lower for token in ground.parsed.tokens[max(0, start - 4) : start]}


def _literal(order: Order, ground: Ground) -> Finding | None:
    words = {
        token.lower
        for item in ground.items
        for position, token in enumerate(item.tokens)
        if not _counts_time(item.tokens, position)
    }
    mine, other = (signs.BEFORE, {"after"}) if order.word in signs.BEFORE else (signs.AFTER, {"before"})
    if order.word not in signs.BEFORE | signs.AFTER:
        return None
    if words & mine:
        return Finding(State.FOUND, f'{ground.ids} says "{order.word}" itself.', soft=True)
    if words & other:
        return Finding(State.CONTRADICTED, f'The claim says "{order.word}"; {ground.ids} says "{min(words & other)}".')
    return None


def _counts_time(tokens: Sequence[Token], position: int) -> bool:
    """Whether `after` only leads to a span: `timed out after 30 s`, `refused after <dur>`."""
    following = tokens[position + 1 : position + 2]
    return any(token.kind in {Kind.NUMBER, Kind.DURATION} or token.text in {"<dur>", "<num>"} for token in following)


_TOGETHER: Final = (
    ("right", "when"),
    ("just", "when"),
    ("just", "as"),
    ("same", "minute"),
    ("same", "second"),
    ("same", "moment"),
    ("same", "time"),
    ("the", "moment"),
    ("simultaneously",),
)


def _apart(ground: Ground) -> Finding | None:
    """CONTRADICTED for `right when`, `the same minute` of cited items whose times are all minutes apart."""
    tokens = ground.parsed.tokens
    if not any(reads(tokens, position, _TOGETHER) for position in range(len(tokens))):
        return None
    times = [(item, [*([item.onset] if item.onset else []), *item.starts[1:]]) for item in ground.items if item.onset]
    for index, (_, mine) in enumerate(times):
        for _, theirs in times[index + 1 :]:
            if any(abs(a - b) <= SAME for a in mine for b in theirs):
                return None
    if len(times) < 2:
        return None
    left, right = times[0][0], times[1][0]
    return Finding(State.CONTRADICTED, f"The times of {left.id} and {right.id} are not the same.")


def _turned(ground: Ground) -> Finding | None:
    """CONTRADICTED where the evidence says `from B to A` and the claim `from A to B`, in words or numbers."""
    mine = _from_to(ground.parsed.tokens)
    if mine is None:
        return None
    for item in ground.items:
        theirs = _from_to(item.tokens)
        if theirs is None:
            continue
        straight = len(mine[0] & theirs[0]) + len(mine[1] & theirs[1])
        crossed = len(mine[0] & theirs[1]) + len(mine[1] & theirs[0])
        if crossed > straight and mine[0] & theirs[1] and mine[1] & theirs[0]:
            return Finding(State.CONTRADICTED, f"{item.id} says it the other way round: from and to are exchanged.")
    return None


def _from_to(tokens: Sequence[Token]) -> tuple[frozenset[str], frozenset[str]] | None:
    """The words of the first `from A to B` or `to B from A`, as (A, B); None where there is none."""
    lowers = [token.lower for token in tokens]
    for start, word in enumerate(lowers):
        other = {"from": "to", "to": "from"}.get(word)
        if other is None or other not in lowers[start + 1 : start + 6]:
            continue
        middle = lowers.index(other, start + 1)
        left = frozenset(lowers[start + 1 : middle]) - _JOINERS
        right: list[str] = []
        for token in tokens[middle + 1 : middle + 5]:
            if token.kind is Kind.PUNCT:
                break
            right.append(token.lower)
        ends = left, frozenset(right) - _JOINERS
        return ends if word == "from" else (ends[1], ends[0])
    return None


_JOINERS = frozenset({"a", "an", "the", "about", "at", "one", "every", "in", "of"})
