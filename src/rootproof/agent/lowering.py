"""A model may lower a verdict, never raise one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rootproof.agent.answers import LoweredAnswer
from rootproof.domain.claim import CheckedClaim, Verdict

_RANK = {
    Verdict.SUPPORTED: 3,
    Verdict.PARTIAL: 2,
    Verdict.NOT_CHECKABLE: 2,
    Verdict.NO_EVIDENCE: 1,
    Verdict.CONTRADICTED: 0,
}


def lower(checked: Sequence[CheckedClaim], proposals: Iterable[LoweredAnswer]) -> tuple[CheckedClaim, ...]:
    """`checked` with the proposals that are lower than code's verdict; the others are ignored."""
    wanted = {proposal.claim_id: proposal for proposal in proposals}
    result: list[CheckedClaim] = []
    for item in checked:
        proposal = wanted.get(item.claim.id)
        if proposal is not None and _RANK[proposal.verdict] < _RANK[item.verdict]:
            reason = f"lowered from {item.verdict} by the verifier: {proposal.reason}"
            result.append(CheckedClaim(item.claim, proposal.verdict, (*item.reasons, reason)))
        else:
            result.append(item)
    return tuple(result)
