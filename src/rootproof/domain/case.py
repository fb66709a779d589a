"""A case: a diagnosis that people confirmed or corrected. For agents it is MEMORY: a hypothesis, never evidence."""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass
from datetime import datetime

MAX_TITLE_CHARS = 255
MAX_PART_CHARS = 4_000
MAX_REASON_CHARS = 1_000
MAX_OBJECTS = 20
MAX_REMEMBERED = 300
"""Cases of one owner that runs can find: the newest ones."""
LEGACY_CASE = "case-legacy-"
"""Cases of the MVP have no id of their own: theirs is this and the number of their row."""
_CASE_ID = re.compile(r"case-[a-z0-9-]{1,59}")


def new_case_id() -> str:
    """A fresh case id, `case-` and a random UUID."""
    return f"case-{uuid.uuid4()}"


def is_case_id(text: str) -> bool:
    """Whether `text` has the shape of a case id."""
    return _CASE_ID.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class Case:
    """One row of `case_library`."""

    case_id: str
    diagnosis_id: str
    """A run id; rows of the MVP hold a session id."""
    owner: str
    title: str
    symptom: str = ""
    root_cause: str = ""
    solution: str = ""
    source: str = "FEEDBACK"
    cause_id: str | None = None
    objects: tuple[str, ...] = ()
    service: str | None = None
    alert_name: str | None = None
    feedback_id: str | None = None
    created_at: datetime | None = None
    revoked_at: datetime | None = None
    revoke_reason: str | None = None

    @property
    def revoked(self) -> bool:
        """Whether it is withdrawn: kept for the record, and shown to no run any more."""
        return self.revoked_at is not None


@dataclass(frozen=True, slots=True)
class CaseUse:
    """A later run that was shown the case."""

    case_id: str
    run_id: str
    session_id: str
    used_at: datetime
