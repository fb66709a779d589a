"""Make docs/reference/cli.md from the command tree: `python -m tests.docs.cli_reference` writes it anew."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer.main

from rootproof.entrypoints.cli.main import app

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "cli.md"

HEAD = """\
# Commands

This page is made from the command tree (`python -m tests.docs.cli_reference`); a test compares the two.

Data goes to stdout, progress and messages for people go to stderr. On a terminal the report is coloured; piped, it is
plain text of 100 columns. `--json` writes one exact JSON value (or one value a line where the command says so), with
camelCase keys. Unseen characters of the input (terminal codes, bidi controls) are shown as escapes.

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | the run failed, or a check fell short |
| 2 | usage: an argument, a file or a setting must change |
| 3 | a source or a model was unavailable |
| 130 | interrupted; the run is kept and can be seen with `rootproof runs list` |

Settings are described in [configuration.md](configuration.md).
"""


def commands(group: Any = None, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command that can be run, with its path, in the order of `--help`."""
    group = group or typer.main.get_command(app)
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


def options(command: Any) -> list[tuple[str, str]]:
    """(name as written on a command line, help) of each argument and option."""
    rows: list[tuple[str, str]] = []
    for parameter in command.params:
        if parameter.name == "help":
            continue
        name = parameter.name.upper() if parameter.param_type_name == "argument" else ", ".join(parameter.opts)
        rows.append((str(name), str(getattr(parameter, "help", "") or "")))
    return rows


def page() -> str:
    """The whole page."""
    parts = [HEAD]
    for path, command in commands():
        parts.append(f"\n## rootproof {' '.join(path)}\n\n{' '.join((command.help or '').split())}\n")
        rows = options(command)
        if rows:
            parts.append("\n| argument or option | meaning |\n|---|---|\n")
            parts += [f"| `{name}` | {text.replace('|', '&#124;')} |\n" for name, text in rows]
    return "".join(parts)


if __name__ == "__main__":
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8")
