"""`rootproof redact`: what a model would be shown of a text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rootproof.entrypoints.cli.output import emit_json_line, write


def redact(
    path: Annotated[Path, typer.Argument(help="A text file; stdin when left out or `-`.")] = Path("-"),
    policy: Annotated[
        str, typer.Option("--policy", help="A TOML file: which identifiers to hide. Default: the setting's.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line: text and findings.")] = False,
) -> None:
    """Replace secrets and identifiers in a text, line by line."""
    from rootproof.bootstrap.policy import open_policy
    from rootproof.entrypoints.cli.input import open_lines
    from rootproof.redaction import Numbering, find
    from rootproof.redaction import redact as redacted
    from rootproof.settings import load_settings

    chosen = open_policy(policy or load_settings().redaction.policy)
    numbering = Numbering()
    for line in open_lines(path):
        text = line.decode("utf-8", "replace").rstrip("\r")
        shown = redacted(text, numbering, policy=chosen)
        if as_json:
            findings = [{"kind": item.kind, "start": item.start, "end": item.end} for item in find(text, policy=chosen)]
            emit_json_line({"text": shown, "findings": findings})
        else:
            write(shown + "\n")
