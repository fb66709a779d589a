"""The store of API keys, opened alone: for the command line, which needs nothing else of the service."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from rootproof.bootstrap import open_services

if TYPE_CHECKING:
    from rootproof.ports.api_keys import ApiKeyStore
    from rootproof.settings import Settings


@asynccontextmanager
async def open_keys(settings: Settings) -> AsyncIterator[ApiKeyStore]:
    """The keys in the configured store; connections are released at the end. Raises: UsageError, StoreError."""
    from rootproof.adapters.sql.api_keys import SqlApiKeyStore
    from rootproof.adapters.sql.run_store import SqlRunStore

    services = await open_services(settings)
    try:
        if not isinstance(services.runs, SqlRunStore):
            raise TypeError("open_services gives a store in SQL")
        yield SqlApiKeyStore(services.runs.database)
    finally:
        await services.runs.close()
