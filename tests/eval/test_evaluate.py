"""Cases, repeats, categories and totals; what counts as worse."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rootproof.diagnosis.evaluate import Case, EvaluationView, compare, evaluate, read_evaluation
from rootproof.diagnosis.present import RunView
from rootproof.diagnosis.scoring import read_expected
from rootproof.errors import SourceUnavailable, UsageError


def run(*causes: str, healthy: bool = False, supported: int = 3, partial: int = 1, **more: Any) -> RunView:
    roots = [
        {
            "claimId": "C1",
            "text": name,
            "causeId": name,
            "category": "UNKNOWN",
            "objects": ["app/x"],
            "confidence": "HIGH",
        }
        for name in causes
    ]
    body = {
        "sessionId": "s", "runId": "r", "status": "COMPLETED", "statusReason": "REPORTED", "mode": "CHAT",
        "reasoner": "playbook", "question": "", "evidence": [],
        "report": {"summary": "told", "healthy": healthy, "rootCauses": roots},
        "selfEvaluation": {"verdicts": {"SUPPORTED": supported, "PARTIAL": partial, "NOT_CHECKABLE": 5}},
        "usage": {"toolCalls": 2, "modelRequests": 3, "inputTokens": 10, "outputTokens": 4, "agentVisibleBytes": 7},
    }  # fmt: skip
    return RunView.model_validate(body | more)


def case(name: str, expected: str) -> Case:
    return Case(name, Path(name), read_expected(expected))


OOM = 'root_cause = "oom"\ncategory = "memory"'


async def evaluated(cases: list[Case], answers: dict[str, list[Any]], **options: Any) -> EvaluationView:
    left: dict[str, Iterator[Any]] = {name: iter(given) for name, given in answers.items()}

    async def diagnose(bundle: Path) -> RunView:
        answer = next(left[bundle.name])
        if isinstance(answer, Exception):
            raise answer
        view: RunView = answer
        return view

    return await evaluate(cases, diagnose, model="playbook", **options)


async def test_outcomes_are_counted_by_case_category_claim_and_cost() -> None:
    cases = [case("a", OOM), case("b", OOM), case("c", "healthy = true"), case("d", 'statements = ["s"]')]
    answers = {"a": [run("oom")], "b": [run("dns")], "c": [run(healthy=True)], "d": [run("dns")]}
    view = await evaluated(cases, answers)
    assert [(item.id, item.outcome) for item in view.cases] == [
        ("a", "right"), ("b", "wrong"), ("c", "right"), ("d", "read")
    ]  # fmt: skip
    rows = [(item.category, item.cases, item.right, item.wrong, item.read) for item in view.categories]
    assert rows == [("healthy", 1, 1, 0, 0), ("memory", 2, 1, 1, 0), ("uncategorised", 1, 0, 0, 1)]
    totals = view.totals
    assert (totals.cases, totals.right, totals.wrong, totals.read) == (4, 2, 1, 1)
    assert totals.pass_rate == pytest.approx(2 / 3)
    assert totals.verdicts == {"NOT_CHECKABLE": 20, "PARTIAL": 4, "SUPPORTED": 12}
    assert totals.supported_ratio == pytest.approx(0.75)
    assert (totals.tool_calls, totals.model_requests, totals.input_tokens, totals.output_tokens) == (8, 12, 40, 16)
    assert totals.agent_visible_bytes == 28


async def test_repeats_give_a_pass_rate_a_majority_and_flakiness() -> None:
    answers = {"a": [run("oom"), run("dns"), run("oom")], "b": [run("dns"), run("oom")] * 2, "c": [run("oom")] * 3}
    view = await evaluated([case("a", OOM), case("c", OOM)], answers, repeat=3)
    a, c = view.cases
    assert (a.outcome.value, a.flaky) == ("right", True)
    assert a.pass_rate == pytest.approx(2 / 3)
    assert (c.outcome, c.pass_rate, c.flaky) == ("right", 1.0, False)
    assert [item.outcome for item in a.repeats] == ["right", "wrong", "right"]
    assert view.totals.flaky == 1
    even = await evaluated([case("b", OOM)], answers, repeat=2)
    assert even.cases[0].outcome == "wrong", "half is no majority"
    assert "dns" in even.cases[0].why


async def test_repeats_that_wait_for_a_reader_are_not_counted_as_wrong() -> None:
    expected = 'statements = ["s"]\nforbidden_causes = ["dns"]'
    answers = {"a": [run("oom"), run("dns"), run("oom")], "b": [run("dns"), run("oom"), run("dns")]}
    view = await evaluated([case("a", expected), case("b", expected)], answers, repeat=3)
    assert [(item.outcome, item.pass_rate, item.flaky) for item in view.cases] == [
        ("read", None, True),
        ("wrong", 0.0, True),
    ]


async def test_a_bundle_that_cannot_be_diagnosed_is_wrong_and_stops_nobody() -> None:
    failures: dict[str, list[Any]] = {"a": [SourceUnavailable("no such disk")], "b": [KeyError("secret")]}
    view = await evaluated([case(name, OOM) for name in "abc"], failures | {"c": [run("oom")]})
    assert [item.outcome for item in view.cases] == ["wrong", "wrong", "right"]
    assert "no such disk" in view.cases[0].why
    assert view.cases[1].why == "internal error (KeyError)"


async def test_a_run_that_another_reasoner_finished_is_not_the_models_merit() -> None:
    given_up = run("oom", statusReason="MODEL_FAILED", statusDetail="ModelError: 401")
    view = await evaluated([case("a", OOM)], {"a": [given_up]})
    assert view.cases[0].outcome == "wrong"
    assert "401" in view.cases[0].why


async def test_a_readers_judgement_counts_where_only_a_reader_can_say() -> None:
    cases = [case("a", 'statements = ["s"]'), case("b", 'statements = ["s"]'), case("c", OOM)]
    answers = {"a": [run("x")], "b": [run("x")], "c": [run("x")]}
    view = await evaluated(cases, answers, judged={"a": True, "b": False, "c": True})
    assert [item.outcome for item in view.cases] == ["right", "wrong", "wrong"]


async def result(answers: dict[str, list[Any]], repeat: int = 1) -> EvaluationView:
    return await evaluated([case(name, OOM) for name in answers], answers, repeat=repeat)


async def test_nothing_is_worse_than_itself() -> None:
    view = await result({"a": [run("oom")], "b": [run("dns")]})
    found = compare(view, view)
    assert (found.regressed, found.regressions, found.improvements) == (False, [], [])


async def test_a_case_that_was_right_and_is_wrong_is_a_regression_and_the_other_way_an_improvement() -> None:
    before = await result({"a": [run("oom")], "b": [run("dns")]})
    now = await result({"a": [run("dns")], "b": [run("oom")]})
    found = compare(before, now)
    assert found.regressed
    assert [line.partition(":")[0] for line in found.regressions] == ["a"]
    assert [line.partition(":")[0] for line in found.improvements] == ["b"]


async def test_a_lower_pass_rate_is_a_regression_though_the_majority_holds() -> None:
    before = await result({"a": [run("oom")] * 3}, repeat=3)
    now = await result({"a": [run("oom"), run("dns"), run("oom")]}, repeat=3)
    assert now.cases[0].outcome == "right"
    assert compare(before, now).regressed
    assert compare(now, before).improvements
    assert not compare(now, before).regressed


@pytest.mark.parametrize(("supported", "regressed"), [(396, False), (390, True)])
async def test_fewer_supported_claims_are_a_regression_beyond_the_tolerance(supported: int, regressed: bool) -> None:
    before = await result({"a": [run("oom", supported=400, partial=0)]})
    now = await result({"a": [run("oom", supported=supported, partial=400 - supported)]})
    assert compare(before, now, tolerance=0.01).regressed is regressed
    assert compare(before, now, tolerance=0.0).regressed


async def test_a_case_that_is_gone_is_a_regression_and_a_new_one_is_not() -> None:
    one, two = await result({"a": [run("oom")]}), await result({"a": [run("oom")], "b": [run("dns")]})
    assert compare(two, one).regressed
    assert not compare(one, two).regressed


async def test_claims_are_compared_over_the_cases_that_both_have() -> None:
    one = await result({"a": [run("oom", supported=4, partial=0)]})
    two = await result({"a": [run("oom", supported=4, partial=0)], "b": [run("oom", supported=1, partial=9)]})
    found = compare(one, two)
    assert (found.regressed, found.improvements) == (False, ["b: new, right"])
    assert not any("SUPPORTED" in line for line in compare(two, one).improvements)


async def test_a_case_to_be_read_that_broke_is_a_regression() -> None:
    cases = [case("a", 'statements = ["s"]')]
    before = await evaluated(cases, {"a": [run("x")]})
    now = await evaluated(cases, {"a": [SourceUnavailable("gone")]})
    assert compare(before, now).regressed


async def test_a_result_is_read_back_and_anything_else_refused() -> None:
    view = await result({"a": [run("oom")]})
    assert read_evaluation(view.model_dump_json(by_alias=True).encode(), "x") == view
    for data in (b"", b"[]", b'{"schemaVersion": 2}', b'{"model": 3}'):
        with pytest.raises(UsageError, match=r"old\.json: "):
            read_evaluation(data, "old.json")
