"""`rootproof feedback` and `rootproof cases` over the real embedded store."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rootproof.scenarios import scenario_path
from tests.cli.conftest import Cli, bundle, cli
from tests.core.canaries import Canaries

__all__ = ["bundle", "cli"]


@pytest.fixture
def run_id(cli: Cli, bundle: Path) -> str:
    done = cli("diagnose", "--bundle", bundle, "--json")
    assert done.code == 0, done.err
    assert done.json["report"]["rootCauses"]
    found: str = done.json["runId"]
    return found


def test_from_feedback_to_a_case_and_its_revocation(cli: Cli, run_id: str) -> None:
    assert cli("feedback", run_id).out.startswith(f"{run_id}: nothing was said of it")
    refused = cli("cases", "make", run_id)
    assert refused.code == 2
    assert "give it the feedback HELPFUL" in refused.err
    said = cli("feedback", run_id, "--verdict", "helpful", "--comment", "right", "--mark", "C1=correct", "--json")
    assert said.code == 0
    assert (said.json["verdict"], said.json["claimMarks"]) == ("HELPFUL", {"C1": "CORRECT"})
    history = cli("feedback", run_id, "--json").json
    assert [row["verdict"] for row in history["items"]] == ["HELPFUL"]
    assert "HELPFUL" in cli("feedback", run_id).out

    case = cli("cases", "make", run_id, "--solution", "close them", "--json").json
    assert (case["diagnosisId"], case["solution"]) == (run_id, "close them")
    assert cli("cases", "list", "--json").json["items"] == [case]
    assert case["caseId"] in cli("cases", "list").out
    shown = cli("cases", "show", case["caseId"]).out
    assert "root cause: " in shown
    assert f"made from: {run_id}" in shown

    revoked = cli("cases", "revoke", case["caseId"], "--reason", "fixed for good", "--json")
    assert revoked.json["revokeReason"] == "fixed for good"
    assert cli("cases", "list", "--json").json["items"] == []
    assert "revoked" in cli("cases", "list", "--revoked").out
    assert "fixed for good" in cli("cases", "show", case["caseId"]).out


def test_a_corrected_cause_makes_a_case_too(cli: Cli, run_id: str) -> None:
    said = cli("feedback", run_id, "--verdict", "wrong-cause", "--cause", "somebody set the pool to 5")
    assert (said.code, said.out) == (0, f"{run_id}: WRONG_CAUSE noted\n")
    case = cli("cases", "make", run_id, "--cause-id", "connection_pool_exhausted", "--json").json
    assert (case["rootCause"], case["causeId"]) == ("somebody set the pool to 5", "connection_pool_exhausted")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["feedback", "RUN", "--verdict", "great"], "helpful, wrong-cause, missing-cause, unclear, not-helpful"),
        (["feedback", "RUN", "--comment", "no verdict"], "needs a verdict"),
        (["feedback", "RUN", "--verdict", "helpful", "--mark", "C1"], "CLAIM=correct"),
        (["feedback", "RUN", "--verdict", "helpful", "--mark", "C99=wrong"], "no claim 'C99'"),
        (["feedback", "RUN", "--verdict", "helpful", "--comment", "x" * 4_001], "at most 4000"),
        (["feedback", "run-none", "--verdict", "helpful"], "there is no run 'run-none'"),
        (["cases", "show", "case-none"], "there is no case 'case-none'"),
        (["cases", "revoke", "case-none", "--reason", "x"], "there is no case 'case-none'"),
        (["cases", "revoke", "case-none", "--reason", " "], "with a reason"),
        (["cases", "make", "run-none"], "there is no run 'run-none'"),
    ],
)
def test_what_cannot_be_done_says_what_to_do(cli: Cli, run_id: str, arguments: list[str], told: str) -> None:
    done = cli(*[run_id if word == "RUN" else word for word in arguments])
    assert done.code == 2
    assert told in done.err
    assert done.out == ""


def test_no_secret_is_printed_or_kept(cli: Cli, run_id: str, tmp_path: Path) -> None:
    canaries = Canaries()
    printed = []
    for words in (canaries.text(kind, "cli") for kind in ("github", "dsn", "bearer")):
        said = ("--verdict", "wrong-cause", "--comment", words, "--cause", f"it used {words}"[:500])
        printed += [cli("feedback", run_id, *said, "--json"), cli("feedback", run_id)]
        case = cli("cases", "make", run_id, "--title", f"with {words}"[:255], "--solution", words, "--json")
        printed += [case, cli("cases", "revoke", case.json["caseId"], "--reason", words, "--json")]
    printed.append(cli("cases", "list", "--revoked", "--json"))
    assert canaries.found_in("\n".join(done.out + done.err for done in printed)) == []
    database = next(tmp_path.rglob("rootproof.db"))
    kept = b"".join(path.read_bytes() for path in database.parent.glob("rootproof.db*"))
    assert canaries.found_in(kept.decode("utf-8", "replace")) == []


def test_a_later_run_finds_the_case_and_the_case_shows_the_run(cli: Cli) -> None:
    bundle = scenario_path("order-pool-leak")
    first: dict[str, Any] = cli("diagnose", "--bundle", bundle, "--json").json
    cli("feedback", first["runId"], "--verdict", "helpful")
    case = cli("cases", "make", first["runId"], "--json").json
    second: dict[str, Any] = cli("diagnose", "--bundle", bundle, "--json").json
    assert case["caseId"] in {item["source"] for item in second["evidence"] if item["class"] == "MEMORY"}
    assert second["report"]["rootCauses"] == first["report"]["rootCauses"]
    assert second["report"]["summary"] == first["report"]["summary"]
    shown = cli("cases", "show", case["caseId"], "--json").json
    assert [use["runId"] for use in shown["usedBy"]] == [second["runId"]]
    cli("cases", "revoke", case["caseId"], "--reason", "obsolete")
    third: dict[str, Any] = cli("diagnose", "--bundle", bundle, "--json").json
    assert [item for item in third["evidence"] if item["class"] == "MEMORY"] == []
