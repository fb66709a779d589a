"""Quotes, names and written evidence ids: each must be in the cited evidence, letter for letter."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from rootproof.agent.grounding.entities import is_ordinary, stems_of_name
from rootproof.agent.grounding.facts import Item
from rootproof.agent.grounding.findings import Finding, Ground, State
from rootproof.agent.grounding.text import MAX_QUOTE_CHARS, Kind, clean, shorten

_PLAIN_CAPITALISED = re.compile(r"(?<![\w-])[A-Z][a-z]+(?![\w-])")
_EDGES = " .,;:!?\"'`()[]"


def fold(text: str) -> str:
    """`text` with white space folded and ordinary capitalised words in lower case; identifiers keep their case."""
    return _PLAIN_CAPITALISED.sub(lambda found: found.group().lower(), " ".join(text.split()))


def has_quote(quote: str, text: str) -> bool:
    """Whether a quote occurs in clean text at word boundaries; `...` inside it stands for words left out."""
    return _has_folded(fold(clean(quote, MAX_QUOTE_CHARS)), fold(text))


def _has_folded(quote: str, text: str) -> bool:
    position = 0
    pieces = [piece.strip(_EDGES) for piece in quote.split("...")]
    if not any(pieces):
        return False
    for piece in pieces:
        if not piece:
            continue
        found = _bounded(piece, text, position)
        if found < 0:
            return False
        position = found + len(piece)
    return True


def _bounded(piece: str, text: str, start: int) -> int:
    """The place of `piece` in `text` from `start` where it is not part of a longer word or number; -1 where
    there is none.
    """
    for _ in range(50):
        found = text.find(piece, start)
        if found < 0:
            return -1
        before, after = text[found - 1 : found], text[found + len(piece) : found + len(piece) + 1]
        if not (before.isalnum() and piece[0].isalnum()) and not (after.isalnum() and piece[-1].isalnum()):
            return found
        start = found + 1
    return -1


def check_quotes(ground: Ground, every: tuple[Item, ...]) -> Iterator[Finding]:
    """One finding for each quotation of the sentence and each citation's quote. `every` holds items of all classes."""
    for quote in ground.parsed.quotes:
        holder = next(
            (item for item in ground.items if has_quote(quote, item.text) or has_quote(quote, item.subject)), None
        )
        yield _quote_finding(quote, holder, ground.ids)
    by_id = {item.id: item for item in every}
    for citation in ground.parsed.claim.citations:
        item = by_id.get(citation.evidence_id)
        if citation.quote and citation.quote.strip() and item is not None:
            yield _quote_finding(citation.quote, item if has_quote(citation.quote, item.text) else None, item.id)


def _quote_finding(quote: str, holder: Item | None, ids: str) -> Finding:
    shown = shorten(clean(quote, 200))
    if holder is not None:
        return Finding(State.FOUND, f'The quote "{shown}" occurs in {holder.id}.')
    return Finding(State.MISSING, f'The quote "{shown}" does not occur in {ids}.')


def check_names(ground: Ground) -> Iterator[Finding]:
    """One finding for each different name, and for each evidence id written into the sentence."""
    seen: set[str] = set()
    for name in ground.parsed.names:
        if name.text in seen:
            continue
        seen.add(name.text)
        holders = ground.holders(name.text)
        if holders:
            yield Finding(State.FOUND, f"{shorten(name.text)} is named in {holders[0].id}.")
        else:
            yield Finding(State.MISSING, f"{shorten(name.text)} is not named in {ground.ids}.")
    yield from _other_kind(ground)
    cited = {citation.evidence_id for citation in ground.parsed.claim.citations}
    for reference in dict.fromkeys(ground.parsed.references):
        if reference not in cited:
            yield Finding(State.MISSING, f"The sentence points to {reference}, which the claim does not cite.")


def _other_kind(ground: Ground) -> Iterator[Finding]:
    """CONTRADICTED for `namespace A` where the items know another namespace and A only as something else."""
    tokens = ground.parsed.tokens
    for name in ground.parsed.names:
        kind = tokens[name.at - 1].lower if name.at else ""
        if kind not in {"namespace", "node"} or ground.is_state(name.text):
            continue
        known = {
            after.text
            for item in ground.items
            for before, after in pairwise(item.tokens)
            if before.lower == kind
            and (after.kind is Kind.PLACEHOLDER or (after.kind is Kind.WORD and not is_ordinary(after.lower)))
        }
        if known and ground.holders(name.text) and not any(name.text in stems_of_name(each) for each in known):
            yield Finding(State.CONTRADICTED, f"{ground.ids} knows {kind} {min(known)}, not {kind} {name.text}.")


def check_objects(ground: Ground) -> Iterator[Finding]:
    """One finding for the object that a CAUSE or RULED_OUT claim blames first: cited evidence must name it."""
    for blamed in ground.parsed.claim.objects[:1]:
        name = clean(blamed, 300).split("/", 1)[-1]
        if (
            name
            and not ground.holders(name)
            and not any(name in alias for item in ground.items for alias in item.aliases if alias == name)
        ):
            yield Finding(
                State.MISSING, f"{shorten(clean(blamed, 200))}, the object at fault, is not named in {ground.ids}."
            )
