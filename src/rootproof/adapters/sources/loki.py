"""Grafana Loki as a log source: LogQL that nothing asked for can break out of, pages by time, counts by the server.

Source: Loki HTTP API `labels`, `label/<name>/values`, `query_range` (start inclusive, end exclusive), `query`.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote

from rootproof.adapters.sources.deadline import Deadline
from rootproof.adapters.sources.http_json import AnswerTooLarge, HttpJson
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
from rootproof.errors import QueryRejected, SourceError, SourceGarbled, SourceUnavailable, UsageError
from rootproof.ports.sources import LogQuery

_LABELS_PATH = "/loki/api/v1/labels"
_MATCHER = re.compile(
    r'\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*(=~|!~|!=|=)\s*("(?:[^"\\\n]|\\.)*"|`[^`]*`)\s*(?:,|(?=\}))', re.ASCII
)
_TOO_LONG = re.compile(r"query time range exceeds the limit|query length|exceeds.{0,40}max_query_length", re.IGNORECASE)
_TOO_MANY = re.compile(r"max entries limit.{0,120}\(\d+ > (\d+)\)", re.IGNORECASE)
_LEAST_SPAN_NS = 60 * 10**9
_LEAST_PAGE = 50
_MOST_VALUES = 200
"""Values of a label that are named one by one."""
_MOST_PIECES = 16
"""Counts of one question, where the server allows only a part of the window at once."""
_PULL_SHARE = 0.75
"""Of a query's time that lines may take; the rest is for counting and reading them."""
_AROUND = timedelta(days=7)
"""Before and after the window, where the topic's lines are looked for when it has none."""
_LABELS = tuple(name for name in SERVICE_NAMES if "." not in name)


def parse_selector(text: str, setting: str) -> tuple[str, ...]:
    """The matchers of a stream selector such as `{namespace="shop", env!="dev"}`.

    Raises: UsageError naming `setting` for anything that is not one selector and nothing else.
    """
    stripped = text.strip()
    matchers: list[str] = []
    at = 1
    while stripped.startswith("{") and (match := _MATCHER.match(stripped, at)):
        matchers.append(f"{match[1]}{match[2]}{match[3]}")
        at = match.end()
    if not matchers or stripped[at:].strip() != "}":
        raise UsageError(f'{setting} is {text!r}, and must be a stream selector such as {{namespace="shop"}}')
    return tuple(matchers)


@dataclass(frozen=True, slots=True)
class Selection:
    """A LogQL log query in its parts."""

    matchers: tuple[str, ...]
    filters: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The query."""
        return " ".join([f"{{{', '.join(self.matchers)}}}", *self.filters])


@dataclass(slots=True)
class _Pull:
    """The lines of one question as they come, newest first, and how it is asked."""

    end: int
    page: int
    span: int
    """Nanoseconds that one request may cover."""
    lines: list[ServedLine] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    crowded: bool = False
    """Whether a page was full of lines of one instant, so that others of that instant may be missing."""
    whole: bool = False


class LokiLogs:
    """The log source over one Loki (and one tenant)."""

    name = "Loki"
    kind = "LOKI"

    def __init__(
        self,
        http: HttpJson,
        *,
        service_label: str = "service_name",
        selectors: Mapping[str, str] | None = None,
        page_size: int = 5_000,
        max_records: int = 20_000,
    ) -> None:
        """`selectors` give each topic its stream selector: empty means every stream, a topic that is absent is not in
        Loki. Raises: UsageError for what is no selector.
        """
        self._http = http
        self._service_label = service_label
        self._selectors = {
            topic: parse_selector(text, f"Loki: the selector of {topic}") if text.strip() else ()
            for topic, text in (selectors if selectors is not None else {APPLICATION: ""}).items()
        }
        self._page_size = max(1, page_size)
        self._max_records = max(1, max_records)

    async def fetch(self, query: LogQuery, *, deadline_s: float) -> str:
        """The raw answer, as `ports.sources.LogSource` says: the newest lines, within the limits.

        What was pulled before a later page failed is an answer, and `reading` says what is missing.
        Raises: SourceError when nothing could be pulled.
        """
        deadline = Deadline(deadline_s, self.name)
        base = self._selectors.get(query.topic)
        if base is None:
            await self._names(_LABELS_PATH, query.window, deadline)  # "nothing there" is for a server that answers
            return not_set_up(self.name, query, "streams are")
        chosen = await self._selection(query, base, deadline)
        if chosen is None:
            asked = ", ".join(query.services)
            why = f"no label of its streams names {asked}" if asked else "no streams in the window"
            return answer_of(f"{self.name}: {why}", query, [], Account(0, 0))
        limit = min(query.limit, self._max_records)
        pull = await self._pull(chosen, query.window, limit, Deadline(deadline.left_s * _PULL_SHARE, self.name))
        account = await self._account(chosen, query, pull, deadline)
        entries = await asyncio.to_thread(entries_of, pull.lines, query, deadline, service_label=self._service_label)
        return answer_of(f"{self.name} {chosen.text}", query, entries, account)

    async def _selection(self, query: LogQuery, base: tuple[str, ...], deadline: Deadline) -> Selection | None:
        """How the question is asked, or None where no stream can answer it."""
        matchers, filters = list(base), []
        if query.services or not base:
            labels = await self._names(_LABELS_PATH, query.window, deadline)
            known = [label for label in dict.fromkeys((self._service_label, *_LABELS)) if label in labels]
            if query.services and known:
                matcher = await self._service_matcher(query, known, deadline)
                if matcher is None:
                    return None
                matchers.append(matcher)
            elif not base:
                if not labels:
                    return None
                matchers.append(f'{(known or sorted(labels))[0]}=~".+"')
            if query.services and not known:
                filters.append(f"|~ {quoted(_any_of(query.services, ''))}")
        if lower := lower_levels(query.level):
            filters += [f"| {label}!~{quoted(f'(?i)({lower})')}" for label in ("level", "detected_level")]
        filters += [f"|~ {quoted(f'(?i){literal_pattern(word)}')}" for word in words_in(query.contains)]
        return Selection(tuple(matchers), tuple(sorted(filters, key=lambda text: not text.startswith("|~"))))

    async def _service_matcher(self, query: LogQuery, labels: Sequence[str], deadline: Deadline) -> str | None:
        """The matcher of the label whose values name most of the services, by name or as the stem of a pod name."""
        asked = {name.lower() for name in query.services}
        wanted = asked | {stem for name in asked if (stem := workload_of(name))}
        best: tuple[int, str, list[str]] = (0, "", [])
        for label in labels:
            path = f"/loki/api/v1/label/{quote(label, safe='')}/values"
            values = await self._names(path, query.window, deadline)
            called = {value: _called(value) & wanted for value in values}
            found = sorted(value for value, names in called.items() if names)
            covered = len(set().union(*called.values()))
            if covered > best[0]:
                best = (covered, label, found)
            if covered >= len(asked):
                break
        covered, label, found = best
        if not covered:
            return None
        if len(found) > _MOST_VALUES:
            return f"{label}=~{quoted(_any_of(sorted(wanted), POD_ENDING))}"
        return f"{label}=~{quoted('|'.join(map(literal_pattern, found)))}"

    async def _names(self, path: str, window: TimeWindow, deadline: Deadline) -> list[str]:
        """Labels or their values; those of the window's end, where the server allows no more of it at once."""
        start, end = nanoseconds(window.start), nanoseconds(window.end)
        while True:
            try:
                body = await self._http.get(path, {"start": str(start), "end": str(end)}, deadline=deadline)
                break
            except QueryRejected as error:
                if not _TOO_LONG.search(str(error)) or end - start <= _LEAST_SPAN_NS:
                    raise
                start = end - _half(end - start)
        names = body.get("data") or [] if isinstance(body, dict) else None  # Loki leaves out an empty list
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise SourceGarbled(f"{self.name}: {path} did not answer with a list of names")
        return names

    async def _pull(self, chosen: Selection, window: TimeWindow, limit: int, deadline: Deadline) -> _Pull:
        """The newest `limit` lines. Raises: SourceError when the first page fails."""
        start, end = nanoseconds(window.start), nanoseconds(window.end)
        pull = _Pull(end, self._page_size, max(end - start, 1))
        while pull.end > start and len(pull.lines) < limit:
            try:
                await self._page(chosen, start, limit, pull, deadline)
            except (AnswerTooLarge, QueryRejected) as error:
                if not _asked_for_less(pull, error):
                    raise
            except SourceError as error:
                if not pull.lines:
                    raise
                pull.problems.append(f"older lines were not read: {error}")
                return pull
        pull.whole = pull.end <= start and not pull.crowded
        return pull

    async def _page(self, chosen: Selection, start: int, limit: int, pull: _Pull, deadline: Deadline) -> None:
        """Take one page. The lines at its oldest instant may be a part of those that are there: the next page asks for
        that instant again, and this one leaves it out."""
        begin = max(start, pull.end - pull.span)
        size = min(pull.page, limit - len(pull.lines))
        lines, warnings = await self._range(chosen, begin, pull.end, size, deadline)
        pull.problems += [warning for warning in warnings if warning not in pull.problems]
        if len(lines) < size:
            pull.lines += lines
            pull.end = begin
            return
        oldest = lines[-1].at_ns
        newer = [line for line in lines if line.at_ns > oldest]
        if len(pull.lines) + len(lines) >= limit:
            pull.lines += lines
            pull.end = oldest + 1
        elif newer:
            pull.lines += newer
            pull.end = oldest + 1
        else:
            pull.lines += lines
            pull.end = oldest
            pull.crowded = True

    async def _range(
        self, chosen: Selection, begin: int, end: int, limit: int, deadline: Deadline, direction: str = "backward"
    ) -> tuple[list[ServedLine], list[str]]:
        """Lines of [begin, end) in the direction asked for, and the server's warnings."""
        params = {
            "query": chosen.text,
            "start": str(begin),
            "end": str(end),
            "limit": str(limit),
            "direction": direction,
        }
        body = await self._http.get("/loki/api/v1/query_range", params, deadline=deadline)
        data = self._data(body, "streams")
        lines = [line for stream in data["result"] for line in self._lines(stream) if begin <= line.at_ns < end]
        lines.sort(key=lambda line: line.at_ns, reverse=direction == "backward")
        said = body.get("warnings") or []
        return lines, [f"the server warns: {text}" for text in said if isinstance(text, str)][:5]

    def _data(self, body: Any, result_type: str) -> dict[str, Any]:
        """`data` of a good answer. Raises: SourceUnavailable with the server's words; SourceGarbled."""
        if isinstance(body, dict) and body.get("status") not in (None, "success"):
            raise SourceUnavailable(
                f"{self.name} answered {body.get('status')!r}: {body.get('error') or 'no reason given'}"
            )
        data = body.get("data") if isinstance(body, dict) else None
        if (
            not isinstance(data, dict)
            or data.get("resultType") != result_type
            or not isinstance(data.get("result"), list)
        ):
            raise SourceGarbled(f"{self.name} did not answer with {result_type}. Check that `url` is Loki's address.")
        return data

    def _lines(self, stream: Any) -> list[ServedLine]:
        try:
            labels = {str(name): str(value) for name, value in stream["stream"].items()}
            return [
                ServedLine(int(at), _text(line), {**labels, **_metadata(rest)} if rest else labels)
                for at, line, *rest in stream["values"]
            ]
        except (TypeError, KeyError, ValueError, AttributeError) as error:
            raise SourceGarbled(f"{self.name} sent a stream that cannot be read ({type(error).__name__})") from None

    async def _account(self, chosen: Selection, query: LogQuery, pull: _Pull, deadline: Deadline) -> Account:
        """What was pulled and what the server counts; a count that fails is left out, since the lines are there."""
        counted = len(pull.lines) if pull.whole else await self._count(chosen, query.window, pull.span, deadline)
        looked_at = counted
        if chosen.filters:
            looked_at = await self._count(Selection(chosen.matchers), query.window, pull.span, deadline)
        problems = list(pull.problems)
        if not pull.whole and not pull.problems and counted != len(pull.lines):
            of = "more" if counted is None else counted
            why = "a page holds no more of one instant" if pull.crowded else "the limit of one call"
            which = "" if pull.crowded else "the newest "
            problems.append(f"{which}{len(pull.lines)} of {of} lines were read ({why})")
        size = sum(len(line.text) for line in pull.lines)
        span = None if pull.lines or looked_at else await self._span(chosen, query.window, deadline)
        return Account(len(pull.lines), size, counted, looked_at, tuple(problems), span)

    async def _count(self, chosen: Selection, window: TimeWindow, span: int, deadline: Deadline) -> int | None:
        """How many lines match in the window by the server's own count; None where it does not say."""
        start, end = nanoseconds(window.start), nanoseconds(window.end)
        if (end - start) / span > _MOST_PIECES:
            return None
        total = 0
        try:
            while end > start:
                begin = max(start, end - span)
                # A range of an instant query is open at its start and closed at its end.
                counting = f"sum(count_over_time({chosen.text} [{(end - begin) // 1_000}us]))"
                params = {"query": counting, "time": str(end - 1)}
                body = await self._http.get(
                    "/loki/api/v1/query", params, deadline=Deadline(deadline.left_s / 2, self.name)
                )
                total += sum(int(float(sample["value"][1])) for sample in self._data(body, "vector")["result"])
                end = begin
        except (SourceError, TypeError, KeyError, ValueError, IndexError, OverflowError):
            return None
        return total

    async def _span(
        self, chosen: Selection, window: TimeWindow, deadline: Deadline
    ) -> tuple[datetime, datetime] | None:
        """The oldest and newest line of the streams near the window, where that is quick to find."""
        streams = Selection(chosen.matchers)
        begin, end = nanoseconds(window.start - _AROUND), nanoseconds(window.end + _AROUND)
        quick = Deadline(deadline.left_s / 3, self.name)
        try:
            oldest, _ = await self._range(streams, begin, end, 1, quick, "forward")
            newest, _ = await self._range(streams, begin, end, 1, quick)
        except SourceError:
            return None
        return (instant_of(oldest[0].at_ns), instant_of(newest[0].at_ns)) if oldest and newest else None


def _asked_for_less(pull: _Pull, error: SourceError) -> bool:
    """Whether the next request is a smaller one that may work."""
    words = str(error)
    if isinstance(error, AnswerTooLarge) and pull.page > _LEAST_PAGE:
        pull.page = max(pull.page // 4, _LEAST_PAGE)
    elif (match := _TOO_MANY.search(words)) and 0 < int(match[1]) < pull.page:
        pull.page = int(match[1])
    elif _TOO_LONG.search(words) and pull.span > _LEAST_SPAN_NS:
        pull.span = _half(pull.span)
    else:
        return False
    return True


def _half(span: int) -> int:
    """Half of it in whole microseconds, which is what a range in LogQL is written in here."""
    return max(span // 2_000 * 1_000, _LEAST_SPAN_NS)


def _called(value: str) -> set[str]:
    """The names by which a label's value may be asked for, in lower case: `namespace/name` also by its name."""
    lowered = value.lower()
    names = {lowered, lowered.rpartition("/")[2]}
    return names | {stem for name in names if (stem := workload_of(name))}


def _any_of(names: Sequence[str], ending: str) -> str:
    return f"(?i)({'|'.join(map(literal_pattern, names))}){ending}"


def _text(line: Any) -> str:
    if not isinstance(line, str):
        raise TypeError("a line is text")
    return line


def _metadata(rest: list[Any]) -> dict[str, str]:
    """Structured metadata behind a line: an object of texts, or one of such objects by kind."""
    found: dict[str, str] = {}
    for name, value in (rest[0] if isinstance(rest[0], dict) else {}).items():
        found |= {str(k): str(v) for k, v in value.items()} if isinstance(value, dict) else {str(name): str(value)}
    return found
