"""What a report is worth, by every rule that an expected.toml may have; and what is wrong with a file that has none."""

from __future__ import annotations

from typing import Any

import pytest

from rootproof.diagnosis.scoring import Outcome, judge, read_expected, told
from rootproof.errors import UsageError


def cause(name: str, *objects: str, text: str = "it broke") -> dict[str, Any]:
    return {"causeId": name, "objects": list(objects), "text": text, "category": "UNKNOWN"}


def run(*causes: dict[str, Any], healthy: bool = False, summary: str = "", **more: Any) -> dict[str, Any]:
    claims = [
        {"text": "the Heron pool is full", "verdict": "SUPPORTED"},
        {"text": "about a third waits", "verdict": "PARTIAL"},
        {"text": "the moon is to blame", "verdict": "CONTRADICTED"},
    ]
    report = {"healthy": healthy, "rootCauses": list(causes), "summary": summary, "claims": claims}
    return {"status": "COMPLETED", "report": report} | more


def outcome(expected: str, given: dict[str, Any]) -> str:
    return judge(read_expected(expected), given).outcome.value


ONE = 'root_cause = "oom_killed"\nfault_object = "app/heron"'
TWO = '[[root_causes]]\nroot_cause = "disk_full"\nfault_object = "node/a"\n[[root_causes]]\nroot_cause = "oom_killed"'
EITHER = 'root_causes = [{root_cause = "oom_killed", also_accepted = ["disk_full"]}, "disk_full"]'
OOM, DISK, OTHER = cause("oom_killed", "app/heron"), cause("disk_full", "node/a"), cause("dns", "app/x")


@pytest.mark.parametrize(
    ("expected", "given", "wanted"),
    [
        ("healthy = true", run(healthy=True), "right"),
        ("healthy = true", run(), "wrong"),
        ("healthy = true", run(OOM, healthy=True), "wrong"),
        ('healthy = true\nrequired_keywords = ["moon"]', run(healthy=True), "right"),
        ('healthy = true\nforbidden_keywords = ["third"]', run(healthy=True), "wrong"),
        ('healthy = true\nforbidden_keywords = ["moon"]', run(healthy=True), "right"),
        ('healthy = true\nstatements = ["x"]', run(healthy=True), "read"),
        ('healthy = true\nstatements = ["x"]', run(), "wrong"),
        (ONE, run(OOM), "right"),
        (ONE, run(OOM, OTHER), "right"),
        (ONE, run(OTHER, OOM), "wrong"),
        (ONE, run(), "wrong"),
        (ONE, run(cause("oom_killed")), "wrong"),
        (ONE, run(cause("oom_killed", "app/other", "app/heron")), "wrong"),
        ('root_cause = "oom_killed"', run(cause("oom_killed", "app/other")), "right"),
        (ONE + '\nalso_accepted = ["memory_limit"]', run(cause("memory_limit", "app/heron")), "right"),
        (ONE + '\nalso_accepted = ["memory_limit"]', run(cause("memory_limit", "app/other")), "wrong"),
        (ONE + '\nalso_accepted = [{root_cause = "dns", fault_object = "app/x"}]', run(OTHER), "right"),
        (ONE + '\nalso_accepted = [{root_cause = "dns", fault_object = "app/y"}]', run(OTHER), "wrong"),
        (TWO, run(OOM, DISK), "right"),
        (TWO, run(DISK, OOM, OTHER), "right"),
        (TWO, run(DISK, OTHER, OOM), "wrong"),
        (TWO, run(DISK), "wrong"),
        (TWO, run(DISK, DISK), "wrong"),
        ('root_causes = ["disk_full", "dns"]', run(OTHER, DISK), "right"),
        (EITHER, run(DISK, OTHER), "wrong"),
        (EITHER, run(DISK, OOM), "right"),
        (EITHER, run(OOM, DISK), "right"),
        ('required_keywords = ["heron", "THIRD"]', run(), "right"),
        ('required_keywords = ["heron", "moon"]', run(), "wrong"),
        ('required_keywords = ["broke"]', run(OOM), "right"),
        ('required_keywords = ["broke"]', run(summary="It broke."), "right"),
        ('required_keywords = ["heron"]', run(healthy=True), "wrong"),
        ('required_keywords = ["heron"]\nforbidden_keywords = ["Third"]', run(), "wrong"),
        ('required_keywords = ["heron"]\nforbidden_keywords = ["moon"]', run(), "right"),
        (ONE + '\nforbidden_keywords = ["third"]', run(OOM), "wrong"),
        ('statements = ["The pool is full."]', run(), "read"),
        ('statements = ["x"]\nroot_cause = "dns"', run(OOM), "wrong"),
        ('statements = ["x"]\nroot_cause = "dns"', run(OTHER), "read"),
        ("healthy = true", {"status": "FAILED", "report": None}, "wrong"),
        ("healthy = true", run(healthy=True, status="FAILED"), "wrong"),
        ('statements = ["x"]', {"status": "CRASHED", "error": "boom"}, "wrong"),
    ],
)
def test_a_report_is_judged_by_every_rule_that_there_is(expected: str, given: dict[str, Any], wanted: str) -> None:
    assert outcome(expected, given) == wanted


def test_a_judgement_says_what_was_found_and_what_was_wanted() -> None:
    assert judge(read_expected(ONE), run(OTHER)).why == "dns at app/x for oom_killed at app/heron"
    assert "moon" in judge(read_expected('required_keywords = ["moon"]'), run()).why
    assert judge(read_expected("healthy = true"), {"status": "CRASHED", "error": "boom"}).why == "boom"


def test_claims_that_do_not_hold_are_not_among_the_words() -> None:
    assert "moon" not in told(run()["report"])
    assert Outcome("right") is Outcome.RIGHT


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("healthy = yes", "line 1"),
        ('healthy = "yes"', "healthy"),
        ("", "nothing says what is right"),
        ("healthy = false", "nothing says what is right"),
        ('source = "x"\ncategory = "y"', "nothing says what is right"),
        ('required_keywords = "heron"', "required_keywords"),
        ("required_keywords = [1]", "required_keywords.0"),
        ('fault_object = "app/x"\nhealthy = true', "root_cause, which is missing"),
        ('also_accepted = ["x"]\nhealthy = true', "root_cause, which is missing"),
        ('root_cause = "x"\nroot_causes = ["y"]', "not both"),
        ('root_cause = "x"\nhealthy = true', "no root_cause"),
        ('root_cause = ""', "root_cause"),
        ('root_cuase = "x"', "Did you mean 'root_cause'"),
        ('required_keyword = ["x"]', "Did you mean 'required_keywords'"),
        ('[[root_causes]]\nroot_cause = "x"\nobject = "y"', "root_causes.0.object"),
    ],
)
def test_a_malformed_file_is_refused_with_its_name_and_key(text: str, words: str) -> None:
    with pytest.raises(UsageError) as refused:
        read_expected(text, "case-7/expected.toml")
    assert str(refused.value).startswith("case-7/expected.toml: ")
    assert words in str(refused.value)


def test_keys_that_are_for_people_are_no_problem() -> None:
    text = 'healthy = true\nsource = "s"\ntags = ["a"]\nmodel_answer = "m"\nunreachable_keywords = ["x"]'
    assert read_expected(text + '\nforbidden_categories = ["y"]\nruling_out_keywords = ["z"]').healthy
