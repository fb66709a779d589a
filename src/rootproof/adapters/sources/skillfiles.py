"""The texts of a folder of skills, read within bounds; what cannot be read is a problem in words."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rootproof.adapters.sources.documents import read_at_most
from rootproof.errors import UsageError

SIDECAR_NAME = "playbook.toml"
MAX_SKILL_BYTES = 256 * 1024
MAX_SKILLS = 500


@dataclass(frozen=True, slots=True)
class SkillFiles:
    """What was found."""

    texts: tuple[tuple[str, str], ...]
    """(path, text) of each skill, by path."""
    sidecars: tuple[tuple[str, str], ...]
    """(path, text) of the `playbook.toml` beside each."""
    problems: tuple[str, ...]
    """What was found and not read, and why."""


def read_skills(folder: Path) -> SkillFiles:
    """The `SKILL.md` files of a folder, two levels deep at most. Raises: UsageError when there is no such folder."""
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder of skills; give the folder that holds <name>/SKILL.md")
    found = sorted({path for depth in ("", "*/", "*/*/") for path in folder.glob(f"{depth}SKILL.md")})
    texts: list[tuple[str, str]] = []
    sidecars: list[tuple[str, str]] = []
    problems: list[str] = []
    for path in found[:MAX_SKILLS]:
        text, problem = _read(path)
        if problem:
            problems.append(f"{label_of(path, folder)}: {problem}; the skill is left out")
            continue
        texts.append((str(path), text))
        sidecar = path.with_name(SIDECAR_NAME)
        if sidecar.exists() or sidecar.is_symlink():
            text, problem = _read(sidecar, errors="strict")
            problems += [f"{label_of(sidecar, folder)}: {problem}; it is not used"] if problem else []
            sidecars += [] if problem else [(str(sidecar), text)]
    alone = {path for depth in ("", "*/", "*/*/") for path in folder.glob(f"{depth}{SIDECAR_NAME}")}
    problems += [
        f"{label_of(path, folder)}: there is no SKILL.md beside it; it is not used"
        for path in sorted(alone - {path.with_name(SIDECAR_NAME) for path in found})[:MAX_SKILLS]
    ]
    if len(found) > MAX_SKILLS:
        problems.append(f"{folder.name}: more than {MAX_SKILLS} skills; the others were not read")
    return SkillFiles(tuple(texts), tuple(sidecars), tuple(problems))


def label_of(path: Path, folder: Path) -> str:
    """A file as people know it: the folder's own name and the way below it."""
    return path.relative_to(folder.parent).as_posix() if path.is_relative_to(folder.parent) else path.name


def _read(path: Path, errors: str = "replace") -> tuple[str, str]:
    """The text and nothing, or nothing and why."""
    try:
        if not path.is_file():
            return "", "not a regular file"
        content = read_at_most(path, MAX_SKILL_BYTES)
    except OSError as error:
        return "", error.strerror or str(error)
    if len(content) > MAX_SKILL_BYTES:
        return "", f"larger than {MAX_SKILL_BYTES // 1024} KiB"
    try:
        return content.decode("utf-8-sig", errors), ""
    except UnicodeDecodeError as error:
        return "", f"not UTF-8 at byte {error.start}"
