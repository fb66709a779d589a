"""An Elasticsearch or OpenSearch on loopback: the part of the API that the source uses, as strict as the real ones.

It refuses what they refuse: unknown parameters and body keys, an index beside a point in time, `search_after` without
`sort` or of another length, windows beyond 10,000, texts as sort keys, lost points in time. The products differ in the
paths and words of a point in time and in `_shard_doc`.
Source: REST references of Elasticsearch 8 and OpenSearch 2 (search, point in time, field capabilities, count).
"""

from __future__ import annotations

import fnmatch
import json
import uuid
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from tests.fakes.elasticsearch_matching import Index, epoch_ms, flat, refused
from tests.fakes.loopback import Asked, FakeLogServer, Refused, Reply

ECS = {
    "@timestamp": "date",
    "message": "match_only_text",
    "log.level": "keyword",
    "service.name": "keyword",
    "host.name": "keyword",
    "kubernetes.pod.name": "keyword",
    "error.stack_trace": "wildcard",
}
_SEARCH_KEYS = frozenset(
    {"size", "from", "query", "sort", "track_total_hits", "timeout", "_source", "pit", "search_after", "aggs"}
)
_SORT_KEYS = frozenset({"order", "unmapped_type", "numeric_type", "missing", "format"})
_LENIENT = frozenset({"ignore_unavailable", "allow_no_indices", "expand_wildcards"})
_MOST = 10_000


@dataclass(repr=False)
class ElasticsearchServer(FakeLogServer):
    """`indices` are searched by pattern; `closed` ones are not. A point in time is lost after `lost_after` searches."""

    opensearch: bool = False
    scheme: str = "ApiKey"
    indices: dict[str, Index] = field(default_factory=dict)
    closed: set[str] = field(default_factory=set)
    broken_shards: dict[str, str] = field(default_factory=dict)
    """Indices whose shard fails in a search, and the type of failure."""
    timed_out: bool = False
    forbids_id_sort: bool = False
    forbidden: set[str] = field(default_factory=set)
    """Parts of paths that the credentials may not use."""
    lost_after: list[int] = field(default_factory=list)
    """For each point in time that is opened: after how many searches the server loses it."""
    views: dict[str, list[Index]] = field(default_factory=dict)
    left: dict[str, int] = field(default_factory=dict)
    before: dict[str, str] = field(default_factory=dict)
    """For each id of a point in time the one that it replaces."""
    renamed: int = 0

    def add(self, name: str, documents: list[dict[str, Any]], types: dict[str, str] | None = None) -> None:
        self.indices[name] = Index(name, dict(types or ECS), documents)

    def bodies(self, part: str) -> list[dict[str, Any]]:
        """The bodies of the requests whose path contains `part`."""
        return [json.loads(asked.body) for asked in self.asked if part in asked.path and asked.body]

    def check_who(self, asked: Asked) -> None:
        given = asked.headers.get("authorization", "")
        if self.token and given != f"{self.scheme} {self.token}":
            raise refused(401, "security_exception", f"unable to authenticate with [{given}] for REST request")
        if denied := next((part for part in self.forbidden if part in asked.path), None):
            raise refused(403, "security_exception", f"action [{denied}] is unauthorized for API key id [k1]")

    def reply(self, asked: Asked) -> Reply:
        if asked.body and asked.headers.get("content-type") != "application/json":
            raise refused(406, "media_type_header_exception", "Content-Type header is not supported")
        parts = [unquote(part) for part in asked.path.strip("/").split("/")]
        match asked.method, parts:
            case "GET", [""]:
                found = self._about()
            case "GET", [names, "_field_caps"]:
                found = self._field_caps(names, asked.params)
            case "POST", [names, "_pit"] if not self.opensearch:
                found = {"id": self._opened(names, asked.params)}
            case "POST", [names, "_search", "point_in_time"] if self.opensearch:
                found = {"pit_id": self._opened(names, asked.params), "_shards": {"total": 1}, "creation_time": 1}
            case "DELETE", ["_pit"] if not self.opensearch:
                found = self._closed_view(json.loads(asked.body), "id")
            case "DELETE", ["_search", "point_in_time"] if self.opensearch:
                found = self._closed_view(json.loads(asked.body), "pit_id")
            case "POST", ["_search"]:
                found = self._search(None, json.loads(asked.body), asked.params)
            case "POST", [names, "_search"]:
                found = self._search(names, json.loads(asked.body), asked.params)
            case "POST", [names, "_count"]:
                found = self._count(names, json.loads(asked.body), asked.params)
            case _:
                raise Refused(
                    405, json.dumps({"error": f"Incorrect HTTP method for uri [{asked.path}]", "status": 405})
                )
        return Reply(json.dumps(found).encode())

    def _about(self) -> dict[str, Any]:
        version = {"number": "2.13.0", "distribution": "opensearch"} if self.opensearch else {"number": "8.13.0"}
        return {"name": "n1", "cluster_name": "logs", "version": version, "tagline": "You Know, for Search"}

    def _chosen(self, names: str, params: dict[str, str], *more: str) -> list[Index]:
        if unknown := set(params) - _LENIENT - set(more):
            raise refused(
                400, "illegal_argument_exception", f"request contains unrecognized parameter: [{min(unknown)}]"
            )
        lenient = params.get("ignore_unavailable") == "true"
        found: dict[str, Index] = {}
        for name in names.split(","):
            if "*" in name:
                found |= {k: v for k, v in self.indices.items() if fnmatch.fnmatch(k, name) and k not in self.closed}
            elif name in self.closed and not lenient:
                raise refused(400, "index_closed_exception", "closed")
            elif name in self.indices and name not in self.closed:
                found[name] = self.indices[name]
            elif not lenient:
                raise refused(404, "index_not_found_exception", f"no such index [{name}]")
        return list(found.values())

    def _field_caps(self, names: str, params: dict[str, str]) -> dict[str, Any]:
        chosen = self._chosen(names, params, "fields")
        fields: dict[str, dict[str, Any]] = {}
        for name in params["fields"].split(","):
            kinds = {index.types[name] for index in chosen if name in index.types}
            if kinds:
                fields[name] = {kind: {"type": kind, "searchable": True, "aggregatable": True} for kind in kinds}
        return {"indices": [index.name for index in chosen], "fields": fields}

    def _opened(self, names: str, params: dict[str, str]) -> str:
        chosen = self._chosen(names, params, "keep_alive")
        if not params.get("keep_alive"):
            raise refused(400, "action_request_validation_exception", "[keep_alive] is not specified")
        view = f"view-{uuid.uuid4().hex}"
        self.views[view] = [Index(index.name, index.types, list(index.documents)) for index in chosen]
        self.left[view] = self.lost_after.pop(0) if self.lost_after else 1_000_000
        return view

    def _closed_view(self, body: dict[str, Any], key: str) -> dict[str, Any]:
        if set(body) != {key} or isinstance(body[key], list) != (key == "pit_id"):
            raise refused(400, "x_content_parse_exception", f"unknown field in {sorted(body)}")
        for view in body[key] if isinstance(body[key], list) else [body[key]]:
            self.views.pop(view, None)
            self.views.pop(self.before.pop(view, ""), None)
        return {"pits": []} if key == "pit_id" else {"succeeded": True, "num_freed": 1}

    def _view(self, pit: dict[str, Any]) -> tuple[str, list[Index]]:
        """The view under a new id: clients must use the newest that reached them, so using one ends those before."""
        if set(pit) - {"id", "keep_alive"}:
            raise refused(400, "x_content_parse_exception", "[pit] unknown field")
        view = pit["id"]
        self.views.pop(self.before.pop(view, ""), None)
        if self.left.get(view, 0) <= 0:
            self.views.pop(view, None)
        if view not in self.views:
            raise refused(404, "search_context_missing_exception", "No search context found for id [17]", phase=True)
        self.renamed += 1
        again = f"{view.split('+')[0]}+{self.renamed}"
        self.left[again] = self.left[view] - 1
        self.views[again] = self.views[view]
        self.before[again] = view
        return again, self.views[again]

    def _search(self, names: str | None, body: dict[str, Any], params: dict[str, str]) -> dict[str, Any]:
        if unknown := set(body) - _SEARCH_KEYS:
            raise refused(400, "parsing_exception", f"unknown key [{min(unknown)}] for a search")
        pit, after = body.get("pit"), body.get("search_after")
        if pit is not None and (names is not None or params):
            raise refused(400, "action_request_validation_exception", "[indices] cannot be used with point in time")
        if body.get("from", 0) + body.get("size", 10) > _MOST:
            raise refused(400, "illegal_argument_exception", "Result window is too large", phase=True)
        sort = [next(iter(part.items())) for part in body.get("sort", [])]
        if after is not None and not sort:
            raise refused(400, "illegal_argument_exception", "Sort must contain at least one field.")
        if after is not None and body.get("from"):
            raise refused(400, "action_request_validation_exception", "`from` parameter must be set to 0")
        view, chosen = self._view(pit) if pit is not None else ("", self._chosen(names or "", params))
        if pit is not None and not self.opensearch and all(name != "_shard_doc" for name, _ in sort):
            sort = [*sort, ("_shard_doc", {"order": "asc"})]
        if after is not None and len(after) != len(sort):
            raise refused(
                400, "illegal_argument_exception", f"search_after has {len(after)} values but sort has {len(sort)}"
            )
        rows, failures = self._rows(chosen, body.get("query", {"match_all": {}}), sort, pit is not None)
        found = self._page(rows, sort, after, body)
        shards = {
            "total": len(chosen),
            "successful": len(chosen) - len(failures),
            "skipped": 0,
            "failed": len(failures),
        }
        answer = {"took": 3, "timed_out": self.timed_out, "_shards": shards | {"failures": failures}, **found}
        return answer | ({"pit_id": view} if view else {})

    def _rows(
        self, chosen: list[Index], query: Any, sort: list[tuple[str, Any]], in_view: bool
    ) -> tuple[list[tuple[list[Any], Index, int]], list[dict[str, Any]]]:
        rows, failures = [], []
        for shard, index in enumerate(chosen):
            if kind := self.broken_shards.get(index.name):
                failures.append({"shard": 0, "index": index.name, "reason": {"type": kind, "reason": "it failed"}})
                continue
            try:
                rows += self._matching(index, shard, query, sort, in_view)
            except Refused as error:
                cause = json.loads(error.words)
                if cause["error"]["type"] != "search_phase_execution_exception" or len(chosen) == 1:
                    raise
                failures.append({"shard": 0, "index": index.name, "reason": cause["error"]["root_cause"][0]})
        if failures and len(failures) == len(chosen):
            raise refused(503, failures[0]["reason"]["type"], "it failed", phase=True)
        return rows, failures

    def _matching(
        self, index: Index, shard: int, query: Any, sort: list[tuple[str, Any]], in_view: bool
    ) -> list[tuple[list[Any], Index, int]]:
        """The documents of one shard with their sort keys. Raises: Refused, also where only this shard cannot."""
        found = []
        for number, document in enumerate(index.documents):
            if index.matches(document, query):
                keys = [self._key(index, document, shard, number, part, in_view) for part in sort]
                found.append((keys, index, number))
        return found

    def _key(
        self, index: Index, document: dict[str, Any], shard: int, number: int, part: tuple[str, Any], in_view: bool
    ) -> Any:
        name, options = part
        if set(options) - _SORT_KEYS:
            raise refused(400, "x_content_parse_exception", "[field_sort] unknown field")
        if name == "_shard_doc":
            if not in_view:
                raise refused(400, "query_shard_exception", "No mapping found for [_shard_doc] in order to sort on")
            return (shard << 32) + number
        if name == "_doc":
            return number
        if name == "_id":
            if self.forbids_id_sort:
                raise refused(
                    400, "illegal_argument_exception", "Fielddata access on the _id field is disallowed", phase=True
                )
            return f"{index.name}-{number:07}"
        if index.types.get(name) not in ("date", "date_nanos"):
            raise refused(400, "illegal_argument_exception", f"Fielddata is disabled on [{name}]", phase=True)
        return int(epoch_ms(flat(document)[name]))

    def _page(self, rows: Any, sort: list[tuple[str, Any]], after: Any, body: dict[str, Any]) -> dict[str, Any]:
        for place in reversed(range(len(sort))):
            rows.sort(key=lambda row: row[0][place], reverse=sort[place][1].get("order") == "desc")
        rest = [row for row in rows if after is None or _behind(row[0], after, sort)]
        hits = [
            {"_index": index.name, "_id": f"{index.name}-{number:07}", "_source": index.documents[number], "sort": keys}
            for keys, index, number in rest[: body.get("size", 10)]
        ]
        exact = body.get("track_total_hits") is True
        total = {"value": len(rows) if exact else min(len(rows), _MOST), "relation": "eq" if exact else "gte"}
        found: dict[str, Any] = {"hits": {"total": total, "max_score": None, "hits": hits}}
        for name, asked in body.get("aggs", {}).items():
            ((kind, about),) = asked.items()
            times = [epoch_ms(flat(i.documents[n])[about["field"]]) for _, i, n in rows]
            value = {"min": min, "max": max}[kind](times) if times else None
            found.setdefault("aggregations", {})[name] = {"value": value}
        return found

    def _count(self, names: str, body: dict[str, Any], params: dict[str, str]) -> dict[str, Any]:
        if set(body) != {"query"}:
            raise refused(400, "parsing_exception", "request does not support more than a query")
        rows, failures = self._rows(self._chosen(names, params), body["query"], [], False)
        return {"count": len(rows), "_shards": {"total": 1, "failed": len(failures)}}


def _behind(keys: list[Any], after: list[Any], sort: list[tuple[str, Any]]) -> bool:
    for key, limit, (_, options) in zip(keys, after, sort, strict=True):
        if key != limit:
            return bool((key < limit) == (options.get("order") == "desc"))
    return False
