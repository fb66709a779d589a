"""The runbooks and skills that are configured, opened once and looked at again after a while."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from rootproof.entrypoints.http.problems import unavailable
from rootproof.errors import UsageError
from rootproof.ports.clock import Clock
from rootproof.settings import Settings

if TYPE_CHECKING:
    from rootproof.adapters.index.folder import FolderKnowledge
    from rootproof.skills.catalog import Catalog

log = logging.getLogger("rootproof.http")
KEEP_S = 60.0
"""Seconds after which changed files are seen."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Skills:
    """The skills there are."""

    catalog: Catalog
    complete: bool
    """False where the configured folders cannot be read: only the built-in skills are there."""


class Library:
    """What the read routes show. Opening happens in a thread, one at a time."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._skills = _Kept(self._open_skills, clock)
        self._knowledge = _Kept(self._open_knowledge, clock)

    async def skills(self) -> Skills:
        """The built-in skills with the configured ones over them."""
        return await self._skills.value()

    async def knowledge(self) -> FolderKnowledge | None:
        """The configured runbooks; None where none are. Raises: Problem 503 when a folder is gone."""
        try:
            return await self._knowledge.value()
        except UsageError as error:
            # A fault of the server's configuration, in words that name its folders: not for the caller.
            log.warning("the configured knowledge cannot be read: %s", error)
            raise unavailable(
                "the server's knowledge folders cannot be read; `rootproof config check` says why", retry_after_s=60
            ) from error

    def _open_skills(self) -> Skills:
        from rootproof.bootstrap import open_skills

        try:
            return Skills(open_skills([Path(path) for path in self._settings.sources.skills]), complete=True)
        except UsageError as error:
            log.warning("the configured skills cannot be read: %s", error)
            return Skills(open_skills([]), complete=False)

    def _open_knowledge(self) -> FolderKnowledge | None:
        from rootproof.bootstrap import open_knowledge_source

        paths = [Path(path) for path in self._settings.sources.knowledge]
        return open_knowledge_source(self._settings, paths) if paths else None


class _Kept(Generic[T]):
    """A value that is made when it is asked for, and again when it is old."""

    def __init__(self, make: Callable[[], T], clock: Clock) -> None:
        self._make = make
        self._clock = clock
        self._lock = asyncio.Lock()
        self._held: tuple[T, float] | None = None

    async def value(self) -> T:
        """The value. Raises what making it raises."""
        async with self._lock:
            if self._held is None or self._clock.monotonic() >= self._held[1]:
                made = await asyncio.to_thread(self._make)
                self._held = made, self._clock.monotonic() + KEEP_S
            return self._held[0]
