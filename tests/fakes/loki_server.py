"""A Loki on loopback: the part of its HTTP API and of LogQL that the source uses, and nothing that it should not.

Its LogQL is read by a strict lexer; what is not in the grammar below is refused as Loki refuses it, so a text that
broke out of its quotes would show. Source: Loki HTTP API, LogQL documentation, Go's string literals and RE2.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.loopback import Asked, FakeLogServer, Refused, Reply

_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\", '"': '"'}
_TOKEN = re.compile(
    r'(?P<space>[ \t]+)|(?P<string>"(?:[^"\\\n]|\\.)*")|(?P<name>[a-zA-Z_][a-zA-Z0-9_]*)|(?P<range>\[[0-9a-zµ.]+\])|'
    r"(?P<sign>=~|!~|!=|\|~|\|=|=|\||\{|\}|\(|\)|,)"
)
_DURATION = re.compile(r"(\d+)(ns|us|ms|s|m|h|d|w)")
_UNIT_NS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3_600 * 10**9,
            "d": 86_400 * 10**9, "w": 604_800 * 10**9}  # fmt: skip


def unquote(literal: str) -> str:
    """The value of a double-quoted Go string literal. Raises: Refused."""
    value, at, inner = [], 0, literal[1:-1]
    while at < len(inner):
        char = inner[at]
        if char != "\\":
            value.append(char)
            at += 1
            continue
        kind = inner[at + 1]
        length = {"x": 2, "u": 4, "U": 8}.get(kind)
        if kind in _ESCAPES:
            value.append(_ESCAPES[kind])
            at += 2
        elif length and re.fullmatch(rf"[0-9a-fA-F]{{{length}}}", inner[at + 2 : at + 2 + length]):
            code = int(inner[at + 2 : at + 2 + length], 16)
            if 0xD800 <= code < 0xE000 or code > 0x10FFFF:
                raise Refused(400, "parse error: invalid escape in a string")
            value.append(chr(code))
            at += 2 + length
        else:
            raise Refused(400, "parse error: invalid char escape")
    return "".join(value)


@dataclass(frozen=True)
class Stage:
    """One filter: of the line (`label` is empty) or of a label."""

    label: str
    sign: str
    value: str


@dataclass(frozen=True)
class LogQL:
    """A query that was understood."""

    matchers: tuple[Stage, ...]
    stages: tuple[Stage, ...]
    range_ns: int | None = None
    """None for a log query."""

    def streams(self, labels: dict[str, str]) -> bool:
        return all(_holds(stage, labels.get(stage.label, ""), anchored=True) for stage in self.matchers)

    def keeps(self, line: str, labels: dict[str, str]) -> bool:
        return all(
            _holds(stage, labels.get(stage.label, "") if stage.label else line, anchored=bool(stage.label))
            for stage in self.stages
        )


def _holds(stage: Stage, value: str, *, anchored: bool) -> bool:
    if stage.sign in ("=", "!="):
        found = stage.value == value
    else:
        search = re.fullmatch if anchored else re.search
        found = search(stage.value, value, re.DOTALL if anchored else 0) is not None
    return found != stage.sign.startswith("!")


def read_logql(query: str) -> LogQL:
    """Raises: Refused with Loki's status for what is not in the grammar."""
    return _Parser(list(_tokens(query))).query()


def _tokens(query: str) -> Iterator[tuple[str, str]]:
    at = 0
    while at < len(query):
        match = _TOKEN.match(query, at)
        if match is None:
            raise Refused(400, f"parse error at line 1, col {at + 1}: syntax error: unexpected character")
        if match.lastgroup != "space":
            yield match.lastgroup or "", match[0]
        at = match.end()


class _Parser:
    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self._tokens = tokens
        self._at = 0

    def query(self) -> LogQL:
        if self._peek() == ("name", "sum"):
            for expected in ("sum", "(", "count_over_time", "("):
                self._take(expected)
            found = self._pipeline()
            kind, text = self._next()
            if kind != "range":
                raise self._error(text)
            parts = _DURATION.findall(text[1:-1])
            if "".join(number + unit for number, unit in parts) != text[1:-1]:
                raise Refused(400, f"parse error: not a valid duration string: {text}")
            self._take(")")
            self._take(")")
            duration = sum(int(number) * _UNIT_NS[unit] for number, unit in parts)
            found = LogQL(found.matchers, found.stages, duration)
        else:
            found = self._pipeline()
        if self._at != len(self._tokens):
            raise self._error(self._peek()[1])
        if not any(
            (stage.sign == "=" and stage.value) or (stage.sign == "=~" and not re.fullmatch(stage.value, ""))
            for stage in found.matchers
        ):
            raise Refused(400, "queries require at least one regexp or equality matcher that does not have an "
                               "empty-compatible value")  # fmt: skip
        return found

    def _pipeline(self) -> LogQL:
        self._take("{")
        matchers = [self._comparison()]
        while self._peek()[1] == ",":
            self._take(",")
            matchers.append(self._comparison())
        self._take("}")
        stages = []
        while self._peek()[1] in ("|", "|~"):
            if self._next()[1] == "|~":
                stages.append(Stage("", "=~", self._string("=~")))
            else:
                stages.append(self._comparison())
        return LogQL(tuple(matchers), tuple(stages))

    def _comparison(self) -> Stage:
        kind, label = self._next()
        if kind != "name":
            raise self._error(label)
        sign = self._next()[1]
        if sign not in ("=", "!=", "=~", "!~"):
            raise self._error(sign)
        return Stage(label, sign, self._string(sign))

    def _string(self, sign: str) -> str:
        kind, text = self._next()
        if kind != "string":
            raise self._error(text)
        value = unquote(text)
        if sign.endswith("~"):
            try:
                re.compile(value)
            except re.error as error:
                raise Refused(400, f"parse error: error parsing regexp: {error}") from None
        return value

    def _peek(self) -> tuple[str, str]:
        return self._tokens[self._at] if self._at < len(self._tokens) else ("", "$end")

    def _next(self) -> tuple[str, str]:
        token = self._peek()
        self._at += 1
        return token

    def _take(self, text: str) -> None:
        if (found := self._next()[1]) != text:
            raise self._error(found)

    def _error(self, found: str) -> Refused:
        return Refused(400, f"parse error at line 1, col {self._at}: syntax error: unexpected {found}")


@dataclass(repr=False)
class LokiServer(FakeLogServer):
    """Streams, limits and a tenant, as a Loki has them."""

    streams: list[tuple[dict[str, str], list[tuple[Any, ...]]]] = field(default_factory=list)
    """Labels and entries `(ns, line)` or `(ns, line, structured metadata)`."""
    tenant: str = ""
    max_entries: int = 5_000
    max_query_length_ns: int = 721 * _UNIT_NS["h"]
    warnings: list[str] = field(default_factory=list)

    def reply(self, asked: Asked) -> Reply:
        if asked.method != "GET":
            raise Refused(405, "method not allowed")
        if self.tenant and asked.headers.get("x-scope-orgid") != self.tenant:
            raise Refused(401, "no org id")
        if asked.path == "/loki/api/v1/labels":
            start, end = self._range(asked.params)
            names = sorted({name for labels, _ in self._within(start, end) for name in labels})
            return _json({"status": "success", "data": names} if names else {"status": "success"})
        if match := re.fullmatch(r"/loki/api/v1/label/([a-zA-Z_][a-zA-Z0-9_]*)/values", asked.path):
            start, end = self._range(asked.params)
            values = {labels[match[1]] for labels, _ in self._within(start, end) if match[1] in labels}
            return _json({"status": "success", "data": sorted(values)} if values else {"status": "success"})
        if asked.path == "/loki/api/v1/query_range":
            return _json(self._logs(asked.params))
        if asked.path == "/loki/api/v1/query":
            return _json(self._count(asked.params))
        raise Refused(404, "404 page not found")

    def _logs(self, params: dict[str, str]) -> dict[str, Any]:
        query = read_logql(params["query"])
        if query.range_ns is not None:
            raise Refused(400, "this fake has no metric queries over a range")
        start, end = self._range(params)
        limit = _number(params.get("limit", "100"), "limit")
        direction = params.get("direction", "backward").lower()
        if direction not in ("backward", "forward"):
            raise Refused(400, f"invalid direction {direction!r}")
        if limit <= 0:
            raise Refused(400, "limit must be a positive value")
        if limit > self.max_entries:
            raise Refused(
                400,
                "max entries limit per query exceeded, limit > max_entries_limit_per_query "
                f"({limit} > {self.max_entries})",
            )
        found = sorted(self._matching(query, start, end), key=lambda item: item[0], reverse=direction == "backward")
        streams: dict[str, dict[str, Any]] = {}
        for at, line, labels in found[:limit]:
            stream = streams.setdefault(json.dumps(labels, sort_keys=True), {"stream": labels, "values": []})
            stream["values"].append([str(at), line])
        body = {"status": "success", "data": {"resultType": "streams", "result": list(streams.values()), "stats": {}}}
        return body | ({"warnings": self.warnings} if self.warnings else {})

    def _count(self, params: dict[str, str]) -> dict[str, Any]:
        query = read_logql(params["query"])
        if query.range_ns is None:
            raise Refused(400, "log queries are not supported as an instant query type, please change your query to a "
                               "range query type")  # fmt: skip
        at = _number(params["time"], "time")
        self._check_length(query.range_ns)
        number = len(list(self._matching(query, at - query.range_ns + 1, at + 1)))
        result = [{"metric": {}, "value": [at / 10**9, str(number)]}] if number else []
        return {"status": "success", "data": {"resultType": "vector", "result": result, "stats": {}}}

    def _matching(self, query: LogQL, start: int, end: int) -> Iterator[tuple[int, str, dict[str, str]]]:
        for labels, entries in self.streams:
            if not query.streams(labels):
                continue
            for at, line, *metadata in entries:
                known = labels | (metadata[0] if metadata else {})
                if start <= at < end and query.keeps(line, known):
                    yield at, line, known

    def _within(self, start: int, end: int) -> list[tuple[dict[str, str], list[tuple[Any, ...]]]]:
        return [stream for stream in self.streams if any(start <= entry[0] < end for entry in stream[1])]

    def _range(self, params: dict[str, str]) -> tuple[int, int]:
        start, end = _number(params["start"], "start"), _number(params["end"], "end")
        if end < start:
            raise Refused(400, "end timestamp must not be before or equal to start time")
        self._check_length(end - start)
        return start, end

    def _check_length(self, length: int) -> None:
        if length > self.max_query_length_ns:
            raise Refused(
                400,
                f"the query time range exceeds the limit (query length: {length // 10**9}s, "
                f"limit: {self.max_query_length_ns // 10**9}s)",
            )


def _number(text: str, name: str) -> int:
    if not re.fullmatch(r"-?\d+", text):
        raise Refused(400, f"could not parse {name!r} parameter: {text}")
    return int(text)


def _json(body: dict[str, Any]) -> Reply:
    return Reply(json.dumps(body).encode())
