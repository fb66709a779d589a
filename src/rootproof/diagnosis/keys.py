"""Making and checking API keys: `rp_<key id>_<secret>`, the secret 256 random bits in 43 url-safe characters."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from rootproof.domain.api_key import ApiKey, Principal, Scope
from rootproof.domain.storable import OWNER_LENGTH, is_storable_id
from rootproof.errors import UsageError
from rootproof.ports.api_keys import ApiKeyStore

SECRET_BYTES = 32
KEY_PATTERN = r"rp_[a-z0-9]{12}_[A-Za-z0-9_-]{43}"
"""What a key looks like, wherever it stands."""
NAME_LENGTH = 100
MAX_LIFETIME = timedelta(days=3_650)
_PARTS = re.compile(r"rp_([a-z0-9]{12})_([A-Za-z0-9_-]{43})")
_ID_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
_ORDER = tuple(Scope)


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key that was just made: the only moment at which its text exists."""

    key: ApiKey
    text: str


@dataclass(frozen=True, slots=True)
class Presented:
    """A key as a caller shows it; nothing about it has been checked."""

    key_id: str
    secret: str


def make_key(
    owner: str, scopes: Iterable[Scope], *, now: datetime, name: str = "", lifetime: timedelta | None = None
) -> NewKey:
    """A new key; only the hash of its secret is in `key`. Raises: UsageError."""
    wanted = frozenset(scopes)
    if not wanted:
        raise UsageError("a key needs a scope: read, diagnose or admin")
    if not is_storable_id(owner, OWNER_LENGTH):
        raise UsageError(f"an owner is 1-{OWNER_LENGTH} printable characters without outer spaces, not {owner!r:.80}")
    if len(name) > NAME_LENGTH or not name.isprintable():
        raise UsageError(f"a key's name is at most {NAME_LENGTH} printable characters, not {name!r:.80}")
    if lifetime is not None and not timedelta(0) < lifetime <= MAX_LIFETIME:
        raise UsageError(f"a key may live for up to {MAX_LIFETIME.days} days")
    key_id = "".join(secrets.choice(_ID_LETTERS) for _ in range(12))
    secret = secrets.token_urlsafe(SECRET_BYTES)
    expires_at = None if lifetime is None else now + lifetime
    key = ApiKey(key_id, owner, name, wanted, secret_hash(secret), now, expires_at)
    return NewKey(key, f"rp_{key_id}_{secret}")


async def create_key(store: ApiKeyStore, new: NewKey) -> NewKey:
    """Store a key that was made; itself again, to be shown once. Raises: StoreError."""
    await store.add(new.key)
    return new


def parse_key(text: str) -> Presented | None:
    """The parts of a key; None for what has not its shape."""
    found = _PARTS.fullmatch(text)
    return Presented(found[1], found[2]) if found else None


def secret_hash(secret: str) -> str:
    """SHA-256, hex. The secret is random: there is nothing to guess, so nothing to salt or to slow down."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def is_valid(key: ApiKey | None, secret: str, *, now: datetime) -> bool:
    """Whether `secret` is that of `key`, which is neither revoked nor expired.

    The comparison takes as long for a key that does not exist as for one that does.
    """
    known = key.secret_hash if key is not None else "0" * 64
    same = hmac.compare_digest(secret_hash(secret), known)
    return same and key is not None and is_live(key, now=now)


def is_live(key: ApiKey, *, now: datetime) -> bool:
    """Whether the key is neither revoked nor expired."""
    return key.revoked_at is None and (key.expires_at is None or now < key.expires_at)


def principal_of(key: ApiKey) -> Principal:
    """Who calls with this key: each scope allows what stands before it."""
    widest = max(_ORDER.index(scope) for scope in key.scopes) if key.scopes else -1
    return Principal(key.owner, frozenset(_ORDER[: widest + 1]), key.key_id)
