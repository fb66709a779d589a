"""VictoriaLogs as a log source: one sorted stream of JSON lines, its counts by the server.

Source: VictoriaLogs `/select/logsql/query` (JSON lines; `stats` queries answer there too) and LogsQL.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from rootproof.adapters.sources.deadline import Deadline
from rootproof.adapters.sources.http_json import HttpJson
from rootproof.adapters.sources.logentries import (
    POD_ENDING,
    SERVICE_NAMES,
    Account,
    ServedLine,
    answer_of,
    entries_of,
    instant_of,
    literal_pattern,
    lower_levels,
    nanoseconds,
    not_set_up,
    quoted,
    words_in,
)
from rootproof.adapters.sources.records import APPLICATION
from rootproof.adapters.sources.workload import workload_of
from rootproof.domain.window import TimeWindow
from rootproof.errors import SourceError, SourceGarbled, UsageError
from rootproof.ports.sources import LogQuery

_PATH = "/select/logsql/query"
_COUNT = "stats count() as records"
_PULL_SHARE = 0.75
"""Of a query's time that records may take; the rest is for counting and reading them."""
_AROUND = timedelta(days=7)
"""Before and after the window, where the topic's records are looked for when it has none."""
_POD_FIELDS = ("kubernetes.pod_name", "k8s.pod.name", "pod", "pod_name")
_NO_MESSAGE = "missing _msg field"
"""Begins what VictoriaLogs writes where a record came without a message."""
_TIME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)", re.ASCII)
_FILTER_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|`[^`]*`|[^"\'`]')


def checked_filter(text: str, setting: str) -> str:
    """A LogsQL filter in brackets, so that it stays one part of a query.

    Raises: UsageError naming `setting` where the text has a pipe, a comment, or brackets and quotes that do not match.
    """
    depth, at = 0, 0
    while (match := _FILTER_TOKEN.match(text, at)) and depth >= 0:
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if match[0] in "|#\n":
            break
        at = match.end()
    if at < len(text) or depth != 0 or not text.strip():
        raise UsageError(
            f'{setting} is {text!r}, and must be one LogsQL filter such as {{namespace="shop"}}, without pipes'
        )
    return f"({text.strip()})"


@dataclass(frozen=True, slots=True)
class Question:
    """A LogsQL query in its parts."""

    base: str
    services: str = ""
    filters: tuple[str, ...] = ()

    def text(self, window: TimeWindow, pipe: str, *, narrow: bool = True) -> str:
        """The query over [start, end); not `narrow`: without level and words."""
        time = f"_time:[{_written(window.start)}, {_written(window.end)})"
        parts = [time, self.base, self.services, *(self.filters if narrow else ())]
        return " ".join(part for part in parts if part) + f" | {pipe}"


@dataclass(slots=True)
class _Pull:
    """The records as they came, newest first."""

    lines: list[ServedLine] = field(default_factory=list)
    problem: str = ""


class VictoriaLogs:
    """The log source over one VictoriaLogs (and one tenant)."""

    name = "VictoriaLogs"
    kind = "VICTORIALOGS"

    def __init__(
        self,
        http: HttpJson,
        *,
        service_field: str = "service.name",
        level_field: str = "level",
        filters: Mapping[str, str] | None = None,
        max_records: int = 20_000,
    ) -> None:
        """`filters` give each topic its LogsQL filter; a topic that is absent is not in VictoriaLogs.

        Raises: UsageError for what is no filter.
        """
        self._http = http
        self._service_field = service_field
        self._level_field = level_field
        self._filters = {
            topic: checked_filter(text, f"VictoriaLogs: the filter of {topic}")
            for topic, text in (filters if filters is not None else {APPLICATION: "*"}).items()
        }
        self._max_records = max(1, max_records)

    async def fetch(self, query: LogQuery, *, deadline_s: float) -> str:
        """The raw answer, as `ports.sources.LogSource` says: the newest records, within the limits.

        What came before the stream broke off is an answer, and `reading` says what is missing.
        Raises: SourceError when nothing came.
        """
        base = self._filters.get(query.topic)
        deadline = Deadline(deadline_s, self.name)
        if base is None:
            moment = TimeWindow(query.window.end, query.window.end)
            await self._row(Question("*").text(moment, _COUNT), deadline)  # "nothing there" is for one that answers
            return not_set_up(self.name, query, "filter is")
        question = self._question(query, base)
        limit = min(query.limit, self._max_records)
        pull = await self._pull(question, query.window, limit, Deadline(deadline_s * _PULL_SHARE, self.name))
        account = await self._account(question, query.window, pull, limit, deadline)
        entries = await asyncio.to_thread(entries_of, pull.lines, query, deadline, service_label=self._service_field)
        return answer_of(f"{self.name} {question.base}", query, entries, account)

    def _question(self, query: LogQuery, base: str) -> Question:
        services = ""
        if query.services:
            asked = {name.lower() for name in query.services}
            wanted = sorted(asked | {stem for name in asked if (stem := workload_of(name))})
            named = f"(?i)^(.*/)?({'|'.join(map(literal_pattern, wanted))}){POD_ENDING}$"
            fields = dict.fromkeys((self._service_field, *SERVICE_NAMES, *_POD_FIELDS))
            services = f"({' or '.join(f'{quoted(name)}:~{quoted(named)}' for name in fields)})"
        filters = []
        if lower := lower_levels(query.level):
            filters.append(f"!{quoted(self._level_field)}:~{quoted(f'(?i)^({lower})$')}")
        filters += [f"_msg:~{quoted(f'(?i){literal_pattern(word)}')}" for word in words_in(query.contains)]
        return Question(base, services, tuple(filters))

    async def _pull(self, question: Question, window: TimeWindow, limit: int, deadline: Deadline) -> _Pull:
        """The newest `limit` records. Raises: SourceError when it fails before the first one."""
        pull = _Pull()
        form = {"query": question.text(window, f"sort by (_time desc) limit {limit}")}
        try:
            async with aclosing(self._http.lines("POST", _PATH, form=form, deadline=deadline)) as records:
                async for record in records:
                    pull.lines.append(self._line(record))
        except SourceError as error:
            if not pull.lines or isinstance(error, SourceGarbled):
                raise
            pull.problem = f"older records were not read: {error}"
        return pull

    def _line(self, record: Mapping[str, object]) -> ServedLine:
        fields = {name: value for name, value in record.items() if isinstance(value, str) and value}
        at_ns = _nanoseconds(fields.get("_time", ""))
        if at_ns is None:
            raise SourceGarbled(f"{self.name} sent a record without a usable `_time`. Check that `url` is its address.")
        message = fields.get("_msg", "")
        own = {name: value for name, value in fields.items() if not name.startswith("_")}
        if not message or message.startswith(_NO_MESSAGE):
            return ServedLine(at_ns, json.dumps(own, ensure_ascii=False), own)
        if level := own.get(self._level_field):
            own.setdefault("level", level)
        return ServedLine(at_ns, message, own)

    async def _account(
        self, question: Question, window: TimeWindow, pull: _Pull, limit: int, deadline: Deadline
    ) -> Account:
        """What was pulled and what the server counts; a count that fails is left out, since the records are there."""
        got = len(pull.lines)
        whole = got < limit and not pull.problem
        counted = got if whole else await self._number(question.text(window, _COUNT), deadline)
        looked_at = counted
        if question.filters:
            text = question.text(window, _COUNT, narrow=False)
            looked_at = await self._number(text, deadline)
        problem = pull.problem
        if not whole and not problem and counted != got:
            of = "more" if counted is None else counted
            problem = f"the newest {got} of {of} records were read (the limit of one call)"
        size = sum(len(line.text) for line in pull.lines)
        span = None if got or looked_at else await self._span(question, window, deadline)
        return Account(got, size, counted, looked_at, (problem,) if problem else (), span)

    async def _number(self, text: str, deadline: Deadline) -> int | None:
        """The one number that a `stats` query answers with, or None where it fails."""
        with suppress(SourceError):
            value = (await self._row(text, Deadline(deadline.left_s / 2, self.name))).get("records", "")
            return int(value) if value.isdecimal() else None
        return None

    async def _span(
        self, question: Question, window: TimeWindow, deadline: Deadline
    ) -> tuple[datetime, datetime] | None:
        """The oldest and newest record of the topic near the window, where that is quick to find."""
        around = TimeWindow(window.start - _AROUND, window.end + _AROUND)
        text = question.text(around, "stats min(_time) as oldest, max(_time) as newest", narrow=False)
        with suppress(SourceError):
            row = await self._row(text, Deadline(deadline.left_s / 3, self.name))
            oldest, newest = _instant(row.get("oldest", "")), _instant(row.get("newest", ""))
            return (oldest, newest) if oldest and newest else None
        return None

    async def _row(self, text: str, deadline: Deadline) -> dict[str, str]:
        """The first row of a `stats` query."""
        async with aclosing(self._http.lines("POST", _PATH, form={"query": text}, deadline=deadline)) as rows:
            async for row in rows:
                return {name: value for name, value in row.items() if isinstance(value, str)}
        return {}


def _written(instant: datetime) -> str:
    """RFC 3339 with microseconds, in UTC."""
    return instant.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _nanoseconds(text: str) -> int | None:
    match = _TIME.fullmatch(text)
    if match is None:
        return None
    try:
        second = nanoseconds(datetime.fromisoformat(match[1] + match[3]))
    except (ValueError, OverflowError):
        return None
    return second + int((match[2] or "").ljust(9, "0"))


def _instant(text: str) -> datetime | None:
    at_ns = _nanoseconds(text)
    return None if at_ns is None else instant_of(at_ns)
