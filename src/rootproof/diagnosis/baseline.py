"""What moved when runs took the place of sessions: the old code counted by session, so one answer got the rows of all.

Only sessions with newer runs beside their compatibility run can show it. A compatibility run itself is never split:
how many of them hold several rounds is said, not corrected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Literal

from pydantic import Field

from rootproof.diagnosis.present import View
from rootproof.ports.baseline import BaselineFigures, RunFigures

MAX_LISTED = 20

_METRICS: tuple[tuple[str, Callable[[RunFigures], int]], ...] = (
    ("toolCalls", lambda run: run.tool_calls),
    ("steps", lambda run: run.steps),
    ("tokens", lambda run: run.tokens),
    ("stepDurationMs", lambda run: run.step_ms),
)


class MetricView(View):
    """One metric of a diagnosis, counted both ways."""

    metric: str
    total: int
    """Over all rows; the same both ways."""
    by_session: float
    """Mean of a diagnosis as the old code counts: all rows of its session."""
    by_run: float
    """Mean of a diagnosis as this version counts: the rows of its run."""
    moved: float
    """`by_run` - `by_session`."""
    latest_too_high: int
    """Added up over sessions: what the old code gives the latest answer beyond what its own run did."""


class SessionDiffView(View):
    """One session, its latest run counted both ways."""

    session_id: str
    latest_run_id: str
    runs: int
    by_session: dict[str, int]
    by_run: dict[str, int]


class BaselineDiffView(View):
    """What moved, over all sessions that show it."""

    schema_version: Literal[1] = 1
    sessions: int
    """With a compatibility run and newer ones."""
    runs: int
    """Of these sessions, the compatibility runs among them."""
    mixed_sessions: int
    """Compatibility runs that hold several rounds; they cannot be told apart and still count as one."""
    metrics: list[MetricView] = Field(default_factory=list)
    largest: list[SessionDiffView] = Field(default_factory=list)
    """The sessions whose latest answer moved most in tool calls, at most 20."""


async def baseline_diff(figures: BaselineFigures) -> BaselineDiffView:
    """Both ways of counting beside each other."""
    runs = await figures.beside_compatibility()
    sessions = [tuple(group) for _, group in groupby(runs, key=lambda run: run.session_id)]
    listed = sorted(sessions, key=lambda group: _surplus(group, _METRICS[0][1]), reverse=True)[:MAX_LISTED]
    return BaselineDiffView(
        sessions=len(sessions),
        runs=len(runs),
        mixed_sessions=await figures.mixed_sessions(),
        metrics=[_metric(name, value, runs, sessions) for name, value in _METRICS] if sessions else [],
        largest=[_session(group) for group in listed],
    )


def _metric(
    name: str,
    value: Callable[[RunFigures], int],
    runs: Sequence[RunFigures],
    sessions: Sequence[tuple[RunFigures, ...]],
) -> MetricView:
    total = sum(map(value, runs))
    by_session, by_run = total / len(sessions), total / len(runs)
    return MetricView(
        metric=name,
        total=total,
        by_session=round(by_session, 2),
        by_run=round(by_run, 2),
        moved=round(by_run - by_session, 2),
        latest_too_high=sum(_surplus(group, value) for group in sessions),
    )


def _surplus(group: Sequence[RunFigures], value: Callable[[RunFigures], int]) -> int:
    """What belongs to other runs than the session's latest."""
    return sum(map(value, group[:-1]))


def _session(group: Sequence[RunFigures]) -> SessionDiffView:
    return SessionDiffView(
        session_id=group[-1].session_id,
        latest_run_id=group[-1].run_id,
        runs=len(group),
        by_session=_figures(group),
        by_run=_figures(group[-1:]),
    )


def _figures(runs: Iterable[RunFigures]) -> dict[str, int]:
    counted = tuple(runs)
    return {name: sum(map(value, counted)) for name, value in _METRICS}
