"""Answer a `read_skill` call: the body once, then a notice. Guidance is a step, never an invocation, never evidence."""

from __future__ import annotations

from typing import Any

from rootproof.aci.identifiers import IdentifierMap
from rootproof.aci.requests import ReadSkillRequest
from rootproof.aci.tools.parse import InvalidRequest, arguments_object, typed
from rootproof.agent.commands import ReadSkill
from rootproof.agent.state import RunState
from rootproof.domain.step import Agent, Step, StepKind
from rootproof.errors import UsageError
from rootproof.ports.skills import SkillCatalog

MAX_BODY_CHARS = 24_000


def read_skill(state: RunState, skills: SkillCatalog, command: ReadSkill, identifiers: IdentifierMap) -> Step:
    """The step that answers the call, with the run's placeholders in its text."""
    name, text, repeated = _answer(state, skills, command, identifiers)
    output: dict[str, Any] = {
        "turn": command.turn,
        "callIndex": command.call_index,
        "toolCallId": command.call.tool_call_id,
        "name": name,
        "text": text,
        "repeated": repeated,
        "timesRead": 1 + sum(read.name == name for read in state.skill_reads.values()),
    }
    if fresh := identifiers.take_fresh():
        output["identifiers"] = fresh
    return Step(state.next_step_no, Agent.SUPERVISOR, StepKind.SKILL_READ, output)


def _answer(
    state: RunState, skills: SkillCatalog, command: ReadSkill, identifiers: IdentifierMap
) -> tuple[str, str, bool]:
    try:
        name = typed(ReadSkillRequest, arguments_object(command.call.arguments)).name
    except InvalidRequest as error:
        return "", f"The request could not be read: {error}", False
    if any(read.name == name and not read.repeated for read in state.skill_reads.values()):
        return name, f"You have already read the skill {name} in this run; its text stands above. Go on with it.", True
    try:
        body = identifiers.redact(skills.read(name).body)
    except UsageError as error:
        return "", f"The skill could not be read: {error}", False
    if len(body) > MAX_BODY_CHARS:
        body = body[:MAX_BODY_CHARS] + f"\n\n[cut: {len(body) - MAX_BODY_CHARS} more characters]"
    return name, body, False
