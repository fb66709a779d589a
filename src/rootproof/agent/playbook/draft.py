"""A draft under construction: claims with citations, within the bounds of the answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from rootproof.agent.playbook.clauses import telling
from rootproof.agent.playbook.signals import Signal
from rootproof.agent.playbook.wording import cut, quote
from rootproof.domain.claim import CauseCategory, ClaimKind

_MAX_CITATIONS = 12
_MAX_CLAIMS = 30


@dataclass(slots=True)
class DraftBuilder:
    """Collects the parts of a `submit_report` answer."""

    summary: str = ""
    healthy: bool = False
    claims: list[dict[str, Any]] = field(default_factory=list)
    next_steps: list[dict[str, Any]] = field(default_factory=list)
    strongest_lead: str | None = None

    def claim(
        self,
        kind: ClaimKind,
        text: str,
        citations: Iterable[tuple[str, str | None]],
        *,
        cause_id: str | None = None,
        category: CauseCategory | None = None,
        objects: Sequence[str] = (),
    ) -> None:
        """Add a claim; one that says the same as an earlier one of its kind is dropped."""
        same = (c["kind"] for c in self.claims if c["text"] == text)
        if len(self.claims) >= _MAX_CLAIMS or any(k == kind.value or kind is ClaimKind.SYMPTOM for k in same):
            return
        cited = list(dict.fromkeys(citations))[:_MAX_CITATIONS]
        self.claims.append(
            {
                "id": f"C{len(self.claims) + 1}",
                "kind": kind.value,
                "text": cut(text, 1_150),
                "citations": [{"evidence_id": e, "quote": q} for e, q in cited],
                "cause_id": cause_id,
                "category": category.value if category else None,
                "objects": list(objects)[:8],
            }
        )

    def step(self, text: str, risk: str | None = None, query: str | None = None) -> None:
        """Add a next step once."""
        if len(self.next_steps) < 8 and all(s["text"] != text for s in self.next_steps):
            self.next_steps.append({"text": cut(text, 580), "query": query, "risk": risk})

    def answer(self) -> dict[str, Any]:
        """The arguments of `submit_report`."""
        return {
            "summary": cut(self.summary, 3_900),
            "healthy": self.healthy,
            "claims": self.claims,
            "next_steps": self.next_steps,
            "strongest_lead": cut(self.strongest_lead, 580) if self.strongest_lead else None,
        }


def cite(signals: Iterable[Signal]) -> list[tuple[str, str | None]]:
    """Citations of signals, with the few words relied on where the item is text."""
    return [(s.evidence_id, _words(s)) for s in signals]


def _words(signal: Signal) -> str | None:
    if not signal.quote or "alert" in signal.values:
        return None
    if "item" in signal.values and "activity" not in signal.values:
        return telling(signal)
    return quote(signal.quote, 160)
