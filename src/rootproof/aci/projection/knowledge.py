"""The knowledge projection: five fields of usable excerpts, one per document, and nothing of how they were found.

Scores, hit reasons and pipeline traces go to `retrieval_details`, never to a model (seed). Past cases stand in a
section of their own, behind the documents, and are of the class MEMORY: they can support no claim.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rootproof.aci.identifiers import IdentifierMap
from rootproof.aci.projection.fit import EvidenceNumbering, Item, Projection, clip, finish
from rootproof.aci.projection.raw import count_of, objects, read_object, text_of
from rootproof.aci.requests import RagToolRequest
from rootproof.aci.result import ProjectedToolResult
from rootproof.domain.case import is_case_id
from rootproof.domain.evidence import EvidenceClass
from rootproof.domain.limits import ToolProjectionLimits
from rootproof.errors import ProjectionError
from rootproof.knowledge.details import retrieval_details

TOOL = "lookup_knowledge"
_MEMORY_NOTE = (
    "past_cases are earlier diagnoses: what they name is a hypothesis to test here, it is evidence of nothing"
)
_RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,63}")
_CAUSE_ID = re.compile(r"[a-z][a-z0-9_]{0,63}")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(frozen=True, slots=True)
class KnowledgeProjector:
    """Turns raw retrieval answers into projections for one run."""

    identifiers: IdentifierMap
    numbering: EvidenceNumbering
    limits: ToolProjectionLimits

    def project(self, request: RagToolRequest, tool_call_id: str, raw: str) -> ProjectedToolResult:
        """The bounded view of `raw` for this request. Raises: ProjectionError."""
        body = read_object(raw, TOOL)
        if body.get("success") is False:
            raise ProjectionError(f"{TOOL}: {text_of(body.get('message')) or 'the index said that it failed'}")
        blocks = objects(body, "evidenceBlocks", TOOL)
        memory = [block for block in blocks if _is_memory(block)]
        items: dict[str, Item] = {}
        blank = repeated = 0
        for number, block in enumerate(blocks, start=1):
            if _is_memory(block):
                continue
            excerpt = _excerpt(block)
            if not excerpt:
                blank += 1
                continue
            item = self._item(block, number, excerpt)
            if item.fields["document_id"] in items:
                repeated += 1
            else:
                items[item.fields["document_id"]] = item
        most = min(request.top_k, self.limits.max_items)
        scanned = count_of(body, "documents", len(blocks))
        cases = self._cases(memory)[: self.limits.max_items - min(len(items), most)]
        projection = Projection(
            tool=TOOL,
            tool_call_id=tool_call_id,
            cls=EvidenceClass.GUIDANCE,
            head={"scanned": scanned, **({"about_past_cases": _MEMORY_NOTE} if cases else {})},
            sections={"evidence": list(items.values())[:most], **({"past_cases": cases} if cases else {})},
            omitted={
                "evidence": max(0, len(items) - most),
                "same_document": repeated,
                "blank": blank,
                "past_cases": len(memory) - len(cases),
            },
            scanned=scanned,
            details=retrieval_details(self.identifiers.redact_structure(body)),  # they are cut, so redacted first
        )
        return finish(projection, self.limits, self.numbering)

    def _cases(self, blocks: Sequence[dict[str, Any]]) -> list[Item]:
        """Blocks of cases as items; one without a case's id is no case and is left out."""
        redact = self.identifiers.redact
        items = []
        for block in blocks:
            case_id = text_of(block.get("caseId"))
            excerpt = _excerpt(block)
            if not is_case_id(case_id) or not excerpt:
                continue
            day = _matching(_DAY, block.get("caseDate"))
            shown = _cut(redact(excerpt), self.limits.max_excerpt_chars)
            fields = {
                "case_id": case_id,
                "run_id": _matching(_RUN_ID, block.get("runId")),
                "date": day,
                "cause_id": _matching(_CAUSE_ID, block.get("causeId")),
                "title": clip(redact(text_of(block.get("title"))), 200),
                "excerpt": shown,
            }
            text = f"past case {case_id}{f' of {day}' if day else ''}: {shown}"
            items.append(Item(fields, text, source=case_id, cls=EvidenceClass.MEMORY))
        return items

    def _item(self, block: dict[str, Any], number: int, excerpt: str) -> Item:
        redact = self.identifiers.redact
        source = clip(redact(text_of(block.get("source"))), 200)
        title = clip(redact(text_of(block.get("title"))), 200)
        breadcrumb = clip(redact(text_of(block.get("breadcrumb"))), 300)
        whole = redact(excerpt)
        shown = _cut(whole, self.limits.max_excerpt_chars)
        fields = {
            "document_id": source or title or f"document-{number}",
            "source": source,
            "title": title,
            "breadcrumb": breadcrumb,
            "excerpt": shown,
        }
        return Item(fields, f"{breadcrumb or title or source}: {shown}", title or source, source)


def _is_memory(block: dict[str, Any]) -> bool:
    return block.get("class") == EvidenceClass.MEMORY.value


def _excerpt(block: dict[str, Any]) -> str:
    return text_of(block.get("content")).strip() or text_of(block.get("excerpt")).strip()


def _matching(shape: re.Pattern[str], value: Any) -> str | None:
    """An id or a day as it is: ours by its shape, so no text of anybody hides in it."""
    text = text_of(value)
    return text if shape.fullmatch(text) else None


def _cut(text: str, limit: int) -> str:
    """At most `limit` characters, cut at a line or sentence end, saying how much is missing."""
    if len(text) <= limit:
        return text
    note = f" [… {len(text) - limit + 40} more characters]"
    room = text[: limit - len(note)]
    end = max(room.rfind("\n"), room.rfind(". ") + 1)
    kept = room[:end] if end > len(room) // 2 else room
    return kept.rstrip() + f" [… {len(text) - len(kept.rstrip())} more characters]"
