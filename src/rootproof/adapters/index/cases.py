"""Past cases as memory: searched like documents, beside the runbooks, and marked so that they stay what they are.

The index is made from the cases that it is given and kept nowhere, so no stale one can be read; what it finds is looked
up in the store again before it is shown, so a case that was revoked meanwhile is shown to nobody.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from rootproof.adapters.index.folder import index_documents
from rootproof.adapters.index.lexical import LexicalIndex
from rootproof.domain.case import Case
from rootproof.domain.evidence import EvidenceClass
from rootproof.errors import SourceTimeout, StoreError
from rootproof.knowledge.document import Document
from rootproof.knowledge.load import load_markdown
from rootproof.knowledge.retrieve import Corpus, retrieve
from rootproof.ports.cases import CaseStore
from rootproof.ports.sources import KnowledgeSource, Sources

MAX_CASES_SHOWN = 2
"""Cases of one answer: memory is a hint beside the documents, never most of what is read."""
_CANDIDATES = 6
"""Cases looked at for one answer, so that revoked ones do not hide the others."""
_LINE_STARTS = re.compile(r"^(?=[ \t]*(?:#|=|-{2,}|```|~~~))", re.MULTILINE)


def with_cases(sources: Sources, cases: Sequence[Case], *, store: CaseStore | None = None) -> Sources:
    """The sources with the cases beside their documents; unchanged where there are no cases.

    The cases are one owner's. `store`: where a hit is looked up again before it is shown.
    """
    kept = tuple(case for case in cases if not case.revoked)
    if not kept:
        return sources
    return replace(sources, knowledge=KnowledgeWithCases(sources.knowledge, kept, store))


class KnowledgeWithCases:
    """A KnowledgeSource over documents (if there are any) and the cases of one owner."""

    def __init__(self, documents: KnowledgeSource | None, cases: Sequence[Case], store: CaseStore | None) -> None:
        self.name = f"{documents.name} and past cases" if documents is not None else "past cases"
        self.kind = documents.kind if documents is not None else "CASES"
        self._documents = documents
        self._cases = {case.case_id: case for case in cases}
        self._store = store
        self._index: tuple[Corpus, LexicalIndex] | None = None

    async def search(self, query: str, *, top_k: int, deadline_s: float) -> str:
        """The raw answer: the documents' own, with cases as further blocks of the class MEMORY.

        Raises: SourceTimeout at the deadline, and whatever the documents' source raises.
        """
        try:
            async with asyncio.timeout(deadline_s):
                raw = await self._searched_documents(query, top_k=top_k, deadline_s=deadline_s)
                memory = await asyncio.to_thread(self._search_cases, query)
                blocks, problem = await self._still_true(memory["evidenceBlocks"])
        except TimeoutError as error:
            raise SourceTimeout(
                f"the search in {self.name!r} took longer than {deadline_s:g} s; ask with fewer words"
            ) from error
        shown = [self._marked(block) for block in blocks[: _most(top_k)]]
        return json.dumps(_joined(raw, memory, shown, problem), ensure_ascii=False)

    async def _searched_documents(self, query: str, *, top_k: int, deadline_s: float) -> dict[str, Any] | None:
        if self._documents is None:
            return None
        answer = await self._documents.search(query, top_k=top_k, deadline_s=deadline_s)
        parsed: dict[str, Any] = json.loads(answer)
        return parsed

    def _search_cases(self, query: str) -> dict[str, Any]:
        if self._index is None:
            self._index = index_documents([case_document(case) for case in self._cases.values()])
        corpus, index = self._index
        return retrieve(corpus, index, query, top_k=_CANDIDATES)

    async def _still_true(self, blocks: Sequence[Mapping[str, Any]]) -> tuple[list[Mapping[str, Any]], str | None]:
        """The blocks whose cases the store still has, unrevoked and this owner's; and why none could be asked."""
        if self._store is None:
            return list(blocks), None
        kept = []
        for block in blocks:
            case = self._cases[str(block["documentId"])]
            try:
                now = await self._store.find(case.case_id, owner=case.owner)
            except StoreError:
                return [], "the store of cases could not be asked whether they still hold; none is shown"
            if now is not None and not now.revoked:
                kept.append(block)
        return kept, None

    def _marked(self, block: Mapping[str, Any]) -> dict[str, Any]:
        """The block as memory: whose case it is, from which run, of which day."""
        case = self._cases[str(block["documentId"])]
        return {
            **block,
            "class": EvidenceClass.MEMORY.value,
            "caseId": case.case_id,
            "runId": case.diagnosis_id,
            "causeId": case.cause_id,
            "caseDate": case.created_at.date().isoformat() if case.created_at else None,
            "source": case.case_id,
            "content": _told(case),
        }


def _told(case: Case) -> str:
    """What is shown of a case: its cause first, whatever part of it the query has met."""
    parts = (("Root cause", case.root_cause, 400), ("Symptoms", case.symptom, 350), ("Solution", case.solution, 250))
    cut = [(name, " ".join(text.split()), most) for name, text, most in parts if text.strip()]
    return "\n".join(f"{name}: {text if len(text) <= most else text[: most - 1] + '…'}" for name, text, most in cut)


def case_document(case: Case) -> Document:
    """The case as a document with the case's id; its words make no heading and open no code block."""
    about = [f"Alert: {case.alert_name}"] if case.alert_name else []
    about += [f"Service: {case.service}"] if case.service else []
    about += [f"Objects: {', '.join(case.objects)}"] if case.objects else []
    cause = f"{case.root_cause}\n{(case.cause_id or '').replace('_', ' ')}"
    parts = (
        ("Symptoms", "\n".join([*about, case.symptom])),
        ("Root cause", cause),
        ("Solution", case.solution),
    )
    title = " ".join(case.title.split()) or case.case_id
    sections = [f"## {name}\n\n{_flat(text)}" for name, text in parts if text.strip()]
    return load_markdown(case.case_id, "\n\n".join([f"# {title}", *sections]) + "\n")


def _flat(text: str) -> str:
    """The text with the marks of headings, rules and fences told from the start of their lines."""
    return _LINE_STARTS.sub("\\\\", text.strip())


def _most(top_k: int) -> int:
    """Memory may not crowd out the documents of a caller who asks for few."""
    return min(MAX_CASES_SHOWN, max(1, top_k // 2))


def _joined(
    raw: dict[str, Any] | None, memory: Mapping[str, Any], shown: Sequence[Mapping[str, Any]], problem: str | None
) -> dict[str, Any]:
    """One raw answer: the documents' with the cases' blocks behind theirs."""
    reason = problem or (None if shown else memory["fallbackReason"] or "no case that fits still holds")
    pack = {"cases": [block["caseId"] for block in shown], "searched": memory["documents"], "fallbackReason": reason}
    if raw is None:
        answer = {**memory, "evidenceBlocks": list(shown), "fallbackReason": reason}
        return {**answer, "contextPack": {**memory["contextPack"], "memory": pack}}
    blocks, context = raw.get("evidenceBlocks"), raw.get("contextPack")
    return {
        **raw,
        "evidenceBlocks": [*(blocks if isinstance(blocks, list) else []), *shown],
        "contextPack": {**(context if isinstance(context, dict) else {}), "memory": pack},
        "documents": int(raw.get("documents") or 0) + int(memory["documents"]),
    }
