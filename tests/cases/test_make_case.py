"""A run becomes a case: only a confirmed or corrected one, without what belongs to that one run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rootproof.adapters.memory.scripted_model import calls
from rootproof.diagnosis.cases import CaseWords, cases_of_run, known_cases, make_case, revoke_case
from rootproof.diagnosis.give_feedback import NotNow, Said
from rootproof.domain.case import Case
from rootproof.domain.feedback import FeedbackVerdict
from rootproof.domain.run import RunStatus
from rootproof.errors import UsageError
from rootproof.ports.run_store import RunRows
from rootproof.ports.sources import Sources
from tests.cases.worlds import HELPFUL, CaseWorld
from tests.core.canaries import Canaries
from tests.fakes.driving import World, claim, report, scripted
from tests.fakes.sources import FakeLogs, log
from tests.feedback.runs import finished

POD = "billing-api-5d9c7b6f4-x2k9q"
CORRECTED = Said(FeedbackVerdict.MISSING_CAUSE, corrected_cause="somebody set the pool to 5")


@pytest.fixture
def world() -> CaseWorld:
    return CaseWorld()


async def with_cause(world: CaseWorld) -> RunRows:
    """A run whose report names a supported cause, in which a pod and an address are told."""
    message = f"pool exhausted: Connection refused by 10.4.5.6 for {POD}, 50 of 50 connections in use"
    text = "The connection pool of billing-api is exhausted: 50 of 50 connections in use for <pod:billing-api-1>."
    turns = [
        calls(("query_logs", {"topic": "APPLICATION"})),
        report(
            claim("billing-api logged a refused connection to <ip:1> for <pod:billing-api-1>.", "E2"),
            claim(
                text,
                "E2",
                kind="CAUSE",
                cause_id="connection_pool_exhausted",
                category="RESOURCE_EXHAUSTION",
                objects=["app/billing-api", "node/<node:1>", "pod/<pod:billing-api-1>"],
            ),
            next_steps=[{"text": "Raise the pool of billing-api."}],
        ),
    ]
    world.model = scripted(turns)
    inner = World(world.model, Sources(logs=FakeLogs([log(message)])), runs=world.runs)
    return await inner.diagnose("why is billing slow?", owner="ana")


async def made(world: CaseWorld, rows: RunRows, words: CaseWords | None = None) -> Case:
    return await make_case(world.cases, world.feedback, rows, words)


async def test_a_helpful_run_becomes_a_case_of_its_supported_cause(world: CaseWorld) -> None:
    rows = await with_cause(world)
    await world.say(rows)
    case = await made(world, rows)
    assert (case.diagnosis_id, case.owner) == (rows.run.run_id, "ana")
    assert case.cause_id == "connection_pool_exhausted"
    assert case.root_cause.startswith("The connection pool of billing-api is exhausted: 50 of 50 connections in use")
    assert case.solution == "Raise the pool of billing-api."
    assert case.title == "connection pool exhausted: The connection pool of billing-api is exhausted"
    assert case.feedback_id is not None
    assert await world.cases.find(case.case_id, owner="ana") == case


async def test_what_belongs_to_one_run_stays_out_of_the_case(world: CaseWorld) -> None:
    rows = await with_cause(world)
    await world.say(rows, replace(CORRECTED, corrected_cause=f"{POD} was told to use 10.4.5.6"))
    corrected = await made(world, rows, CaseWords(solution=f"point {POD} to 10.9.9.9", title=f"{POD} at 10.4.5.6"))
    await world.cases.revoke(corrected.case_id, owner="ana", reason="again", at=world.clock.now())
    await world.say(rows)
    helpful = await made(world, rows)
    assert corrected.root_cause == "billing-api was told to use [IP address]"
    assert corrected.solution == "point billing-api to [IP address]"
    assert corrected.title == "billing-api at [IP address]"
    assert "for billing-api" in helpful.symptom
    for case in (corrected, helpful):
        assert [word for word in ("5d9c7b6f4", "10.4.5.6", "10.9.9.9", "<", ">") if word in repr(case)] == []
    assert helpful.objects == ("app/billing-api", "pod/billing-api")


async def test_a_corrected_cause_stands_in_place_of_the_reports(world: CaseWorld) -> None:
    rows = await with_cause(world)
    await world.say(rows, CORRECTED)
    case = await made(world, rows)
    assert case.root_cause == "somebody set the pool to 5"
    assert case.cause_id is None
    assert case.solution == "", "the steps belong to the cause that was wrong"


async def test_the_owner_may_name_the_hypothesis_and_the_solution(world: CaseWorld) -> None:
    rows = await with_cause(world)
    await world.say(rows, CORRECTED)
    words = CaseWords(title="Pool too small", solution="Set it to 50.", cause_id="connection_pool_exhausted")
    case = await made(world, rows, words)
    assert (case.title, case.solution, case.cause_id) == (
        "Pool too small",
        "Set it to 50.",
        "connection_pool_exhausted",
    )


@pytest.mark.parametrize(
    "said",
    [
        [],
        [Said(FeedbackVerdict.NOT_HELPFUL)],
        [Said(FeedbackVerdict.UNCLEAR, corrected_cause="perhaps the pool")],
        [Said(FeedbackVerdict.WRONG_CAUSE)],
        [HELPFUL, Said(FeedbackVerdict.WRONG_CAUSE)],
    ],
    ids=["none", "not helpful", "unclear", "wrong without a correction", "no longer helpful"],
)
async def test_what_nobody_confirmed_becomes_no_case(world: CaseWorld, said: list[Said]) -> None:
    rows = await with_cause(world)
    for each in said:
        await world.say(rows, each)
    with pytest.raises(NotNow, match=r"HELPFUL, or WRONG_CAUSE or MISSING_CAUSE with the corrected cause"):
        await made(world, rows)
    assert await world.cases.page(owner="ana", revoked=True) == ()


async def test_a_helpful_run_without_a_cause_has_nothing_to_remember(world: CaseWorld) -> None:
    rows = await world.diagnose("node-flap-recovered")
    await world.say(rows)
    with pytest.raises(NotNow, match="names no supported root cause"):
        await made(world, rows)


async def test_a_run_has_one_case_and_after_its_revocation_another(world: CaseWorld) -> None:
    rows = await with_cause(world)
    await world.say(rows)
    first = await made(world, rows)
    assert await made(world, rows, CaseWords(title="other")) == first
    await revoke_case(world.cases, world.clock, first.case_id, "too general", owner="ana")
    second = await made(world, rows, CaseWords(title="other"))
    assert second.title == "other"
    assert [case.case_id for case in await cases_of_run(world.cases, rows.run)] == [second.case_id, first.case_id]
    assert await known_cases(world.cases, "ana") == (second,)


async def test_a_case_is_revoked_with_a_reason_only(world: CaseWorld) -> None:
    case = await world.remember()
    for reason in ("", "  \n", "x" * 1_001):
        with pytest.raises(UsageError, match="reason"):
            await revoke_case(world.cases, world.clock, case.case_id, reason, owner="ana")
    assert await revoke_case(world.cases, world.clock, case.case_id, "not mine", owner="ben") is None
    revoked = await revoke_case(world.cases, world.clock, case.case_id, " obsolete ", owner="ana")
    assert revoked is not None
    assert (revoked.revoked, revoked.revoke_reason) == (True, "obsolete")


async def test_no_credential_gets_into_a_case(world: CaseWorld) -> None:
    canaries = Canaries()
    for place, words in canaries.all_in("cases").items():
        rows = await with_cause(world)
        await world.say(rows, Said(FeedbackVerdict.WRONG_CAUSE, comment=words, corrected_cause=f"{place}: {words}"))
        case = await made(world, rows, CaseWords(title=f"a {words}"[:255], solution=f"change {words}"))
        await revoke_case(world.cases, world.clock, case.case_id, f"it held {words}", owner="ana")
    kept = repr(await world.cases.page(owner="ana", revoked=True, limit=100))
    assert kept.count("case-") >= len(canaries.planted)
    assert canaries.found_in(kept) == []


@pytest.mark.parametrize(
    "words",
    [CaseWords(title="x" * 256), CaseWords(solution="x" * 4_001), CaseWords(cause_id="Not An Id")],
    ids=["title", "solution", "cause id"],
)
async def test_words_of_the_wrong_size_or_shape_are_refused(world: CaseWorld, words: CaseWords) -> None:
    rows = await with_cause(world)
    await world.say(rows)
    with pytest.raises(UsageError):
        await made(world, rows, words)


async def test_a_run_of_the_mvp_becomes_a_case_by_its_answer_or_its_correction(world: CaseWorld) -> None:
    run = await finished(world.runs, status=RunStatus.COMPLETED, feedback={"helpful": True})
    old = replace(run, compatibility=True, question="why slow?", report={"summary": "the pool of 10.4.5.6 leaked"})
    case = await made(world, RunRows(old, (), ()))
    assert (case.symptom, case.root_cause) == ("why slow?", "the pool of [IP address] leaked")
    run = await finished(world.runs)
    old = replace(run, compatibility=True, report={"summary": "the pool leaked"})
    await world.say(RunRows(run, (), ()), CORRECTED)
    case = await made(world, RunRows(old, (), ()))
    assert case.root_cause == "somebody set the pool to 5"
