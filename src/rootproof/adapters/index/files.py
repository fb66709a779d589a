"""Files of a knowledge folder, read within caps; what cannot be read is a problem in words, never an exception."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rootproof.errors import UsageError

SUFFIXES = frozenset({".md", ".markdown", ".mdown", ".txt"})


@dataclass(frozen=True, slots=True)
class FolderLimits:
    """Caps of one corpus."""

    max_files: int = 5_000
    max_file_bytes: int = 2 * 1024 * 1024
    max_total_bytes: int = 256 * 1024 * 1024
    max_depth: int = 12
    """Folders below the root."""
    max_problems: int = 100


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file's text and its id: the path inside its root, with `/`."""

    id: str
    text: str


class FolderReader:
    """Reads roots in order of path; `problems` fills as it goes."""

    def __init__(self, limits: FolderLimits) -> None:
        self._limits = limits
        self._total = 0
        self._files = 0
        self.problems: list[str] = []

    def read(self, roots: Sequence[Path]) -> Iterator[TextFile]:
        """The readable files of all roots; ids start with the root's name where there are several roots.

        Raises: UsageError when a root does not exist, or is a file that is no text document.
        """
        for number, root in enumerate(roots):
            if not root.exists():
                raise UsageError(
                    f"knowledge path {str(root)!r} does not exist; give a folder of Markdown files, or one file"
                )
            if root.is_file() and root.suffix.lower() not in SUFFIXES:
                raise UsageError(
                    f"knowledge path {str(root)!r} is not a text document; give a folder, or a file that ends in "
                    f"{', '.join(sorted(SUFFIXES))}"
                )
            names = [other.name for other in roots[:number]]
            prefix = "" if len(roots) == 1 else f"{root.name}-{number}/" if root.name in names else f"{root.name}/"
            for path, identity in self._paths(root):
                text = self._text(root, path)
                if text is not None:
                    yield TextFile(prefix + identity, text)

    def _paths(self, root: Path) -> Iterator[tuple[Path, str]]:
        if root.is_file():
            yield root, root.name
            return
        for folder, folders, files in os.walk(root, followlinks=False):
            here = Path(folder)
            depth = len(here.relative_to(root).parts)
            folders[:] = sorted(name for name in folders if self._enters(here / name, depth + 1))
            for name in sorted(files):
                if name.startswith(".") or Path(name).suffix.lower() not in SUFFIXES:
                    continue
                if self._files >= self._limits.max_files:
                    self._problem(f"{root}: more than {self._limits.max_files:,} files; the others were not read")
                    return
                self._files += 1
                yield here / name, (here / name).relative_to(root).as_posix()

    def _enters(self, folder: Path, depth: int) -> bool:
        if folder.name.startswith("."):
            return False
        if folder.is_symlink():
            self._problem(f"{folder}: a link to a folder is not followed")
            return False
        if depth > self._limits.max_depth:
            self._problem(f"{folder}: deeper than {self._limits.max_depth} folders; not read")
            return False
        return True

    def _text(self, root: Path, path: Path) -> str | None:
        try:
            problem = self._refusal(root, path)
            if problem is None:
                with path.open("rb") as stream:
                    data = stream.read(self._limits.max_file_bytes + 1)
                text, problem = _decoded(data)
                if problem is None:
                    return text
        except (OSError, RuntimeError) as error:
            problem = f"cannot be read: {error}"
        self._problem(f"{path}: {problem}")
        return None

    def _refusal(self, root: Path, path: Path) -> str | None:
        """Why the file is not opened, or None; its size is counted where it is."""
        if not root.is_file() and not path.resolve(strict=True).is_relative_to(root.resolve()):
            return "a link out of the knowledge folder is not followed"
        if not path.is_file():
            return "not a regular file"
        size = path.stat().st_size
        if size > self._limits.max_file_bytes:
            return f"{size} bytes, more than {self._limits.max_file_bytes}; split the document"
        if self._total + size > self._limits.max_total_bytes:
            return f"the documents together would pass {self._limits.max_total_bytes} bytes; not read"
        self._total += size
        return None

    def _problem(self, text: str) -> None:
        if len(self.problems) < self._limits.max_problems:
            self.problems.append(text)


def _decoded(data: bytes) -> tuple[str, str | None]:
    """The text and None, or an empty text and what is wrong with the bytes."""
    if b"\0" in data:
        return "", "holds NUL bytes; not a text file in UTF-8"
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return "", f"not UTF-8 at byte {error.start}; convert the file"
    return (text, None) if text.strip() else ("", "empty")
