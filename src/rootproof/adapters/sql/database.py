"""Transactions: a write that is alone on its rows, a read that is one snapshot, and errors in our own words."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any, TypeVar

from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from rootproof.adapters.sql.engine import BEGIN_OPTION
from rootproof.errors import StoreError

T = TypeVar("T")
Work = Callable[[AsyncConnection], Awaitable[T]]

_ATTEMPTS = 6
_FIRST_PAUSE_S = 0.01

_TRANSIENT = {
    *("40001", "40P01"),  # SQLSTATE: serialization failure, deadlock
    *(1020, 1205, 1213),  # MySQL: record changed since read, lock wait timeout, deadlock
}
_DUPLICATE = {
    "23505",  # SQLSTATE: unique violation
    1062,  # MySQL: duplicate entry (its SQLSTATE is the wider 23000)
    *(1555, 2067),  # SQLite: primary key, unique
}


class DuplicateKey(StoreError):
    """A unique key is taken; the transaction is rolled back."""


class Database:
    """An engine with the one way to write and the one way to read that hold on every database."""

    def __init__(self, engine: AsyncEngine) -> None:
        self.engine = engine
        self.dialect = engine.dialect.name
        self.returns_updates: bool = engine.dialect.update_returning
        """Whether UPDATE can give back its row."""
        self._readers = self._writers = engine
        # SQLite lets one connection write at a time and makes the others poll; tasks of one process queue here instead.
        self._turn: AbstractAsyncContextManager[Any] = nullcontext()
        if self.dialect == "sqlite":
            self._writers = engine.execution_options(**{BEGIN_OPTION: "BEGIN IMMEDIATE"})
            self._turn = asyncio.Lock()
        elif self.dialect == "postgresql":
            self._readers = engine.execution_options(isolation_level="REPEATABLE READ")

    async def write(self, what: str, work: Work[T]) -> T:
        """What `work` returns, committed. It is rolled back and run again when the database asks for that (deadlock).

        Raises: DuplicateKey; StoreError with `what` was tried and the database's own words; whatever `work` raises.
        """
        return await _whole(self._written(what, work))

    async def read(self, what: str, work: Work[T]) -> T:
        """What `work` returns, all of it from one snapshot. Raises: StoreError; whatever `work` raises."""
        return await _whole(self._read(what, work))

    async def _written(self, what: str, work: Work[T]) -> T:
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                async with self._turn, self._writers.begin() as connection:
                    return await work(connection)
            except (SQLAlchemyError, UnicodeError, OSError) as error:
                if attempt == _ATTEMPTS or not _is_transient(error):
                    raise self._explained(what, error) from error
            await asyncio.sleep(_FIRST_PAUSE_S * 2**attempt * random.random())  # noqa: S311 - a pause is no secret
        raise AssertionError("unreachable: the last attempt returns or raises")

    async def _read(self, what: str, work: Work[T]) -> T:
        try:
            async with self._readers.connect() as connection:
                return await work(connection)
        except (SQLAlchemyError, UnicodeError, OSError) as error:
            raise self._explained(what, error) from error
        except (ValueError, TypeError, AttributeError, LookupError) as error:
            raise StoreError(
                f"could not {what}: a stored row holds what no version writes ({type(error).__name__})"
            ) from error

    async def close(self) -> None:
        """Close every pooled connection."""
        await self.engine.dispose()

    def _explained(self, what: str, error: Exception) -> StoreError:
        words = error.orig if isinstance(error, DBAPIError) else error
        message = f"could not {what} in the {self.dialect} store: {words}"
        return DuplicateKey(message) if _is_duplicate(error) else StoreError(message)


async def _whole(transaction: Coroutine[Any, Any, T]) -> T:
    """The transaction's result; a cancelled caller waits for its end first.

    Drivers that are cancelled half way leave connections (and aiosqlite threads) behind. Transactions are short.
    """
    task = asyncio.create_task(transaction)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        if not task.cancelled():
            task.exception()  # the caller is gone: nobody else will look at it
        raise


def _codes(error: Exception) -> set[object]:
    """The database's own numbers of an error: SQLSTATE, MySQL's and SQLite's; some drivers give two of them."""
    if not isinstance(error, DBAPIError) or error.orig is None:
        return set()
    original = error.orig
    codes = {getattr(original, "sqlstate", None), getattr(original, "sqlite_errorcode", None)}
    return codes | set(original.args[:1])


def _is_transient(error: Exception) -> bool:
    return not _codes(error).isdisjoint(_TRANSIENT)


def _is_duplicate(error: Exception) -> bool:
    return isinstance(error, IntegrityError) and not _codes(error).isdisjoint(_DUPLICATE)
