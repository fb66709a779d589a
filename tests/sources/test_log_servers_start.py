"""A service does not start with a log server whose secret is named and missing."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from rootproof.bootstrap.backend import open_backend
from rootproof.errors import UsageError
from rootproof.settings import load_settings


def test_a_named_and_missing_secret_stops_the_start(tmp_path: Path) -> None:
    (tmp_path / "rootproof.toml").write_text(
        f'[store]\nhome = "{tmp_path}"\n[loki]\nurl = "http://127.0.0.1:9"\ntoken_env = "NO_SUCH_LOKI_TOKEN"\n',
        encoding="utf-8",
    )
    settings = load_settings({}, folder=tmp_path)
    with pytest.raises(UsageError, match="NO_SUCH_LOKI_TOKEN"):
        asyncio.run(open_backend(settings))
    assert not list(tmp_path.glob("*.sqlite*")), "nothing is made for a service that cannot start"
