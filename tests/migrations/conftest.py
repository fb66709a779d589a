"""A fresh, empty database of every kind for each test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.contracts.sql_servers import KINDS, ServerDatabases


@pytest.fixture
def empty_databases(tmp_path: Path) -> Iterator[ServerDatabases]:
    databases = ServerDatabases()
    yield databases
    databases.drop_all()


@pytest.fixture(params=KINDS)
def fresh_url(request: pytest.FixtureRequest, tmp_path: Path, empty_databases: ServerDatabases) -> Callable[[], str]:
    """Gives the URL of another empty database at every call; to be called before a loop runs."""
    count = 0

    def fresh() -> str:
        nonlocal count
        count += 1
        if request.param == "sqlite":
            return f"sqlite+aiosqlite:///{tmp_path / f'{count}.db'}"
        return empty_databases.fresh(request.param)

    return fresh


@pytest.fixture
def empty_url(fresh_url: Callable[[], str]) -> str:
    return fresh_url()


@pytest.fixture
def twin_url(fresh_url: Callable[[], str]) -> str:
    return fresh_url()
