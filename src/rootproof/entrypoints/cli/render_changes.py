"""Differences for people: one line a value, grouped by where it stands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rootproof.diagnosis.changes import Change
    from rootproof.diagnosis.diff import DiffView
    from rootproof.diagnosis.replay import ReplayView

_LINE_CHARS = 400


def replay_text(view: ReplayView) -> str:
    """The outcome of a replay."""
    lines = [f"run {view.run_id} replayed: {view.steps} steps, {view.tool_calls} tool calls, no model, no source"]
    if view.replayed_from == "bounded":
        lines.append(
            f"the complete results of {len(view.missing)} calls are gone (expired or deleted: "
            f"{', '.join(view.missing)}); the stored bounded results were used, nothing was projected again"
        )
    if view.history_missing:
        lines.append(f"what these runs of the session had said is gone: {', '.join(view.history_missing)}")
    if view.prompts_changed:
        lines.append(f"the prompts of {view.prompts_changed} model turns are not what they were; the stored answers "
                     "were used all the same")  # fmt: skip
    if view.identical:
        lines.append("identical: report, evidence and verdicts are the same byte for byte")
    else:
        lines.append(f"DIFFERS in {len(view.changes) + view.more} places (- stored, + now)")
    return "\n".join([*lines, *change_lines(view.changes, view.more)]) + "\n"


def diff_text(view: DiffView) -> str:
    """Two runs beside each other."""
    same = "the same conclusion" if view.same_conclusion else "NOT the same conclusion"
    seen = "the same evidence" if view.same_evidence else "not the same evidence"
    lines = [f"- {view.a}", f"+ {view.b}", f"{same}, from {seen}"]
    return "\n".join([*lines, *change_lines(view.changes, view.more)]) + "\n"


def change_lines(changes: Iterable[Change], more: int = 0) -> Iterator[str]:
    """The changes, one block a section."""
    for section, group in groupby(changes, key=lambda item: item.section):
        yield f"{section}:"
        for item in group:
            yield f"  {item.what}"
            if item.a is not None:
                yield f"    - {_line(item.a)}"
            if item.b is not None:
                yield f"    + {_line(item.b)}"
    if more:
        yield f"... and {more} more"


def _line(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _LINE_CHARS else flat[: _LINE_CHARS - 1] + "…"
