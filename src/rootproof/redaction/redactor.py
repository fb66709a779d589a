"""Find and replace what no model may see: the one door of this package.

Redact, then cut: a token that a length limit cuts in two is no longer found by its shape. Callers must redact the
complete text first and shorten afterwards; a placeholder that a later cut damages leaks nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from rootproof.redaction.addresses import addresses
from rootproof.redaction.blocks import json_secrets, key_lines, private_keys, secret_manifests
from rootproof.redaction.commands import commands
from rootproof.redaction.connections import connections
from rootproof.redaction.encoded import SHORTEST_RUN, decoded
from rootproof.redaction.fields import crowded, fields, stems_in
from rootproof.redaction.finding import SECRET, Finding, Span, findings_of, resolve
from rootproof.redaction.folded import Folded, is_plain
from rootproof.redaction.keys import KeyName, Trust, secret_name
from rootproof.redaction.layouts import pairs, parallel_lists, reversed_pairs, tables
from rootproof.redaction.machines import known_names, machines
from rootproof.redaction.measure import Measure, measured
from rootproof.redaction.noise import noise
from rootproof.redaction.policy import HIDE_ALL, Policy
from rootproof.redaction.unseen import visible
from rootproof.redaction.values import is_reference, is_secret
from rootproof.redaction.vendors import SHORTEST_TOKEN, vendor_tokens

Placeholder = Callable[[str, str], str]
"""`placeholder(kind, value)` gives the text that stands in for a value."""

_PASSES: Final = 6
_PLAIN_WORD: Final = 24
_SHORTER_THAN_A_KEY: Final = 15
_MARK: Final = re.compile(r"<ip:(\d{9})>")
_DEPTH: Final = 64
_FLAG: Final = 64
_KEY: Final = 128
_MACHINE_KEY: Final = re.compile(
    r"(?:k8s[._]|kubernetes[._])?(?:r?host[._]?name|(?:node|pod)(?:[._]?name)?|machine[._]?name|computer[._]?name)",
    re.IGNORECASE,
)
_NESTED_LIMIT: Final = 1_000_000


def find(text: str, *, known: Mapping[str, str] | None = None, policy: Policy = HIDE_ALL) -> list[Finding]:
    """Return what must be replaced in `text`: ordered, not overlapping, offsets in code points.

    `known` maps identifiers learned from structure to their kind (`{"web-01": "host"}`); only whole tokens match.
    Unseen characters and colour codes inside a value do not hide it. Time grows linearly with the text.
    """
    return findings_of(_spans(text, known, policy))


def _spans(text: str, known: Mapping[str, str] | None, policy: Policy) -> list[Span]:
    """Return what must be replaced, in order: see `find`."""
    if is_plain(text):
        return resolve(text, _hidden(_candidates(text, known), policy))
    folded = Folded(text)
    spans = resolve(folded.text, _hidden(_candidates(folded.text, known), policy))
    if not spans or not folded.changed:
        return spans
    return [(*folded.original(start, end), kind) for start, end, kind in spans]


def _hidden(spans: Iterator[Span], policy: Policy) -> Iterator[Span]:
    return (span for span in spans if span[2] not in policy.shown) if policy.shown else spans


def _candidates(text: str, known: Mapping[str, str] | None) -> Iterator[Span]:
    if known:
        yield from known_names(text, known)
    if len(text) < 4:
        return
    lowered = _lowered(text)
    stems = stems_in(lowered)
    crowd = crowded(text, stems)
    if crowd is None:
        yield from _found(text, lowered, stems)
        return
    start, end, _ = crowd
    yield crowd
    yield from _found(text[:start], lowered[:start], [stem for stem in stems if stem < start])
    rest = lowered[end:]
    for first, last, kind in _found(text[end:], rest, stems_in(rest)):
        yield first + end, last + end, kind


def _lowered(text: str) -> str:
    lowered = text.lower()
    if len(lowered) != len(text):  # a few capitals become two characters; offsets must stay those of the text
        return "".join(c.lower() if c.isascii() else c for c in text)
    return lowered


def _found(text: str, lowered: str, stems: list[int]) -> Iterator[Span]:
    measure = measured(text)
    yield from _secrets(text, lowered, measure, stems)
    if measure.run >= SHORTEST_RUN:
        for start, end, inner in decoded(text):
            low = _lowered(inner)
            if any(True for _ in _secrets(inner, low, measured(inner), stems_in(low))):
                yield start, end, SECRET + "encoded"
    yield from addresses(text, lowered, measure)
    yield from machines(text, lowered, measure)
    yield from noise(text, lowered)


def _secrets(text: str, lowered: str, measure: Measure, stems: list[int]) -> Iterator[Span]:
    if measure.run >= SHORTEST_TOKEN or "$" in text or "{S" in text:
        yield from vendor_tokens(text)
    if stems:
        yield from fields(text, lowered, stems)
        yield from _laid_out(text, lowered)
    yield from connections(text, lowered)
    if "-" in text or "/user:" in text or "config password" in text:
        yield from commands(text)
    if "BEGIN" in text or "PuTTY-User-Key" in text:
        yield from private_keys(text)
    if measure.run >= 64:
        yield from key_lines(text)
    if "kind" in lowered and "Secret" in text:
        yield from secret_manifests(text) if "\n" in text else ()
        yield from json_secrets(text)
    if "login" in lowered and not stems:
        yield from pairs(text)


def _laid_out(text: str, lowered: str) -> Iterator[Span]:
    if "\n" in text or "\\n" in text:
        yield from tables(text)
    if "value" in lowered:
        yield from reversed_pairs(text)
    if "auth" in lowered or "cred" in lowered or "login" in lowered:
        yield from pairs(text)
    if "," in text and text.count("(") + text.count("[") > 1:
        yield from parallel_lists(text)


def redact(
    text: str, placeholder: Placeholder, *, known: Mapping[str, str] | None = None, policy: Policy = HIDE_ALL
) -> str:
    """Return `text` with every finding replaced and every unseen character shown as an escape.

    Text between findings is unchanged, placeholders that already stand in it stay, and redacting the result again
    changes nothing. Call this on the complete text and shorten afterwards.
    """
    if _is_plain_word(text, known):
        return text
    spans = _spans(text, known, policy)
    if not spans and text.isascii() and text.isprintable():
        return text
    marks = _Marks(text)
    for again in range(_PASSES):
        if again:
            spans = _spans(text, known, policy)
        if spans:
            # What was hidden behind a longer find may show now, so look again until nothing is left.
            text = marks.put(text, spans)
            continue
        shown = visible(text)
        if shown == text:
            break
        text = shown
    return marks.replaced(visible(text), placeholder)


def _is_plain_word(text: str, known: Mapping[str, str] | None) -> bool:
    """Whether the text is one short word of letters that nobody taught us: field names, states."""
    if len(text) > _PLAIN_WORD or not text.isascii() or not text.replace("_", "").isalpha():
        return False
    if len(text) > _SHORTER_THAN_A_KEY and not text.islower():
        return False  # some access keys are letters only, but never short and never all lower case
    return not known or (text not in known and known.keys().isdisjoint(text.split("_")))


class _Marks:
    """Stand-ins for the values while a text is searched again; the caller's placeholders come last, in text order.

    So a caller may use placeholders of any form without their being searched.
    """

    def __init__(self, text: str) -> None:
        self._values: list[tuple[str, str]] = []
        self._base = 500_000_000
        while f":{self._base // 1_000_000}" in text:  # numbers that the text itself does not use
            self._base += 1_000_000
            if self._base >= 999_000_000:
                break

    def put(self, text: str, spans: list[Span]) -> str:
        pieces: list[str] = []
        position = 0
        for number, (start, end, kind) in enumerate(spans, self._base + len(self._values)):
            pieces.append(f"{text[position:start]}<ip:{number}>")
            self._values.append((kind, text[start:end]))
            position = end
        pieces.append(text[position:])
        return "".join(pieces)

    def replaced(self, text: str, placeholder: Placeholder) -> str:
        if not self._values:
            return text

        named: dict[tuple[str, str], str] = {}
        pieces = _MARK.split(text)  # text, number, text, number ... text
        for at in range(1, len(pieces), 2):
            index = int(pieces[at]) - self._base
            if 0 <= index < len(self._values):
                value = self._values[index]
                if value not in named:
                    named[value] = placeholder(*value)
                pieces[at] = named[value]
            else:
                pieces[at] = f"<ip:{pieces[at]}>"
        return "".join(pieces)


def redact_structure(
    value: Any, placeholder: Placeholder, known: Mapping[str, str] | None = None, policy: Policy = HIDE_ALL
) -> Any:
    """Return a JSON value with its strings redacted, and whole values under secret-like keys replaced.

    Shape: the same structure; keys are redacted as text too. The `data` and `stringData` of Kubernetes Secrets, and
    `{"name": "DB_PASSWORD", "value": ...}` pairs, are replaced whole; JSON inside a string is walked as JSON. What is
    nested deeper than 64 levels is redacted as one text.
    """
    return _Walk(placeholder, known, policy).value(value, 0)


def _name(key: str) -> KeyName | None:
    """Return what the key of a member promises, however it is written."""
    if len(key) > _KEY:
        return None
    return secret_name(key if is_plain(key) else Folded(key).text)


class _Walk:
    """One pass over a JSON value."""

    def __init__(self, placeholder: Placeholder, known: Mapping[str, str] | None, policy: Policy) -> None:
        self._placeholder = placeholder
        self._known = known
        self._policy = policy

    def value(self, value: Any, depth: int) -> Any:
        match value:
            case str():
                return self._text(value, depth)
            case dict() if depth < _DEPTH:
                return self._object(value, depth)
            case list() | tuple() if depth < _DEPTH:
                return self._items(value, depth)
            case dict() | list() | tuple():
                return self._text(json.dumps(value, ensure_ascii=False, default=str), depth)
            case _:
                return value

    def _redacted(self, text: str) -> str:
        return redact(text, self._placeholder, known=self._known, policy=self._policy)

    def _text(self, text: str, depth: int) -> str:
        if text[:1] in {"{", "["} and depth < _DEPTH and 2 < len(text) <= _NESTED_LIMIT and ('"' in text):
            try:
                inner = json.loads(text)
                walked = self.value(inner, depth + 1)
                if walked != inner:
                    text = json.dumps(walked, ensure_ascii=False, separators=(",", ":"))
            except (ValueError, RecursionError):
                pass  # no JSON, or nested deeper than Python can write again: one text like any other
        return self._redacted(text)

    def _items(self, items: Sequence[Any], depth: int) -> list[Any]:
        """Return a list; what stands behind a flag such as `--password` is hidden whole."""
        out: list[Any] = []
        flag: str | None = None
        for item in items:
            is_value = flag is not None and isinstance(item, str) and item[:1] != "-" and self._is_hidden(flag, item)
            out.append(self._hidden_as(str(flag), item) if is_value else self.value(item, depth + 1))
            flag = item if isinstance(item, str) and item[:1] == "-" and len(item) <= _FLAG else None
        return out

    def _object(self, value: dict[Any, Any], depth: int) -> dict[Any, Any]:
        kubernetes = value.get("kind") == "Secret"
        named = value.get("name", value.get("key"))
        holder = _name(named) if isinstance(named, str) else None
        out: dict[Any, Any] = {}
        for key, item in value.items():
            shown = self._redacted(key) if isinstance(key, str) else key
            if kubernetes and key in {"data", "stringData"} and isinstance(item, dict):
                out[shown] = {name: self._hidden("kubernetes", inner) for name, inner in item.items()}
            elif holder is not None and key == "value" and self._is_hidden(str(named), item):
                out[shown] = self._hidden(holder.kind, item)
            elif isinstance(key, str) and self._is_hidden(key, item):
                name = _name(key)
                out[shown] = self._hidden(name.kind if name else "secret", item)
            else:
                out[shown] = self._member(key, item, depth)
        return out

    def _member(self, key: Any, item: Any, depth: int) -> Any:
        """Return a member's value, read beside its key: so bearer tokens, cookies and `node: w-1` are understood."""
        if isinstance(key, str) and isinstance(item, str) and len(key) <= 128:
            name = _name(key)
            if name is not None and name.trust in {Trust.AUTHORIZATION, Trust.COOKIE}:
                prefix = f"{name.trust.value}: "
                return self._beside(prefix, item)
            if _MACHINE_KEY.fullmatch(key):
                return self._beside(f"{key}=", item)
        if isinstance(key, str) and isinstance(item, list) and _name(key[:128]) is not None:
            return [
                self._member(key, inner, depth + 1) if not self._is_hidden(key, inner) else self._hidden_as(key, inner)
                for inner in item
            ]
        return self.value(item, depth + 1)

    def _beside(self, prefix: str, item: str) -> str:
        """Return a member's text as it is redacted behind its key; the words before it give some values away."""
        both = self._redacted(prefix + item)
        return both[len(prefix) :] if both.startswith(prefix) else self._redacted(item)

    def _is_hidden(self, key: str, item: Any) -> bool:
        name = _name(key)
        if name is None or name.trust in {Trust.AUTHORIZATION, Trust.COOKIE} or isinstance(item, bool):
            return False
        if isinstance(item, int | float):
            return name.trust is Trust.NEVER_PROSE and len(str(item)) > 2
        return isinstance(item, str) and is_secret(name, item, quoted=True, loose=False, more=False)

    def _hidden_as(self, key: str, item: Any) -> Any:
        name = _name(key)
        return self._hidden(name.kind if name else "secret", item)

    def _hidden(self, kind: str, item: Any) -> Any:
        text = item if isinstance(item, str) else json.dumps(item, ensure_ascii=False, default=str)
        return item if is_reference(text) else self._placeholder(SECRET + kind, text)
