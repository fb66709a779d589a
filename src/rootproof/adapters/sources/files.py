"""Logs in plain files and folders: what `--logs PATH` reads."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, tzinfo
from pathlib import Path

from rootproof.adapters.sources.deadline import Deadline, in_thread
from rootproof.adapters.sources.logfiles import LogArchive, LogFile, describe_file
from rootproof.adapters.sources.paths import Tree
from rootproof.errors import SourceDenied, SourceUnavailable
from rootproof.ports.sources import LogQuery


class FolderLogs:
    """A log source over files and folders, text or JSON lines, gzip or not. Folders are read with their subfolders.

    The topic is told by the file's name as in a bundle: `system-events*`, `database-slow-query*`, else application.
    """

    name = "log files"
    kind = "FILES"

    def __init__(self, paths: Sequence[Path], timezone: tzinfo = UTC) -> None:
        self._paths = [Path(path) for path in paths]
        self._timezone = timezone
        self._archive: LogArchive | None = None
        self._lock = threading.Lock()
        self.notes: list[str] = []
        """What was found and not read, once the folders were looked at."""

    async def fetch(self, query: LogQuery, *, deadline_s: float) -> str:
        """The raw answer, as `ports.sources.LogSource` says.

        Raises: SourceUnavailable or SourceDenied with the system's words when a named path cannot be read.
        """

        def work(deadline: Deadline) -> str:
            return self._opened().answer(query, deadline)

        return await in_thread(work, deadline_s=deadline_s, source=self.name)

    async def newest_at(self, *, deadline_s: float) -> datetime | None:
        """The time of the newest record, or None where no record has one. Raises: as `fetch`."""

        def work(deadline: Deadline) -> datetime | None:
            return self._opened().newest(deadline)

        return await in_thread(work, deadline_s=deadline_s, source=self.name)

    def look(self) -> tuple[str, ...]:
        """What was found in the folders and is not read; nothing where they cannot be opened: a query says that."""
        with suppress(SourceDenied, SourceUnavailable):
            self._opened()
        return tuple(self.notes)

    def _opened(self) -> LogArchive:
        with self._lock:
            if self._archive is None:
                files = [file for path in self._paths for file in self._files_of(path)]
                self._archive = LogArchive(files, self._timezone, self.name)
            return self._archive

    def _files_of(self, path: Path) -> list[LogFile]:
        try:
            is_folder = path.is_dir()
            if is_folder:
                next(path.iterdir(), None)  # asks the system now, so that a refusal is said in its own words
            else:
                path.stat()
        except PermissionError as error:
            raise SourceDenied(f"{path}: {error.strerror}. Give the user that runs this read access.") from error
        except OSError as error:
            raise SourceUnavailable(f"{path}: {error.strerror}. Check the path given with --logs.") from error
        if not is_folder:
            return [_described(path, path.name)]
        tree = Tree(path)
        found = [_described(file, tree.label(file)) for file in tree.files()]
        self.notes.extend(tree.notes)
        return found


def _described(path: Path, label: str) -> LogFile:
    changed_at = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    return describe_file(path, label, changed_at)
