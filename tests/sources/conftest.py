"""A bundle written by the test that needs it, and queries with sensible defaults."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from rootproof.domain.window import TimeWindow
from rootproof.ports.sources import LogQuery

NOW = datetime(2026, 5, 1, 12, 0, 0, tzinfo=UTC)


@pytest.fixture
def write(tmp_path) -> Callable[[str, Any], Path]:
    """Writes a file below the test's folder: text and bytes as they are, anything else as JSON."""

    def put(name: str, content: Any) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    return put


@pytest.fixture
def log_query() -> Callable[..., LogQuery]:
    """A query for everything in the hour before `NOW`, with changes."""

    def build(**changes: Any) -> LogQuery:
        fields = {
            "topic": "application-logs",
            "region": "local",
            "window": TimeWindow.lookback(NOW, 60),
            "limit": 1_000,
        }
        return LogQuery(**(fields | changes))

    return build
