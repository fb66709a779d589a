"""The redaction policy file."""

from __future__ import annotations

from pathlib import Path

from rootproof.errors import UsageError
from rootproof.redaction import HIDE_ALL, Policy, parse_policy

_MAX_BYTES = 64 << 10


def open_policy(path: str) -> Policy:
    """The policy of the file at `path`; everything is hidden where none is named.

    Raises: UsageError for a file that cannot be read or switches what is no class of identifiers.
    """
    if not path:
        return HIDE_ALL
    file = Path(path).expanduser()
    try:
        if file.exists() and (not file.is_file() or file.stat().st_size > _MAX_BYTES):
            raise UsageError(f"the redaction policy {path} must be a file of at most {_MAX_BYTES >> 10} KiB")
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the redaction policy {path} cannot be read: {error}") from error
    return parse_policy(text, path)
