"""The recommended knowledge query of an alert: compact, deterministic, made of the alert's own words.

It stands in the prompt and in the trace; nothing is retrieved until the agent asks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from rootproof.domain.alert import Alert

MAX_QUERY_CHARS = 240
_MIN_ROOM = 4
_TEMPLATE = re.compile(r"\{\{[^{}]{0,400}\}\}|\$\{[^{}]{0,200}\}|\$labels\.\w{1,80}|\$value\b")
_URL = re.compile(r"\bhttps?://\S{1,2000}")
_WORD = re.compile(r"<[a-z_]{1,24}:[^<>\s]{1,80}>|\w+(?:[._\-/:]\w+)*")
_NUMBER = re.compile(r"[\d.,:/\-]+[a-zA-Z%]{0,3}")
_FILLER = frozenset(
    """
    a about above after all also an and any are as at be because been being below between but by can check could
    current currently did do does due during each for from had has have if in into is it its just last less more
    most no not of on once only or other our out over per please see should since so some such than that the
    their them then there these they this those through to too under until up use used using very via was we
    were what when where which while who why will with within would you your
    """.split()  # noqa: SIM905 - a list of words reads better as text
)
_KEPT = frozenset({"no", "not", "out", "down", "up", "over", "under", "above", "below", "off"})
"""Little words that carry the symptom: `not ready`, `out of memory`, `down`."""


def recommended_query(alert: Alert) -> str:
    """The alert's raw name, service, severity and symptom terms; empty when the alert states nothing.

    Shape: one line, at most MAX_QUERY_CHARS characters, cut between words; a word occurs once (ignoring case);
    the name is kept as it was written.
    """
    head = [alert.name.strip(), (alert.service or "").strip(), _severity(alert)]
    words = [word for part in (alert.summary, alert.description) for word in _symptoms(part or "")]
    return _joined([*head, *words])


def _severity(alert: Alert) -> str:
    return str(alert.severity or "") or (alert.raw_severity or "").strip()


def _symptoms(text: str) -> Iterable[str]:
    for match in _WORD.finditer(_URL.sub(" ", _TEMPLATE.sub(" ", text))):
        word = match.group()
        folded = word.casefold()
        if len(folded) < 2 or _NUMBER.fullmatch(word) or (folded in _FILLER and folded not in _KEPT):
            continue
        yield word


def _joined(words: Iterable[str]) -> str:
    seen: set[str] = set()
    query = ""
    for word in words:
        piece = " ".join(_TEMPLATE.sub(" ", word).split())
        if not piece or piece.casefold() in seen:
            continue
        room = MAX_QUERY_CHARS - len(query) - (1 if query else 0)
        if len(piece) > room:
            if room < _MIN_ROOM:
                break
            if query:
                continue
            piece = piece[:room].rstrip()
        seen.add(piece.casefold())
        query = f"{query} {piece}" if query else piece
    return query
