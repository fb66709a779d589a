"""`rootproof skills`: the playbooks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rootproof.entrypoints.cli.output import Exit, emit_json, say, tell

if TYPE_CHECKING:
    from rootproof.skills.catalog import Catalog

app = typer.Typer(help="List, show and validate skills.", no_args_is_help=True, rich_markup_mode=None)
AsJson = Annotated[bool, typer.Option("--json", help="JSON on stdout, for programs.")]


def _catalog() -> Catalog:
    from rootproof.bootstrap import open_skills
    from rootproof.settings import load_settings

    catalog: Catalog = open_skills([Path(path) for path in load_settings().sources.skills])
    return catalog


@app.command("list")
def list_skills(as_json: AsJson = False) -> None:
    """List the skills with their descriptions: what a planner sees."""
    infos = _catalog().infos()
    if as_json:
        emit_json([{"name": info.name, "description": info.description} for info in infos])
        return
    for info in infos:
        say(f"{info.name}\n    {info.description}\n")


@app.command("show")
def show(name: Annotated[str, typer.Argument(help="A skill's name.")], as_json: AsJson = False) -> None:
    """Show a skill's text: what an executor reads."""
    skill = _catalog().read(name)
    if as_json:
        emit_json({"name": skill.name, "description": skill.description, "body": skill.body})
    else:
        say(f"# {skill.name}\n{skill.description}\n\n{skill.body.rstrip()}\n")


@app.command("validate")
def validate(
    folder: Annotated[
        Path | None, typer.Argument(help="A skill's folder, or a folder of skills; the built-in ones when left out.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check skills against the Agent Skills format; exit 1 on an error."""
    from rootproof.bootstrap import skill_texts
    from rootproof.errors import UsageError
    from rootproof.skills.builtin import builtin_texts
    from rootproof.skills.validate import check

    texts = skill_texts(folder) if folder else list(builtin_texts())
    if not texts:
        raise UsageError(f"{folder} holds no SKILL.md; give a skill's folder or the folder above it")
    found = [
        {"path": path, "line": problem.line, "severity": str(problem.severity), "message": problem.message}
        for path, text in texts
        for problem in check(Path(path).absolute().parent.name, text)
    ]
    errors = sum(item["severity"] == "error" for item in found)
    if as_json:
        emit_json({"checked": len(texts), "errors": errors, "problems": found})
    else:
        for item in found:
            say(f"{item['path']}:{item['line'] or 1}: {item['severity']}: {item['message']}\n")
        tell(f"{len(texts)} skills checked, {errors} errors, {len(found) - errors} warnings")
    raise typer.Exit(Exit.FELL_SHORT if errors else Exit.DONE)
