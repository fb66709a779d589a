"""API keys in memory: the reference for the contract suite, and the embedded twin in tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from rootproof.domain.api_key import ApiKey, check_new_key
from rootproof.errors import StoreError


class InMemoryApiKeyStore:
    """The ApiKeyStore in a dict."""

    def __init__(self) -> None:
        self._keys: dict[str, ApiKey] = {}

    async def add(self, key: ApiKey) -> None:
        """Store a new key. Raises: StoreError when its id is taken, or it cannot be kept."""
        check_new_key(key)
        if key.key_id in self._keys:
            raise StoreError(f"key id {key.key_id!r} is taken")
        self._keys[key.key_id] = key

    async def find(self, key_id: str) -> ApiKey | None:
        """The key, revoked and expired ones too; None when there is none."""
        return self._keys.get(key_id)

    async def all(self) -> Sequence[ApiKey]:
        """Every key, oldest first."""
        return tuple(self._keys.values())

    async def revoke(self, key_id: str, *, at: datetime) -> bool:
        """Revoke a key; False when there is none. Revoking again changes nothing."""
        key = self._keys.get(key_id)
        if key is not None and key.revoked_at is None:
            self._keys[key_id] = replace(key, revoked_at=at)
        return key is not None

    async def touch(self, key_id: str, *, at: datetime) -> None:
        """Note that the key was used; the time never goes back."""
        key = self._keys.get(key_id)
        if key is not None and (key.last_used_at is None or key.last_used_at < at):
            self._keys[key_id] = replace(key, last_used_at=at)
