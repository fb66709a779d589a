"""Identifiers that people and other systems see, and the shapes they must have."""

from __future__ import annotations

import re
import uuid

_RUN_ID = re.compile(r"run-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_SESSION_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,63}")
_EVIDENCE_ID = re.compile(r"E[1-9][0-9]{0,5}")


def new_run_id() -> str:
    """A fresh run id, `run-` and a random UUID."""
    return f"run-{uuid.uuid4()}"


def new_session_id() -> str:
    """A fresh session id, `ses-` and a random UUID."""
    return f"ses-{uuid.uuid4()}"


def is_run_id(text: str) -> bool:
    """Whether `text` has the shape of a run id."""
    return _RUN_ID.fullmatch(text) is not None


def is_session_id(text: str) -> bool:
    """Whether `text` may name a session: 1-64 characters of `A-Za-z0-9._:-`, not starting with punctuation."""
    return _SESSION_ID.fullmatch(text) is not None


def is_evidence_id(text: str) -> bool:
    """Whether `text` has the shape `E1`, `E2`, ..."""
    return _EVIDENCE_ID.fullmatch(text) is not None
