"""The run's map of identifiers: one place that gives out placeholders, resolves them in requests, restores them.

Invariant: the same value has the same placeholder for the whole run, in every text a model sees. Credentials get
placeholders too, but their values are not kept anywhere, so nothing can restore them; one that comes again in another
row gets another number, since a worker that takes over, or a replay, could not know it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from rootproof import redaction
from rootproof.redaction import HIDE_ALL, Numbering, Policy

_NAME_LIKE = re.compile(r"[\d.-]")
_CREDENTIAL = re.compile(r"<secret:[a-z][a-z0-9-]{0,31}:[0-9]{1,4}>")
"""Larger numbers are nobody's: a text that holds one must not use up the numbers."""
_PLACEHOLDER = re.compile(r"<[a-z]{2,12}:[^<>\s]{1,120}>")


class IdentifierMap:
    """Placeholders of one run. Not shared between runs; rebuilt from stored entries after a restart."""

    def __init__(self, entries: Mapping[str, str] | None = None, policy: Policy = HIDE_ALL) -> None:
        self.policy = policy
        """Which classes of identifiers stay readable."""
        self._numbering = Numbering()
        self._known: dict[str, str] = {}
        self._fresh: dict[str, str] = {}
        self._given: set[str] = set(entries or {})
        self._plain: set[str] = set()
        for placeholder, value in (entries or {}).items():
            self._numbering.adopt(placeholder, value)
            if _relearned(placeholder, value):
                self.learn(value, placeholder[1:].partition(":")[0])

    def learn(self, value: str, kind: str) -> None:
        """From now on `value` is replaced wherever it stands as a whole word: structure told us what it is."""
        if 3 <= len(value) <= 253 and value not in self._plain:
            self._known.setdefault(value, kind)

    def shown(self, *values: str) -> None:
        """Note names that were shown as they are: learned later, they stay so, or one thing would have two names."""
        self._plain.update(value for value in values if value not in self._known)

    def redact(self, text: str) -> str:
        """`text` as a model may see it: placeholders for secrets and identifiers, control characters visible."""
        self._adopt_credentials(text)
        return redaction.redact(text, self._placeholder, known=self._known, policy=self.policy)

    def redact_structure(self, value: Any) -> Any:
        """The same for every string inside a JSON value; values under secret-like keys go as a whole."""
        for text in _strings(value):
            self._adopt_credentials(text)
        return redaction.redact_structure(value, self._placeholder, known=self._known, policy=self.policy)

    def resolve(self, text: str) -> str:
        """`text` with the placeholders of identifiers replaced by what they stand for; others stay as they are."""
        values = self._numbering.identifiers
        return _PLACEHOLDER.sub(lambda m: values.get(m.group(), m.group()), text)

    def resolve_structure(self, value: Any) -> Any:
        """`resolve` for every string inside a JSON value."""
        return restore(value, self._numbering.identifiers)

    def take_fresh(self) -> dict[str, str]:
        """Entries first given out since the last call, for the row that is about to be written."""
        self._numbering.forget_credentials()
        fresh, self._fresh = self._fresh, {}
        return fresh

    def _adopt_credentials(self, text: str) -> None:
        """Take over credentials' placeholders that stand in a text (of a question, a replay, an exported bundle).

        So no other credential gets the same one.
        """
        if "<secret:" not in text:
            return
        for placeholder in _CREDENTIAL.findall(text):
            if placeholder not in self._given:
                self._numbering.adopt(placeholder, "")
                self._given.add(placeholder)
                self._fresh[placeholder] = ""

    def _placeholder(self, kind: str, value: str) -> str:
        placeholder = self._numbering(kind, value)
        if placeholder not in self._given and _PLACEHOLDER.fullmatch(placeholder):
            self._given.add(placeholder)
            self._fresh[placeholder] = "" if placeholder.startswith("<secret:") else value
        return placeholder


def _strings(value: Any) -> Iterator[str]:
    """The strings inside a JSON value, in order, however deep they are nested."""
    left = [value]
    while left:
        match left.pop():
            case str() as text:
                yield text
            case dict() as items:
                left.extend(reversed(items.values()))
            case list() | tuple() as items:
                left.extend(reversed(items))


def _relearned(placeholder: str, value: str) -> bool:
    """Whether a worker that takes over must go on replacing this name wherever it stands.

    Structure that was read before the change of workers (a pod label, a list of nodes) is not read again. One plain
    word is left to the detectors: it may be a word of any sentence.
    """
    return placeholder.startswith(("<pod:", "<node:", "<host:")) and bool(_NAME_LIKE.search(value))


def restore(value: Any, identifiers: Mapping[str, str]) -> Any:
    """A JSON value with the placeholders in its strings replaced; entries with an empty value (credentials) stay."""
    match value:
        case str():
            return _PLACEHOLDER.sub(lambda m: identifiers.get(m.group()) or m.group(), value)
        case dict():
            return {key: restore(item, identifiers) for key, item in value.items()}
        case list() | tuple():
            return [restore(item, identifiers) for item in value]
        case _:
            return value
