"""A plan: what kind of question this is, which skills to follow, what to look at first."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Intent(StrEnum):
    """What the user wants."""

    INCIDENT = "INCIDENT"
    """Find out what is wrong: the report may name a root cause."""
    KNOWLEDGE = "KNOWLEDGE"
    """Answer from documents; the report names no root cause."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What the planner decided from the question or alert and the skills' names and descriptions alone."""

    intent: Intent
    skills: tuple[str, ...] = ()
    """Names of skills in the order to read them."""
    steps: tuple[str, ...] = ()
    """What to look at, one line each."""
    reason: str = ""
