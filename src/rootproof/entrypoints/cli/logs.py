"""`rootproof logs`: patterns and records of log files."""

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="Read logs: patterns and records.", no_args_is_help=True, rich_markup_mode=None)
Paths = Annotated[list[Path], typer.Argument(help="Files or folders; gzip is read; `-` reads stdin.")]
Zone = Annotated[str, typer.Option("--timezone", help="Zone of times that name none, e.g. Europe/Berlin.")]
