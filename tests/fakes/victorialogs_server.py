"""A VictoriaLogs on loopback: `/select/logsql/query` and the part of LogsQL that the source uses, read strictly.

What is not in the grammar below is refused, so a text that broke out of its quotes would show.
Source: VictoriaLogs querying and LogsQL documentation, Go's string literals and RE2.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from tests.fakes.loki_server import unquote
from tests.fakes.loopback import Asked, FakeLogServer, Refused, Reply

Record = dict[str, str]
Holds = Callable[[Record], bool]

_TOKEN = re.compile(
    r'(?P<space>[ \t]+)|(?P<string>"(?:[^"\\\n]|\\.)*")|(?P<time>_time:\[[0-9TZ:.+-]+, ?[0-9TZ:.+-]+\))|'
    r"(?P<word>[a-zA-Z0-9_][a-zA-Z0-9_.]*)|(?P<sign>:=|:~|=|!|\*|\||\{|\}|\(|\)|,)"
)


@dataclass(frozen=True)
class LogsQL:
    """A query that was understood."""

    holds: Holds
    fields: tuple[str, ...]
    """The fields that are asked about, with a `!` in front where they must not match."""
    limit: int | None = None
    counted_as: str = ""
    span: bool = False


def read_logsql(query: str) -> LogsQL:
    """Raises: Refused for what is not in the grammar."""
    return _Parser(list(_tokens(query))).query()


def _tokens(query: str) -> Iterator[tuple[str, str]]:
    at = 0
    while at < len(query):
        match = _TOKEN.match(query, at)
        if match is None:
            raise Refused(400, f"cannot parse query: unexpected {query[at : at + 20]!r}")
        if match.lastgroup != "space":
            yield match.lastgroup or "", match[0]
        at = match.end()


class _Parser:
    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self._tokens = tokens
        self._at = 0
        self._fields: list[str] = []

    def query(self) -> LogsQL:
        holds = self._all({"|", ""})
        found = LogsQL(holds, tuple(self._fields))
        if self._peek()[1] == "|":
            self._take("|")
            found = self._pipe(found)
        if self._at != len(self._tokens):
            raise self._error()
        return found

    def _pipe(self, found: LogsQL) -> LogsQL:
        if self._peek()[1] == "sort":
            for word in ("sort", "by", "(", "_time", "desc", ")", "limit"):
                self._take(word)
            return LogsQL(found.holds, found.fields, limit=int(self._next()[1]))
        self._take("stats")
        if self._peek()[1] == "count":
            for word in ("count", "(", ")", "as"):
                self._take(word)
            return LogsQL(found.holds, found.fields, counted_as=self._next()[1])
        for word in ("min", "(", "_time", ")", "as", "oldest", ",", "max", "(", "_time", ")", "as", "newest"):
            self._take(word)
        return LogsQL(found.holds, found.fields, span=True)

    def _all(self, ends: set[str]) -> Holds:
        parts = []
        while self._peek()[1] not in ends:
            parts.append(self._term())
        if not parts:
            raise self._error()
        return lambda record: all(part(record) for part in parts)

    def _either(self) -> Holds:
        parts = [self._all({"or", ")"})]
        while self._peek()[1] == "or":
            self._take("or")
            parts.append(self._all({"or", ")"}))
        return lambda record: any(part(record) for part in parts)

    def _term(self) -> Holds:
        kind, text = self._next()
        if kind == "time":
            start, end = (_ns(part.strip()) for part in text[7:-1].split(","))
            return lambda record: start <= _ns(record["_time"]) < end
        if text == "*":
            return lambda _: True
        if text == "!":
            inner = self._term()
            self._fields[-1] = f"!{self._fields[-1]}"
            return lambda record: not inner(record)
        if text == "(":
            inner = self._either()
            self._take(")")
            return inner
        if text == "{":
            return self._stream()
        if kind not in ("string", "word"):
            raise self._error()
        return self._field(unquote(text) if kind == "string" else text)

    def _field(self, name: str) -> Holds:
        sign = self._next()[1]
        value = self._string()
        self._fields.append(name)
        if sign == ":=":
            return lambda record: record.get(name, "") == value
        if sign != ":~":
            raise self._error()
        try:
            pattern = re.compile(value)
        except re.error as error:
            raise Refused(400, f"cannot parse query: invalid regexp: {error}") from None
        return lambda record: pattern.search(record.get(name, "")) is not None

    def _stream(self) -> Holds:
        name = self._next()[1]
        self._take("=")
        value = self._string()
        self._take("}")
        return lambda record: record.get(name) == value

    def _string(self) -> str:
        kind, text = self._next()
        if kind != "string":
            raise self._error()
        return unquote(text)

    def _peek(self) -> tuple[str, str]:
        return self._tokens[self._at] if self._at < len(self._tokens) else ("", "")

    def _next(self) -> tuple[str, str]:
        token = self._peek()
        self._at += 1
        return token

    def _take(self, text: str) -> None:
        if self._next()[1] != text:
            raise self._error()

    def _error(self) -> Refused:
        rest = " ".join(text for _, text in self._tokens[max(0, self._at - 1) :])
        return Refused(400, f"cannot parse query; context: [{rest[:40]}]")


def _ns(text: str) -> int:
    from datetime import datetime

    match = re.fullmatch(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)", text)
    if match is None:
        raise Refused(400, f"cannot parse query: cannot parse timestamp {text!r}")
    return int(datetime.fromisoformat(match[1] + match[3]).timestamp()) * 10**9 + int((match[2] or "").ljust(9, "0"))


@dataclass(repr=False)
class VictoriaLogsServer(FakeLogServer):
    """Records, and the tenant whose they are."""

    records: list[Record] = field(default_factory=list)
    account: str = "0"
    project: str = "0"

    def reply(self, asked: Asked) -> Reply:
        if asked.path != "/select/logsql/query":
            raise Refused(404, f"unsupported path requested: {asked.path}")
        if "query" not in asked.params:
            raise Refused(400, "missing query arg")
        query = read_logsql(asked.params["query"])
        mine = (asked.headers.get("accountid", "0"), asked.headers.get("projectid", "0")) == (
            self.account,
            self.project,
        )
        found = [record for record in self.records if query.holds(record)] if mine else []
        if query.counted_as:
            rows = [{query.counted_as: str(len(found))}]
        elif query.span:
            times = sorted(record["_time"] for record in found) or [""]
            rows = [{"oldest": times[0], "newest": times[-1]}]
        else:
            found.sort(key=lambda record: _ns(record["_time"]), reverse=True)
            rows = [{name: record[name] for name in sorted(record)} for record in found[: query.limit]]
        body = "".join(json.dumps(row) + "\n" for row in rows)
        return Reply(body.encode(), "application/stream+json")
