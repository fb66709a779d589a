"""The houses of `conftest`, and two more whose raw outputs are in Redis: alone, and with SQL behind it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from rootproof.adapters.redis.canonical_store import RedisCanonicalStore
from rootproof.adapters.redis.client import RedisLink
from rootproof.diagnosis.kept_outputs import KeptOutputs
from rootproof.ports.canonical_store import CanonicalInvocationStore
from rootproof.ports.run_store import RunStore
from tests.contracts.conftest import House
from tests.contracts.redis_server import a_link

_ROWS_IN = {"redis": "memory", "redis before sqlite": "sqlite"}


@pytest.fixture(params=["memory", "sqlite", "mysql", "postgres", *_ROWS_IN])
def canonical_kind(request: pytest.FixtureRequest) -> str:
    """Where raw outputs are."""
    kind: str = request.param
    return kind


@pytest.fixture
def house_kind(canonical_kind: str) -> str:
    """Where rows are."""
    return _ROWS_IN.get(canonical_kind, canonical_kind)


@pytest.fixture
async def house(house: House, canonical_kind: str, request: pytest.FixtureRequest) -> AsyncIterator[House]:
    """The house, its raw outputs moved to Redis where they are to be there."""
    if canonical_kind not in _ROWS_IN:
        yield house
        return
    server = request.getfixturevalue("redis_server")
    links: list[RedisLink] = []

    def over_redis(behind: CanonicalInvocationStore) -> CanonicalInvocationStore:
        links.append(a_link(server, timeout_s=5))
        first = RedisCanonicalStore(links[-1], house.clock)
        return first if canonical_kind == "redis" else KeptOutputs(first, behind)

    async def reopened() -> tuple[RunStore, CanonicalInvocationStore]:
        runs, behind = await house.reopened()
        return runs, over_redis(behind)

    yield House(canonical_kind, house.clock, house.runs, over_redis(house.canonical), reopened, house.database)
    for link in links:
        await link.close()
