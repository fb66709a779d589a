"""What the agents are told: the typed content of the first message, and its rendering in words.

Everything here has passed redaction and carries the run's placeholders. A language model reads the rendered text;
the playbook reasoner reads this value. The text is made from nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from rootproof.domain.alert import Alert
from rootproof.domain.evidence import Evidence
from rootproof.domain.plan import Plan
from rootproof.domain.report import Draft
from rootproof.domain.run import RunMode
from rootproof.domain.skill import SkillInfo


@dataclass(frozen=True, slots=True)
class HistoryRef:
    """An earlier question and answer of the session that the run was given, without its words."""

    run_id: str
    sha256: str
    """Of question and answer as the session has them."""


@dataclass(frozen=True, slots=True)
class EarlierAnswer:
    """An earlier question of the session and the answer to it, under this run's placeholders."""

    run_id: str
    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Briefing:
    """The question or alert, and what there is to work with."""

    mode: RunMode
    now: datetime
    question: str = ""
    alerts: tuple[Alert, ...] = ()
    recommended_query: str = ""
    """The deterministic knowledge query of PAYLOAD_TARGETED runs; empty otherwise."""
    reported: tuple[Evidence, ...] = ()
    """The payload's or the user's words as citable items (class REPORTED)."""
    skills: tuple[SkillInfo, ...] = ()
    tools: tuple[str, ...] = ()
    """Names of the evidence tools whose source exists in this run."""
    history_refs: tuple[HistoryRef, ...] = ()
    """What of the session's history the run was given, oldest first."""
    history: tuple[EarlierAnswer, ...] = ()
    """Its words, as far as they are shown; never stored with the run."""
    history_notes: tuple[str, ...] = ()
    """What is to be said about it in the coverage."""
    earlier: tuple[Evidence, ...] = ()
    """Evidence of earlier runs that the question names; ids as `run-<id>:E3`."""
    shown_identifiers: tuple[str, ...] = ()
    """Classes of identifiers that the redaction policy of the run left readable."""
    plan: Plan | None = None
    """Known to the executor and the verifier."""
    draft: Draft | None = None
    """Known to the verifier."""
    tool_trace_summary: str = ""
    """Known to the verifier: concrete facts per call, never raw output."""
    limits_note: str = ""
    """Set when the run must stop now: the executor is asked for a report from what there is."""
