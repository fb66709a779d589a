"""Log lines of the service on stderr: one JSON object (or one line of text) each, with ids, without secrets."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from types import TracebackType
from typing import TextIO

from rootproof.errors import UsageError
from rootproof.redaction import without_credentials
from rootproof.telemetry import log_ids

_CHARS = 4_000
_LONGEST = 64_000
"""More is not even looked at."""
_FRAMES = 12
_LEVELS = ("debug", "info", "warning", "error")
_QUIET = (
    "httpx", "httpx2", "httpcore2", "docket", "key_value", "asyncio", "sqlalchemy", "aiosqlite", "uvicorn.access",
    "openai", "anthropic", "sse_starlette",
)  # fmt: skip
"""Libraries whose lines below WARNING say nothing to an operator, repeat addresses that may hold secrets, or hold
prompts and whole events."""


def set_up_logging(level: str, form: str, *, stream: TextIO | None = None) -> None:
    """Send every line of this process through our formatter. Raises: UsageError for a level or form there is not."""
    if level.lower() not in _LEVELS:
        raise UsageError(f"telemetry.log_level must be one of {', '.join(_LEVELS)}, not {level!r}")
    if form not in ("json", "text"):
        raise UsageError(f"telemetry.log_format must be json or text, not {form!r}")
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(LineFormatter(as_json=form == "json"))
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level.upper())
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logging.getLogger(name).handlers = []
        logging.getLogger(name).propagate = True
    for name in _QUIET:
        logging.getLogger(name).setLevel(max(logging.WARNING, root.level))


class LineFormatter(logging.Formatter):
    """A record as one line: credentials replaced, control characters visible, bounded, an exception by its frames."""

    def __init__(self, *, as_json: bool) -> None:
        super().__init__()
        self._as_json = as_json

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        ids = log_ids()
        fields = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": self._clean(_message(record)),
            "session_id": ids.session_id,
            "run_id": ids.run_id,
        }
        if record.exc_info and record.exc_info[0] is not None:
            fields["error"] = self._clean(f"{record.exc_info[0].__name__}: {record.exc_info[1]}")
            fields["frames"] = " < ".join(_frames(record.exc_info[2]))
        if self._as_json:
            return json.dumps(fields, ensure_ascii=False)
        about = " ".join(f"{name}={value}" for name, value in fields.items() if value and name not in _IN_FRONT)
        return f"{fields['time']} {record.levelname:<7} {fields['message']}" + (f" [{about}]" if about else "")

    @staticmethod
    def _clean(text: str) -> str:
        if len(text) > _LONGEST:
            text = text[:_LONGEST].rpartition(" ")[0]  # half a secret at the cut is not recognised as one
        shown = without_credentials(text).replace("\n", "\\n")
        return shown if len(shown) <= _CHARS else f"{shown[:_CHARS]} [cut: {len(shown) - _CHARS} more characters]"


_IN_FRONT = frozenset({"time", "level", "message"})


def _message(record: logging.LogRecord) -> str:
    try:
        return record.getMessage()
    except (TypeError, ValueError):  # arguments that do not fit their line: the line itself is better than nothing
        return str(record.msg)


def _frames(traceback: TracebackType | None) -> list[str]:
    """Innermost first: module and line, no values."""
    found: list[str] = []
    while traceback is not None:
        found.append(f"{traceback.tb_frame.f_globals.get('__name__', '?')}:{traceback.tb_lineno}")
        traceback = traceback.tb_next
    return found[::-1][:_FRAMES]
