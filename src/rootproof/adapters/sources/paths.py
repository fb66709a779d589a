"""Files below a root, found in a stable order; nothing outside the root is ever opened."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

MAX_FILES = 5_000
_FILE_NAMES = re.compile(r".\.(?:log|logs|txt|json|jsonl|ndjson|csv|ya?ml|gz|bz2|xz|md)$", re.IGNORECASE)
"""Names that a file is expected under."""
_NAMED = 5


@dataclass(slots=True)
class Tree:
    """A folder that is read but not trusted: links that lead out of it are refused and noted."""

    root: Path
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.root = self.root.resolve()

    def file(self, *parts: str) -> Path | None:
        """The regular file at this place, or None where there is none or it may not be read."""
        return self._inside(self.root.joinpath(*parts), "file")

    def folder(self, *parts: str) -> Path | None:
        """The folder at this place, or None where there is none or it leads out of the root."""
        return self._inside(self.root.joinpath(*parts), "folder")

    def files(self, *parts: str) -> list[Path]:
        """The regular files below this place, by path; hidden ones are left out. At most `MAX_FILES`."""
        start = self.folder(*parts)
        if start is None:
            return []
        found: list[Path] = []
        for path in walk(start):
            if len(found) == MAX_FILES:
                self.notes.append(f"{self.label(start)}: more than {MAX_FILES:,} files; the others were not read")
                break
            kept = self._inside(path, "file")
            if kept is not None:
                found.append(kept)
        self._note_folders(start)
        return found

    def _note_folders(self, start: Path) -> None:
        """Folders with the name of a file are a slip of whoever filled them; what is in them is read all the same."""
        for directory, folders, _ in os.walk(start, followlinks=False):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            named = [Path(directory) / name for name in folders if _FILE_NAMES.search(name)]
            self.notes += [
                f"{self.label(path)}: a folder, not a file" for path in named[:_NAMED] if not path.is_symlink()
            ]

    def is_closed(self, folder: Path) -> bool:
        """Whether no link below `folder` leads out of the root; one that does is noted."""
        return all(self._leads_inside(path) for path in walk(folder) if path.is_symlink())

    def label(self, path: Path) -> str:
        """`path` as people know it: relative to the root."""
        try:
            return path.relative_to(self.root).as_posix()
        except ValueError:
            return path.name

    def _inside(self, path: Path, wanted: Literal["file", "folder"]) -> Path | None:
        if not os.path.lexists(path) or not self._leads_inside(path):
            return None
        try:
            mode = path.resolve().stat().st_mode
        except OSError as error:
            self.notes.append(f"{self.label(path)}: cannot be read ({error.strerror})")
            return None
        fits = stat.S_ISREG(mode) if wanted == "file" else stat.S_ISDIR(mode)
        if not fits:
            found = "a folder" if stat.S_ISDIR(mode) else "a file" if stat.S_ISREG(mode) else "a device or pipe"
            self.notes.append(f"{self.label(path)}: {found}, not a {wanted}; not read")
        return path if fits else None

    def _leads_inside(self, path: Path) -> bool:
        try:
            resolved = path.resolve(strict=True)
        except (OSError, RuntimeError) as error:
            self.notes.append(f"{self.label(path)}: a link that leads nowhere ({error.__class__.__name__}), not read")
            return False
        if not resolved.is_relative_to(self.root):
            self.notes.append(f"{self.label(path)}: a link out of the folder, refused")
            return False
        return True


def walk(start: Path) -> Iterator[Path]:
    """Every entry below `start` that is no real folder, in a stable order; links to folders are not followed."""
    for directory, folders, names in os.walk(start, followlinks=False):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        linked = [name for name in folders if (Path(directory) / name).is_symlink()]
        for name in sorted([*names, *linked]):
            if not name.startswith("."):
                yield Path(directory) / name
