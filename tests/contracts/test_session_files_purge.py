"""Clearing away old session histories never costs the history that was just written."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from rootproof.adapters.local.session_context import FileSessionContext
from rootproof.ports.session_context import MessagePair


async def test_a_folder_that_cannot_be_listed_fails_no_append(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_folder: Path) -> None:
        raise PermissionError(13, "refused")

    monkeypatch.setattr("rootproof.adapters.local.session_context.os.scandir", refuse)
    store = FileSessionContext(tmp_path / "histories", purge_every_s=0)
    pair = MessagePair("run-1", "why", "so", datetime.now(UTC))
    await store.append("session", "owner", pair, ttl=timedelta(hours=1))
    assert (await store.history("session", "owner")).pairs == (pair,)
