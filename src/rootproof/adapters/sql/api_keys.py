"""An ApiKeyStore in SQL: the hash of the secret, never the secret."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from rootproof.adapters.sql.codec import Row
from rootproof.adapters.sql.database import Database, DuplicateKey
from rootproof.adapters.sql.service_schema import api_key
from rootproof.adapters.sql.stored_text import json_array, json_text, utc
from rootproof.domain.api_key import ApiKey, Scope, check_new_key
from rootproof.domain.storable import ID_LENGTH, is_storable_id
from rootproof.errors import StoreError


class SqlApiKeyStore:
    """The ApiKeyStore over a `Database`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, key: ApiKey) -> None:
        """Store a new key. Raises: StoreError when its id is taken, or it cannot be kept."""
        check_new_key(key)
        values = _values(key)

        async def work(connection: AsyncConnection) -> None:
            await connection.execute(insert(api_key), values)

        try:
            await self._database.write(f"add key {key.key_id}", work)
        except DuplicateKey as error:
            raise StoreError(f"key id {key.key_id!r} is taken") from error

    async def find(self, key_id: str) -> ApiKey | None:
        """The key, revoked and expired ones too; None when there is none."""
        if not is_storable_id(key_id, ID_LENGTH):
            return None

        async def work(connection: AsyncConnection) -> ApiKey | None:
            row = (await connection.execute(select(api_key).where(_is(key_id)))).mappings().one_or_none()
            return None if row is None else _key(row)

        return await self._database.read("find a key", work)

    async def all(self) -> Sequence[ApiKey]:
        """Every key, oldest first."""

        async def work(connection: AsyncConnection) -> Sequence[ApiKey]:
            rows = (await connection.execute(select(api_key).order_by(api_key.c.id))).mappings().all()
            return tuple(_key(row) for row in rows)

        return await self._database.read("list keys", work)

    async def revoke(self, key_id: str, *, at: datetime) -> bool:
        """Revoke a key; False when there is none. Revoking again changes nothing."""
        if not is_storable_id(key_id, ID_LENGTH):
            return False
        instant = utc(at, "api_key.revoked_at")
        revoke = update(api_key).where(_is(key_id), api_key.c.revoked_at.is_(None)).values(revoked_at=instant)

        async def work(connection: AsyncConnection) -> bool:
            await connection.execute(revoke)
            return (await connection.scalar(select(api_key.c.id).where(_is(key_id)))) is not None

        return await self._database.write(f"revoke key {key_id}", work)

    async def touch(self, key_id: str, *, at: datetime) -> None:
        """Note that the key was used; the time never goes back."""
        if not is_storable_id(key_id, ID_LENGTH):
            return
        instant = utc(at, "api_key.last_used_at")
        older = or_(api_key.c.last_used_at.is_(None), api_key.c.last_used_at < instant)

        async def work(connection: AsyncConnection) -> None:
            await connection.execute(update(api_key).where(_is(key_id), older).values(last_used_at=instant))

        await self._database.write(f"touch key {key_id}", work)


def _is(key_id: str) -> Any:
    return api_key.c.key_id == key_id


def _values(key: ApiKey) -> dict[str, Any]:
    return {
        "key_id": key.key_id,
        "owner": key.owner,
        "name": key.name,
        "scopes": json_text(sorted(scope.value for scope in key.scopes), "api_key.scopes"),
        "secret_hash": key.secret_hash,
        "created_at": utc(key.created_at, "api_key.created_at"),
        "expires_at": _utc_or_none(key.expires_at, "api_key.expires_at"),
        "revoked_at": _utc_or_none(key.revoked_at, "api_key.revoked_at"),
        "last_used_at": _utc_or_none(key.last_used_at, "api_key.last_used_at"),
    }


def _key(row: Row) -> ApiKey:
    try:
        scopes = frozenset(Scope(word) for word in json_array(row["scopes"], "api_key.scopes"))
    except ValueError as error:
        raise StoreError(f"api_key.scopes of key {row['key_id']} holds a scope of another version") from error
    return ApiKey(
        key_id=row["key_id"],
        owner=row["owner"],
        name=row["name"],
        scopes=scopes,
        secret_hash=row["secret_hash"],
        created_at=row["created_at"],
        expires_at=row["expires_at"],
        revoked_at=row["revoked_at"],
        last_used_at=row["last_used_at"],
    )


def _utc_or_none(instant: datetime | None, where: str) -> datetime | None:
    return None if instant is None else utc(instant, where)
