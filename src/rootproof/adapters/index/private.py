"""Files and folders that only the user who made them may read, whatever the umask is."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

FOLDER_MODE, FILE_MODE = 0o700, 0o600


def make_folder(folder: Path) -> None:
    """The folder, with those above it that are missing, each of them private. Raises: OSError."""
    missing = []
    place = folder
    while not place.exists():
        missing.append(place)
        place = place.parent
    for path in reversed(missing):
        path.mkdir(mode=FOLDER_MODE, exist_ok=True)


def make_file(path: Path) -> None:
    """The file, empty where it was not there. Raises: OSError."""
    if not path.exists():
        os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, FILE_MODE))


def tighten(path: Path) -> None:
    """Take everybody else's rights on a file or folder of this user's; another user's, and a link, stay as they are."""
    with suppress(OSError):
        found = path.lstat()
        is_folder = path.is_dir()
        ours = found.st_uid == os.geteuid() and not path.is_symlink()
        if ours and found.st_mode & 0o077:
            path.chmod(FOLDER_MODE if is_folder else FILE_MODE)


def tighten_below(folder: Path) -> None:
    """The same for a folder and everything in it."""
    tighten(folder)
    for directory, folders, files in os.walk(folder, followlinks=False):
        for name in (*folders, *files):
            tighten(Path(directory) / name)
