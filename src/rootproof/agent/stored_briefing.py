"""The briefing as its step holds it: to JSON and back."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter

from rootproof.agent.briefing import Briefing, HistoryRef
from rootproof.domain.alert import Alert
from rootproof.domain.evidence import Evidence
from rootproof.domain.limits import RunLimits
from rootproof.domain.run import RunMode
from rootproof.domain.skill import SkillInfo

_ALERTS = TypeAdapter(tuple[Alert, ...])
_EVIDENCE = TypeAdapter(tuple[Evidence, ...])
_SKILLS = TypeAdapter(tuple[SkillInfo, ...])
LIMITS = TypeAdapter(RunLimits)


def briefing_output(
    briefing: Briefing, identifiers: Mapping[str, str], notes: tuple[str, ...], limits: RunLimits
) -> dict[str, Any]:
    """The output of the BRIEFING step; `identifiers` are the placeholders that the briefing gave out.

    The limits and the redaction policy that the run began with are kept for its replay: settings may have changed by
    then. Of the session's history only references are in it: chat does not enter SQL.
    """
    return {
        "mode": briefing.mode.value,
        "now": briefing.now.isoformat(),
        "question": briefing.question,
        "alerts": _ALERTS.dump_python(briefing.alerts, mode="json"),
        "recommendedQuery": briefing.recommended_query,
        "reported": _EVIDENCE.dump_python(briefing.reported, mode="json"),
        "skills": _SKILLS.dump_python(briefing.skills, mode="json"),
        "tools": list(briefing.tools),
        "identifiers": dict(identifiers),
        "notes": list(notes),
        "limits": LIMITS.dump_python(limits, mode="json"),
        **_if_any(briefing),
    }


def _if_any(briefing: Briefing) -> dict[str, Any]:
    """What few runs have: a policy, and what they were given of the runs that they follow."""
    given = {
        "shownIdentifiers": list(briefing.shown_identifiers),
        "history": [{"runId": ref.run_id, "sha256": ref.sha256} for ref in briefing.history_refs],
        "historyNotes": list(briefing.history_notes),
        "earlier": _EVIDENCE.dump_python(briefing.earlier, mode="json"),
    }
    return {name: value for name, value in given.items() if value}


def briefing_from(output: Mapping[str, Any]) -> Briefing:
    """The briefing that a BRIEFING step holds; the words of its history are not in it."""
    return Briefing(
        mode=RunMode(output["mode"]),
        now=datetime.fromisoformat(output["now"]),
        question=output["question"],
        alerts=_ALERTS.validate_python(output["alerts"]),
        recommended_query=output["recommendedQuery"],
        reported=_EVIDENCE.validate_python(output["reported"]),
        skills=_SKILLS.validate_python(output["skills"]),
        tools=tuple(output["tools"]),
        history_refs=tuple(HistoryRef(ref["runId"], ref["sha256"]) for ref in output.get("history", ())),
        history_notes=tuple(output.get("historyNotes", ())),
        earlier=_EVIDENCE.validate_python(output.get("earlier", ())),
        shown_identifiers=tuple(output.get("shownIdentifiers", ())),
    )
