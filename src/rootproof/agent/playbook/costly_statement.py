"""The statement that a slow-query log spent most of its time in: what a person asks for first, with its numbers."""

from __future__ import annotations

from typing import Any

from rootproof.agent.playbook.draft import DraftBuilder
from rootproof.agent.playbook.observations import Observations
from rootproof.agent.playbook.wording import quote, said
from rootproof.domain.claim import ClaimKind

_LEAST_RUNS = 2
"""One run is what a cause tells already."""
_STATEMENT_CHARS = 160


def write_costliest(draft: DraftBuilder, seen: Observations) -> None:
    """One claim about the statement with the largest share of the time, where a slow-query log was read."""
    entries = [
        entry
        for call in seen.named("query_logs")
        for entry in _listed(call.result.get("statements"))
        if isinstance(entry.get("evidence_id"), str) and entry.get("count", 0) >= _LEAST_RUNS
    ]
    entry = max(entries, key=lambda one: one["total_s"], default=None)
    if entry is None:
        return
    statement = str(entry["statement"])
    numbers = [f"{entry['count']} runs", f"{entry['total_s']:g} s in total", f"p95 {entry['p95_s']:g} s"]
    if entry.get("rows_examined") is not None and entry.get("rows_sent") is not None:
        numbers.append(f"rows examined {entry['rows_examined']} for rows sent {entry['rows_sent']}")
    text = (
        f"{entry['share_pct']:g} % of the time of all slow statements went into {said(statement, _STATEMENT_CHARS)}: "
        f"{', '.join(numbers)}."
    )
    draft.claim(ClaimKind.SYMPTOM, text, [(entry["evidence_id"], quote(statement, _STATEMENT_CHARS))])


def _listed(entries: Any) -> list[dict[str, Any]]:
    """The statements whose log gives their times a unit."""
    named = ("statement", "total_s", "p95_s", "share_pct")
    return [
        entry
        for entry in (entries if isinstance(entries, list) else ())
        if isinstance(entry, dict) and all(entry.get(name) is not None for name in named)
    ]
