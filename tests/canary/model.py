"""The model server's part: it looks at everything, sends secrets of its own, and repeats them in its report."""

from __future__ import annotations

from typing import Any, Final

from tests.canary.forms import Canaries
from tests.canary.incident import MARKS, cut_apart

SKILL: Final = "diagnose-own-pool"


def script(canaries: Canaries) -> dict[str, Any]:
    """A model that looks at everything, sends secrets of its own, and repeats them in its report."""
    texts = canaries.every("model")
    told = list(texts.values())
    claims = [
        {"kind": kind, "text": words, "citations": [{"evidence_id": "E2", "quote": words[:200]}]}
        for kind, words in zip(("SYMPTOM", "CAUSE", "IMPACT", "RULED_OUT", "ACTION") * 3, told, strict=False)
    ]
    cause = {"cause_id": "connection_pool_exhausted", "category": "RESOURCE_EXHAUSTION"}
    claims[1] |= cause | {"objects": [f"app/{canaries.word('github', 'object of a claim')}"]}
    steps = [{"text": words, "query": canaries.one(f"query {words[:9]}")} for words in told[15:20]]
    submitted = {
        "summary": f"{cut_apart(canaries, 'summary', 10)} {told[20]} {told[21]}",
        "claims": claims,
        "next_steps": steps,
        "strongest_lead": told[22],
    }
    looks = [["query_logs", {"topic": topic}] for topic in ("APPLICATION", "DATABASE_SLOW_QUERY", "SYSTEM_EVENTS")]
    looks += [["query_logs", {"topic": "APPLICATION", "contains": mark}] for mark in MARKS.values()]
    others = [["query_metrics", {}], ["query_alerts", {}], ["query_cluster", {"view": "overview"}]]
    others += [["query_cluster", {"view": view}] for view in ("changes", "topology", "events")]
    described = {"view": "describe", "kind": "pod", "name": "ledger-0", "namespace": "shop"}
    others += [["query_cluster", described], ["lookup_knowledge", {"query": "ledger connection pool exhausted"}]]
    stray = [["query_logs", {"topic": "APPLICATION", "contains": words}] for words in told[23:29]]
    stray += [["query_logs", f'{{"broken": {words}'] for words in told[29:34]]
    stray += [[canaries.word("github", "name of a tool"), {"x": told[34]}], ["read_skill", {"name": told[35]}]]
    plan = {"intent": "INCIDENT", "skills": [SKILL], "steps": told[36:40], "reason": told[40]}
    ids = [canaries.word("npm", f"id {number}") for number in range(12)]
    lowered = {"claim_id": "C1", "verdict": "PARTIAL", "reason": told[49]}
    return {
        "planner": [{"text": told[41], "calls": [["submit_plan", plan]]}],
        "executor": [
            {"text": told[42], "calls": [["read_skill", {"name": SKILL}], *looks[:5]]},
            {"text": told[43], "calls": [*looks[5:], *others[:3]], "ids": ids},
            {"text": told[44], "calls": [*others[3:], *stray[:5]]},
            {"text": told[45], "calls": stray[5:]},
            {"text": f"{told[46]} {told[47]}"},
            {"text": told[48], "calls": [["submit_report", submitted]]},
        ],
        "verifier": [{"calls": [["submit_verdicts", {"lower": [lowered]}]]}],
    }  # fmt: skip
