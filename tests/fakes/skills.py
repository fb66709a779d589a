"""A catalog of two skills."""

from __future__ import annotations

from collections.abc import Sequence

from rootproof.domain.playbook import Playbook
from rootproof.domain.skill import Skill, SkillInfo
from rootproof.errors import UsageError
from tests.fakes.builtin_playbook import builtin_skills


class FakeSkills:
    """Counts how often each body is read."""

    def __init__(self, *names: str) -> None:
        self._skills = {
            name: Skill(name, f"Use when {name} is in question.", f"Body of {name}: look at metrics first.", name)
            for name in names or ("diagnose-pool", "diagnose-disk")
        }
        self.reads: list[str] = []

    def infos(self) -> Sequence[SkillInfo]:
        return [skill.info for skill in self._skills.values()]

    def read(self, name: str) -> Skill:
        self.reads.append(name)
        if name not in self._skills:
            raise UsageError(f"no skill {name!r}")
        return self._skills[name]

    def playbooks(self) -> Sequence[Playbook]:
        return builtin_skills().playbooks()
