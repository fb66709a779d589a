"""What a log says began just before a fault, by somebody who works on the faulty object: a job, a copy, a batch.

A suspicion and no proof: the sentence tells the time and the record's own words, nothing more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from rootproof.agent.playbook.cause_text import CauseText, clock, onset
from rootproof.agent.playbook.clauses import bare
from rootproof.agent.playbook.focus import same_thing, stem
from rootproof.agent.playbook.hypothesis import Hypothesis, Scope
from rootproof.agent.playbook.observations import FactItem, LogItem
from rootproof.agent.playbook.servers import one_server
from rootproof.agent.playbook.surroundings import Surroundings
from rootproof.agent.playbook.wording import quote, said

_BEFORE = timedelta(minutes=12)
_STARTS = re.compile(
    r"\b(?:start(?:s|ed|ing)?|begin(?:s|ning)?|began|begun|launch(?:ed|ing)|running|execut\w+|CMD|apply(?:ing)?|COPY"
    r"|hashing|copying|loading|scanning|processing|opened)\b",
    re.IGNORECASE,
)
_HEAVY = re.compile(
    r"\b(?:backup|dump|restore|re-?index\w*|rebuild\w*|backfill\w*|import\w*|export\w*|migrat\w+|batch|bulk\S*|job"
    r"|COPY|CMD|vacuum full|transaction|for update|archive|sync|rebalanc\w+|compact\w*|merge|merging|load(?:er|ing)"
    r"|report|recount|reconcil\w+|crawl\w*|scan\w*|hashing|full)\b",
    re.IGNORECASE,
)
_ROUTINE = re.compile(
    r"(?:checkpoint|restartpoint) start|automatic (?:vacuum|analyze)|background saving|log rotat\w+|health ?check",
    re.IGNORECASE,
)
_MOST = 3


@dataclass(frozen=True, slots=True)
class Begun:
    """Something that began, with its sentence."""

    told: str
    evidence_id: str
    quoted: str


def begun_before(cause: Hypothesis, text: CauseText, around: Surroundings) -> Begun | None:
    """The heaviest thing that began within minutes before the fault; None where none is told of."""
    began = onset(text.main)
    if began is None or around.now is None or cause.spec.scope is Scope.NODE:
        return None
    name = cause.subject.split("/", 1)[-1]
    found = [item for item in _new(around.begun, began[0]) if _works_on(item.service, name, around)]
    if not found:
        return None
    best = max(found, key=lambda item: (bool(_HEAVY.search(item.words)), item.first or began[0]))
    at = best.first
    if not _HEAVY.search(best.words) or at is None:
        return None
    best = next((item for item in around.begun if _plainer(item, best)), best)
    words = quote(bare(best.words), 110).rstrip(" ,:;.(")
    told = f"{best.service} logged {said(words)} at {clock(at, around.now)}"
    if not _comes_back(cause):
        told += ", just before it began"
    return Begun(told, best.evidence_id, words)


def _comes_back(cause: Hypothesis) -> bool:
    """Whether the fault has struck several times: the records that are left are of its last time, not of its first."""
    facts = [one for s in cause.evidence if isinstance(one := s.values.get("fact"), FactItem)]
    return any(isinstance(n := fact.values.get("restarts"), int) and n > 1 for fact in facts)


def _plainer(item: LogItem, than: LogItem) -> bool:
    """Whether `item` is the record itself of a pattern that masks its values."""
    same = item.service == than.service and item.first == than.first and not item.is_pattern
    return than.is_pattern and "<" in than.words and same


def _new(items: Iterable[LogItem], began: datetime) -> Iterable[LogItem]:
    """Records that were not seen earlier, of the minutes before `began`."""
    earliest = began - _BEFORE
    for item in items:
        dated = item.first is not None and earliest <= item.first <= began
        if dated and item.is_pattern and item.count <= _MOST and _starts(item):
            yield item


def _starts(item: LogItem) -> bool:
    """Whether a record tells that something begins."""
    calm = item.level not in ("WARN", "ERROR", "FATAL", "CRITICAL")
    return calm and bool(item.service) and bool(_STARTS.search(item.words)) and not _ROUTINE.search(item.words)


def _works_on(service: str, name: str, around: Surroundings) -> bool:
    """Whether the teller is the faulty object, calls it, or is unknown to the call graph: a job of the host."""
    if not name or same_thing(service, name) or stem(service) not in around.known:
        return True
    return any(one_server(stem(name), callee) for callee in around.callees(service))
