"""API keys in the store."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from rootproof.domain.api_key import ApiKey


class ApiKeyStore(Protocol):
    """Keys by id. Raises StoreError."""

    async def add(self, key: ApiKey) -> None:
        """Store a new key. Raises: StoreError when its id is taken."""
        ...

    async def find(self, key_id: str) -> ApiKey | None:
        """The key, revoked and expired ones too; None when there is none."""
        ...

    async def all(self) -> Sequence[ApiKey]:
        """Every key, oldest first."""
        ...

    async def revoke(self, key_id: str, *, at: datetime) -> bool:
        """Revoke a key; False when there is none. Revoking again changes nothing."""
        ...

    async def touch(self, key_id: str, *, at: datetime) -> None:
        """Note that the key was used."""
        ...
