"""Refresh the transcripts in the documents: run the command of each marker and replace the block below it.

A marker is `<!-- transcript: COMMAND | entries=N -->` right above a fenced block. Of each part of the output the first
N entries are kept, of the coverage all, and `…` stands for the rest.
Run it from the project's root: `.venv/bin/python docs/transcripts.py`.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FILES = ("README.md", "docs/tutorial/first-diagnosis.md")
_MARKER = re.compile(
    r"(?P<marker><!-- transcript: (?P<command>[^|\n]+?) \| entries=(?P<entries>\d+) -->\n)```text\n.*?^```$",
    re.DOTALL | re.MULTILINE,
)
_RUN_ID = re.compile(r"\b(run|ses)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def output_of(command: str, home: str) -> str:
    """What the command prints, stderr included, with trailing blanks off and ids shortened."""
    program = str(Path(sys.executable).with_name("rootproof"))
    done = subprocess.run(  # noqa: S603 - the commands stand in our own documents
        [program, *shlex.split(command)[1:]],
        check=True, cwd=ROOT, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env={"HOME": home, "PATH": os.environ["PATH"], "LANG": "C.UTF-8"},
    )  # fmt: skip
    text = "\n".join(line.rstrip() for line in done.stdout.strip().splitlines())
    return _RUN_ID.sub(lambda match: f"{match[1]}-…", text)


def shortened(text: str, entries: int) -> str:
    """Of each part between blank lines the heading and the first `entries` entries."""
    parts = []
    for number, part in enumerate(text.split("\n\n")):
        kept: list[str] = []
        seen = 0
        whole = not number or part.startswith("Coverage")
        for line in part.splitlines():
            seen += line.startswith("  ") and line[2:3] not in ("", " ")
            if not whole and seen > entries:
                kept.append("  …")
                break
            kept.append(line)
        parts.append("\n".join(kept))
    return "\n\n".join(parts)


def refreshed(text: str, home: str) -> str:
    """The document with every marked block made anew."""

    def block(match: re.Match[str]) -> str:
        shown = shortened(output_of(match["command"], home), int(match["entries"]))
        return f"{match['marker']}```text\n$ {match['command']}\n{shown}\n```"

    return _MARKER.sub(block, text)


def main() -> None:
    """Rewrite the files."""
    with tempfile.TemporaryDirectory() as home:
        for name in FILES:
            path = ROOT / name
            path.write_text(refreshed(path.read_text(encoding="utf-8"), home), encoding="utf-8")


if __name__ == "__main__":
    main()
