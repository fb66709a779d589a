"""Question, payload, discovery: what the agents are told, and that nothing is retrieved before they ask."""

from __future__ import annotations

import json

import pytest

from rootproof.adapters.memory.scripted_model import calls
from rootproof.diagnosis.trace import trace_view
from rootproof.domain.alert import Alert, AlertStatus, Severity
from rootproof.domain.run import RunMode
from rootproof.domain.step import Agent, StepKind
from rootproof.ports.model import Message, UserMessage
from rootproof.ports.sources import Sources
from tests.fakes.driving import World, claim, report, scripted
from tests.fakes.sources import FakeKnowledge, FakeLogs, log

ALERT = Alert(
    name="BillingPoolExhausted",
    status=AlertStatus.FIRING,
    severity=Severity.CRITICAL,
    service="billing-api",
    summary="Connection pool of billing-api is exhausted",
    description="  ",
    labels={"pod": "billing-api-5d9c7b6f4-x2k9q", "team": "payments"},
    annotations={"runbook_url": "https://wiki.example/pools", "password": "Hunter2Hunter2"},
    fingerprint="f1",
)
QUERY = "BillingPoolExhausted billing-api critical Connection pool exhausted"
END = report(claim("The pool is full.", "E1"))


def world(*turns: object, payload: tuple[Alert, ...] = (ALERT,), knowledge: FakeKnowledge | None = None) -> World:
    sources = Sources(logs=FakeLogs([log("x")]), knowledge=knowledge or FakeKnowledge(), payload=payload)
    return World(scripted([*turns, END]), sources)  # type: ignore[list-item]


def prompts(case: World, agent: Agent) -> str:
    return "\n".join(
        "\n".join([request.system, *(_words(message) for message in request.messages)])
        for request in case.model.requests  # type: ignore[attr-defined]
        if request.agent is agent
    )


def _words(message: Message) -> str:
    if isinstance(message, UserMessage):
        return "\n".join([message.text, *(f"{each.origin}: {each.content}" for each in message.data)])
    return getattr(message, "text", "") or getattr(message, "content", "")


async def test_a_payload_run_has_the_recommended_query_in_prompt_and_trace_and_retrieves_nothing_itself() -> None:
    runbooks = FakeKnowledge()
    case = world(knowledge=runbooks)
    rows = await case.diagnose("")
    assert rows.run.mode is RunMode.PAYLOAD_TARGETED
    for agent in (Agent.PLANNER, Agent.EXECUTOR):
        told = prompts(case, agent)
        assert f"the recommended knowledge query: {QUERY}\n" in f"{told}\n"
        assert "nothing has been retrieved for you yet" in told
        assert "Diagnose the alert below" in told
    briefing = next(step for step in rows.steps if step.kind is StepKind.BRIEFING)
    assert briefing.output["recommendedQuery"] == QUERY
    assert trace_view(rows).steps[0].output["recommendedQuery"] == QUERY
    assert runbooks.queries == []
    assert rows.invocations == ()


async def test_what_the_agent_asks_is_what_is_retrieved() -> None:
    runbooks = FakeKnowledge()
    await world(calls(("lookup_knowledge", {"query": QUERY})), knowledge=runbooks).diagnose("")
    assert runbooks.queries == [QUERY]


async def test_the_fields_of_the_payload_are_kept_in_the_prompt_under_the_runs_map() -> None:
    case = world()
    rows = await case.diagnose("")
    told = prompts(case, Agent.EXECUTOR)
    for kept in (
        "BillingPoolExhausted",
        "critical",
        "billing-api",
        "payments",
        "https://wiki.example/pools",
        "REPORTED",
    ):
        assert kept in told
    assert "<pod:billing-api-1>" in told
    assert "x2k9q" not in told
    assert "Hunter2" not in told + json.dumps([step.output for step in rows.steps])


async def test_a_run_without_question_or_payload_discovers_the_alerts_first() -> None:
    case = world(payload=())
    rows = await case.diagnose("")
    assert rows.run.mode is RunMode.AUTO_DISCOVERY
    told = prompts(case, Agent.EXECUTOR)
    assert "Discover the active alerts first with query_alerts" in told
    assert "recommended knowledge query" not in told


async def test_a_question_alone_is_a_chat_and_a_citable_item() -> None:
    case = world(payload=())
    rows = await case.diagnose("is billing healthy?")
    assert rows.run.mode is RunMode.CHAT
    told = prompts(case, Agent.EXECUTOR)
    assert "the question of the user: E1 REPORTED: is billing healthy?" in told
    assert "recommended knowledge query" not in told


async def test_a_question_beside_a_payload_is_told_too() -> None:
    case = world()
    rows = await case.diagnose("did the deploy do it?")
    assert rows.run.mode is RunMode.PAYLOAD_TARGETED
    told = prompts(case, Agent.EXECUTOR)
    assert "The user also asks something" in told
    assert "the question of the user: E2 REPORTED: did the deploy do it?" in told
    assert f"the recommended knowledge query: {QUERY}" in told
    reported = rows.steps[0].output["reported"]
    assert [(item["id"], item["tool"]) for item in reported] == [("E1", "payload"), ("E2", "question")]


async def test_the_query_is_not_recommended_where_there_are_no_runbooks() -> None:
    case = World(scripted([END]), Sources(logs=FakeLogs([log("x")]), payload=(ALERT,)))
    await case.diagnose("")
    assert "Recommended knowledge query" not in prompts(case, Agent.EXECUTOR)


async def test_both_modes_at_once_keep_to_themselves() -> None:
    import asyncio

    targeted, free = world(), world(payload=())
    free.runs, free.canonical = targeted.runs, targeted.canonical
    ids = [await targeted.start("", session_id="ses-both"), await free.start("what now?", session_id="ses-both")]
    await asyncio.gather(targeted.drive(ids[0]), free.drive(ids[1]))
    rows = [await targeted.runs.load(run_id) for run_id in ids]
    assert [row.run.mode for row in rows] == [RunMode.PAYLOAD_TARGETED, RunMode.CHAT]
    assert "BillingPoolExhausted" not in json.dumps([step.output for step in rows[1].steps])
    assert "what now?" not in json.dumps([step.output for step in rows[0].steps])


@pytest.mark.parametrize(
    "question", ["token is ghp_0123456789abcdefghijABCDEFGHIJ012345", "password=Hunter2Hunter2 why?"]
)
async def test_a_credential_in_the_question_is_stored_nowhere(question: str) -> None:
    case = world(payload=())
    rows = await case.diagnose(question)
    secret = "Hunter2Hunter2" if "Hunter2" in question else question.rsplit(maxsplit=1)[-1]
    everything = repr(rows) + prompts(case, Agent.EXECUTOR) + prompts(case, Agent.PLANNER)
    assert secret not in everything
