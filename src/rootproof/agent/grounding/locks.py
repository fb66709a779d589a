"""Who holds a lock and who waits for it, in a database's own words: `Process holding the lock: N. Wait queue: N, N`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rootproof.agent.grounding.text import MAX_ATOMS, Kind, Token


@dataclass(frozen=True, slots=True)
class Lock:
    """The ids of one lock's holders and, in their order, of those that wait."""

    holders: tuple[str, ...]
    waiting: tuple[str, ...]

    def says(self, waits: str, other: str) -> bool | None:
        """Whether one id waits for the other; None where the lock does not tell."""
        if waits in self.waiting and other in self.holders:
            return True
        if waits in self.holders and other in self.waiting:
            return False
        if waits in self.waiting and other in self.waiting and waits != other:
            return self.waiting.index(waits) > self.waiting.index(other)
        return None


def read_lock(tokens: Sequence[Token]) -> Lock | None:
    """The lock that a text tells of, or None."""
    lowers = [token.lower for token in tokens]
    if "holding" not in lowers and "holder" not in lowers:
        return None
    holders: list[str] = []
    waiting: list[str] = []
    for position, word in enumerate(lowers):
        lead = lowers[max(0, position - 3) : position]
        if word == ":" and ("holding" in lead or "holder" in lead):
            holders += _ids(tokens, position + 1)
        elif word == ":" and "queue" in lead and "wait" in lead:
            waiting += [each for each in _ids(tokens, position + 1) if each not in waiting]
        elif word == "waiting" and (
            first := next((t.text for t in tokens[max(0, position - 2) : position] if _is_id(t)), "")
        ):
            waiting.insert(0, first)
    if not holders or not waiting:
        return None
    return Lock(tuple(holders[:MAX_ATOMS]), tuple(dict.fromkeys(waiting[:MAX_ATOMS])))


def _is_id(token: Token) -> bool:
    return token.kind is Kind.PLACEHOLDER or (token.kind is Kind.NUMBER and token.text.rstrip(".").isdigit())


def _ids(tokens: Sequence[Token], position: int) -> list[str]:
    """The ids of a list `N, N, N`."""
    found: list[str] = []
    while position < len(tokens) and (_is_id(tokens[position]) or tokens[position].text == ","):
        if _is_id(tokens[position]):
            found.append(tokens[position].text.rstrip("."))
        position += 1
    return found
