"""Signals in plain words. Every number, name and direction in a phrase stands in the signal's own evidence."""

from __future__ import annotations

import re

from rootproof.agent.playbook.metric_roles import percent
from rootproof.agent.playbook.observations import AlertItem, FactItem, LogItem, SeriesItem
from rootproof.agent.playbook.signals import Kind, Signal

_STEPS = (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3))
_MAX_QUOTE = 240


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
    return f"{value:g}"


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
    return f"{whose} was between {number(item.low, item)} and {number(item.high, item)}"


def phrase(signal: Signal) -> str:
    """A signal as a clause that can stand alone."""
    series = signal.values.get("series")
    if isinstance(series, SeriesItem):
        quiet = signal.kind in QUIET_METRICS
        return range_phrase(series, signal.subject) if quiet else series_phrase(series, signal.subject)
    if "activity" in signal.values:
        return _activity(signal)
    fact = signal.values.get("fact")
    if isinstance(fact, FactItem):
        return said(fact.text, 380)
    alert = signal.values.get("alert")
    if isinstance(alert, AlertItem):
        told = f": {said(alert.summary, 160)}" if alert.summary else ""
        return f'the alert "{alert.name}" is {alert.state}{told}'
    item = signal.values.get("item")
    if isinstance(item, LogItem):
        return log_phrase(item)
    return quote(signal.quote)


def brief(signal: Signal) -> str:
    """A signal in fewer words, for sentences that hold several: facts without their object, lines without counts."""
    fact = signal.values.get("fact")
    if isinstance(fact, FactItem):
        body = fact.text.split("): ", 1)[-1] if "): " in fact.text[:200] else fact.text
        return said(_upto(body, 170), 180)
    item = signal.values.get("item")
    if isinstance(item, LogItem) and "activity" not in signal.values:
        return f"{item.service or 'the log'} logged: {said(item.words, 190)}"
    return phrase(signal)


def _upto(text: str, limit: int) -> str:
    """The first parts of a fact that fit, cut at a comma where there is one."""
    if len(text) <= limit:
        return text
    head = text[:limit]
    return head.rsplit(", ", 1)[0] if ", " in head[40:] else head.rsplit(" ", 1)[0]


_VALUES = re.compile(r"<[^<>]*>|(?<!\w)/\S+|[0-9a-f]{6,}|\d+|[^a-z]+")


def gist(signal: Signal) -> str:
    """What makes two signals say the same: who says it, and its words without values."""
    if "fact" in signal.values:
        return signal.quote
    if not signal.quote:
        return signal.evidence_id
    words = _VALUES.sub(" ", signal.quote.lower()).strip()[:90].strip()
    return f"{signal.app or signal.subject}|{words}"


def log_phrase(item: LogItem) -> str:
    """A log line as its service told it; patterns with their count."""
    who = item.service or "the log"
    return f"{who} logged{_times(item)}: {said(item.words)}"


def _times(item: LogItem) -> str:
    return f" {item.count} times" if item.count > 1 else ""


def _activity(signal: Signal) -> str:
    values = signal.values
    wait = f", mostly in {values['wait']} ({values['amount']:g})" if values.get("wait") else ""
    return f"{said(str(values['statement']))} carries a load of {values['load']:g}{wait}"


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
    }
)
_LAST_WORD = re.compile(r"[\s,;:.]+$")


def sentence(text: str) -> str:
    """`text` as a sentence: first letter as it is, one full stop at the end."""
    return _LAST_WORD.sub("", text) + "."


def cut(text: str, limit: int) -> str:
    """`text` within `limit` characters, cut at a word with an ellipsis."""
    if len(text) <= limit:
        return text
    return text[: limit - 1].rsplit(" ", 1)[0] + "…"
