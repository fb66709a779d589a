"""Points in time of Elasticsearch and OpenSearch: a view that later writes do not change. The two differ in paths and
words, and in what tells documents of one instant apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from rootproof.adapters.sources.deadline import Deadline
from rootproof.adapters.sources.http_json import HttpJson
from rootproof.errors import SourceDenied, SourceError, SourceGarbled

KEEP_ALIVE = "1m"
_CLOSE_S = 2.0
"""Most that closing may take: a point in time ends by itself after `KEEP_ALIVE`."""
_LEAST_CLOSE_S = 0.25


@dataclass(slots=True)
class PointInTime:
    """An open point in time; the server may give it another id with every answer."""

    id: str
    opensearch: bool
    tiebreaker: str
    """Sorted by after the time; empty where the server adds one of its own (`_shard_doc`)."""

    def as_json(self) -> dict[str, str]:
        """For the body of a search."""
        return {"id": self.id, "keep_alive": KEEP_ALIVE}


class PointsInTime:
    """Opens and closes them in the words of the server's product, which it is asked for once."""

    def __init__(self, http: HttpJson, source: str) -> None:
        self._http = http
        self._source = source
        self._opensearch: bool | None = None

    async def open(self, indices: str, deadline: Deadline) -> PointInTime:
        """A point in time over these indices. Raises: SourceError, also where the server knows no such thing."""
        opensearch = await self._is_opensearch(deadline)
        path = f"/{path_of(indices)}/" + ("_search/point_in_time" if opensearch else "_pit")
        params = {"keep_alive": KEEP_ALIVE, "ignore_unavailable": "true"}
        body = await self._http.post(path, params=params, deadline=deadline)
        found = body.get("pit_id" if opensearch else "id") if isinstance(body, dict) else None
        if not isinstance(found, str) or not found:
            raise SourceGarbled(f"{self._source}: {path} did not answer with a point in time")
        # OpenSearch adds no tiebreaker, and `_id` is the one field that tells documents of several shards apart.
        return PointInTime(found, opensearch, "_id" if opensearch else "")

    async def close(self, opened: PointInTime, deadline: Deadline) -> None:
        """Free it on the server, as far as that can be done in a moment."""
        path: str = "/_pit"
        body: dict[str, Any] = {"id": opened.id}
        if opened.opensearch:
            path, body = "/_search/point_in_time", {"pit_id": [opened.id]}
        seconds = max(_LEAST_CLOSE_S, min(_CLOSE_S, deadline.left_s))
        try:
            await self._http.delete(path, body, deadline=Deadline(seconds, self._source))
        except SourceError:
            return  # it ends by itself soon, and the answer does not depend on it

    async def _is_opensearch(self, deadline: Deadline) -> bool:
        """Which product it is. Whoever may not ask is answered like Elasticsearch."""
        if self._opensearch is None:
            try:
                body = await self._http.get("/", deadline=deadline)
            except SourceDenied:
                return False
            version: Any = body.get("version") if isinstance(body, dict) else None
            if not isinstance(version, dict):
                raise SourceGarbled(f"{self._source}: the server's own page names no version. Check `url`.")
            self._opensearch = version.get("distribution") == "opensearch"
        return self._opensearch


def path_of(indices: str) -> str:
    """An index pattern as a part of a path."""
    return quote(indices, safe="*,")
