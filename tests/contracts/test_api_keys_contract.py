"""What every ApiKeyStore keeps to: in memory, and on SQLite, MySQL/MariaDB and PostgreSQL."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from sqlalchemy import select, update

from rootproof.adapters.memory.api_keys import InMemoryApiKeyStore
from rootproof.adapters.sql.api_keys import SqlApiKeyStore
from rootproof.adapters.sql.service_schema import api_key
from rootproof.diagnosis.keys import make_key
from rootproof.domain.api_key import ApiKey, Scope
from rootproof.errors import StoreError
from rootproof.ports.api_keys import ApiKeyStore
from tests.contracts.conftest import T0, House


@pytest.fixture
def keys(house: House) -> ApiKeyStore:
    return InMemoryApiKeyStore() if house.database is None else SqlApiKeyStore(house.database)


def a_key(owner: str = "ana", /, **changes: Any) -> ApiKey:
    made = make_key(owner, [Scope.READ, Scope.DIAGNOSE], now=T0, name="laptop", lifetime=timedelta(days=90))
    return replace(made.key, **changes)


async def found(store: ApiKeyStore, key: ApiKey) -> ApiKey:
    stored = await store.find(key.key_id)
    assert stored is not None
    return stored


async def test_a_key_comes_back_as_it_was_added(keys: ApiKeyStore) -> None:
    key = a_key("ána 漢字 🦊", name="déjà vu")
    await keys.add(key)
    assert await found(keys, key) == key
    bare = a_key(expires_at=None, name="", scopes=frozenset({Scope.ADMIN}))
    await keys.add(bare)
    assert await found(keys, bare) == bare


async def test_times_come_back_in_utc(keys: ApiKeyStore) -> None:
    there = T0.astimezone(timezone(timedelta(hours=9)))
    key = a_key(created_at=there)
    await keys.add(key)
    assert (await found(keys, key)).created_at == T0


@pytest.mark.parametrize("key_id", ["", "absent000000", "a" * 65, " padded", "a\x00b", "\ud800", "x" * 10_000])
async def test_an_absent_key_is_none(keys: ApiKeyStore, key_id: str) -> None:
    await keys.add(a_key())
    assert await keys.find(key_id) is None
    assert await keys.revoke(key_id, at=T0) is False
    await keys.touch(key_id, at=T0)


async def test_ids_are_compared_letter_by_letter(keys: ApiKeyStore) -> None:
    key = a_key()
    await keys.add(replace(key, key_id="abcdefghijkl"))
    for other in ("ABCDEFGHIJKL", "abcdefghijkl ", "abcdefghijk"):
        assert await keys.find(other) is None


async def test_an_id_is_taken_once(keys: ApiKeyStore) -> None:
    key = a_key()
    await keys.add(key)
    with pytest.raises(StoreError, match="taken"):
        await keys.add(replace(a_key("ben"), key_id=key.key_id))
    assert (await found(keys, key)).owner == "ana"


@pytest.mark.parametrize(
    "changes",
    [
        {"owner": ""},
        {"owner": " ana"},
        {"owner": "a" * 256},
        {"key_id": ""},
        {"secret_hash": "x"},
        {"scopes": frozenset()},
    ],
)
async def test_keys_that_cannot_be_kept(keys: ApiKeyStore, changes: dict[str, Any]) -> None:
    with pytest.raises(StoreError):
        await keys.add(a_key(**changes))
    assert await keys.all() == ()


async def test_all_keys_oldest_first(keys: ApiKeyStore) -> None:
    made = [a_key(owner) for owner in ("cy", "ana", "ben")]
    for key in made:
        await keys.add(key)
    await keys.revoke(made[1].key_id, at=T0)
    assert [key.owner for key in await keys.all()] == ["cy", "ana", "ben"]


async def test_a_revocation_stands(keys: ApiKeyStore) -> None:
    key, other = a_key(), a_key()
    for each in (key, other):
        await keys.add(each)
    assert await keys.revoke(key.key_id, at=T0 + timedelta(days=1)) is True
    assert await keys.revoke(key.key_id, at=T0 + timedelta(days=2)) is True
    assert (await found(keys, key)).revoked_at == T0 + timedelta(days=1)
    assert (await found(keys, other)).revoked_at is None


async def test_the_last_use_never_goes_back(keys: ApiKeyStore) -> None:
    key, other = a_key(), a_key()
    for each in (key, other):
        await keys.add(each)
    seen: list[datetime | None] = []
    for minutes in (1, 3, 2):
        await keys.touch(key.key_id, at=T0 + timedelta(minutes=minutes))
        seen.append((await found(keys, key)).last_used_at)
    assert seen == [T0 + timedelta(minutes=1), T0 + timedelta(minutes=3), T0 + timedelta(minutes=3)]
    assert (await found(keys, other)).last_used_at is None


async def test_many_at_once(keys: ApiKeyStore) -> None:
    made = [a_key(f"owner-{number}") for number in range(20)]
    await asyncio.gather(*(keys.add(key) for key in made))
    await asyncio.gather(
        *(keys.touch(key.key_id, at=T0) for key in made), *(keys.revoke(made[0].key_id, at=T0) for _ in range(5))
    )
    stored = await keys.all()
    assert {key.key_id for key in stored} == {key.key_id for key in made}
    assert all(key.last_used_at == T0 for key in stored)


async def test_the_secret_is_in_no_row(house: House, keys: ApiKeyStore) -> None:
    if house.database is None:
        pytest.skip("rows are only in SQL")
    new = make_key("ana", [Scope.READ], now=T0)
    await keys.add(new.key)
    async with house.database.engine.connect() as connection:
        row = (await connection.execute(select(api_key))).one()
    secret = new.text.rpartition("_")[2] if new.text.count("_") == 2 else new.text[-43:]
    assert secret not in repr(tuple(row))
    assert new.key.key_id in repr(tuple(row))


async def test_a_scope_of_another_version_is_refused(house: House, keys: ApiKeyStore) -> None:
    if house.database is None:
        pytest.skip("rows are only in SQL")
    key = a_key()
    await keys.add(key)
    async with house.database.engine.begin() as connection:
        await connection.execute(update(api_key).values(scopes='["read","fly"]'))
    with pytest.raises(StoreError, match="scope"):
        await keys.find(key.key_id)
