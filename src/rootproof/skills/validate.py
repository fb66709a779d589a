"""Checks of a SKILL.md against the Agent Skills format. Source: agentskills.io specification."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum

from rootproof.skills.front_matter import FrontMatter, read_front_matter

KEYS = frozenset({"name", "description", "license", "compatibility", "metadata", "allowed-tools"})
MAX_NAME_CHARS = 64
MAX_DESCRIPTION_CHARS = 1_024
MAX_COMPATIBILITY_CHARS = 500
MAX_BODY_LINES = 500
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


class ProblemSeverity(StrEnum):
    """What a problem means for the skill."""

    ERROR = "error"
    """Against the format."""
    WARNING = "warning"
    """Allowed, but it makes the skill worse."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing to change."""

    severity: ProblemSeverity
    message: str
    line: int | None = None
    """Line of the file, from 1."""


def check(directory_name: str, text: str) -> list[Problem]:
    """What is wrong with the skill in `text`, by line; empty when nothing is."""
    front = read_front_matter(text)
    if front.fault is not None:
        return [_error(front.fault, front.fault_line)]
    problems = [*_unknown_keys(front), *check_name(front, directory_name), *check_description(front)]
    problems += [*_optional(front), *_body(front)]
    return sorted(problems, key=lambda problem: (problem.line or 0, problem.message))


def check_name(front: FrontMatter, directory_name: str) -> list[Problem]:
    """What is wrong with `name`."""
    name, line = front.values.get("name"), front.lines.get("name")
    if not isinstance(name, str) or not name.strip():
        return [_error("name is missing; give the directory's name", line or 1)]
    name = unicodedata.normalize("NFKC", name.strip())
    found = []
    if len(name) > MAX_NAME_CHARS:
        found.append(_error(f"name has {len(name)} characters; at most {MAX_NAME_CHARS} are allowed", line))
    if not _NAME.fullmatch(name):
        found.append(
            _error(f"name {name[:80]!r} may hold lower-case letters, digits and single hyphens between them only", line)
        )
    if name != unicodedata.normalize("NFKC", directory_name):
        found.append(_error(f"name {name[:80]!r} differs from its directory {directory_name[:80]!r}; rename one", line))
    return found


def check_description(front: FrontMatter) -> list[Problem]:
    """What is wrong with `description`."""
    text, line = front.values.get("description"), front.lines.get("description")
    if not isinstance(text, str) or not text.strip():
        return [_error("description is missing; say what the skill does and when to use it", line or 1)]
    if len(text) > MAX_DESCRIPTION_CHARS:
        return [_error(f"description has {len(text)} characters; at most {MAX_DESCRIPTION_CHARS} are allowed", line)]
    return []


def _unknown_keys(front: FrontMatter) -> list[Problem]:
    allowed = ", ".join(sorted(KEYS))
    return [
        _error(f"unknown key {key[:80]!r}; allowed are {allowed}", front.lines.get(key))
        for key in front.values
        if key not in KEYS
    ]


def _optional(front: FrontMatter) -> list[Problem]:
    found = []
    for key in ("license", "compatibility", "allowed-tools"):
        value = front.values.get(key)
        if value is not None and not isinstance(value, str):
            found.append(_error(f"{key} must be text, not {type(value).__name__}", front.lines.get(key)))
        elif key == "compatibility" and isinstance(value, str) and not 1 <= len(value) <= MAX_COMPATIBILITY_CHARS:
            found.append(_error(f"{key} must have 1 to {MAX_COMPATIBILITY_CHARS} characters", front.lines.get(key)))
    metadata = front.values.get("metadata")
    if metadata is not None:
        line = front.lines.get("metadata")
        if not isinstance(metadata, dict):
            found.append(_error(f"metadata must be a mapping of text to text, not {type(metadata).__name__}", line))
        else:
            found += [
                _error(f"metadata {str(key)[:80]!r} must be text; put it in quotes", line)
                for key, value in metadata.items()
                if not isinstance(key, str) or not isinstance(value, str)
            ]
    return found


def _body(front: FrontMatter) -> list[Problem]:
    body = front.body.strip("\n")
    if not body.strip():
        return [Problem(ProblemSeverity.WARNING, "the body is empty; write the instructions", front.body_line)]
    count = body.count("\n") + 1
    if count >= MAX_BODY_LINES:
        advice = f"the body has {count} lines; keep it under {MAX_BODY_LINES} and move detail into reference files"
        return [Problem(ProblemSeverity.WARNING, advice, front.body_line)]
    return []


def _error(message: str, line: int | None) -> Problem:
    return Problem(ProblemSeverity.ERROR, message, line)
