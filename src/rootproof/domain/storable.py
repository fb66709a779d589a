"""What every store keeps to: which texts and ids it can hold, how a run's row may change."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rootproof.domain.run import RUN_TRANSITIONS, Run, RunStatus, is_terminal
from rootproof.domain.session import ChatSession
from rootproof.errors import StaleWrite, StoreError

ID_LENGTH = 64
OWNER_LENGTH = 255
WORKER_LENGTH = 128
_ID_LENGTHS = {"run_id": ID_LENGTH, "session_id": ID_LENGTH, "owner": OWNER_LENGTH}


def visible(text: str) -> str:
    """`text` with what some database cannot keep written out: lone surrogates as `\\udc80`, NUL as `\\x00`."""
    if "\x00" in text:
        text = text.replace("\x00", "\\x00")
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


def plain(value: Any) -> Any:
    """A JSON value with what JSON in UTF-8 cannot hold written out: lone surrogates, NaN and infinities."""
    match value:
        case str():
            return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode("utf-8")
        case float() if value != value or value in (float("inf"), float("-inf")):
            return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[str(value)]
        case dict():
            return {plain(key): plain(item) for key, item in value.items()}
        case list() | tuple():
            return [plain(item) for item in value]
        case _:
            return value


def is_storable_id(text: str, length: int) -> bool:
    """Whether `text` can be an id or owner: 1 to `length` printable characters, no outer spaces.

    MySQL compares `utf8mb4_bin` texts without their trailing spaces, so `"a "` must never stand for `"a"`.
    """
    return 0 < len(text) <= length and text.isprintable() and text == text.strip()


def check_new_run(session: ChatSession, run: Run) -> None:
    """Raises: StoreError when the run cannot be the first row of itself."""
    if (session.session_id, session.owner) != (run.session_id, run.owner):
        raise StoreError(f"run {run.run_id!r} and its session do not name the same session and owner")
    if run.status is not RunStatus.QUEUED:
        raise StoreError(f"a new run is QUEUED, {run.run_id!r} is {run.status}")
    for name, length in _ID_LENGTHS.items():
        text: str = getattr(run, name)
        if not is_storable_id(text, length):
            raise StoreError(f"{name} must be 1-{length} printable characters without outer spaces, got {text!r:.80}")


def check_run_update(stored: Run, new: Run) -> None:
    """A run moves along the table; once final only feedback and evaluation may still change. Raises: StaleWrite."""
    if new.status in RUN_TRANSITIONS[stored.status]:
        return
    if new.status is stored.status:
        kept = replace(stored, self_evaluation=new.self_evaluation, feedback=new.feedback, seq=new.seq)
        judged = (new.self_evaluation, new.feedback) != (stored.self_evaluation, stored.feedback)
        if not is_terminal(stored.status) or (judged and kept == new):
            return
    raise StaleWrite(f"run {stored.run_id} is {stored.status}: it cannot become {new.status} (again)")
