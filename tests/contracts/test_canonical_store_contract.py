"""What every CanonicalInvocationStore keeps to."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import timedelta

import pytest

from rootproof.domain.context import ExecutionContext
from rootproof.errors import StoreError
from rootproof.ports.canonical_store import CanonicalInvocation
from tests.contracts.canonical_houses import canonical_kind, house, house_kind
from tests.contracts.conftest import T0, House
from tests.contracts.redis_server import redis_process, redis_server

__all__ = ["canonical_kind", "house", "house_kind", "redis_process", "redis_server"]

CONTEXT = ExecutionContext("ses-1", "run-1", "ana")
LATER = T0 + timedelta(hours=1)


def an_item(
    key: str = "3.0", raw: str = '{"logs": ["漢字 🦊"]}', bounded: str = '{"status":"OK"}'
) -> CanonicalInvocation:
    return CanonicalInvocation(key, raw, bounded, hashlib.sha256(raw.encode()).hexdigest())


async def test_what_was_put_comes_back(house: House) -> None:
    await house.canonical.put(CONTEXT, an_item(), expires_at=LATER)
    _, other = await house.reopened()
    assert await other.fetch(CONTEXT, "3.0", now=T0) == an_item()
    assert await other.fetch(CONTEXT, "3.1", now=T0) is None


async def test_megabytes_come_back(house: House) -> None:
    item = an_item(raw="".join(f"line {number} 漢字 🦊 \x00\n" for number in range(120_000)))
    await house.canonical.put(CONTEXT, item, expires_at=LATER)
    assert await house.canonical.fetch(CONTEXT, "3.0", now=T0) == item


async def test_the_second_put_replaces_the_first(house: House) -> None:
    await house.canonical.put(CONTEXT, an_item(raw="first"), expires_at=LATER)
    await house.canonical.put(CONTEXT, an_item(raw="second"), expires_at=LATER + timedelta(hours=1))
    kept = await house.canonical.fetch(CONTEXT, "3.0", now=LATER)
    assert kept is not None
    assert kept.raw == "second"


@pytest.mark.parametrize(
    "change", [{"owner": "bob"}, {"run_id": "run-2"}, {"session_id": "ses-2"}, {"owner": "Ana"}, {"owner": "ana "}]
)
async def test_another_run_or_owner_gets_nothing(house: House, change: dict[str, str]) -> None:
    await house.canonical.put(CONTEXT, an_item(), expires_at=LATER)
    assert await house.canonical.fetch(replace(CONTEXT, **change), "3.0", now=T0) is None


async def test_another_owner_cannot_replace(house: House) -> None:
    await house.canonical.put(CONTEXT, an_item(), expires_at=LATER)
    with pytest.raises(StoreError, match="another session or owner"):
        await house.canonical.put(replace(CONTEXT, owner="bob"), an_item(raw="mine now"), expires_at=LATER)
    assert await house.canonical.fetch(CONTEXT, "3.0", now=T0) == an_item()


async def test_what_has_expired_is_gone_and_purged(house: House) -> None:
    for number in range(3):
        await house.canonical.put(CONTEXT, an_item(f"{number}.0"), expires_at=T0 + timedelta(seconds=number))
    assert await house.canonical.fetch(CONTEXT, "1.0", now=T0 + timedelta(microseconds=999_999)) is not None
    assert await house.canonical.fetch(CONTEXT, "1.0", now=T0 + timedelta(seconds=1)) is None
    assert await house.canonical.purge(now=T0 + timedelta(seconds=1)) == 2
    assert await house.canonical.purge(now=T0 + timedelta(seconds=1)) == 0
    assert await house.canonical.fetch(CONTEXT, "2.0", now=T0) is not None


async def test_a_wrong_hash_is_refused_at_the_door(house: House) -> None:
    with pytest.raises(StoreError, match="sha256"):
        await house.canonical.put(CONTEXT, replace(an_item(), sha256="0" * 64), expires_at=LATER)
    assert await house.canonical.fetch(CONTEXT, "3.0", now=T0) is None


async def test_lone_surrogates_become_visible_and_hashed(house: House) -> None:
    item = CanonicalInvocation("3.0", "half \ud83d", "b \udc80\x00", "whatever the caller could hash")
    await house.canonical.put(CONTEXT, item, expires_at=LATER)
    kept = await house.canonical.fetch(CONTEXT, "3.0", now=T0)
    raw = "half \\ud83d"
    assert kept == CanonicalInvocation("3.0", raw, "b \\udc80\\x00", hashlib.sha256(raw.encode()).hexdigest())


async def test_a_naive_expiry_is_refused(house: House) -> None:
    with pytest.raises(StoreError, match=r"expires_at.*aware"):
        await house.canonical.put(CONTEXT, an_item(), expires_at=LATER.replace(tzinfo=None))
