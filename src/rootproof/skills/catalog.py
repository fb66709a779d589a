"""The skills there are: names and descriptions for the planner, whole skills for the executor."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from rootproof.domain.playbook import Playbook
from rootproof.domain.skill import Skill, SkillInfo
from rootproof.errors import UsageError
from rootproof.skills.front_matter import FrontMatter, read_front_matter
from rootproof.skills.sidecar import read_playbook
from rootproof.skills.validate import Problem, ProblemSeverity, check, check_description, check_name

MAX_SKILLS = 2_000


@dataclass(frozen=True, slots=True)
class SkillProblem:
    """A problem and the file it is in."""

    path: str
    problem: Problem
    skipped: bool
    """Whether the skill, or the sidecar, is left out because of it."""


class Catalog:
    """Skills by name. Later pairs win over earlier ones of the same name, and the notice says so."""

    def __init__(
        self,
        skills: Iterable[tuple[str, str]],
        sidecars: Iterable[tuple[str, str]] = (),
        *,
        builtin_sidecars: Callable[[], Iterable[tuple[str, str]]] = tuple,
    ) -> None:
        """`sidecars` are (path, text) of the users'; those of the built-in skills are only read where they are used."""
        self._builtin_sidecars = builtin_sidecars
        self._skills: dict[str, Skill] = {}
        problems: list[SkillProblem] = []
        notices: list[str] = []
        for number, (path, text) in enumerate(skills):
            if number >= MAX_SKILLS:
                notices.append(f"more than {MAX_SKILLS} skills; the rest is not loaded")
                break
            skill, found = load_skill(path, text)
            problems += found
            if skill is None:
                continue
            earlier = self._skills.get(skill.name)
            if earlier is not None:
                notices.append(f"skill {skill.name!r}: {path} is used instead of {earlier.path}")
            self._skills[skill.name] = skill
        self._own, found = load_playbooks(sidecars)
        self._all: tuple[Playbook, ...] | None = None
        self.problems = (*problems, *found)
        self.notices = tuple(notices)

    def infos(self) -> tuple[SkillInfo, ...]:
        """Name and description of every skill, by name."""
        return tuple(self._skills[name].info for name in sorted(self._skills))

    def read(self, name: str) -> Skill:
        """The whole skill. Raises UsageError, with the nearest names, when there is none of that name."""
        skill = self._skills.get(name)
        if skill is None:
            near = difflib.get_close_matches(name[:80], self._skills, n=3, cutoff=0.5)
            hint = f"did you mean {', '.join(near)}?" if near else f"there are: {', '.join(sorted(self._skills)[:40])}"
            raise UsageError(f"there is no skill {name[:80]!r}; {hint}")
        return skill

    def playbooks(self) -> tuple[Playbook, ...]:
        """What the sidecars say; a user's stands in the place of the built-in one of the same skill."""
        if self._all is None:
            shipped, _ = load_playbooks(self._builtin_sidecars())
            self._all = tuple({playbook.skill: playbook for playbook in (*shipped, *self._own)}.values())
        return self._all

    def __contains__(self, name: object) -> bool:
        return name in self._skills

    def __len__(self) -> int:
        return len(self._skills)


def load_skill(path: str, text: str) -> tuple[Skill | None, list[SkillProblem]]:
    """The skill in `text` and its problems; None when it has no usable name or description.

    Cosmetic faults are reported and the skill is loaded, as the format asks of clients.
    """
    directory = PurePosixPath(path).parent.name
    front = read_front_matter(text)
    usable = front.fault is None and not check_name(front, str(front.values.get("name", "")).strip())
    usable = usable and not check_description(front)
    problems = [SkillProblem(path, problem, not usable) for problem in check(directory, text)]
    if not usable:
        return None, problems
    return _skill(path, front), problems


def load_playbooks(sidecars: Iterable[tuple[str, str]]) -> tuple[tuple[Playbook, ...], list[SkillProblem]]:
    """The playbooks of these sidecars, and the problems of those that are left out."""
    playbooks: list[Playbook] = []
    problems: list[SkillProblem] = []
    for path, text in sidecars:
        playbook, found = read_playbook(PurePosixPath(path).parent.name, text)
        problems += [SkillProblem(path, problem, True) for problem in found]
        playbooks += [playbook] if playbook else []
    return tuple(playbooks), problems


def _skill(path: str, front: FrontMatter) -> Skill:
    metadata = front.values.get("metadata")
    return Skill(
        name=str(front.values["name"]).strip(),
        description=" ".join(str(front.values["description"]).split()),
        body=front.body.strip("\n"),
        path=path,
        license=_text(front.values, "license"),
        compatibility=_text(front.values, "compatibility"),
        metadata={str(key): str(value) for key, value in metadata.items()} if isinstance(metadata, dict) else {},
        allowed_tools=_text(front.values, "allowed-tools"),
    )


def _text(values: Mapping[str, Any], key: str) -> str | None:
    value = values.get(key)
    return value if isinstance(value, str) else None


def has_errors(problems: Iterable[SkillProblem]) -> bool:
    """Whether any problem is an error."""
    return any(item.problem.severity is ProblemSeverity.ERROR for item in problems)
