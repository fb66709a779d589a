"""API keys: who may do what. The secret itself is shown once, when a key is made, and kept nowhere."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from rootproof.domain.storable import ID_LENGTH, OWNER_LENGTH, is_storable_id
from rootproof.errors import StoreError

LOCAL_OWNER = "local"
"""The owner of everything that is made without keys: the command line, and a server that has none."""


class Scope(StrEnum):
    """What a key allows; each allows what stands before it."""

    READ = "read"
    DIAGNOSE = "diagnose"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class ApiKey:
    """One row of `api_key`."""

    key_id: str
    owner: str
    name: str
    scopes: frozenset[Scope]
    secret_hash: str
    """SHA-256 of the secret, hex."""
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    last_used_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Principal:
    """Who is calling: every read and write is checked against the owner."""

    owner: str
    scopes: frozenset[Scope]
    key_id: str | None = None
    """None where no key is needed: a loopback server without keys."""


def check_new_key(key: ApiKey) -> None:
    """Raises: StoreError when the key cannot be kept as it is."""
    if not is_storable_id(key.key_id, ID_LENGTH) or not is_storable_id(key.owner, OWNER_LENGTH):
        raise StoreError("a key's id and owner must be printable characters without outer spaces, and not too many")
    if len(key.secret_hash) != ID_LENGTH or not key.scopes:
        raise StoreError(f"key {key.key_id} needs the SHA-256 of its secret and at least one scope")
