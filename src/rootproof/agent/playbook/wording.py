"""Signals in plain words. Every number, name and direction in a phrase stands in the signal's own evidence."""

from __future__ import annotations

import re

from rootproof.agent.playbook.metric_roles import percent
from rootproof.agent.playbook.observations import SeriesItem
from rootproof.agent.playbook.signals import Kind, Signal

_STEPS = (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3))
_MAX_QUOTE = 240
_PEAK = 5.0
"""A series that was so many times higher than at either end had a peak that is over: where it stands now matters."""
_WHOLE = 1e6
"""A count as large as this is written out: six digits would hide how it moves."""


def number(value: float, item: SeriesItem) -> str:
    """`value` with its unit as a person writes it."""
    unit = item.unit
    low = unit.lower()
    if low.startswith("bytes"):
        rate = "/s" if "second" in low or "/s" in low else ""
        for name, size in _STEPS:
            if abs(value) >= size:
                return f"{value / size:.3g} {name}{rate}"
        return f"{value:g} B{rate}"
    if low in ("percent", "%", "pct"):
        return f"{value:g}%"
    if low in ("ratio", "fraction", "1") and percent(item, value) is not None:
        return f"{value * 100:.3g}%"
    if low in ("seconds", "s", "second"):
        return f"{value:g} s"
    if low in ("milliseconds", "ms"):
        return f"{value:g} ms"
    return f"{value:.0f}" if abs(value) >= _WHOLE else f"{value:g}"


def quote(text: str, limit: int = _MAX_QUOTE) -> str:
    """The start of `text`, cut at a word: it stands verbatim in the text."""
    if len(text) <= limit:
        return text
    return text[:limit].rsplit(" ", 1)[0]


def said(text: str, limit: int = _MAX_QUOTE) -> str:
    """`text` as a quotation, in the marks that it does not use itself."""
    plain = quote(text, limit)
    if '"' not in plain:
        return f'"{plain}"'
    if "`" not in plain:
        return f"`{plain}`"
    return f'"{plain.split(chr(34), 1)[0].rstrip()}"'


def series_phrase(item: SeriesItem, subject: str) -> str:
    """What a series did, with its ends."""
    whose = f"{item.name} of {subject}" if subject else item.name
    first, last = number(item.first, item), number(item.last, item)
    low, high = number(item.low, item), number(item.high, item)
    spread = item.high - item.low
    if spread <= 1e-9 * max(abs(item.high), 1.0):
        return f"{whose} was flat at {last}"
    moved = abs(item.last - item.first)
    if moved < 0.5 * spread or moved < 0.05 * max(abs(item.first), abs(item.last)):
        return f"{whose} was between {low} and {high}"
    return f"{whose} {'rose' if item.last > item.first else 'fell'} from {first} to {last}"


def range_phrase(item: SeriesItem, subject: str) -> str:
    """The bounds of a series, for what is within them."""
    whose = f"{item.name} of {subject}" if subject else item.name
    if item.high == item.low:
        return f"{whose} was flat at {number(item.last, item)}"
    now = f" and is at {number(item.last, item)} now" if item.high >= _PEAK * max(item.last, item.first) > 0 else ""
    return f"{whose} was between {number(item.low, item)} and {number(item.high, item)}{now}"


_MASKS = re.compile(r"<[^<>]*>")
_VALUES = re.compile(r"(?<!\w)/\S+|[0-9a-f]{6,}|\d+|[^a-z]+")


def gist(signal: Signal) -> str:
    """What makes two signals say the same: who says it, and its words without values."""
    if "fact" in signal.values:
        return signal.quote
    if not signal.quote:
        return signal.evidence_id
    words = " ".join(_VALUES.sub(" ", _MASKS.sub(" ", signal.quote.lower())).split())[:90]
    return f"{signal.app or signal.subject}|{words}"


QUIET_METRICS = frozenset(
    {
        Kind.CPU_NORMAL,
        Kind.CPU_ELEVATED,
        Kind.CONNECTIONS_STEADY,
        Kind.LAG_NORMAL,
        Kind.STORAGE_STEADY,
        Kind.STORAGE_RECOVERED,
        Kind.MEMORY_NORMAL,
        Kind.METRIC_QUIET,
        Kind.TRAFFIC_STEADY,
        Kind.TRAFFIC_USUAL,
        Kind.DISK_CALM,
    }
)
_LAST_WORD = re.compile(r"[\s,;:.]+$")
_ORDINARY = re.compile(r"^(?:an?|at|the|node|deployment|no) ")
"""First words that are no names: a name keeps its small letter."""


def sentence(text: str) -> str:
    """`text` as a sentence: a capital first unless it is a name's, one full stop at the end."""
    whole = _LAST_WORD.sub("", text) + "."
    return whole[0].upper() + whole[1:] if _ORDINARY.match(whole) else whole


def cut(text: str, limit: int) -> str:
    """`text` within `limit` characters, cut at a word with an ellipsis."""
    if len(text) <= limit:
        return text
    return text[: limit - 1].rsplit(" ", 1)[0] + "…"
