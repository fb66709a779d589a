"""Skills steer the reasoner: a user's causes, patterns and evidence order, from a folder to a supported claim."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rootproof.agent.briefing import Briefing
from rootproof.agent.playbook.catalogue import Catalogue
from rootproof.agent.playbook.investigate import next_calls
from rootproof.agent.playbook.observations import CallRecord, Observations
from rootproof.agent.playbook.signals import SignalSet
from rootproof.agent.playbook.skill_order import MAX_SKILL_CALLS
from rootproof.domain.plan import Intent, Plan
from rootproof.domain.playbook import EvidenceRequest, Playbook
from rootproof.domain.run import RunMode
from rootproof.entrypoints.cli.main import main
from rootproof.skills.sidecar import read_playbook
from tests.playbook.playbook_case import NOW, Case, causes, rising, steady

SKILL = """\
---
name: diagnose-label-printing
description: >-
  Finds out why labels are late: a spool that is full, a printer that hangs. Use for labels, LabelsLate, spool.
---

# Label printing

Look at the spool.
"""
SIDECAR = """\
schema = 1

[[evidence]]
tool = "query_metrics"
arguments = { contains = ["spool"], lookback_minutes = 240 }
why = "does the spool grow?"

[[pattern]]
name = "custom.spool_full"
source = "logs"
any_of = ["spool of {printer} is full"]

[[pattern]]
name = "custom.spool_grows"
source = "metrics"
series = ["spool"]
state = "rising"

[[pattern]]
name = "custom.printer_gone"
source = "cluster"
any_of = ["printer * unplugged"]

[[hypothesis]]
id = "printer_stuck"
category = "DEPENDENCY_FAILURE"
title = "a stuck printer"
sentence = "{subject} waits for the printer {printer}, whose spool is full"
fallback = "{subject} waits for its printer"
explains = ["latency", "errors", "queue", "availability"]
needs = [{ any_of = ["custom.spool_full", "custom.printer_gone"] }]
confirming = { "custom.spool_grows" = 1.0 }
[[hypothesis.actions]]
text = "Restart the printer and watch its spool."
risk = "low: the label in it is lost"
"""
FULL = "cannot print 4 labels: spool of lp-north-2 is full"


def mine(text: str = SIDECAR) -> Playbook:
    playbook, problems = read_playbook("diagnose-label-printing", text)
    assert playbook is not None, problems
    return playbook


def late(case: Case | None = None) -> Case:
    case = case or Case(catalogue=Catalogue.of([mine()]))
    return case.alert("Labels of shipping are late.", name="LabelsLate", service="shipping")


def test_a_users_own_pattern_names_a_users_own_cause() -> None:
    case = late().log("shipping", FULL, level="ERROR").series("print_spool_jobs", "shipping", rising(10, 90))
    draft = case.diagnose()

    assert causes(draft) == ["printer_stuck"]
    (cause,) = [
        one for one in case.checked(draft) if one.claim.cause_id == "printer_stuck" and one.claim.kind == "CAUSE"
    ]
    assert cause.verdict == "SUPPORTED", cause.reasons
    assert "waits for the printer lp-north-2, whose spool is full" in cause.claim.text
    assert "print_spool_jobs" in cause.claim.text, "what confirms it is told too"


def test_without_the_skill_nobody_knows_the_cause() -> None:
    draft = late(Case()).log("shipping", FULL, level="ERROR").diagnose()

    assert "printer_stuck" not in causes(draft)


def test_a_pattern_reads_cluster_facts() -> None:
    case = late().fact("pod/shipping-1", "printer lp-2 was unplugged", "DeviceLost", app="shipping")

    assert causes(case.diagnose()) == ["printer_stuck"]


def test_what_is_over_is_not_blamed() -> None:
    case = late().log("shipping", FULL, level="ERROR", minutes=90).log("shipping", "all labels printed", minutes=1)

    assert causes(case.diagnose()) == []


@pytest.mark.parametrize(
    ("state", "values", "so"),
    [
        ("surge", rising(10, 90), True),
        ("surge", steady(40), False),
        ("rising", rising(60, 90), True),
        ("rising", [*rising(10, 90), 20, 10], False),
        ("falling", rising(90, 20), True),
        ("falling", steady(40), False),
        ("at_limit", [97.0] * 15, True),
        ("at_limit", [80.0] * 15, False),
        ("zero", [5.0] * 12 + [0.0] * 3, True),
        ("zero", [0.0] * 15, False),
    ],
)
def test_a_series_state_is_a_pattern(state: str, values: list[float], so: bool) -> None:
    text = SIDECAR.replace('state = "rising"', f'state = "{state}"').replace(
        '["custom.spool_full", "custom.printer_gone"]', '["custom.spool_grows"]'
    )
    case = late(Case(catalogue=Catalogue.of([mine(text)])))
    unit = "Percent" if state == "at_limit" else "Count"
    draft = case.series("print_spool_jobs", "shipping", values, unit).diagnose()

    assert causes(draft) == (["printer_stuck"] if so else [])


def test_a_users_cause_of_a_known_id_stands_in_its_place() -> None:
    other = mine(SIDECAR.replace("a stuck printer", "a printer of another make"))
    catalogue = Catalogue.of([mine(), other])

    assert [spec.title for spec in catalogue.causes] == ["a printer of another make"]


def test_patterns_of_several_skills_are_watched_for() -> None:
    text = """schema = 1
[[pattern]]
name = "custom.belt_stopped"
source = "logs"
any_of = ["belt stopped"]
"""

    assert {one.pattern.kind for one in Catalogue.of([mine(), mine(text)]).watches} == {
        *("custom.spool_full", "custom.spool_grows", "custom.printer_gone", "custom.belt_stopped"),
    }


def test_retries_that_multiply_the_calls_are_a_retry_storm() -> None:
    case = Case().alert("Errors of heron are high.", name="ErrorsHigh", service="heron")
    case.log("heron", "call to stork failed, retry attempt 7 without pause", level="WARN")
    draft = case.series("heron_requests_total", "heron", rising(100, 900), "Count/Second").diagnose()

    assert causes(draft)[:1] == ["retry_storm"]


def test_a_few_retries_under_a_steady_load_are_no_storm() -> None:
    case = Case().alert("Errors of heron are high.", name="ErrorsHigh", service="heron")
    case.log("heron", "call to stork failed, retry attempt 1", level="WARN")
    draft = case.series("heron_requests_total", "heron", steady(100), "Count/Second").diagnose()

    assert "retry_storm" not in causes(draft)


def test_calls_that_a_network_policy_drops_are_its_fault() -> None:
    case = Case().alert("Errors of heron are high.", name="ErrorsHigh", service="heron")
    case.log("heron", "dial tcp stork:8080: i/o timeout", level="ERROR")
    case.log("heron", "flow heron to stork:8080 dropped by network policy", level="WARN")

    assert causes(case.diagnose())[:1] == ["network_policy_denied"]


def test_a_time_out_without_a_policys_word_is_not() -> None:
    case = Case().alert("Errors of heron are high.", name="ErrorsHigh", service="heron")
    case.log("heron", "dial tcp stork:8080: i/o timeout", level="ERROR")
    case.log("heron", "network policy reloaded, 4 rules", level="INFO")

    assert "network_policy_denied" not in causes(case.diagnose())


ALL = frozenset({"query_alerts", "query_metrics", "query_logs", "query_cluster", "read_skill"})


def briefing(*skills: str) -> Briefing:
    tools = tuple(sorted(ALL - {"read_skill"}))
    return Briefing(RunMode.CHAT, NOW, "labels are late", tools=tools, plan=Plan(Intent.INCIDENT, skills))


def asked(catalogue: Catalogue, seen: Observations, *skills: str) -> list[tuple[str, dict[str, Any]]]:
    return next_calls(briefing(*skills), seen, SignalSet(), ALL, catalogue)


def answered(tool: str, /, omitted: int = 0, **arguments: Any) -> CallRecord:
    result = {"omitted": {"series": omitted} if omitted else {}, "scanned": 5}
    return CallRecord(f"t-{tool}-{arguments}", tool, arguments, "OK", "", result)


READ = CallRecord("t0", "read_skill", {"name": "a"}, "OK")


def test_the_skill_says_which_source_is_looked_at_first() -> None:
    logs_first = Playbook("a", evidence=(EvidenceRequest("query_logs", {"topic": "SYSTEM_EVENTS"}),))
    plain = asked(Catalogue.of([Playbook("a")]), Observations((READ,)), "a")
    steered = asked(Catalogue.of([logs_first]), Observations((READ,)), "a")

    assert plain[0][0] == "query_alerts"
    assert steered[0] == ("query_logs", {"topic": "SYSTEM_EVENTS", "lookback_minutes": 1440})
    assert sorted(map(str, steered)) == sorted(map(str, plain)), "the first look is complete all the same"


def test_a_skills_question_is_asked_when_the_first_look_left_something_out() -> None:
    catalogue = Catalogue.of([mine()])
    wide = answered("query_metrics", omitted=30, lookback_minutes=1440)
    whole = answered("query_metrics", lookback_minutes=1440)
    question = ("query_metrics", {"contains": ["spool"], "lookback_minutes": 240})

    assert asked(catalogue, Observations((READ, wide)), "diagnose-label-printing")[0] == question
    assert question not in asked(catalogue, Observations((READ, whole)), "diagnose-label-printing")
    assert question not in asked(catalogue, Observations((READ, wide)), "another-skill")


def test_a_skills_wider_window_and_other_view_are_always_asked() -> None:
    wanted = (
        EvidenceRequest("query_metrics", {"lookback_minutes": 10_080}),
        EvidenceRequest("query_cluster", {"view": "changes"}),
    )
    catalogue = Catalogue.of([Playbook("a", evidence=wanted)])
    seen = Observations(
        (READ, answered("query_metrics", lookback_minutes=1440), answered("query_cluster", view="overview"))
    )

    assert asked(catalogue, seen, "a")[:2] == [(one.tool, dict(one.arguments)) for one in wanted]


def test_the_questions_of_all_chosen_skills_are_bounded_and_in_turns() -> None:
    def book(name: str) -> Playbook:
        return Playbook(name, evidence=tuple(
            EvidenceRequest("query_cluster", {"view": "describe", "name": f"{name}-{i}"}) for i in range(20)
        ))  # fmt: skip

    catalogue = Catalogue.of([book("a"), book("b")])
    seen = Observations((READ, answered("query_cluster", view="overview")))
    first = [call for call in asked(catalogue, seen, "a", "b") if call[1].get("view") == "describe"]

    assert [call[1]["name"] for call in first] == ["a-0", "b-0", "a-1", "b-1"]
    assert len(first) == MAX_SKILL_CALLS
    made = tuple(answered(name, **arguments) for name, arguments in first)
    again = asked(catalogue, Observations((*seen.calls, *made)), "a", "b")
    assert not [call for call in again if call[1].get("view") == "describe"], "of a run, not of a turn"


def write_bundle(root: Path, sidecar: str | None) -> Path:
    """Late labels; the log line that explains them means nothing to anybody but the user."""
    bundle = root / "bundle"
    (bundle / "logs").mkdir(parents=True)
    (bundle / "bundle.toml").write_text('now = "2031-05-04T12:00:00Z"\nquestion = "why are labels of shipping late?"\n')
    lines = [
        {"timestamp": f"2031-05-04T11:{minute:02}:00Z", "level": "ERROR", "service": "shipping", "message": FULL}
        for minute in range(50, 60)
    ]
    (bundle / "logs" / "application.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    if sidecar is not None:
        folder = bundle / "skills" / "diagnose-label-printing"
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(SKILL)
        (folder / "playbook.toml").write_text(sidecar)
    return bundle


@pytest.fixture
def diagnose(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    monkeypatch.setenv("ROOTPROOF_STORE_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)

    def run(sidecar: str | None) -> dict[str, Any]:
        bundle = write_bundle(tmp_path, sidecar)
        main(["diagnose", "--bundle", str(bundle), "--json"])
        found: dict[str, Any] = json.loads(capsys.readouterr().out)
        return found

    return run


def test_a_skill_in_a_bundle_finds_its_cause_end_to_end(diagnose: Any) -> None:
    report = diagnose(SIDECAR)["report"]

    assert [cause["causeId"] for cause in report["rootCauses"]] == ["printer_stuck"]
    claim = next(one for one in report["claims"] if one["kind"] == "CAUSE")
    assert claim["verdict"] == "SUPPORTED"
    assert "lp-north-2" in claim["text"]


def test_the_same_bundle_without_the_skill_names_no_such_cause(diagnose: Any) -> None:
    report = diagnose(None)["report"]

    assert "printer_stuck" not in [cause["causeId"] for cause in report["rootCauses"]]


def test_a_sidecar_that_is_wrong_is_told_in_the_coverage(diagnose: Any) -> None:
    run = diagnose(SIDECAR.replace('custom.spool_full"]', 'custom.spool"]').replace("printer_stuck", "Printer stuck"))

    assert "printer_stuck" not in str(run["report"]["rootCauses"])
    assert "playbook.toml: hypothesis 1 (Printer stuck), id" in json.dumps(run)
    assert "it is not used" in json.dumps(run)


def test_a_secret_in_a_wrong_sidecar_stays_out_of_the_report(diagnose: Any) -> None:
    run = diagnose(SIDECAR.replace('"DEPENDENCY_FAILURE"', '"password=Kestrel77Falcon88"'))

    assert "it is not used" in json.dumps(run)
    assert "Kestrel77" not in json.dumps(run)
