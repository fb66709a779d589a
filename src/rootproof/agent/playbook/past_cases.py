"""Past cases as hypotheses: each is tested like any other, and the report says how that went.

A case chooses no tool, adds no claim and moves no verdict. Only its id and the id of its cause are read here, never its
words: whoever wrote them writes nothing of our report.
"""

from __future__ import annotations

from rootproof.agent.playbook.catalogue import Catalogue
from rootproof.agent.playbook.draft import DraftBuilder
from rootproof.agent.playbook.observations import Observations, PastCase
from rootproof.agent.playbook.reasoning import Judgement

_MAX_TOLD = 2


def tell_past_cases(draft: DraftBuilder, seen: Observations, judgement: Judgement, catalogue: Catalogue) -> None:
    """A next step for each of the first past cases: what its cause is called, and what testing it here gave."""
    for case in seen.past_cases[:_MAX_TOLD]:
        draft.step(
            f"A past case looks alike ({case.case_id}). {_tested(case, judgement, catalogue)}", "none: it only reads"
        )


def _tested(case: PastCase, judgement: Judgement, catalogue: Catalogue) -> str:
    spec = catalogue.by_id.get(case.cause_id)
    if spec is None:
        return "What it names cannot be tested here: read it and judge whether it applies."
    its = f"What it names, {spec.title}, was tested in this run:"
    if any(found.spec.cause_id == case.cause_id for found in judgement.causes):
        return f"{its} the evidence leads there too."
    if any(found.spec.cause_id == case.cause_id for found in judgement.ruled_out):
        return f"{its} something observed speaks against it."
    if any(found.spec.cause_id == case.cause_id for found in (*judgement.unrelated, *judgement.leads)):
        return f"{its} there are signs of it, too few to claim it."
    return f"{its} no sign of it was found in what was read."
