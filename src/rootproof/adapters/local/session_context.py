"""Message history in files, one a session: the embedded twin of the Redis one, shared by the processes of a machine."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import os
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from rootproof.errors import StoreError
from rootproof.ports.session_context import (
    MAX_PAIR_CHARS,
    MAX_PAIRS,
    History,
    MessagePair,
    kept_form,
    pair_as_json,
    pair_from_json,
)

try:
    import fcntl
except ImportError:  # Windows: one process at a time, as with SQLite there
    fcntl = None  # type: ignore[assignment]

T = TypeVar("T")

_log = logging.getLogger(__name__)

_LONGEST = MAX_PAIRS * (MAX_PAIR_CHARS * 12 + 1_000)
"""Bytes of the largest file that we can have written; a longer one is not ours."""
_LOCK_WAIT_S = 5.0
_LOCK_POLL_S = 0.01
_PURGE_EVERY_S = 600.0
_PURGED_AT_ONCE = 1_000
_SUFFIX = ".history.json"
_UNKNOWN = History((), known=False)


class FileSessionContext:
    """The SessionContextStore over a folder of this user alone; names of files say neither session nor owner."""

    def __init__(self, folder: Path, *, purge_every_s: float = _PURGE_EVERY_S) -> None:
        self._folder = folder
        self._purge_every_s = purge_every_s
        self._purge_at = time.monotonic()

    async def append(self, session_id: str, owner: str, pair: MessagePair, *, ttl: timedelta) -> None:
        """Add a pair at the end, or in the place of the run's earlier one. Raises: StoreError."""
        pair = kept_form(pair, ttl)
        path = self._path(session_id, owner)

        def work() -> None:
            _make_private(self._folder)
            with self._locked():
                pairs = list(_read(path).pairs)
                known = [number for number, other in enumerate(pairs) if other.run_id == pair.run_id]
                if known:
                    pairs[known[0]] = pair
                else:
                    pairs.append(pair)
                _write(path, pairs[-MAX_PAIRS:], datetime.now(UTC) + ttl)
                self._purge()

        await _aside("keep a session's history", work)

    async def history(self, session_id: str, owner: str) -> History:
        """The session's history; nothing for another owner. Raises: StoreError."""
        path = self._path(session_id, owner)
        return await _aside("read a session's history", lambda: _read(path))

    async def forget(self, session_id: str, owner: str) -> None:
        """Delete the session's history. Raises: StoreError."""
        path = self._path(session_id, owner)

        def work() -> None:
            if path.exists():
                with self._locked():
                    path.unlink(missing_ok=True)

        await _aside("forget a session's history", work)

    async def close(self) -> None:
        """Nothing to release: no file stays open."""

    def _path(self, session_id: str, owner: str) -> Path:
        name = hashlib.sha256(f"{session_id}\x00{owner}".encode(errors="replace")).hexdigest()
        return self._folder / f"{name}{_SUFFIX}"

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Alone among the processes of this machine. Raises: StoreError when another one does not let go."""
        handle = os.open(self._folder / "lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC | _NO_LINK, 0o600)
        try:
            deadline = time.monotonic() + _LOCK_WAIT_S
            while fcntl is not None:
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if time.monotonic() > deadline:
                        raise StoreError(
                            f"another process holds the session histories for {_LOCK_WAIT_S:.0f} s; going on without"
                        ) from None
                    time.sleep(_LOCK_POLL_S)
            yield
        finally:
            os.close(handle)

    def _purge(self) -> None:
        """Delete files whose time is over, now and then and not more than a thousand at a time."""
        if time.monotonic() < self._purge_at:
            return
        self._purge_at = time.monotonic() + self._purge_every_s
        # The pair is written by now: what cannot be cleared away waits for the next time.
        with suppress(OSError), os.scandir(self._folder) as entries:
            now, deleted = time.time(), 0
            for entry in entries:
                # A file's time of change is set to when it ends, so looking at it reads no file.
                ours = entry.name.endswith((_SUFFIX, ".part")) and entry.is_file(follow_symlinks=False)
                if ours and entry.stat(follow_symlinks=False).st_mtime <= now:
                    Path(entry.path).unlink(missing_ok=True)
                    deleted += 1
                    if deleted >= _PURGED_AT_ONCE:
                        return


_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


def _make_private(folder: Path) -> None:
    """The folder, readable by its user alone. Raises: OSError."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.stat().st_mode & 0o077:
        folder.chmod(0o700)


def _read(path: Path) -> History:
    """What the file holds; not known where it is absent, over, or damaged. Raises: OSError."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | _NO_LINK)
    except FileNotFoundError:
        return _UNKNOWN
    with os.fdopen(handle, "rb") as file:
        content = file.read(_LONGEST + 1)
    try:
        stored: dict[str, Any] = json.loads(content if len(content) <= _LONGEST else b"")
        ends_at = datetime.fromisoformat(stored["endsAt"])
        pairs = tuple(pair_from_json(pair) for pair in stored["pairs"])
        return History(pairs, known=True) if ends_at > datetime.now(UTC) else _UNKNOWN
    except (ValueError, KeyError, TypeError, RecursionError):
        _log.warning("the history in %s is damaged: it counts as not known", path.name)
        return _UNKNOWN


def _write(path: Path, pairs: list[MessagePair], ends_at: datetime) -> None:
    """Put the file in place in one step: a reader sees the old one or the new one. Raises: OSError."""
    content = json.dumps(
        {"endsAt": ends_at.isoformat(), "pairs": [pair_as_json(pair) for pair in pairs]}, ensure_ascii=False
    )
    part = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
    handle = os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content.encode())
            file.flush()
            os.fsync(file.fileno())
        os.utime(part, (ends_at.timestamp(), ends_at.timestamp()))
        part.replace(path)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise


async def _aside(what: str, work: Callable[[], T]) -> T:
    """`work()` in a thread. Raises: StoreError for what the file system refused."""
    try:
        return await asyncio.to_thread(work)
    except OSError as error:
        raise StoreError(f"{what}: {error.strerror or type(error).__name__}; going on without it") from error
