"""From a checked draft to the report: what stands, what does not, and how sure. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime

from rootproof.agent.advice import sentences_of
from rootproof.agent.coverage import EVIDENCE_TOOLS
from rootproof.agent.grounding.check import check_claim
from rootproof.agent.grounding.confidence import confidence
from rootproof.domain.claim import CauseCategory, CheckedClaim, Citation, Claim, ClaimKind, Verdict
from rootproof.domain.evidence import Evidence, EvidenceClass
from rootproof.domain.plan import Intent, Plan
from rootproof.domain.report import Coverage, CoverageStatus, Draft, Report, RootCause, TimelineEntry
from rootproof.domain.window import iso

_TIMELINE_ENTRIES = 14
_CHANGED = re.compile(
    r"(?P<what>[^:]{1,300}): .{1,600}, changed at (?P<at>[0-9T:.Z-]{20,24}) (?P<how>from about .{1,80})"
)
_NUMBER = re.compile(r"\d+(?:[.:]\d+)*")
_QUOTED = re.compile(r"`([^`]{8,300})`|\"([^\"]{8,300})\"")
_ENUMERATION = re.compile(r"\(\d\)")
_CONTRADICTED = "The evidence contradicts the summary that was drafted; the claims below are what was checked."
_HOLDS = frozenset({Verdict.SUPPORTED, Verdict.PARTIAL})
_NO_ANSWER = {
    CoverageStatus.ERROR: "which could not be read",
    CoverageStatus.NOT_ASKED: "which was not asked",
    CoverageStatus.UNAVAILABLE: "for which no source is set up",
}
_DATED_TOOLS = frozenset({"query_logs", "query_metrics", "query_alerts", "query_cluster"})


def assemble(
    draft: Draft,
    checked: Sequence[CheckedClaim],
    evidence: Mapping[str, Evidence],
    coverage: Sequence[Coverage],
    plan: Plan | None,
    *,
    invents: bool = True,
) -> Report:
    """The report. A root cause is a CAUSE claim that every check let stand; the rest of the claims stay visible.

    `invents`: whether the summary was written by a language model.
    """
    causes = tuple(_root_causes(draft, checked, coverage, plan))
    stood = stands(draft.summary, checked, evidence, coverage, invents=invents)
    return Report(
        summary=_summary(draft, checked, causes, stood, plan, coverage),
        healthy=_healthy(draft, checked),
        root_causes=causes,
        claims=tuple(checked),
        timeline=tuple(_timeline(checked, evidence)),
        next_steps=draft.next_steps,
        coverage=tuple(coverage),
    )


def _root_causes(
    draft: Draft, checked: Sequence[CheckedClaim], coverage: Sequence[Coverage], plan: Plan | None
) -> list[RootCause]:
    if draft.healthy or (plan is not None and plan.intent is Intent.KNOWLEDGE):
        return []
    causes: dict[tuple[object, ...], RootCause] = {}
    for item in checked:
        claim = item.claim
        if claim.kind is not ClaimKind.CAUSE or item.verdict is not Verdict.SUPPORTED:
            continue
        cause = RootCause(
            claim_id=claim.id,
            text=claim.text,
            cause_id=claim.cause_id or "unnamed",
            category=claim.category or CauseCategory.UNKNOWN,
            objects=claim.objects,
            confidence=confidence(item, checked, coverage),
        )
        # The same fault of the same object told again is no second root cause; what has no id is told by its text.
        causes.setdefault((claim.cause_id or claim.text, claim.objects), cause)
    return list(causes.values())


def _healthy(draft: Draft, checked: Sequence[CheckedClaim]) -> bool:
    """Whether the report may say that nothing is wrong: the draft says so, and an observation of it holds."""
    return draft.healthy and any(
        item.verdict in _HOLDS and item.claim.kind in (ClaimKind.SYMPTOM, ClaimKind.RULED_OUT) for item in checked
    )


def _summary(
    draft: Draft,
    checked: Sequence[CheckedClaim],
    causes: Sequence[RootCause],
    stood: bool,
    plan: Plan | None,
    coverage: Sequence[Coverage],
) -> str:
    """The draft's summary where its facts stand, else one made of the claims that do; an honest first line."""
    body = draft.summary.strip() if stood else _from_claims(checked)
    if plan is not None and plan.intent is Intent.KNOWLEDGE:
        return body or _CONTRADICTED
    claimed = any(item.claim.kind is ClaimKind.CAUSE for item in checked)
    if causes or _healthy(draft, checked) or not (claimed or draft.strongest_lead or draft.healthy):
        # A look-up ("show me the errors") claims no cause and owes none.
        return body or _CONTRADICTED
    said = "That nothing is wrong is not verified." if draft.healthy else "Root cause not verified."
    first = f"{said}{_lead(draft, checked)}{_decisive(draft, coverage)}"
    # The draft's own words may state the very cause that did not hold: only claims that do hold follow.
    held = _from_claims(checked) if claimed else body
    return f"{first}\n{held}" if held else first


def _lead(draft: Draft, checked: Sequence[CheckedClaim]) -> str:
    """The draft's own lead; else the cause that holds in part, with what it lacks; else what is seen for certain."""
    if draft.strongest_lead:
        return f" Strongest lead: {draft.strongest_lead}"
    part = next((i for i in checked if i.claim.kind is ClaimKind.CAUSE and i.verdict is Verdict.PARTIAL), None)
    if part is not None:
        lacks = f"; not shown: {part.reasons[0]}" if part.reasons else "."
        return f" Strongest lead: {_plain(part.claim.text)} ({part.claim.id}, PARTIAL){lacks}"
    seen = next((i for i in checked if i.claim.kind is ClaimKind.SYMPTOM and i.verdict is Verdict.SUPPORTED), None)
    return f" Strongest lead: {_plain(seen.claim.text)} ({seen.claim.id})." if seen is not None else ""


def _decisive(draft: Draft, coverage: Sequence[Coverage]) -> str:
    """The query that would decide: the draft's, else of a source that failed, of one not asked, of one to set up."""
    query = next((step.query for step in draft.next_steps if step.query), None)
    if query is not None:
        return f" What would decide: {query.rstrip('.')}."
    # That something fires is known already; what could not be asked at all decides last.
    asked = [line for line in coverage if line.tool in EVIDENCE_TOOLS and line.tool != "query_alerts"]
    silent = next((line for status in _NO_ANSWER for line in asked if line.status is status), None)
    return f" What would decide: {silent.tool}, {_NO_ANSWER[silent.status]}." if silent is not None else ""


def _plain(text: str) -> str:
    return text.strip().rstrip(".")


def stands(
    summary: str,
    checked: Sequence[CheckedClaim],
    evidence: Mapping[str, Evidence],
    coverage: Sequence[Coverage],
    *,
    invents: bool = True,
) -> bool:
    """Whether nothing in the summary goes beyond the evidence that its claims cite: a model may write anything here.

    Every number in it must stand in a claim that holds, in what such a claim cites, in what was reported, in the
    counts of the coverage, or be the time of something seen; and it must not contradict what is cited. The summary of
    a reasoner that does not invent is put together from its claims: there it is enough that those hold.
    """
    if any(_plain(item.claim.text) in summary for item in checked if _is_refused(item)):
        return False
    holding = [item.claim for item in checked if item.verdict in _HOLDS]
    cited = {citation.evidence_id for claim in holding for citation in claim.citations}
    if not cited:
        return True
    items = [evidence[name] for name in sorted(cited) if name in evidence]
    told = [claim.text for claim in holding] + [item.text for item in items]
    told += [item.text for item in evidence.values() if item.cls is EvidenceClass.REPORTED]
    told += [f"{line.scanned} {line.shown}" for line in coverage]
    told += [str(sum(line.scanned or 0 for line in coverage if line.tool == tool)) for tool in EVIDENCE_TOOLS]
    told += [iso(at) for item in evidence.values() for at in (item.first_at, item.last_at) if at]
    known = {number for text in told for number in _NUMBER.findall(text)}
    known |= {number[: number.rindex(":")] for number in known if number.count(":") > 1}
    known |= {str(total) for total in _totals(summary, items)}
    if not known.issuperset(_NUMBER.findall(_ENUMERATION.sub("", summary))):
        return False
    if not invents:
        return True
    citations = tuple(Citation(name) for name in sorted(cited))
    # A sentence by itself: what one says of an object must not be held against the object of the next.
    return all(
        check_claim(Claim("S", ClaimKind.SYMPTOM, text, citations), evidence, coverage).verdict
        is not Verdict.CONTRADICTED
        for text in sentences_of(_ENUMERATION.sub("", _without_claims(summary, checked)))
        if len(text) > 1
    )


def _is_refused(item: CheckedClaim) -> bool:
    wanted = frozenset({Verdict.SUPPORTED}) if item.claim.kind is ClaimKind.CAUSE else _HOLDS
    return item.claim.kind is not ClaimKind.ACTION and item.verdict not in wanted


def _without_claims(text: str, checked: Sequence[CheckedClaim]) -> str:
    """The text without the sentences that are claims which hold: those were checked by themselves."""
    held = (_plain(item.claim.text) for item in checked if item.verdict in _HOLDS)
    for claim in sorted(held, key=len, reverse=True):
        text = text.replace(claim, "") if claim else text
    return text


def _totals(summary: str, cited: Sequence[Evidence]) -> list[int]:
    """For each text that the summary quotes, how often the cited items with that text were seen in all."""
    distinct = {item.text: item.count or 0 for item in cited}
    quotes = [quote for pair in _QUOTED.findall(summary) for quote in pair if quote]
    return [sum(count for text, count in distinct.items() if quote in text) for quote in quotes]


def _from_claims(checked: Sequence[CheckedClaim]) -> str:
    order = (ClaimKind.CAUSE, ClaimKind.SYMPTOM, ClaimKind.IMPACT)
    holding = [item.claim for item in checked if item.verdict is Verdict.SUPPORTED and item.claim.kind in order]
    holding.sort(key=lambda claim: order.index(claim.kind))
    return " ".join(claim.text.rstrip(".") + "." for claim in holding[:4])


def _timeline(checked: Sequence[CheckedClaim], evidence: Mapping[str, Evidence]) -> list[TimelineEntry]:
    """Dated observations that holding claims cite, oldest first; each item once."""
    entries: dict[str, TimelineEntry] = {}
    for item in checked:
        if item.verdict not in _HOLDS:
            continue
        for citation in item.claim.citations:
            found = evidence.get(citation.evidence_id)
            if found is None or found.cls is not EvidenceClass.OBSERVATION or found.tool not in _DATED_TOOLS:
                continue
            entry = _entry(found)
            if entry is not None:
                entries.setdefault(found.id, entry)
    ordered = sorted(entries.values(), key=lambda entry: (entry.time, entry.evidence_id))
    return ordered[:_TIMELINE_ENTRIES]


def _entry(item: Evidence) -> TimelineEntry | None:
    """The item at the time it tells of; a series at its change, since where it begins is no event."""
    if item.tool == "query_metrics":
        change = _CHANGED.match(item.text)
        at = datetime.fromisoformat(change["at"]) if change else None
        return TimelineEntry(at, f"{change['what']} changed {change['how']}", item.id) if at and change else None
    moment = item.first_at or item.last_at
    return TimelineEntry(moment, item.text, item.id) if moment is not None else None
