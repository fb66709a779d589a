"""Actors: who is in trouble, whom it could not reach and who logged a line must be the evidence's own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rootproof.agent.grounding.entities import is_ordinary, knows, stems_of_name
from rootproof.agent.grounding.facts import Item
from rootproof.agent.grounding.findings import QUOTE_MARK, Finding, Ground, State
from rootproof.agent.grounding.text import Kind, Token, shorten
from rootproof.agent.grounding.wordlists import words
from rootproof.agent.grounding.words import concepts_of, is_prose, stem

_PRODUCTS: Final = words("""
    mysql postgres postgresql mariadb mongodb mongo redis memcached kafka rabbitmq elasticsearch opensearch cassandra
    dynamodb nginx haproxy envoy istio vault consul etcd zookeeper payment payments
""")
"""Ordinary words of the field that name one certain thing where they stand without an article."""
_DOES: Final = words("""
    fails failed crashes crashed rejects rejected refuses refused restarts restarted throws threw hangs hung
    stopped loses lost timed ran runs logs logged
""")
_BEARS: Final = words(
    "killed evicted throttled rejected refused denied terminated unreachable unavailable blocked down"
)
_BE: Final = words("is was gets got")
_OPENERS: Final = words(': ; . " and because while but so that whereas')
_LOGS: Final = words("logs logged")
_SPECIFIC: Final = words("container pod deployment statefulset daemonset job sidecar")
_HAS: Final = words("has had is was runs asks wants uses exceeds can failed crashed restarted")
_LEADS: Final = words("to reach reaching contact contacting resolve resolving")
_LINKS: Final = words("connect connection connections connects calls requests talk talks queries")
_ROOT: Final = 5
"""Letters that make two names of one product the same: postgres, postgresql."""


def check_actors(ground: Ground) -> Iterator[Finding]:
    """MISSING for each subject or target of trouble that no cited item knows, and for each line that another logged."""
    tokens = ground.parsed.tokens
    named = {name.at for name in ground.parsed.names}
    for position, token in enumerate(tokens):
        if token.kind is not Kind.WORD or position in ground.parsed.hypothesis:
            continue
        if (other := _wrote_after_all(position, ground)) is not None:
            yield Finding(State.CONTRADICTED, f"The claim denies what {other.id} quotes.")
        if (other := _other_writer(position, ground, named)) is not None:
            yield Finding(State.MISSING, f"{other.id} was not logged by {shorten(token.text)}.")
        if position in named or _is_plain(token):
            continue
        acts = _is_subject(tokens, position) or _is_target(tokens, position) or _is_of_kind(tokens, position)
        if acts and not any(_is_known(token, item) for item in ground.items):
            yield Finding(State.MISSING, f"{ground.ids} does not say it of {shorten(token.text)}.")


def _is_plain(token: Token) -> bool:
    """Whether a word is no name by itself: `every`, `hardly`, `Shoppers` at the start of a sentence."""
    compound = "-" in token.text.strip("-")
    several = token.text[:1].isupper() and token.text.endswith("s")
    return several or token.lower.endswith("ly") or (is_prose(token.lower) and not compound)


def _is_subject(tokens: Sequence[Token], position: int) -> bool:
    """Whether a bare word opens its clause and a predicate of trouble follows: `billing cannot`."""
    if position and tokens[position - 1].lower not in _OPENERS:
        return False
    following = [token.lower for token in tokens[position + 1 : position + 3]]
    if len(following) < 2:
        return bool(following) and following[0] in _DOES
    if following[0] in {"can", "could"}:
        return following[1] in {"not", "no"}
    return following[0] in _DOES or (following[0] in _BE and following[1] in _BEARS)


def _is_target(tokens: Sequence[Token], position: int) -> bool:
    """Whether a bare word is whom something connects to or calls."""
    if position < 2 or tokens[position - 1].lower not in _LEADS:
        return False
    after = tokens[position + 1] if position + 1 < len(tokens) else None
    if after is not None and after.kind is Kind.WORD and not is_prose(after.lower):
        return False
    lead = {token.lower for token in tokens[max(0, position - 6) : position - 1]}
    return tokens[position - 1].lower != "to" or (bool(lead & _LINKS) and "from" not in lead)


def _is_of_kind(tokens: Sequence[Token], position: int) -> bool:
    """Whether a word names one container or pod: `container app has`, not `container image`."""
    if not position or tokens[position - 1].lower not in _SPECIFIC or is_ordinary(tokens[position].lower):
        return False
    return position + 1 < len(tokens) and tokens[position + 1].lower in _HAS and tokens[position].lower not in _HAS


def _is_known(token: Token, item: Item) -> bool:
    """Whether an item has a word: as a name, inside one, or by what an ordinary word means."""
    word = token.lower
    if knows(token.text, item.names, item.aliases) or word in item.words[0] or stem(word) in item.words[0]:
        return True
    if len(word) >= _ROOT and word[:_ROOT] in item.searched and word in _PRODUCTS | {word[:_ROOT]}:
        return True
    if len(word) > _ROOT and word in item.searched:
        return True
    return word not in _PRODUCTS and bool(concepts_of(word)) and item.shares(word)


def _other_writer(position: int, ground: Ground, named: set[int]) -> Item | None:
    """For `NAME logged`: the log item it speaks of where no cited item that it may be is about that name."""
    tokens = ground.parsed.tokens
    if position + 1 >= len(tokens) or tokens[position + 1].lower not in _LOGS:
        return None
    if position not in named and (is_ordinary(tokens[position].lower) or not _is_subject(tokens, position)):
        return None
    items = _quoted(position, ground) or ground.items
    if any(item.log is None or _is_writer(tokens[position].text, item) for item in items):
        return None
    return items[0]


def _wrote_after_all(position: int, ground: Ground) -> Item | None:
    """For `did not log "..."`: the cited log item that has those words."""
    tokens = ground.parsed.tokens
    lead = {token.lower for token in tokens[max(0, position - 2) : position]}
    if tokens[position].lower not in _LOGS | {"log"} or not lead & {"not", "never"}:
        return None
    return next((item for item in _quoted(position, ground) if item.log is not None), None)


def _is_writer(name: str, item: Item) -> bool:
    return knows(name, item.about, item.about) or any(each in item.about for each in stems_of_name(name))


def _quoted(position: int, ground: Ground) -> tuple[Item, ...]:
    """The items that hold the first quotation behind a position of its clause."""
    tokens, clauses = ground.parsed.tokens, ground.parsed.clauses
    marks = [at for at, token in enumerate(tokens) if token.text == QUOTE_MARK]
    for number, at in enumerate(marks):
        if at > position and clauses[at] == clauses[position] and number < len(ground.parsed.quotes):
            quote = ground.parsed.quotes[number]
            return tuple(item for item in ground.items if quote in item.text)
    return ()
