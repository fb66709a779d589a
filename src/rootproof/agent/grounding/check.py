"""The verdict of each claim: its atoms, checked one by one against the evidence it cites and nothing else."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from rootproof.agent.grounding.atoms import MAX_CLAIM_TOKENS, Parsed, parse
from rootproof.agent.grounding.check_actors import check_actors
from rootproof.agent.grounding.check_affirmations import (
    check_absent,
    check_enough,
    check_opposites,
    check_ruled_out,
    needs_observation,
)
from rootproof.agent.grounding.check_began import check_began, check_qualified, check_sides, check_wants
from rootproof.agent.grounding.check_changes import check_changes
from rootproof.agent.grounding.check_denials import check_denials
from rootproof.agent.grounding.check_levels import check_levels
from rootproof.agent.grounding.check_names import check_names, check_objects, check_quotes, has_quote
from rootproof.agent.grounding.check_numbers import check_numbers
from rootproof.agent.grounding.check_onset import check_onset
from rootproof.agent.grounding.check_orders import check_orders
from rootproof.agent.grounding.check_rivals import check_rivals
from rootproof.agent.grounding.check_roles import check_culprit, check_roles
from rootproof.agent.grounding.check_scope import check_scope
from rootproof.agent.grounding.check_shares import check_multiples, check_shares
from rootproof.agent.grounding.check_states import check_states
from rootproof.agent.grounding.check_times import check_times
from rootproof.agent.grounding.check_topic import check_topic
from rootproof.agent.grounding.check_trends import check_trends
from rootproof.agent.grounding.facts import Item
from rootproof.agent.grounding.findings import Finding, Ground, State, joined
from rootproof.agent.grounding.run import Run
from rootproof.agent.grounding.text import MAX_CLAIM_CHARS, clean, shorten
from rootproof.agent.grounding.wordlists import words
from rootproof.domain.claim import CheckedClaim, Claim, ClaimKind, Verdict
from rootproof.domain.earlier_evidence import run_of
from rootproof.domain.evidence import Evidence, EvidenceClass
from rootproof.domain.report import Coverage

MAX_CITATIONS = 24
"""Items one sentence may rest on; more are not read."""
MAX_REASONS = 12
_ID = re.compile(r"(?:run-[\w.-]+:)?E[0-9]+")


class Checker:
    """Checks claims against one run's evidence; each item is read once."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def check(self, claim: Claim) -> CheckedClaim:
        """`claim` with its verdict and reasons. Never raises on any text."""
        refusal = self._refuse(claim)
        if refusal is not None:
            return refusal
        cited = tuple(dict.fromkeys(citation.evidence_id for citation in claim.citations))
        every = tuple(self._run.item(each) for each in cited[:MAX_CITATIONS])
        parsed = parse(claim, self._run.names)
        if claim.kind is ClaimKind.ACTION:
            return _check_action(claim, parsed, every)
        usable = tuple(item for item in every if item.observed)
        reported = tuple(item for item in every if item.evidence.cls is EvidenceClass.REPORTED)
        if not usable and needs_observation(claim.kind):
            return _no_evidence(claim, _wrong_class(claim, every))
        if not usable and not reported:
            return _no_evidence(claim, _wrong_class(claim, every))
        ground = Ground(parsed, usable or reported, self._run.coverage, self._run.kinds(usable or reported), self._run)
        checked = _judge(claim, parsed, ground, every)
        if claim.kind is ClaimKind.CAUSE and checked.verdict is Verdict.SUPPORTED:
            return self._seen_now(checked)
        return checked if usable else _only_reported(checked)

    def _seen_now(self, checked: CheckedClaim) -> CheckedClaim:
        """A cause at most PARTIAL where nothing of it was seen in this run: it may have ended since."""
        claim = checked.claim
        own = tuple(each for each in claim.citations if run_of(each.evidence_id) is None)
        if len(own) == len(claim.citations):
            return checked
        again = self.check(replace(claim, citations=own)) if own else None
        if again is not None and again.verdict in (Verdict.SUPPORTED, Verdict.PARTIAL):
            return checked
        earlier = joined([each.evidence_id for each in claim.citations if run_of(each.evidence_id) is not None])
        reason = f"It rests on evidence of an earlier run ({earlier}); this run has not observed it."
        return CheckedClaim(claim, Verdict.PARTIAL, (reason, *checked.reasons)[:MAX_REASONS])

    def _refuse(self, claim: Claim) -> CheckedClaim | None:
        """NO_EVIDENCE for a claim without citations or with one that does not resolve; advice is left alone."""
        if not claim.citations:
            if claim.kind is ClaimKind.ACTION or _is_advice(claim.text):
                return CheckedClaim(claim, Verdict.NOT_CHECKABLE, ("There is nothing in it that code could check.",))
            return _no_evidence(claim, "The claim cites no evidence.")
        foreign = [
            citation.evidence_id for citation in claim.citations if citation.evidence_id not in self._run.evidence
        ]
        if foreign:
            unnamed = [each for each in dict.fromkeys(foreign) if run_of(each) is not None]
            if unnamed:
                told = (
                    "is no evidence that this run was given: another run's is given where the question names that run."
                )
                return _no_evidence(claim, f"{joined(unnamed)} {told}")
            shown = joined([shorten(clean(each, 60), 40) for each in dict.fromkeys(foreign)])
            return _no_evidence(claim, f"{shown} is no evidence of this run.")
        return None


def check_claims(
    claims: Sequence[Claim], evidence: Mapping[str, Evidence], coverage: Sequence[Coverage]
) -> tuple[CheckedClaim, ...]:
    """Each claim with its verdict, in the order given. Pure; never raises on any text; linear in the size of
    the text.
    """
    checker = Checker(Run(evidence, coverage, claims))
    return tuple(checker.check(claim) for claim in claims)


def check_claim(claim: Claim, evidence: Mapping[str, Evidence], coverage: Sequence[Coverage] = ()) -> CheckedClaim:
    """`claim` with its verdict."""
    return Checker(Run(evidence, coverage, (claim,))).check(claim)


def _no_evidence(claim: Claim, reason: str) -> CheckedClaim:
    return CheckedClaim(claim, Verdict.NO_EVIDENCE, (reason,))


_ADVICE = words("""
    consider check increase raise lower restart review add remove verify ensure roll rollback scale
    monitor investigate escalate contact set enable disable look ask inspect run try confirm
""")


def _is_advice(text: str) -> bool:
    first = clean(text, 40).split(" ", 1)[0].strip(".,:").lower()
    return first in _ADVICE and not any(char.isdigit() for char in text[:MAX_CLAIM_CHARS])


def _wrong_class(claim: Claim, every: Sequence[Item]) -> str:
    classes = joined(sorted({item.evidence.cls.value.lower() for item in every}))
    kind = claim.kind.value.lower().replace("_", " ")
    ids = joined([item.id for item in every])
    return f"{ids} is {classes}, which cannot confirm a {kind} claim; it needs an observation."


def _check_action(claim: Claim, parsed: Parsed, every: tuple[Item, ...]) -> CheckedClaim:
    """Advice is not checkable; but a quote it attributes to an item must be there."""
    findings = [
        each for each in check_quotes(Ground(parsed, every), every) if any(quote.quote for quote in claim.citations)
    ]
    missing = [each.reason for each in findings if each.state is State.MISSING]
    if missing and any(
        citation.quote and not has_quote(citation.quote, item.text)
        for citation in claim.citations
        for item in every
        if item.id == citation.evidence_id
    ):
        return CheckedClaim(claim, Verdict.NO_EVIDENCE, tuple(missing[:MAX_REASONS]))
    return CheckedClaim(claim, Verdict.NOT_CHECKABLE, ("It is advice: there is nothing in it that code could check.",))


def _judge(claim: Claim, parsed: Parsed, ground: Ground, every: tuple[Item, ...]) -> CheckedClaim:
    measured = [
        *check_quotes(ground, tuple(item for item in every if item in ground.items)),
        *_quotes_elsewhere(ground, every),
        *check_numbers(ground),
        *check_shares(ground),
        *check_multiples(ground),
        *check_times(ground),
        *check_trends(ground),
    ]
    names = [*check_names(ground), *check_objects(ground)]
    findings = [
        *measured,
        *check_denials(ground),
        *check_opposites(ground),
        *check_enough(ground),
        *check_absent(ground),
        *check_ruled_out(ground),
        *check_orders(ground),
        *check_roles(ground),
        *check_culprit(ground),
        *check_actors(ground),
        *check_sides(ground),
        *check_began(ground),
        *check_qualified(ground),
        *check_wants(ground),
        *check_onset(ground),
        *check_rivals(ground),
        *check_states(ground),
        *check_changes(ground),
        *check_levels(ground),
        *check_scope(ground),
    ]
    findings += check_topic(
        ground,
        anchored=any(each.state is State.FOUND and not each.soft for each in measured),
        named=any(each.state is State.FOUND and not each.soft for each in (*findings, *names)),
        proven=any(each.state is State.FOUND for each in findings),
    )
    findings += names
    findings += _idle_citations(ground, " ".join(each.reason for each in findings if each.state is State.FOUND))
    if parsed.too_long:
        findings.append(
            Finding(
                State.MISSING,
                f"The claim is longer than {MAX_CLAIM_CHARS:,} characters or {MAX_CLAIM_TOKENS} "
                f"words; the rest was not checked against {ground.ids}.",
            )
        )
    return CheckedClaim(claim, _verdict(findings), _reasons(findings))


def _quotes_elsewhere(ground: Ground, every: tuple[Item, ...]) -> list[Finding]:
    """MISSING for each quote of a cited item whose class cannot carry the claim."""
    outside = {item.id: item for item in every if item not in ground.items}
    return [
        Finding(
            State.MISSING,
            f"{citation.evidence_id} is {outside[citation.evidence_id].evidence.cls.value.lower()}: "
            f"its words cannot confirm this claim.",
        )
        for citation in ground.parsed.claim.citations
        if citation.quote and citation.evidence_id in outside
    ]


def _idle_citations(ground: Ground, found_in: str) -> list[Finding]:
    """MISSING for each cited item that has nothing to do with the claim."""
    if len(ground.items) < 2:
        return []
    parsed = ground.parsed
    words = [parsed.tokens[position].lower for position in parsed.topic]
    found: list[Finding] = []
    used = set(_ID.findall(found_in))
    for item in ground.items:
        if (
            item.id in used
            or any(item.shares(word) for word in words)
            or any(item in ground.holders(name.text) for name in parsed.names)
        ):
            continue
        if any(has_quote(quote, item.text) for quote in parsed.quotes) or any(
            citation.quote for citation in parsed.claim.citations if citation.evidence_id == item.id
        ):
            continue
        found.append(Finding(State.MISSING, f"{item.id} has nothing to do with the claim."))
    return found


def _verdict(findings: Sequence[Finding]) -> Verdict:
    states = {each.state for each in findings}
    if State.CONTRADICTED in states:
        return Verdict.CONTRADICTED
    if not states:
        return Verdict.NOT_CHECKABLE
    if State.FOUND not in states:
        return Verdict.NO_EVIDENCE
    return Verdict.PARTIAL if State.MISSING in states else Verdict.SUPPORTED


def _reasons(findings: Sequence[Finding]) -> tuple[str, ...]:
    rank = {State.CONTRADICTED: 0, State.MISSING: 1, State.FOUND: 2}
    ordered = sorted(findings, key=lambda each: rank[each.state])
    return tuple(dict.fromkeys(each.reason for each in ordered))[:MAX_REASONS]


def _only_reported(checked: CheckedClaim) -> CheckedClaim:
    """At most PARTIAL where only the words of the alert or the user carry the claim."""
    ids = joined([citation.evidence_id for citation in checked.claim.citations])
    reason = f"Only the alert says so ({ids}): nothing observed confirms it."
    verdict = Verdict.PARTIAL if checked.verdict is Verdict.SUPPORTED else checked.verdict
    return CheckedClaim(checked.claim, verdict, (reason, *checked.reasons)[:MAX_REASONS])
