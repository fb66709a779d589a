"""What Elasticsearch and OpenSearch are asked: a query as a structure, so that no value can become a part of it.

Filters are pushed down as far as the mapping allows and are never narrower than ours: what comes back is checked again
(`elasticsearch_hits`). The mapping is what `_field_caps` tells; without it a wrong type would fail whole shards.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rootproof.domain.window import TimeWindow, iso
from rootproof.logs.levels import LETTERS, level_field
from rootproof.logs.record import LEVELS, severity
from rootproof.logs.wordlists import word_list
from rootproof.ports.sources import LogQuery

_WORDS = word_list(
    "trace verbose finest debug dbg fine info inf information informational notice note success warn warning error err "
    "severe fatal critical crit emerg emergency alert panic"
)
_MESSAGES = ("message", "msg", "log", "body", "event.original", "log.original")
_LEVELS = ("log.level", "level", "severity", "severity_text", "loglevel")
_SERVICES = (
    "service.name", "kubernetes.labels.app_kubernetes_io/name", "kubernetes.labels.app", "kubernetes.deployment.name",
    "kubernetes.container.name", "kubernetes.container_name", "container.name", "service", "app", "application",
)  # fmt: skip
_PODS = ("kubernetes.pod.name", "kubernetes.pod_name")
_HOSTS = ("host.name", "host.hostname", "hostname", "host")
_EXACT = frozenset({"keyword", "constant_keyword", "wildcard"})
_ANALYSED = frozenset({"text", "match_only_text"})
_TEXTS = _EXACT | _ANALYSED
_NUMBERS = frozenset({"long", "integer", "short", "byte", "unsigned_long"})
_DATES = frozenset({"date", "date_nanos"})
_SYLLABLES = (
    "\\u0e00-\\u0eff\\u1000-\\u109f\\u1780-\\u17ff\\u2e80-\\u9fff\\uac00-\\ud7af\\uf900-\\ufaff\\U00020000-\\U0003ffff"
)
"""Scripts that write no spaces, or that analysers cut into characters or syllables."""
_RUN = re.compile(rf"[{_SYLLABLES}]{{1,100}}|[^\W_{_SYLLABLES}]{{1,100}}")
_BY_CHARACTER = re.compile(f"[{_SYLLABLES}]")
_MOST_RUNS = 8
_NOT_FETCHED = (
    "agent", "agent.*", "ecs", "ecs.*", "input", "input.*", "elastic_agent", "elastic_agent.*", "cloud", "cloud.*",
    "host.os", "host.os.*", "host.ip", "host.mac", "container.labels", "container.labels.*",
)  # fmt: skip
"""What shippers add to every document and no reader of a log needs."""


@dataclass(frozen=True, slots=True)
class Fields:
    """Which fields hold what; where there are several, the first that a document has counts."""

    time: str
    message: tuple[str, ...]
    level: tuple[str, ...]
    service: tuple[str, ...]
    instance: tuple[str, ...]

    @staticmethod
    def named(time: str, message: str, level: str, service: str, host: str) -> Fields:
        """The fields that are set, then those of ECS and of common shippers."""
        where = (*_PODS, host) if host == _HOSTS[0] else (host, *_PODS)
        return Fields(
            time=time,
            message=_each(message, *_MESSAGES),
            level=_each(level, *_LEVELS),
            service=_each(service, *_SERVICES),
            instance=_each(*where, *_HOSTS),
        )

    def asked_for(self) -> str:
        """For `_field_caps`: all of them, each also as its exact twin."""
        names = _each(self.time, *self.message, *self.level, *self.service, *self.instance)
        return ",".join((*names, *(f"{name}.keyword" for name in names if name != self.time)))


@dataclass(frozen=True, slots=True)
class FieldTypes:
    """The types of the fields over all indices that a pattern names."""

    types: Mapping[str, frozenset[str]]
    indices: int | None
    """How many indices the pattern names, where the server says so."""

    @staticmethod
    def of(answer: Mapping[str, Any]) -> FieldTypes:
        """What an answer of `_field_caps` says."""
        fields = answer.get("fields")
        listed = answer.get("indices")
        types = {
            str(name): frozenset(str(kind) for kind in kinds if kind != "unmapped")
            for name, kinds in (fields.items() if isinstance(fields, dict) else ())
            if isinstance(kinds, dict)
        }
        return FieldTypes(types, len(listed) if isinstance(listed, list) else None)

    def kinds(self, name: str) -> frozenset[str]:
        """The types of a field; empty where no index has it."""
        return self.types.get(name, frozenset())

    def is_split(self, name: str) -> bool:
        """Whether a field is text in some indices and not in others: asking for a text would fail in those."""
        return bool(self.kinds(name) & _TEXTS) and not self.kinds(name) <= _TEXTS

    def time_problem(self, name: str) -> str:
        """Why records cannot be sorted by this field in some or all indices; empty where they can."""
        wrong = sorted(self.kinds(name) - _DATES)
        return f"some indices map {name} as {', '.join(wrong)} and not as a date" if wrong else ""

    def has_time(self, name: str) -> bool:
        """Whether any index has this field as a date."""
        return bool(self.kinds(name) & _DATES)


def query_of(asked: LogQuery, fields: Fields, mapping: FieldTypes) -> dict[str, Any]:
    """The query of a search: everything that matches `asked`, and maybe more."""
    asked = replace(asked, services=tuple(map(_sendable, asked.services)), contains=_sendable(asked.contains or ""))
    return {
        "bool": {"filter": list(_filters(asked, fields, mapping)), "must_not": _lower_levels(asked, fields, mapping)}
    }


def _sendable(text: str) -> str:
    """`text` without lone surrogates, which no request can hold."""
    return text.encode("utf-8", "replace").decode()


def in_window(window: TimeWindow, time_field: str) -> dict[str, Any]:
    """Documents with a time in [start, end)."""
    bounds = {"gte": iso(window.start), "lt": iso(window.end), "format": "strict_date_optional_time"}
    return {"range": {time_field: bounds}}


def search_body(query: dict[str, Any], time_field: str, *, size: int, timeout_ms: int) -> dict[str, Any]:
    """A search for the newest `size` documents, with their exact number; the caller adds a tiebreaker to `sort`."""
    return {
        "size": size,
        "query": query,
        "sort": [{time_field: {"order": "desc", "unmapped_type": "date", "numeric_type": "date"}}],
        "track_total_hits": True,
        "timeout": f"{timeout_ms}ms",
        "_source": {"excludes": list(_NOT_FETCHED)},
    }


def names_no_service(asked: LogQuery, fields: Fields, mapping: FieldTypes) -> bool:
    """Whether services are asked for and no index has a field that would name them."""
    return bool(asked.services) and not any(_places(name, mapping) for name in (*fields.service, *fields.instance))


def _filters(asked: LogQuery, fields: Fields, mapping: FieldTypes) -> Iterator[dict[str, Any]]:
    yield in_window(asked.window, fields.time)
    named = (*fields.service, *fields.instance)
    if asked.services and not any(mapping.is_split(name) for name in named):
        yield _any(clause for name in named for value in asked.services for clause in _named(name, value, mapping))
    if asked.contains and not any(mapping.is_split(name) for name in fields.message):
        yield _any(clause for name in fields.message for clause in _holding(name, asked.contains, mapping))


def _any(clauses: Iterable[dict[str, Any]]) -> dict[str, Any]:
    should = list(clauses)
    return {"bool": {"should": should, "minimum_should_match": 1}} if should else {"match_none": {}}


def _places(name: str, mapping: FieldTypes) -> list[tuple[str, bool]]:
    """Where a text can be asked for under this name: fields, and whether each keeps it whole."""
    exact = [(field, True) for field in (name, f"{name}.keyword") if mapping.kinds(field) & _EXACT]
    return [*exact, (name, False)] if mapping.kinds(name) & _ANALYSED else exact


def _named(name: str, value: str, mapping: FieldTypes) -> Iterator[dict[str, Any]]:
    """Documents whose field is `value` or a pod of it, whatever the case."""
    for field, whole in _places(name, mapping):
        if whole:
            yield {"term": {field: {"value": value, "case_insensitive": True}}}
            yield {"prefix": {field: {"value": f"{value}-", "case_insensitive": True}}}
        else:
            yield {"match_phrase": {field: {"query": value}}}


def _holding(name: str, part: str, mapping: FieldTypes) -> Iterator[dict[str, Any]]:
    """Documents whose field may hold `part`: wherever the field is kept whole; else all whose words hold its words.

    The standard analyser cuts a text into words and writes them in lower case, so a run of letters and digits lies in
    one word wherever it stands; Chinese and Japanese it cuts into characters.
    """
    if mapping.kinds(name) & _ANALYSED:
        runs = list(dict.fromkeys(_RUN.findall(part)))[:_MOST_RUNS]
        yield {"bool": {"filter": [_run(name, run) for run in runs]}} if runs else {"match_all": {}}
    for field, whole in _places(name, mapping):
        if whole:
            yield _wildcard(field, part)


def _run(name: str, run: str) -> dict[str, Any]:
    return {"match_phrase": {name: {"query": run}}} if _BY_CHARACTER.search(run) else _wildcard(name, run)


def _wildcard(field: str, part: str) -> dict[str, Any]:
    return {"wildcard": {field: {"value": f"*{_escaped(part)}*", "case_insensitive": True}}}


def _escaped(part: str) -> str:
    return "".join(f"\\{character}" if character in "\\*?" else character for character in part)


def _lower_levels(asked: LogQuery, fields: Fields, mapping: FieldTypes) -> list[dict[str, Any]]:
    """What to leave out: documents that say a lower level than wanted. Unknown words pass, and are judged by us."""
    least = severity(asked.level.upper()) if asked.level else -1
    name = next((name for name in fields.level if mapping.kinds(name)), "")
    if least <= 0 or mapping.is_split(name):
        return []
    if mapping.kinds(name) and mapping.kinds(name) <= _NUMBERS:
        return [{"terms": {name: [10 * rank for rank in range(1, least + 1)]}}]
    return [{"terms": {field: _spellings(least)}} for field, _whole in _places(name, mapping)]


def _spellings(least: int) -> list[str]:
    """Every spelling of the levels below the one of rank `least`."""
    below = frozenset(LEVELS[:least])
    words = [word for word in _WORDS if level_field(word) in below]
    letters = [letter for letter, level in LETTERS.items() if level in below]
    return [form for word in words for form in (word, word.upper(), word.capitalize())] + letters


def _each(*names: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def first_of(names: Sequence[str], values: Mapping[str, Any]) -> Any:
    """The first of these fields that has a value, else None."""
    return next((values[name] for name in names if values.get(name) not in (None, "", [])), None)
