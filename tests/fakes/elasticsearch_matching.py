"""The part of the query DSL that the Elasticsearch source uses, on documents in memory; anything else is refused.

Source: Elasticsearch and OpenSearch query DSL (bool, range, term, terms, prefix, wildcard, match_phrase).
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import Any

from tests.fakes.loopback import Refused

WORD = re.compile(r"[\u2e80-\u9fff]|[^\W_\u2e80-\u9fff]+(?:[_.'][^\W_\u2e80-\u9fff]+)*")
_DATES = ("date", "date_nanos")


def refused(status: int, kind: str, reason: str, *, phase: bool = False) -> Refused:
    """An error in the servers' own shape."""
    cause = {"type": kind, "reason": reason}
    outer = {"type": "search_phase_execution_exception", "reason": "all shards failed"} if phase else cause
    return Refused(status, json.dumps({"error": {"root_cause": [cause], **outer}, "status": status}))


def flat(source: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in source.items():
        name = f"{prefix}{key}"
        found |= flat(value, f"{name}.") if isinstance(value, dict) else {name: value}
    return found


def tokens(text: str) -> list[str]:
    """About what the standard analyser makes of a text."""
    return [word.lower() for word in WORD.findall(text)]


def epoch_ms(value: Any) -> float:
    if isinstance(value, int | float):
        return float(value)
    try:
        parsed = datetime.fromisoformat(value)
    except (TypeError, ValueError) as error:
        raise refused(400, "parse_exception", f"failed to parse date field [{value}]", phase=True) from error
    return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp() * 1000


class Index:
    """Documents with the types of their fields."""

    def __init__(self, name: str, types: dict[str, str], documents: list[dict[str, Any]]) -> None:
        self.name = name
        self.types = types
        self.documents = documents

    def values(self, document: dict[str, Any], field: str) -> list[str]:
        """What the index holds under a field: whole, or as words."""
        named = field.removesuffix(".keyword") if field not in flat(document) else field
        found = flat(document).get(named)
        kind = self.types.get(field)
        if found is None or kind is None:
            return []
        texts = [str(part) for part in (found if isinstance(found, list) else [found])]
        return [word for text in texts for word in tokens(text)] if kind in ("text", "match_only_text") else texts

    def matches(self, document: dict[str, Any], query: Any) -> bool:
        if not isinstance(query, dict) or len(query) != 1:
            raise refused(400, "parsing_exception", "[query] malformed query, expected one named clause")
        ((kind, body),) = query.items()
        handler = _CLAUSES.get(kind)
        if handler is None:
            raise refused(400, "parsing_exception", f"unknown query [{kind}]")
        return bool(handler(self, document, body))


def _only(body: Any, kind: str, *allowed: str) -> dict[str, Any]:
    if not isinstance(body, dict):
        raise refused(400, "parsing_exception", f"[{kind}] query malformed, no start_object after query name")
    unknown = set(body) - set(allowed)
    if unknown:
        raise refused(400, "parsing_exception", f"[{kind}] query does not support [{min(unknown)}]")
    return body


def _field(body: Any, kind: str) -> tuple[str, Any]:
    if not isinstance(body, dict) or len(body) != 1:
        raise refused(400, "parsing_exception", f"[{kind}] query doesn't support multiple fields")
    return next(iter(body.items()))


def _bool(index: Index, document: dict[str, Any], body: Any) -> bool:
    _only(body, "bool", "filter", "must", "must_not", "should", "minimum_should_match")
    every = [index.matches(document, clause) for clause in (*body.get("filter", ()), *body.get("must", ()))]
    none = [index.matches(document, clause) for clause in body.get("must_not", ())]
    some = [index.matches(document, clause) for clause in body.get("should", ())]
    return all(every) and not any(none) and sum(some) >= body.get("minimum_should_match", 0)


def _range(index: Index, document: dict[str, Any], body: Any) -> bool:
    field, bounds = _field(body, "range")
    _only(bounds, "range", "gte", "gt", "lt", "lte", "format", "time_zone")
    if index.types.get(field) not in _DATES:
        if field in index.types:
            raise refused(400, "illegal_argument_exception", f"[{field}] is no date", phase=True)
        return False
    value = flat(document).get(field)
    return value is not None and epoch_ms(bounds["gte"]) <= epoch_ms(value) < epoch_ms(bounds["lt"])


def _value(index: Index, document: dict[str, Any], body: Any, kind: str) -> tuple[list[str], str]:
    field, asked = _field(body, kind)
    _only(asked, kind, "value", "case_insensitive")
    if not isinstance(asked["value"], str):
        raise refused(400, "parsing_exception", f"[{kind}] unknown token [START_OBJECT] after [value]")
    if index.types.get(field) in ("long", "integer") and not asked["value"].lstrip("-").isdecimal():
        raise refused(
            400, "query_shard_exception", f'failed to create query: For input string: "{asked["value"]}"', phase=True
        )
    values = index.values(document, field)
    if asked.get("case_insensitive"):
        return [value.lower() for value in values], asked["value"].lower()
    return values, asked["value"]


def _term(index: Index, document: dict[str, Any], body: Any) -> bool:
    values, wanted = _value(index, document, body, "term")
    return wanted in values


def _prefix(index: Index, document: dict[str, Any], body: Any) -> bool:
    values, wanted = _value(index, document, body, "prefix")
    return any(value.startswith(wanted) for value in values)


def _wildcard(index: Index, document: dict[str, Any], body: Any) -> bool:
    values, wanted = _value(index, document, body, "wildcard")
    pattern, at = "", 0
    while at < len(wanted):
        char = wanted[at]
        if char == "\\" and at + 1 < len(wanted):
            at += 1
            pattern += re.escape(wanted[at])
        else:
            pattern += {"*": ".*", "?": "."}.get(char) or re.escape(char)
        at += 1
    return any(re.fullmatch(pattern, value, re.DOTALL) for value in values)


def _terms(index: Index, document: dict[str, Any], body: Any) -> bool:
    field, wanted = _field(body, "terms")
    if not isinstance(wanted, list):
        raise refused(400, "parsing_exception", "[terms] query requires an array")
    return bool({str(value) for value in wanted} & set(index.values(document, field)))


def _match_phrase(index: Index, document: dict[str, Any], body: Any) -> bool:
    field, asked = _field(body, "match_phrase")
    _only(asked, "match_phrase", "query", "slop", "analyzer", "zero_terms_query")
    wanted = tokens(asked["query"])
    held = index.values(document, field)
    if not wanted:
        return asked.get("zero_terms_query") == "all"
    return any(held[at : at + len(wanted)] == wanted for at in range(len(held)))


_CLAUSES = {
    "bool": _bool,
    "range": _range,
    "term": _term,
    "prefix": _prefix,
    "wildcard": _wildcard,
    "terms": _terms,
    "match_phrase": _match_phrase,
    "match_none": lambda *_: False,
    "match_all": lambda *_: True,
}
