"""Live progress on stderr while a run is driven."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rootproof.domain.step import Agent, StepKind

if TYPE_CHECKING:
    from rootproof.diagnosis.services import Progress

_WORDS = {
    StepKind.BRIEFING: "briefed",
    StepKind.PLAN: "planned",
    StepKind.TURN: "thinking",
    StepKind.SKILL_READ: "read skill",
    StepKind.DRAFT: "drafted; checking every claim",
    StepKind.VERDICTS: "verified",
    StepKind.MODEL_FAILURE: "model given up, playbook reasoner goes on",
    StepKind.END: "done",
    StepKind.LEGACY: "step of the product before runs",
}


@contextmanager
def watching(*, quiet: bool) -> Iterator[Callable[[Progress], None]]:
    """A watcher that shows what a run does, as a spinner with the last event; nothing when quiet."""
    if quiet:
        yield lambda _progress: None
        return
    from rich.console import Console

    console = Console(stderr=True, markup=False, highlight=False)
    with console.status("starting") as status:

        def watch(progress: Progress) -> None:
            status.update(_line(progress))

        yield watch


def _line(progress: Progress) -> str:
    if progress.asked is not None:
        return f"{progress.asked} is asked"
    if progress.step is None:
        return f"EXECUTOR {progress.tool} -> {progress.status}"
    step = progress.step
    said = _WORDS[step.kind]
    if step.kind is StepKind.SKILL_READ:
        return f"EXECUTOR {said} {step.output.get('name', '')}"
    return f"{step.agent if step.agent is not Agent.SUPERVISOR else ''} {said}".strip()
