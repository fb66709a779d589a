"""Answers from documents: what they say, cited; no root cause, and an honest "not found"."""

from __future__ import annotations

import re

from rootproof.agent.briefing import Briefing
from rootproof.agent.playbook.draft import DraftBuilder
from rootproof.agent.playbook.lexicon import tokens
from rootproof.agent.playbook.observations import KnowledgeItem, Observations
from rootproof.agent.playbook.wording import quote, sentence
from rootproof.domain.claim import ClaimKind

_SENTENCE = re.compile(r"(?<=[.!?:])\s+|\n+|\s+[*•]\s+|\s+-\s+(?=[A-Z`])")


def write_answer(draft: DraftBuilder, briefing: Briefing, seen: Observations) -> None:
    """Fill `draft` from the excerpts that were found."""
    asked = tokens(briefing.question)
    useful = [(item, _parts(item, asked)) for item in seen.knowledge[:4]]
    useful = [(item, parts) for item, parts in useful if parts]
    if not useful:
        calls = seen.named("lookup_knowledge")
        documents = max((call.number("scanned") for call in calls), default=0)
        where = f"{documents} documents were searched" if calls else "no document source is connected"
        draft.summary = f"Nothing in the documents answers this: {where} for: {quote(briefing.question, 200)}"
        draft.step("Ask with other words, or add the document that should answer it.", "none: it only reads")
        return
    lines = []
    for item, parts in useful[:3]:
        title = item.breadcrumb or item.title
        for part in parts[:4]:
            draft.claim(ClaimKind.ACTION, sentence(f"{title}: {part}"), [(item.evidence_id, quote(part, 380))])
        lines.append(f"{title}: " + " ".join(sentence(part) for part in parts[:4]))
    draft.summary = " ".join(lines)


def _parts(item: KnowledgeItem, asked: frozenset[str]) -> list[str]:
    """The sentences of an excerpt, those that share words with the question first, in reading order."""
    sentences = [s.strip(" *#-") for s in _SENTENCE.split(item.excerpt)]
    sentences = [s for s in sentences if len(s) > 12]
    about = tokens(f"{item.title} {item.breadcrumb} {item.excerpt}")
    if len(asked & about) < min(2, len(asked)):
        return []
    ranked = sorted(range(len(sentences)), key=lambda i: (-len(tokens(sentences[i]) & asked), i))[:4]
    return [quote(sentences[i], 300) for i in sorted(ranked)]


def cite_guidance(draft: DraftBuilder, seen: Observations) -> None:
    """Add what a runbook advises to the next steps; it is guidance and confirms nothing."""
    for item in seen.knowledge[:2]:
        title = item.breadcrumb or item.title
        draft.step(
            f'Runbook "{quote(title, 100)}": {quote(" ".join(item.excerpt.split()), 300)}', "as the runbook says"
        )
