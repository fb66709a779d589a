"""The playbook reasoner: a follow-up keeps the subject, a question with a subject of its own is about that alone."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from rootproof.agent.briefing import Briefing, EarlierAnswer
from rootproof.agent.follow_up import MAX_CARRIED_CHARS, carried, names_something
from rootproof.agent.playbook.investigate import lookback
from rootproof.agent.state import fold
from rootproof.diagnosis.brief import focus_text
from rootproof.diagnosis.history import pair_of
from rootproof.diagnosis.present import run_view
from rootproof.domain.alert import Alert
from rootproof.domain.run import RunMode
from rootproof.ports.run_store import RunRows
from rootproof.ports.sources import Sources
from tests.fakes.conversing import Talk, talk
from tests.fakes.sources import FakeLogs, log

NOW = datetime(2026, 5, 4, 10, 30, tzinfo=UTC)
BEFORE = EarlierAnswer(
    "run-1", "why is checkout slow since 3 hours, last 3 hours?", "Its pool is full.\nAt fault: app/checkout, app/db"
)


def asked(question: str, *history: EarlierAnswer, **more: object) -> Briefing:
    return Briefing(RunMode.CHAT, NOW, question, history=history, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "question",
    [
        "and why did it start?",
        "what about the database?",
        "Why?",
        "since when exactly, and what changed before that?",
        "is it still happening now?",
        "doesn't it recover by itself?",
        "what did run-12345678 say about it?",
        "and yesterday, in the last 2 days?",
    ],
)
def test_a_question_without_a_name_is_about_what_was_spoken_of(question: str) -> None:
    assert not names_something(question)
    found = carried(asked(question, BEFORE))
    assert "checkout" in found
    assert "app/db" in found
    assert carried(asked(question)) == ""


@pytest.mark.parametrize(
    "question",
    ["why is payments slow?", "is cart-service down?", "what about kafka?", "what does <ip:1> do?", "and orders2?"],
)
def test_a_question_with_a_name_of_its_own_takes_nothing_over(question: str) -> None:
    assert names_something(question)
    assert carried(asked(question, BEFORE)) == ""
    assert focus_text(asked(question, BEFORE)) == question


def test_an_alert_takes_nothing_over() -> None:
    briefing = asked("why?", BEFORE, alerts=(Alert("PaymentsDown", service="payments"),))
    assert carried(briefing) == ""


def test_a_follow_up_of_a_follow_up_keeps_the_first_subject() -> None:
    then = EarlierAnswer("run-2", "and why?", "It was slow.\nAt fault: node/n1")
    found = carried(asked("and since when?", BEFORE, then))
    assert found.startswith("why is checkout slow")
    assert found.endswith("node/n1")
    later = EarlierAnswer("run-3", "is payments well?", "Nothing is wrong.")
    assert carried(asked("since when?", BEFORE, then, later)) == "is payments well?"


def test_the_window_is_taken_over_only_where_the_question_names_none() -> None:
    assert lookback(asked("and why did it start?", BEFORE)) == 180
    assert lookback(asked("and in the last 2 days?", BEFORE)) == 2_880
    assert lookback(asked("why is payments slow?", BEFORE)) == 1_440


def test_what_is_taken_over_is_bounded() -> None:
    long = EarlierAnswer("run-1", "why is checkout slow? " * 200, "x")
    assert len(carried(asked("why?", long))) <= MAX_CARRIED_CHARS


FAULTS = [
    log("pool 'main' has 20 of 20 connections in use, 7 callers waiting", service="billing-api"),
    log("java.lang.OutOfMemoryError: Java heap space", service="ledger"),
]


def sources() -> Sources:
    return Sources(logs=FakeLogs(FAULTS))


def spoken(rows: RunRows) -> str:
    report = run_view(rows).report
    assert report is not None
    return " ".join([report.summary, *(claim.text for claim in report.claims)])


async def alone(question: str) -> str:
    return spoken(await talk(sources()).ask(question))


async def test_a_follow_up_is_answered_as_the_first_question_was() -> None:
    session = talk(sources())
    first = spoken(await session.ask("why is ledger failing?"))
    again = spoken(await session.ask("and why did it start?"))
    assert "ledger" in first
    assert again == first
    assert again != await alone("and why did it start?")


async def test_a_question_of_its_own_is_answered_as_if_it_were_the_first() -> None:
    session = talk(sources())
    await session.ask("why is ledger failing?")
    question = "why is billing-api slow?"
    assert spoken(await session.ask(question)) == await alone(question)


async def test_a_follow_up_after_an_alert_is_about_its_service() -> None:
    session: Talk = talk(sources())
    alert = Alert("LedgerDown", service="ledger", summary="ledger is down")
    session.world.sources = Sources(logs=FakeLogs(FAULTS), payload=(alert,))
    first = await session.ask("", payload=(alert,))
    assert pair_of(first.run).question == "The alerts are about ledger"
    session.world.sources = sources()
    rows = await session.ask("and why did it start?")
    assert "ledger" in spoken(rows)
    briefing = fold(rows.run, rows.steps, rows.invocations).briefing
    assert briefing is not None
    assert briefing.history == ()
    assert [ref.run_id for ref in briefing.history_refs] == [first.run.run_id]
