"""What of a long or many-lined message to keep: its head, its deepest cause, and the words that make it odd."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rootproof.logs.masking import MAX_MESSAGE_CHARS

_HEAD_CHARS, _CAUSE_CHARS = 320, 160
_CAUSE = re.compile(r"(?:Caused by: |caused by: |\[cause\]: |---> |Root cause: )")
_RAISED = re.compile(r"[A-Za-z_][\w.$:]{0,200}(?:Error|Exception|Failure|Exit|Interrupt|Timeout|Fault)(?::.*)?")
_PANIC = re.compile(r"(?:panic: |fatal error: |thread '[^']{0,80}' panicked at)")
_CHAIN = re.compile(r"(?:The above exception was the direct cause|During handling of the above exception)")
_GAP = " … "
_LONG_WORD, _LEAST_FOCUSED = 24, 60


def headlines(message: str) -> list[str]:
    """The lines that tell what happened: the first, where a panic or the chain began, and the deepest cause.

    Shape: one to four lines without surrounding space, each once, in their order.
    """
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    if len(lines) < 2:
        return lines
    causes = [at for at, line in enumerate(lines) if _CAUSE.match(line)]
    raised = [at for at, line in enumerate(lines) if _RAISED.fullmatch(line)]
    panics = [at for at, line in enumerate(lines) if _PANIC.match(line)]
    picked = {0, *panics[:1], *(causes[-1:] or raised[-1:])}
    if any(_CHAIN.match(line) for line in lines):
        picked |= set(raised[:1])
    return list(dict.fromkeys(lines[at] for at in sorted(picked)))


def outline(message: str) -> str:
    """What of a message makes its pattern in an answer: no more of a long one than an answer shows of it."""
    if len(message) <= _HEAD_CHARS + _CAUSE_CHARS:
        return message
    lines = headlines(message[: 16 * MAX_MESSAGE_CHARS]) or [""]
    cause = lines[-1][:_CAUSE_CHARS] if len(lines) > 1 else ""
    return f"{lines[0][:_HEAD_CHARS]} / {cause}" if cause else lines[0][:_HEAD_CHARS]


def excerpt(message: str, limit: int, focus: Sequence[str] = ()) -> str:
    """`message` on one line of at most `limit` characters; what is left out is marked with an ellipsis.

    Only for text that is already redacted. A longer one keeps its head, its deepest cause and the words of `focus`.
    """
    flat = " ".join(message.split())
    if len(flat) <= limit:
        return flat
    parts = [" ".join(line.split()) for line in headlines(message)]
    if len(parts) < 2:
        return _around(flat, limit, focus)
    room = limit - len(_GAP) * (len(parts) - 1)
    if sum(map(len, parts)) > room:
        head = min(len(parts[0]), max(room // len(parts), room - sum(map(len, parts[1:]))))
        each = (room - head) // (len(parts) - 1)
        parts = [_around(parts[0], head, focus), *(_around(part, each, focus) for part in parts[1:])]
    return _GAP.join(parts)[:limit]


def _place(word: str, text: str) -> tuple[int, int]:
    """Where `word` first stands by itself, -1 where it does not, and how often it does.

    A piece of a longer word leads nowhere, and a word that stands all over the text leads to no place of it.
    """
    places = [match.start() for match in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", text)]
    return (places[0], len(places)) if places else (-1, 1)


def _around(text: str, limit: int, focus: Sequence[str]) -> str:
    """The beginning of `text` and the place where most words of `focus` stand."""
    if len(text) <= limit:
        return text
    lowered = text.lower()
    head = limit // 4
    found = [(*_place(word, lowered), rank) for rank, word in enumerate(focus)]
    places = [(place, 1 / (rank + 1) / times) for place, times, rank in found if place >= head]
    if limit < _LEAST_FOCUSED or not places or all(place < limit - _LONG_WORD for place, _ in places):
        return text[: max(0, limit - 1)] + "…"
    width = limit - head - len(_GAP) - 1

    def seen(start: int) -> float:
        return sum(weight for place, weight in places if start <= place < start + width - _LONG_WORD)

    before = width // 3  # what stands before an odd word belongs to it as often as what follows
    begin = max((place for place, _ in places), key=lambda place: (seen(place - before), -place)) - before
    begin = max(head, min(begin, len(text) - width))
    begin = text.rfind(" ", max(head, begin - _LONG_WORD), begin) + 1 or begin
    tail = "…" if begin + width < len(text) else ""
    return f"{text[:head].rstrip()}{_GAP}{text[begin : begin + width].strip()}{tail}"[:limit]
