"""An evidence item, read once: its names, numbers, times, words, and the structure its text is known to have."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cached_property

from rootproof.agent.grounding.entities import KIND_WORDS, is_ordinary, names_in, stems_of_name
from rootproof.agent.grounding.locks import Lock, read_lock
from rootproof.agent.grounding.polarity import polarity, terms
from rootproof.agent.grounding.quantities import quantities
from rootproof.agent.grounding.quantity import Quantity
from rootproof.agent.grounding.roles import Relation, called, relations
from rootproof.agent.grounding.series import STATISTICS, read_series
from rootproof.agent.grounding.text import MAX_EVIDENCE_CHARS, Kind, Token, clean, parts, plain_words, tokenize
from rootproof.agent.grounding.times import dates, instants
from rootproof.agent.grounding.units import Dimension
from rootproof.agent.grounding.words import concepts_of, offered, phrase_at, spread, status, stem
from rootproof.domain.evidence import Evidence, EvidenceClass

_TOOL_WORDS = {
    "query_logs": ("log", "line", "entry", "message", "record", "row", "occurr", "entri"),
    "query_metrics": ("metric", "series", "graph", "sampl", "point"),
    "query_alerts": ("alert", "monitor"),
    "query_cluster": ("cluster", "kubernetes", "event"),
}
_TOOL_CONCEPTS = {"query_alerts": ("alert",), "query_cluster": ("pod", "node"), "query_logs": ("row",)}


@dataclass(frozen=True, slots=True)
class LogLine:
    """Level, service and count of a log item (count 1 for one event)."""

    level: str
    service: str
    count: int
    service_at: int
    """Position of the service's name."""
    message_at: int
    """Position of the message's first token."""


class Item:
    """A citable evidence item with what was read from it. Made once per check; read-only."""

    def __init__(self, evidence: Evidence) -> None:
        self.id = evidence.id
        self.evidence = evidence
        self.text = clean(evidence.text, MAX_EVIDENCE_CHARS)
        self.subject = clean(evidence.subject or "", 300).strip()
        self.tokens: list[Token] = tokenize(plain_words(self.text))
        self.series = read_series(self.text, self.tokens) if STATISTICS.search(self.text) else None
        self.log = _log_line(self.tokens)

    @property
    def observed(self) -> bool:
        """Whether it is an OBSERVATION."""
        return self.evidence.cls is EvidenceClass.OBSERVATION

    @cached_property
    def head(self) -> frozenset[str]:
        """The lower-case words in a series' name: `ReadLatency of db` -> read, latency."""
        return frozenset(parts(self.text[:120].partition(" of ")[0])) if self.series is not None else frozenset()

    @cached_property
    def quantities(self) -> list[Quantity]:
        """The numbers of the text (a series' ones in the series' unit), then `count` of the item."""
        found = quantities(self.tokens, claim=False)
        if self.series is not None:
            known = {quantity.start: quantity for quantity in self.series.values.values()}
            found = [known.get(quantity.start, quantity) for quantity in found]
        count = self.evidence.count
        if count is not None and all(quantity.value != count for quantity in found):
            step = 1.0
            found.append(Quantity(str(count), (float(count),), step, step, Dimension.NONE, 0, 0, key="count"))
        return found

    @cached_property
    def words(self) -> tuple[frozenset[str], frozenset[str]]:
        """(stems, concepts) of the text, subject, source and tool."""
        subject = tokenize(self.subject)
        stems, concepts = offered(self.tokens)
        more_stems, more_concepts = offered(subject)
        tool = self.evidence.tool
        return (
            stems | more_stems | frozenset(_TOOL_WORDS.get(tool, ())),
            concepts | more_concepts | frozenset(_TOOL_CONCEPTS.get(tool, ())),
        )

    @cached_property
    def names(self) -> frozenset[str]:
        """Every token that may be a name, as written, the subject's too."""
        found = names_in(self.tokens) | names_in(tokenize(self.subject)) | self._implied_names()
        return found | {self.subject} if self.subject else found

    def _implied_names(self) -> frozenset[str]:
        """`p95` for `quantile=0.95`, `5xx` for a status of that class or a rate of HTTP errors."""
        found = {f"p{digits:0<2}" for digits in _QUANTILE.findall(self.text)}
        found |= {f"{digit}xx" for digit in _STATUS.findall(self.text)}
        if self.series is not None and {"http", "errors"} <= set(parts(self.text.partition(" of ")[0])):
            found.add("5xx")
        return frozenset(found)

    @cached_property
    def aliases(self) -> frozenset[str]:
        """The other names of `names`."""
        found: set[str] = set()
        for name in self.names:
            if len(name) > 2 and any(char in name for char in "-/:.<"):
                found |= stems_of_name(name)
        return frozenset(found)

    @cached_property
    def about(self) -> frozenset[str]:
        """The names the item is about: its subject, the log's service, the series' instance, with their other names."""
        names: set[str] = set()
        if self.subject:
            names |= {
                self.subject,
                *(
                    token.text
                    for token in tokenize(self.subject)
                    if token.kind is not Kind.PUNCT and not is_ordinary(token.text)
                ),
            } - KIND_WORDS
        if self.log is not None:
            names.add(self.log.service)
        lowers = [token.lower for token in self.tokens]
        if self.series is not None:
            names |= _series_names(self.tokens)
        elif self.log is None:
            for cue in KIND_WORDS:
                for position, word in enumerate(lowers[:-1]):
                    after = self.tokens[position + 1]
                    if word == cue and (
                        after.kind is Kind.PLACEHOLDER or (after.kind is Kind.WORD and not is_ordinary(after.text))
                    ):
                        names.add(self.tokens[position + 1].text)
        found: set[str] = set()
        for name in names:
            found |= stems_of_name(name)
        return frozenset(found)

    @cached_property
    def times(self) -> list[datetime]:
        """All instants of the item, `first_at` and `last_at` included."""
        found = [instant for _, instant in instants(self.tokens)]
        return found + [_aware(each) for each in (self.evidence.first_at, self.evidence.last_at) if each is not None]

    @cached_property
    def lock(self) -> Lock | None:
        """Who holds a lock and who waits for it, where the text tells of one."""
        return read_lock(self.tokens)

    @cached_property
    def dates(self) -> list[date]:
        """The dates that the text gives without a time."""
        return dates(self.tokens)

    @cached_property
    def onset(self) -> datetime | None:
        """When what the item shows began: a series' change (or extreme), else the first time; None where unknown."""
        if self.series is not None:
            for role in (
                "change",
                *(
                    ("max",)
                    if self.series.trend in {"rising", "varying"}
                    else ("min",)
                    if self.series.trend == "falling"
                    else ()
                ),
            ):
                if role in self.series.times:
                    return self.series.times[role]
            return None
        return min(self.times, default=None)

    @property
    def is_change(self) -> bool:
        """Whether it is a deploy, a configuration change or a scaling at one time."""
        if self.log is None:
            return self.text.startswith("change at ")
        said = {token.lower for token in self.tokens[self.log.message_at :]}
        return self.log.level not in _COMPLAINTS and self.log.count == 1 and bool(_CHANGES & said)

    @cached_property
    def began(self) -> datetime | None:
        """When what it shows was there for certain: a series' change point, a change, the first of several log
        lines or the only complaint; None for a state or a snapshot.
        """
        if self.series is not None:
            return self.series.times.get("change")
        if self.is_change or (self.log is not None and (self.log.count > 1 or self.log.level in _COMPLAINTS)):
            return min(self.times, default=None)
        return None

    @cached_property
    def starts(self) -> list[datetime]:
        """The times that may be called its beginning."""
        if self.series is not None:
            return [self.series.times[role] for role in ("first", "change", "max", "min") if role in self.series.times]
        return [min(self.times)] if self.times else []

    @cached_property
    def ends(self) -> list[datetime]:
        """The times that may be called its end."""
        if self.series is not None:
            return [self.series.times[role] for role in ("last", "max", "min", "change") if role in self.series.times]
        return [max(self.times)] if self.times else []

    @cached_property
    def relations(self) -> list[Relation]:
        """Who does what to whom, as the text says it."""
        if self.log is None:
            return relations(self.tokens)
        return relations(self.tokens, self.log.message_at, self.log.service_at)

    @cached_property
    def call(self) -> tuple[str, str] | None:
        """(caller, called) where a log line's writer names whom it calls."""
        other = called(self.tokens, self.log.message_at) if self.log is not None else None
        return (self.log.service, other) if self.log is not None and other is not None else None

    @property
    def _said_from(self) -> int:
        """Where the message begins: the head of a log line (`no time LOG web:`) denies nothing."""
        return self.log.message_at if self.log is not None else 0

    @cached_property
    def searched(self) -> str:
        """Text and subject in lower case."""
        return f"{self.text} {self.subject}".lower()

    @cached_property
    def negated(self) -> frozenset[str]:
        """Stems and concepts said under a negation, elsewhere plainly or not."""
        return polarity(self.tokens, self.quantities, start=self._said_from)[0]

    @cached_property
    def absent(self) -> frozenset[str]:
        """Stems and concepts of the nouns that the item says there are none of (`no memory pressure`, `0 restarts`)."""
        words = frozenset({"no", "without", "zero", "none"})
        return polarity(self.tokens, self.quantities, words=words, start=self._said_from)[0]

    @cached_property
    def denials(self) -> tuple[frozenset[str], frozenset[str]]:
        """(stems and concepts said only under a negation, those said plainly).

        An inactive alert denies what it watches for.
        """
        denied, plain = polarity(self.tokens, self.quantities, start=self._said_from)
        if self.evidence.tool == "query_alerts" and "inactive" in plain:
            plain = frozenset(terms("inactive", "alert"))
            watched = terms(*(piece for token in self.tokens for piece in (token.lower, *parts(token.text))))
            denied = frozenset(watched | {concept for concept in self.words[1] if concept != "alert"}) - plain
        return denied - plain, plain

    @cached_property
    def direct(self) -> frozenset[str]:
        """Concepts that the item names itself, not what they imply; stems too."""
        statuses = {concept for token in self.tokens if token.kind is Kind.NUMBER for concept in status(token.text)}
        return self.denials[1] | (self._phrase_concepts() - self.denials[0]) | statuses

    @cached_property
    def affirmed(self) -> frozenset[str]:
        """Stems and concepts that the item says plainly, with what those concepts imply."""
        return frozenset(spread(self.denials[1] | self._phrase_concepts())) - self.denials[0]

    def _phrase_concepts(self) -> frozenset[str]:
        found = set(_phrases([token.lower for token in self.tokens]))
        for token in self.tokens:
            pieces = parts(token.text) if token.kind is Kind.WORD else []
            if len(pieces) > 1 and pieces[-1] in _ERROR_ENDINGS:
                found.update(_phrases(pieces), concepts_of("".join(pieces[-2:])))
        return frozenset(found)

    def shares(self, word: str) -> bool:
        """Whether a lower-case word of a claim, or something it means, is in the item."""
        stems, concepts = self.words
        return word in stems or stem(word) in stems or any(concept in concepts for concept in concepts_of(word))


_ERROR_ENDINGS = frozenset({"error", "exception", "failure"})
"""How the name of an error ends: it says in one word what happened (`OutOfMemoryError`)."""


def _phrases(lowers: Sequence[str]) -> Iterator[str]:
    return (concept for position in range(len(lowers)) for concept in phrase_at(lowers, position)[1])


def _aware(instant: datetime) -> datetime:
    return instant.astimezone(UTC) if instant.tzinfo else instant.replace(tzinfo=UTC)


_QUANTILE = re.compile(r"quantile=\"?0\.([0-9]{1,4})")
_STATUS = re.compile(r"(?<![\w.:-])([45])[0-9]{2}(?![\w.:])")


def _series_names(tokens: Sequence[Token]) -> set[str]:
    """The words before the statistics: the series' name and its instance."""
    names: set[str] = set()
    for token in tokens:
        if token.lower in {"first", ":", "("} and names:
            break
        if token.kind in {Kind.WORD, Kind.PLACEHOLDER, Kind.PATH} and not is_ordinary(token.text):
            names.add(token.text)
    return names


_COMPLAINTS = {"WARN", "WARNING", "ERROR", "FATAL", "CRITICAL", "PANIC"}
_CHANGES = frozenset(["deploy", "deployed", "rollout", "released", "release", "upgraded", "reconfigured", "migrated"])
_LEVELS = {"LOG", "TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "WARNING", "ERROR", "FATAL", "CRITICAL", "PANIC"}


def _log_line(tokens: Sequence[Token]) -> LogLine | None:
    """The head of a log item's text: `42 x ERROR service ...: message` or `TIME ERROR service: message`."""
    if len(tokens) < 3:
        return None
    position, count = 0, 1
    if tokens[0].kind is Kind.NUMBER and tokens[1].lower == "x":
        digits = tokens[0].text.replace(",", "")
        count, position = (int(digits) if digits.isdigit() and len(digits) < 16 else 1), 2
    elif tokens[0].kind is Kind.TIME:
        position = 1
    elif (tokens[0].lower, tokens[1].lower) == ("no", "time"):
        position = 2
    if position + 1 >= len(tokens) or tokens[position].text not in _LEVELS:
        return None
    service = tokens[position + 1].text
    colon = position + 2
    while colon < len(tokens) and tokens[colon].text != ":" and colon < position + 12:
        colon += 1
    return LogLine(tokens[position].text, service.rstrip(":"), count, position + 1, min(colon + 1, len(tokens)))
