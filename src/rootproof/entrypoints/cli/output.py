"""Output rules: data on stdout, people's text and progress on stderr, one exit code a kind of ending."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import BaseModel
    from rich.console import Console

PIPED_WIDTH = 100


class Exit(IntEnum):
    """Exit codes of every command."""

    DONE = 0
    FELL_SHORT = 1
    """The run failed, or a check did not pass."""
    USAGE = 2
    UNAVAILABLE = 3
    """A source or model was unavailable."""
    INTERRUPTED = 130


def emit_json(value: Any) -> None:
    """Write a JSON value to stdout, indented for people, exact for programs."""
    write(json.dumps(value, ensure_ascii=_ascii(), indent=2, allow_nan=False) + "\n")


def emit_json_line(value: Any) -> None:
    """Write one JSON value as one line."""
    write(json.dumps(value, ensure_ascii=_ascii(), separators=(",", ":"), allow_nan=False) + "\n")


def _ascii() -> bool:
    """Whether JSON must escape what is not ASCII: JSON has no escape of the form that `write` falls back to."""
    return (sys.stdout.encoding or "utf-8").lower().replace("-", "") != "utf8"


def emit_model(model: BaseModel) -> None:
    """Write a view as camelCase JSON."""
    emit_json(model.model_dump(mode="json", by_alias=True))


def write(text: str) -> None:
    """Write to stdout whatever the text holds: what the terminal's encoding lacks becomes an escape."""
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))


def say(text: str) -> None:
    """Write text for people to stdout, with control characters made visible: input cannot drive the terminal."""
    from rootproof.redaction import visible

    write(visible(text))


def tell(text: str) -> None:
    """Write a line for people to stderr: control characters made visible, credentials replaced.

    Errors quote files, settings and servers; what is on a terminal is copied into tickets.
    """
    from rootproof.redaction import without_credentials

    text = without_credentials(text)
    encoding = sys.stderr.encoding or "utf-8"
    sys.stderr.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")


def write_new(path: Path, text: str, *, force: bool = False) -> None:
    """Write a file whole or not at all, with the folders above it; a link in its place is replaced, not followed.

    Raises: UsageError where it cannot be written, or is there and `force` does not allow it.
    """
    from rootproof.errors import UsageError

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if force and _is_plain(path):
            _replace(path, text)
        else:
            _fill(path, text, "w" if force else "x")
    except FileExistsError:
        raise UsageError(f"{path} is there already; name another one, or write over it with --force") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}") from error


def check_writable(path: Path) -> None:
    """Raises: UsageError where `write_new` with `force` would fail; for before the work whose result it is to hold."""
    from rootproof.errors import UsageError

    above = next((folder for folder in path.absolute().parents if folder.exists()), path)
    if path.is_dir():
        raise UsageError(f"{path} is a folder; name a file")
    if not above.is_dir() or not os.access(above, os.W_OK):
        raise UsageError(f"{path} cannot be written: {above} takes no file")


def _is_plain(path: Path) -> bool:
    """Whether it can be replaced by another file: no device, no pipe, no folder."""
    return path.is_symlink() or path.is_file() or not path.exists()


def _replace(path: Path, text: str) -> None:
    part = path.with_name(f".{path.name[:100]}.{os.getpid()}.part")
    try:
        _fill(part, text, "w")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _fill(path: Path, text: str, mode: str) -> None:
    with path.open(mode, encoding="utf-8", errors="backslashreplace", newline="\n") as file:
        file.write(text)


def stdout_console() -> Console:
    """A console for people's text on stdout: coloured on a terminal, plain and of fixed width when piped."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else PIPED_WIDTH
    return Console(markup=False, highlight=False, emoji=False, width=width, soft_wrap=False)


def guarded(command: Callable[[], None]) -> int:
    """Run a command; its exit code. No traceback reaches a user: every error is one message that says what to do."""
    from rootproof.errors import ModelError, RootproofError, SourceError, UsageError

    try:
        command()
    except UsageError as error:
        tell(f"rootproof: {error}")
        return Exit.USAGE
    except (SourceError, ModelError) as error:
        tell(f"rootproof: {error}")
        return Exit.UNAVAILABLE
    except RootproofError as error:
        tell(f"rootproof: {error}")
        return Exit.FELL_SHORT
    except KeyboardInterrupt:
        tell("rootproof: interrupted; a run that was under way can be seen with `rootproof runs list`")
        return Exit.INTERRUPTED
    except BrokenPipeError:
        # The reader has seen enough. What is still buffered must not fail again when the interpreter ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.DONE
    except OSError as error:
        tell(f"rootproof: {error}")
        return Exit.FELL_SHORT
    except Exception as error:  # noqa: BLE001 - the outermost rim: a bug is told in one line, without data
        tell(
            f"rootproof: internal error ({type(error).__name__}) in {where(error)}. This is a bug; "
            "please report it with the command you ran"
        )
        return Exit.FELL_SHORT
    return Exit.DONE


def where(error: BaseException) -> str:
    """Module and line of the deepest frame of ours: enough for a report, and free of values."""
    frame = error.__traceback__
    place = "an unknown place"
    while frame is not None:
        name = frame.tb_frame.f_globals.get("__name__", "")
        if name.startswith("rootproof"):
            place = f"{name}:{frame.tb_lineno}"
        frame = frame.tb_next
    return place
