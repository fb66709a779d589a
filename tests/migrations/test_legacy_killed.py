"""An upgrade or downgrade that is killed between any two statements is run again and ends as it would have ended."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.engine import Engine

from rootproof.adapters.sql import legacy_backfill, schema
from rootproof.adapters.sql.migrate import adopt, downgrade, upgrade
from tests.fakes.legacy_mvp import content_hash, legacy_database, on, seen_by_old_code
from tests.migrations.test_legacy_forward_and_back import stored
from tests.migrations.test_migrations import described

_SESSIONS = 5
_READING = ("SELECT", "PRAGMA", "SHOW", "DESCRIBE", "SET", "BEGIN")


_NEVER = 100_000


def _is_ddl(statement: str) -> bool:
    """Whether it is one that MySQL commits by itself."""
    return statement.lstrip().upper().startswith(("CREATE", "ALTER", "DROP"))


class Killed(BaseException):
    """Stands for the process dying before this statement."""


@contextmanager
def killed_before(budget: int) -> Iterator[list[str]]:
    """Die before the change that comes after `budget` others, or after one that stays whatever happens then.

    Gives the changes that were let through.
    """
    seen: list[str] = []

    def look(connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        if statement.lstrip().upper().startswith(_READING):
            return
        stays = connection.dialect.name == "mysql" and bool(seen) and _is_ddl(seen[-1])
        if len(seen) == budget or (stays and budget < _NEVER):
            raise Killed(statement)
        seen.append(statement)

    event.listen(Engine, "before_cursor_execute", look)
    try:
        yield seen
    finally:
        event.remove(Engine, "before_cursor_execute", look)


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(legacy_backfill, "SESSIONS_A_BATCH", 2)
    monkeypatch.setattr(legacy_backfill, "ROWS_A_BATCH", 7)


async def changes(work: Callable[[], Any]) -> list[str]:
    """Every change that `work` makes."""
    with killed_before(_NEVER) as seen:
        await work()
    return seen


async def whole(url: str) -> tuple[Any, ...]:
    return (
        await on(url, stored),
        await on(url, seen_by_old_code),
        await on(url, content_hash),
        await on(url, described),
    )


async def killed_at_every_change(work: Callable[[], Any]) -> int:
    """Die again and again, each time after one more change that stays; how often that was.

    Where an attempt left nothing behind (its transaction was rolled back), the next one gets twice as far.
    """
    deaths, last, budget = 0, "", 1
    while True:
        with killed_before(budget) as seen:
            try:
                await work()
            except Killed:
                deaths += 1
            else:
                return deaths
        budget = budget * 2 if seen[0] == last else 1
        last = seen[0]


async def adopted(url: str) -> str:
    await legacy_database(url, _SESSIONS)
    await adopt(url)
    return url


async def test_an_upgrade_killed_at_every_change_ends_as_one_that_was_not(
    fresh_url: Callable[[], str], empty_url: str, twin_url: str
) -> None:
    await adopted(empty_url)
    await adopted(twin_url)
    made = await changes(lambda: upgrade(twin_url))
    deaths = await killed_at_every_change(lambda: upgrade(empty_url))
    assert deaths >= (sum(map(_is_ddl, made)) if empty_url.startswith("mysql") else 6)
    assert (await upgrade(empty_url)).revision == schema.HEAD
    assert _uncounted(await whole(empty_url)) == _uncounted(await whole(twin_url))


async def test_a_downgrade_killed_at_every_change_ends_as_one_that_was_not(empty_url: str, twin_url: str) -> None:
    for url in (empty_url, twin_url):
        await upgrade(await adopted(url))
    made = await changes(lambda: downgrade(twin_url, "legacy"))
    deaths = await killed_at_every_change(lambda: downgrade(empty_url, "legacy"))
    assert deaths >= (sum(map(_is_ddl, made)) - 1 if empty_url.startswith("mysql") else 4)
    assert await on(empty_url, seen_by_old_code) == await on(twin_url, seen_by_old_code)
    await upgrade(empty_url)
    await upgrade(twin_url)
    assert _uncounted(await whole(empty_url)) == _uncounted(await whole(twin_url))


async def test_a_database_of_the_first_release_killed_at_every_change(empty_url: str, twin_url: str) -> None:
    await upgrade(empty_url, "0001")
    await upgrade(twin_url)
    await killed_at_every_change(lambda: upgrade(empty_url))
    assert _shape(await on(empty_url, described)) == _shape(await on(twin_url, described))


def _uncounted(found: tuple[Any, ...]) -> tuple[Any, ...]:
    return (*found[:-1], _shape(found[-1]))


def _shape(said: dict[str, Any]) -> Any:
    """The description without the counter of rows, which a transaction that was rolled back also moves."""

    def line(text: Any) -> Any:
        words = text.split() if isinstance(text, str) else None
        return text if words is None else " ".join(word for word in words if "AUTO_INCREMENT=" not in word)

    return {name: [line(item) for item in value] if isinstance(value, list) else value for name, value in said.items()}
