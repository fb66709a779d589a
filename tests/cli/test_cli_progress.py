"""Live progress: what a watcher is told while a run is driven."""

from __future__ import annotations

import pytest

from rootproof.diagnosis.services import Progress
from rootproof.domain.step import Agent, Step, StepKind
from rootproof.entrypoints.cli import progress


def step(kind: StepKind, agent: Agent = Agent.SUPERVISOR, **output: str) -> Progress:
    return Progress(step=Step(0, agent, kind, dict(output)))


@pytest.mark.parametrize(
    ("told", "line"),
    [
        (step(StepKind.PLAN, Agent.PLANNER), "PLANNER planned"),
        (step(StepKind.SKILL_READ, name="diagnose-latency"), "EXECUTOR read skill diagnose-latency"),
        (step(StepKind.DRAFT, Agent.EXECUTOR), "EXECUTOR drafted; checking every claim"),
        (step(StepKind.MODEL_FAILURE), "model given up, playbook reasoner goes on"),
        (Progress(tool="query_logs", status="OK"), "EXECUTOR query_logs -> OK"),
    ],
)
def test_the_line_says_who_did_what(told: Progress, line: str) -> None:
    assert progress._line(told) == line


def test_every_kind_of_step_has_words() -> None:
    for kind in StepKind:
        assert progress._line(step(kind)).strip()


def test_a_watcher_on_a_terminal_updates_the_status(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("rich.console.Console.is_terminal", property(lambda _self: True))
    with progress.watching(quiet=False) as watch:
        watch(Progress(tool="query_alerts", status="TIMEOUT"))
    assert capsys.readouterr().out == ""


def test_a_quiet_watcher_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.watching(quiet=True) as watch:
        watch(Progress(tool="query_alerts", status="OK"))
    captured = capsys.readouterr()
    assert captured.out + captured.err == ""
