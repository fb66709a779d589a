"""The plan: what kind of question it is and which skills fit, from words and skill metadata alone."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from rootproof.agent.briefing import Briefing
from rootproof.agent.playbook.focus import complaint
from rootproof.agent.playbook.lexicon import tokens
from rootproof.agent.playbook.lookup_report import is_lookup
from rootproof.domain.plan import Intent
from rootproof.domain.skill import SkillInfo

_HOW_TO = re.compile(
    r"^\W*(?:how (?:do|can|should|to|would|does)\b|what (?:is|are) (?:the )?(?:procedure|process|steps?|command"
    r"|best way|runbook|difference|meaning)"
    r"|what does\b|where (?:is|are|can i find) (?:the )?(?:doc|runbook|guide)|explain\b|describe (?:how|the)"
    r"|which command"
    r"|is there a (?:runbook|guide|doc)|when should (?:i|we)\b|who(?:m)? (?:owns|is|do|does|can|should|to|will)\b"
    r"|what(?:'s| is) (?:an?|our) |(?:can|may|should|could|must|do) (?:i|we|you|one)\b"
    r"|is it (?:safe|ok|okay|allowed|possible) to\b"
    r"|what (?:is|are|'s) (?:the )?(?:\w+ ){0,3}(?:limit|limits|threshold|thresholds|maximum|minimum|quota|policy"
    r"|retention|schedule|contact|owner|escalation|rule|rules|default|sla|slo)\b"
    r"|how (?:many|much|long|often) (?:\w+ ){0,3}(?:can|may|should|must|do we|are allowed)\b)",
    re.IGNORECASE,
)
_TROUBLE = re.compile(
    r"\b(?:wrong|issue with|problem with|failing|fails|broken|down\b|unhealthy|crash(?:ing|ed|es)?"
    r"|not (?:working|running|ready|starting)"
    r"|slow now|right now|currently|happening|errors? in)\b|\bwhy (?:is|are|does|do|did)\b",
    re.IGNORECASE,
)
_MAX_SKILLS = 3
_STEPS = (
    "Read what the monitoring system says: firing and quiet alerts",
    "Read metrics: what changed, when, against which limit",
    "Read the cluster's state: what is unhealthy now",
    "Read events, slow statements and application logs around the start",
    "Compare the hypotheses, rule out, and report with citations",
)


def plan(briefing: Briefing) -> dict[str, Any]:
    """The arguments of `submit_plan`."""
    text = f"{' '.join(a.name for a in briefing.alerts)} {complaint(briefing)}"
    if intent(briefing) is Intent.KNOWLEDGE:
        return {
            "intent": Intent.KNOWLEDGE.value,
            "skills": [],
            "steps": ["Search the documents", "Answer from what they say, with citations"],
            "reason": "The question asks for knowledge, not about a present incident.",
        }
    skills = choose_skills(text, briefing.skills)
    return {
        "intent": Intent.INCIDENT.value,
        "skills": skills,
        "steps": list(_STEPS),
        "reason": f"Skills by shared words with the alert or question: {', '.join(skills)}." if skills
        else "No skill's description matches; the general order of evidence is followed.",
    }  # fmt: skip


def intent(briefing: Briefing) -> Intent:
    """KNOWLEDGE only for a how-to or what-is question without an alert and without words of present trouble."""
    question = briefing.question.strip()
    if briefing.alerts or not question or is_lookup(question):
        return Intent.INCIDENT
    if _HOW_TO.search(question) and not _TROUBLE.search(question):
        return Intent.KNOWLEDGE
    return Intent.INCIDENT


def choose_skills(text: str, skills: Sequence[SkillInfo]) -> list[str]:
    """Up to three skills whose names and descriptions share rare words with the text, best first."""
    documents = {skill.name: tokens(f"{skill.name} {skill.description}") for skill in skills}
    names = {skill.name: tokens(skill.name) for skill in skills}
    asked = tokens(text)
    scores: dict[str, float] = {}
    for name, words in documents.items():
        for word in asked & words:
            spread = sum(word in other for other in documents.values())
            weight = math.log(1 + len(documents) / spread)
            scores[name] = scores.get(name, 0.0) + weight * (2.0 if word in names[name] else 1.0)
    ranked = sorted(scores, key=lambda name: (-scores[name], name))
    best = scores[ranked[0]] if ranked else 0.0
    return [name for name in ranked if scores[name] >= 0.6 * best][:_MAX_SKILLS]
