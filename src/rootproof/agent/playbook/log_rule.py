"""The shape of a rule that reads a meaning from a log line."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rootproof.agent.playbook.signals import Kind


@dataclass(frozen=True, slots=True)
class LogRule:
    """`pattern` means `kind`, unless `unless` matches too."""

    kind: Kind
    pattern: re.Pattern[str]
    unless: re.Pattern[str] | None = None
    any_level: bool = True


def rule(kind: Kind, *alternatives: str, unless: str | None = None, any_level: bool = True) -> LogRule:
    flags = re.IGNORECASE
    pattern = re.compile("|".join(alternatives), flags)
    return LogRule(kind, pattern, re.compile(unless, flags) if unless else None, any_level)
