"""Skills by name, wherever they come from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rootproof.domain.playbook import Playbook
from rootproof.domain.skill import Skill, SkillInfo


class SkillCatalog(Protocol):
    """The skills of one run."""

    def infos(self) -> Sequence[SkillInfo]:
        """Names and descriptions, in a fixed order: all that a planner sees."""
        ...

    def read(self, name: str) -> Skill:
        """The whole skill. Raises: UsageError with the nearest names when there is none of that name."""
        ...

    def playbooks(self) -> Sequence[Playbook]:
        """What the skills tell the playbook reasoner, the user's after the built-in ones. Read when first asked for."""
        ...
