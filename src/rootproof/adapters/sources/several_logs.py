"""Several log sources as one: all are asked at once, and what each gave or failed with is told."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

from rootproof.adapters.sources.logreading import Reading
from rootproof.adapters.sources.records import fitting
from rootproof.errors import SourceError, SourceUnavailable
from rootproof.ports.sources import LogQuery, LogSource

_OWN_SHARE = 0.95
"""Of a query's time that each source has, so that one which takes all of it does not cost the others' answers."""


class SeveralLogs:
    """The log source over at least two others."""

    def __init__(self, sources: Sequence[LogSource]) -> None:
        self._sources = tuple(sources)
        self.name = " + ".join(source.name for source in sources)
        self.kind = "+".join(source.kind for source in sources)

    async def fetch(self, query: LogQuery, *, deadline_s: float) -> str:
        """The raw answers as one, in the order of their times and within the query's limit; totals are sums.

        A source that failed is in `files` and `reading` with its own words, and makes `more` true.
        Raises: SourceError when all fail.
        """
        asked = [source.fetch(query, deadline_s=deadline_s * _OWN_SHARE) for source in self._sources]
        answers = await asyncio.gather(*asked, return_exceptions=True)
        for answer in answers:
            if isinstance(answer, BaseException) and not isinstance(answer, SourceError):
                raise answer
        failed = [answer for answer in answers if isinstance(answer, SourceError)]
        if len(failed) == len(answers):
            kind = type(failed[0]) if len({type(error) for error in failed}) == 1 else SourceUnavailable
            raise kind("; ".join(map(str, failed)))
        return await asyncio.to_thread(self._merged, query, answers)

    def _merged(self, query: LogQuery, answers: Sequence[str | BaseException]) -> str:
        bodies = [_body(source.name, answer) for source, answer in zip(self._sources, answers, strict=True)]
        logs = [log for body in bodies for log in body["logs"]]
        timed = sorted((log for log in logs if log["timestamp"]), key=_time)
        untimed = [log for log in logs if not log["timestamp"]]
        room = min(len(untimed), max(query.limit // 2, query.limit - len(timed)))
        kept = [*timed[len(timed) - min(len(timed), query.limit - room) :], *untimed[len(untimed) - room :]]
        kept, cut = fitting(kept)
        merged: dict[str, Any] = {
            "success": True,
            "total": sum(body["total"] for body in bodies),
            "scanned": sum(body["scanned"] for body in bodies),
            "more": any(body["more"] for body in bodies) or cut or len(kept) < len(logs),
            "files": [file for body in bodies for file in body["files"]],
            "reading": [reading for body in bodies for reading in body["reading"]],
            "logs": kept,
        }
        spans = [(body["oldest"], body["newest"]) for body in bodies if "oldest" in body and "newest" in body]
        if spans and not merged["total"]:
            merged |= {"oldest": min(span[0] for span in spans), "newest": max(span[1] for span in spans)}
        return json.dumps(merged, ensure_ascii=False)


def _body(name: str, answer: str | BaseException) -> dict[str, Any]:
    """One source's answer; for one that failed an empty answer that says why."""
    body: dict[str, Any] = json.loads(answer) if isinstance(answer, str) else {"success": False, "message": str(answer)}
    if body["success"]:
        return body
    problem = f"not read: {body.get('message') or 'it did not say why'}"
    reading = Reading(name, 0, None, whole=False, problem=problem).as_json()
    return {"total": 0, "scanned": 0, "more": True, "files": [f"{name} ({problem})"], "reading": [reading], "logs": []}


def _time(log: dict[str, Any]) -> str:
    """A key in the order of RFC 3339 times in UTC, with and without fractions."""
    return str(log["timestamp"]).removesuffix("Z")
