"""Skills: playbooks in the Agent Skills format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class SkillInfo:
    """What the planner sees: name and description only."""

    name: str
    description: str


@dataclass(frozen=True, slots=True)
class Skill:
    """A whole skill; the executor reads `body` once a run."""

    name: str
    description: str
    body: str
    path: str
    license: str | None = None
    compatibility: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    allowed_tools: str | None = None

    @property
    def info(self) -> SkillInfo:
        """The planner's view."""
        return SkillInfo(self.name, self.description)
