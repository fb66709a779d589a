"""Identifiers that people and other systems see, and the shapes they must have."""

from __future__ import annotations

import re
import uuid

_SESSION_ID = re.compile(r"\w[\w.:-]{0,63}")


def new_run_id() -> str:
    """A fresh run id, `run-` and a random UUID."""
    return f"run-{uuid.uuid4()}"


def new_session_id() -> str:
    """A fresh session id, `ses-` and a random UUID."""
    return f"ses-{uuid.uuid4()}"


def is_session_id(text: str) -> bool:
    """Whether `text` may name a session: 1-64 letters, digits and `._:-`, not starting with punctuation.

    Letters of any script: sessions of the MVP are named so."""
    return _SESSION_ID.fullmatch(text) is not None
