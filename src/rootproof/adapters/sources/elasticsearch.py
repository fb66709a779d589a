"""Elasticsearch and OpenSearch as a log source: newest first, page by page, over one point in time.

Source: `_field_caps`, `_pit` (Elasticsearch 7.12 and later) or `_search/point_in_time` (OpenSearch 2.4 and later),
`_search` with `search_after`, `_count`.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from rootproof.adapters.sources.deadline import Deadline
from rootproof.adapters.sources.elasticsearch_hits import entry_of, statement_of
from rootproof.adapters.sources.elasticsearch_pit import PointInTime, PointsInTime, path_of
from rootproof.adapters.sources.elasticsearch_query import (
    Fields,
    FieldTypes,
    in_window,
    names_no_service,
    query_of,
    search_body,
)
from rootproof.adapters.sources.http_json import AnswerTooLarge, HttpJson
from rootproof.adapters.sources.logentries import Account, answer_of, not_set_up
from rootproof.adapters.sources.records import APPLICATION, SLOW_QUERY, Entry
from rootproof.domain.cutting import within
from rootproof.errors import QueryRejected, SourceDenied, SourceError, SourceGarbled, SourceUnavailable, UsageError
from rootproof.ports.sources import LogQuery

_PULL_SHARE = 0.8
"""Of a query's time that pages may take; the rest is for counting and reading them."""
_MOST_PAGE = 10_000
"""Documents of one answer (`index.max_result_window`)."""
_LEAST_PAGE = 10
_LOST = "search_context_missing"
_LENIENT = {"ignore_unavailable": "true", "allow_no_indices": "true"}
_INDICES = re.compile(r"[^\s/?#\\\"<>|]{1,1000}")
_CHECK_EVERY = 1_000
"""Documents between two looks at the clock."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """One question, ready to be asked."""

    indices: str
    query: dict[str, Any]
    limit: int


@dataclass(slots=True)
class _Pull:
    """The documents of one question as they come, newest first."""

    page: int
    hits: list[dict[str, Any]] = field(default_factory=list)
    total: int | None = None
    """What the server counts."""
    problems: list[str] = field(default_factory=list)
    without_view: str = ""
    """Why there is no point in time to read from."""
    ended: bool = False
    """Whether the server has no more."""

    def note(self, problem: str) -> None:
        """Say once why the answer is not whole."""
        if problem not in self.problems:
            self.problems.append(problem)


class ElasticsearchLogs:
    """The log source over one cluster of Elasticsearch or OpenSearch."""

    name = "Elasticsearch"
    kind = "ELASTICSEARCH"

    def __init__(
        self,
        http: HttpJson,
        *,
        indices: Mapping[str, str] | None = None,
        time_field: str = "@timestamp",
        message_field: str = "message",
        level_field: str = "log.level",
        service_field: str = "service.name",
        host_field: str = "host.name",
        page_size: int = 1_000,
        max_records: int = 20_000,
    ) -> None:
        """`indices` give each topic its index pattern, such as `logs-*,filebeat-*`; a topic that is absent or empty is
        not in the cluster. Raises: UsageError for what is no index pattern.
        """
        self._http = http
        given = indices if indices is not None else {APPLICATION: "logs-*,filebeat-*"}
        self._indices = {topic: pattern.strip() for topic, pattern in given.items() if pattern.strip()}
        for topic, pattern in self._indices.items():
            if not _INDICES.fullmatch(pattern) or pattern.startswith(("_", "-")):
                raise UsageError(f"the indices of {topic} are {pattern!r}, and must be a pattern such as logs-*,app-*")
        self._fields = Fields.named(time_field, message_field, level_field, service_field, host_field)
        self._page_size = max(1, min(page_size, _MOST_PAGE))
        self._max_records = max(1, max_records)
        self._views = PointsInTime(http, self.name)

    async def fetch(self, query: LogQuery, *, deadline_s: float) -> str:
        """The raw answer, as `ports.sources.LogSource` says: the newest records, within the limits.

        What was pulled before a later page failed is an answer, and `reading` says what is missing.
        Raises: SourceError when nothing could be pulled.
        """
        deadline = Deadline(deadline_s, self.name)
        indices = self._indices.get(query.topic)
        if indices is None:
            await self._http.get("/", deadline=deadline)  # "nothing there" is for a server that answers
            return not_set_up(self.name, query, "indices are")
        types = await self._types(indices, deadline)
        asked = _Asked(indices, query_of(query, self._fields, types), min(query.limit, self._max_records))
        pull = await self._pulled(asked, Deadline(deadline.left_s * _PULL_SHARE, self.name), deadline)
        if pull.total is not None and len(pull.hits) < pull.total:
            pull.note(f"the newest {len(pull.hits)} of {pull.total} records were read")
        if problem := types.time_problem(self._fields.time):
            pull.note(f"{problem}, so their records are not read")
        if names_no_service(query, self._fields, types):
            pull.note("no field of these indices names a service: set `service_field`")
        account = await self._account(query, asked, pull, deadline)
        entries = await asyncio.to_thread(self._entries, query.topic, pull.hits, deadline)
        return answer_of(f"{self.name} {indices}", query, entries, account)

    def _entries(self, topic: str, hits: list[dict[str, Any]], deadline: Deadline) -> list[Entry]:
        """The records, oldest first. Raises: SourceTimeout."""
        read = statement_of if topic == SLOW_QUERY else entry_of
        entries = []
        for number, hit in enumerate(reversed(hits)):
            if number % _CHECK_EVERY == 0:
                deadline.check()
            entries.append(read(hit, self._fields))
        return entries

    async def _types(self, indices: str, deadline: Deadline) -> FieldTypes:
        """The mapping of what is asked for.

        Raises: SourceUnavailable where there is no such index; QueryRejected where none has a time.
        """
        path = f"/{path_of(indices)}/_field_caps"
        body = await self._http.get(path, {"fields": self._fields.asked_for(), **_LENIENT}, deadline=deadline)
        if not isinstance(body, dict) or not isinstance(body.get("fields"), dict):
            raise SourceGarbled(f"{self.name}: {path} did not answer with the fields of its indices. Check `url`.")
        types = FieldTypes.of(body)
        if types.indices == 0:
            raise SourceUnavailable(
                f"{self.name} has no open index that is called {indices}, or none that these credentials may read. "
                "Set the topic's index pattern."
            )
        time = self._fields.time
        if not types.has_time(time):
            kinds = ", ".join(sorted(types.kinds(time)))
            found = f"is mapped as {kinds}" if kinds else "is a field of none of them"
            raise QueryRejected(f"{self.name}: {indices} cannot be searched by time: {time} {found}. Set `time_field`.")
        return types

    async def _pulled(self, asked: _Asked, until: Deadline, deadline: Deadline) -> _Pull:
        """All pages. Where the server lost its point in time, another is opened once and reading starts anew."""
        pull, lost = await self._read(asked, until, deadline)
        if lost and not until.left_s:
            pull.note(f"older records are missing: {lost}")
        elif lost:
            again, lost = await self._read(asked, until, deadline)
            pull = again if len(again.hits) >= len(pull.hits) else pull
            if lost:
                if not pull.hits:
                    raise lost
                pull.note(f"older records are missing: {lost}")
        return pull

    async def _read(self, asked: _Asked, until: Deadline, deadline: Deadline) -> tuple[_Pull, SourceError | None]:
        """The pages of one point in time, and the error that says that it was lost on the way.

        Raises: any other error of the first page; later ones end the reading.
        """
        pull = _Pull(min(self._page_size, asked.limit))
        view = await self._view(asked, pull, until)
        try:
            await self._pages(asked, view, pull, until)
        except SourceError as error:
            if view is not None and _LOST in str(error):
                return pull, error
            if not pull.hits or isinstance(error, SourceDenied):
                raise
            pull.note(f"older records are missing: {error}")
        finally:
            if view is not None:
                await self._views.close(view, deadline)
        return pull, None

    async def _view(self, asked: _Asked, pull: _Pull, until: Deadline) -> PointInTime | None:
        """A point in time; None where the server gives none: what one page holds is all that can be read then."""
        try:
            return await self._views.open(asked.indices, until)
        except (QueryRejected, SourceDenied, SourceUnavailable) as error:
            pull.page = min(asked.limit, _MOST_PAGE)
            pull.without_view = str(error)
            return None

    async def _pages(self, asked: _Asked, view: PointInTime | None, pull: _Pull, until: Deadline) -> None:
        after: list[Any] | None = None
        while not pull.ended and len(pull.hits) < asked.limit:
            size = min(pull.page, asked.limit - len(pull.hits))
            try:
                found = await self._search(asked, view, after, size, until)
            except AnswerTooLarge:
                if size <= _LEAST_PAGE:
                    raise
                pull.page = max(_LEAST_PAGE, size // 4)
                continue
            except QueryRejected:
                if view is None or view.tiebreaker != "_id" or pull.hits:
                    raise
                view.tiebreaker = "_doc"  # a cluster may forbid sorting by `_id`
                continue
            after = _take(found, size, pull)
            if view is None:
                if not pull.ended and pull.without_view:
                    pull.note(f"only one page is read: {pull.without_view}")
                return

    async def _search(
        self, asked: _Asked, view: PointInTime | None, after: list[Any] | None, size: int, until: Deadline
    ) -> dict[str, Any]:
        """One page, checked for its shape."""
        body = search_body(asked.query, self._fields.time, size=size, timeout_ms=max(1, int(until.left_s * 900)))
        path, params = f"/{path_of(asked.indices)}/_search", _LENIENT
        if view is not None:
            path, params = "/_search", {}
            body["pit"] = view.as_json()
            if view.tiebreaker:
                body["sort"].append({view.tiebreaker: {"order": "desc"}})
        if after is not None:
            body["search_after"] = after
        found = await self._http.post(path, body, params=params, deadline=until)
        hits = found.get("hits") if isinstance(found, dict) else None
        if not isinstance(hits, dict) or not isinstance(hits.get("hits"), list):
            raise SourceGarbled(f"{self.name}: {path} did not answer with hits. Check `url`.")
        if view is not None and isinstance(found.get("pit_id"), str):
            view.id = found["pit_id"]
        return dict(found)

    async def _account(self, query: LogQuery, asked: _Asked, pull: _Pull, deadline: Deadline) -> Account:
        """What was read, with the server's own counts as far as there is time for them."""
        looked_at, span = pull.total, None
        path = f"/{path_of(asked.indices)}"
        with suppress(SourceError):
            if query.services or query.level or query.contains:
                window = {"query": in_window(query.window, self._fields.time)}
                body = await self._http.post(f"{path}/_count", window, params=_LENIENT, deadline=deadline)
                looked_at = body["count"] if isinstance(body, dict) and isinstance(body.get("count"), int) else None
            if not pull.hits:
                ends = {
                    "oldest": {"min": {"field": self._fields.time}},
                    "newest": {"max": {"field": self._fields.time}},
                }
                body = await self._http.post(
                    f"{path}/_search", {"size": 0, "aggs": ends}, params=_LENIENT, deadline=deadline
                )
                span = _span(body)
        size = sum(len(str(hit.get("_source", ""))) for hit in pull.hits)
        return Account(len(pull.hits), size, pull.total, looked_at, tuple(pull.problems), span)


def _take(found: dict[str, Any], size: int, pull: _Pull) -> list[Any] | None:
    """Keep a page; gives back where the next one begins."""
    hits = [hit for hit in found["hits"]["hits"] if isinstance(hit, dict)]
    pull.hits += hits
    total = found["hits"].get("total")
    counted = total.get("value") if isinstance(total, dict) else total
    if pull.total is None and isinstance(counted, int):
        pull.total = counted
    if found.get("timed_out"):
        pull.note("the server stopped at its time limit, so records are missing")
    if problem := _failed(found.get("_shards")):
        pull.note(problem)
    after = hits[-1].get("sort") if hits else None
    pull.ended = len(hits) < size or not isinstance(after, list)
    return after if isinstance(after, list) else None


def _failed(shards: Any) -> str:
    """What an answer's account of its shards says is missing."""
    failed = shards.get("failed") if isinstance(shards, dict) else None
    if not isinstance(failed, int) or failed <= 0:
        return ""
    words = ""
    failures = shards.get("failures")
    if isinstance(failures, list) and failures and isinstance(failures[0], dict):
        reason = failures[0].get("reason")
        if isinstance(reason, dict):
            words = f": {reason.get('type', 'unknown')}: {within(str(reason.get('reason', '')), 200)}"
    return f"{failed} of {shards.get('total')} shards failed, so their records are missing{words}"


def _span(body: Any) -> tuple[datetime, datetime] | None:
    """The oldest and the newest time of an answer's aggregations."""
    ends = []
    for name in ("oldest", "newest"):
        try:
            ends.append(datetime.fromtimestamp(float(body["aggregations"][name]["value"]) / 1000, UTC))
        except (KeyError, TypeError, ValueError, OverflowError, OSError):
            return None
    return ends[0], ends[1]
