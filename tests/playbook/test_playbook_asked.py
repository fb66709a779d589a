"""What a question names and the records do not hold: a time of the day, a service; and what is left of a cause."""

from __future__ import annotations

import pytest

from rootproof.agent.coverage import coverage_of
from rootproof.agent.report import stands
from rootproof.domain.claim import ClaimKind, Verdict
from rootproof.domain.evidence import Evidence, EvidenceClass
from rootproof.domain.report import Draft
from tests.playbook.playbook_case import Case, causes

_REFUSED = "Failed connecting to heron-cache:6379: Connection refused"
_NODE = "NodeReady Node/teal-node-2: node status is now NodeReady, 38 s after NodeNotReady"


def _asked(question: str) -> tuple[Case, Draft]:
    """The records are of 11:51 to 11:59."""
    case = Case(question=question).pattern("tern", _REFUSED, 38)
    return case, case.diagnose()


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("Why did tern fail at 2 a.m.?", '"2 a.m."'),
        ("Why did tern fail at 2am?", '"2am"'),
        ("Why did tern fail between 02:50 and 03:00?", '"02:50 and 03:00"'),
        ("Show me the errors at 11:55 pm", '"11:55 pm"'),
        ("What errors are there at 2031-05-04T02:10:00Z?", '"02:10:00"'),
    ],
)
def test_a_time_that_no_record_is_of_is_said_not_to_be_told_of(question: str, named: str) -> None:
    case, draft = _asked(question)
    assert f"The question names {named}; what was read is of other times" in draft.summary
    assert any(f"records of {named}" in step.text for step in draft.next_steps)
    case.evidence["E0"] = Evidence("E0", EvidenceClass.REPORTED, "question", "", question)
    assert stands(draft.summary, case.checked(draft), case.evidence, coverage_of(case.tools, ()))


@pytest.mark.parametrize("time", ["11:55", "11:55 am"])
def test_a_time_that_was_read_is_said_to_have_chosen_nothing(time: str) -> None:
    _, draft = _asked(f"Why did tern fail at {time}?")
    assert f'The question names "{time}"; this report is about all that was read' in draft.summary
    assert not any("records of" in step.text for step in draft.next_steps)


@pytest.mark.parametrize(
    "question", ["Why did tern fail?", "Why does tern time out on heron:6379?", "Is tern 1.24.10 slow since 2 hours?"]
)
def test_what_is_no_time_of_the_day_is_not_taken_for_one(question: str) -> None:
    assert "The question names" not in _asked(question)[1].summary


@pytest.mark.parametrize(
    "question", ["Why does warehouse fail?", "Is warehouse down?", "why did the warehouse service crash?"]
)
def test_a_service_that_nothing_names_is_said_to_be_named_nowhere(question: str) -> None:
    case, draft = _asked(question)
    assert 'Nothing that was read names "warehouse".' in draft.summary
    assert stands(draft.summary, case.checked(draft), case.evidence, coverage_of(case.tools, ()))


@pytest.mark.parametrize(
    "question",
    [
        "Why does tern fail?",
        "Why did heron_cache crash?",
        "Why is everything slow?",
        "Why is the database down?",
        "Why are customers unhappy?",
        "Why does warehouse data look odd?",
        "Our checkout is slow, why?",
    ],
)
def test_what_is_named_or_is_no_sure_name_is_left_alone(question: str) -> None:
    assert "Nothing that was read names" not in _asked(question)[1].summary


def test_a_node_that_is_ready_again_is_no_symptom() -> None:
    case = Case(question="Is all well?").log("cluster-events", _NODE, topic="SYSTEM_EVENTS", minutes=30)
    draft = case.log("tern", "cart loaded").diagnose()
    assert not any("NodeReady" in claim.text for claim in draft.claims)
    gone = "NodeNotReady Node/teal-node-2: node status is now NodeNotReady"
    case = Case(question="Is all well?").log("cluster-events", gone, level="WARN", topic="SYSTEM_EVENTS", minutes=30)
    draft = case.log("tern", "cart loaded").diagnose()
    told = [
        item for item in case.checked(draft) if '"node status is now NodeNotReady" for teal-node-2' in item.claim.text
    ]
    assert [item.verdict for item in told] == [Verdict.SUPPORTED]


def test_a_cause_brings_its_lead_its_query_and_its_lines_for_the_case_that_it_is_refused() -> None:
    _, draft = _asked("Why does tern fail?")
    assert causes(draft) == ["dependency_unreachable"]
    assert draft.strongest_lead is not None
    assert "Connection refused" in draft.strongest_lead
    assert any(step.query for step in draft.next_steps)
    (cause,) = [claim for claim in draft.claims if claim.kind is ClaimKind.CAUSE]
    symptoms = {c.evidence_id for claim in draft.claims if claim.kind is ClaimKind.SYMPTOM for c in claim.citations}
    assert {c.evidence_id for c in cause.citations} <= symptoms
