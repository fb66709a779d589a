"""The knowledge projection: five fields of usable excerpts, one per document, and nothing of how they were found.

Scores, hit reasons and pipeline traces go to `retrieval_details`, never to a model (seed).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rootproof.aci.identifiers import IdentifierMap
from rootproof.aci.projection.fit import EvidenceNumbering, Item, Projection, clip, finish
from rootproof.aci.projection.raw import count_of, objects, read_object, text_of
from rootproof.aci.requests import RagToolRequest
from rootproof.aci.result import ProjectedToolResult
from rootproof.domain.evidence import EvidenceClass
from rootproof.domain.limits import ToolProjectionLimits
from rootproof.errors import ProjectionError
from rootproof.knowledge.details import retrieval_details

TOOL = "lookup_knowledge"


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
        items: dict[str, Item] = {}
        blank = repeated = 0
        for number, block in enumerate(blocks, start=1):
            excerpt = text_of(block.get("content")).strip() or text_of(block.get("excerpt")).strip()
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
        projection = Projection(
            tool=TOOL,
            tool_call_id=tool_call_id,
            cls=EvidenceClass.GUIDANCE,
            head={"scanned": scanned},
            sections={"evidence": list(items.values())[:most]},
            omitted={"evidence": max(0, len(items) - most), "same_document": repeated, "blank": blank},
            scanned=scanned,
            details=self.identifiers.redact_structure(retrieval_details(body)),
        )
        return finish(projection, self.limits, self.numbering)

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


def _cut(text: str, limit: int) -> str:
    """At most `limit` characters, cut at a line or sentence end, saying how much is missing."""
    if len(text) <= limit:
        return text
    note = f" [… {len(text) - limit + 40} more characters]"
    room = text[: limit - len(note)]
    end = max(room.rfind("\n"), room.rfind(". ") + 1)
    kept = room[:end] if end > len(room) // 2 else room
    return kept.rstrip() + f" [… {len(text) - len(kept.rstrip())} more characters]"
