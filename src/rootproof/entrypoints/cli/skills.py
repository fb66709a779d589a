"""`rootproof skills`: the playbooks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rootproof.domain.playbook import Playbook
from rootproof.entrypoints.cli.output import Exit, emit_json, say, tell

if TYPE_CHECKING:
    from rootproof.skills.catalog import Catalog
    from rootproof.skills.validate import Problem

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
    """Show a skill: its text, which an executor reads, and what its sidecar tells the playbook reasoner."""
    catalog = _catalog()
    skill = catalog.read(name)
    playbook = next((one for one in catalog.playbooks() if one.skill == name), None) or Playbook(name)
    if as_json:
        emit_json({"name": skill.name, "description": skill.description, "body": skill.body, **_as_json(playbook)})
        return
    say(f"# {skill.name}\n{skill.description}\n\n{skill.body.rstrip()}\n")
    say(_in_words(playbook))


def _as_json(playbook: Playbook) -> dict[str, Any]:
    return {
        "evidence": [{"tool": one.tool, "arguments": dict(one.arguments), "why": one.why} for one in playbook.evidence],
        "hypotheses": [
            {
                "id": spec.cause_id,
                "title": spec.title,
                "category": spec.category.value,
                "needs": [{"anyOf": sorted(need.kinds), "words": list(need.words)} for need in spec.needs],
                "confirming": {str(kind): weight for kind, weight in spec.confirming.items()},
                "ruledOutBy": sorted(spec.refuted_by),
                "consequenceOf": sorted(spec.consequence_of),
            }
            for spec in playbook.hypotheses
        ],
        "patterns": [pattern.kind.value for pattern in playbook.patterns],
    }


def _in_words(playbook: Playbook) -> str:
    lines: list[str] = []
    if playbook.evidence:
        lines += ["", "## What the playbook reasoner asks, in order"]
        for number, one in enumerate(playbook.evidence, 1):
            arguments = ", ".join(f"{key}={value!r}" for key, value in one.arguments.items())
            lines.append(f"{number}. {one.tool}({arguments}): {one.why}")
    if playbook.hypotheses:
        lines += ["", "## What it weighs"]
    for spec in playbook.hypotheses:
        needs = " and ".join(" or ".join(sorted(need.kinds)) for need in spec.needs)
        lines.append(f"- {spec.cause_id}: {spec.title}")
        lines.append(f"  needs: {needs}")
        lines += [f"  confirmed by: {', '.join(spec.confirming)}"] if spec.confirming else []
        lines += [f"  ruled out by: {', '.join(sorted(spec.refuted_by))}"] if spec.refuted_by else []
    return "\n".join(lines) + "\n" if lines else ""


@app.command("validate")
def validate(
    folder: Annotated[
        Path | None, typer.Argument(help="A skill's folder, or a folder of skills; the built-in ones when left out.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check skills against the Agent Skills format, and their sidecars against its schema; exit 1 on an error."""
    from rootproof.errors import UsageError
    from rootproof.skills.validate import check

    texts, sidecars = _texts(folder)
    if not texts:
        raise UsageError(f"{folder} holds no SKILL.md; give a skill's folder or the folder above it")
    found = [(path, problem) for path, text in texts for problem in check(Path(path).absolute().parent.name, text)]
    found += _sidecar_problems(sidecars)
    shown = [
        {"path": path, "line": problem.line, "severity": str(problem.severity), "message": problem.message}
        for path, problem in found
    ]
    errors = sum(item["severity"] == "error" for item in shown)
    if as_json:
        emit_json({"checked": len(texts), "sidecars": len(sidecars), "errors": errors, "problems": shown})
    else:
        for item in shown:
            say(f"{item['path']}:{item['line'] or 1}: {item['severity']}: {item['message']}\n")
        checked = f"{len(texts)} skills and {len(sidecars)} sidecars checked"
        tell(f"{checked}, {errors} errors, {len(shown) - errors} warnings")
    raise typer.Exit(Exit.FELL_SHORT if errors else Exit.DONE)


def _texts(folder: Path | None) -> tuple[Sequence[tuple[str, str]], Sequence[tuple[str, str]]]:
    from rootproof.bootstrap import skill_files
    from rootproof.skills.builtin import builtin_sidecars, builtin_texts

    if folder is None:
        return builtin_texts(), builtin_sidecars()
    files = skill_files(folder)
    return files.texts, files.sidecars


def _sidecar_problems(sidecars: Sequence[tuple[str, str]]) -> list[tuple[str, Problem]]:
    from rootproof.cluster.taxonomy import CAUSE_OF_REASON
    from rootproof.skills.builtin import builtin_sidecars
    from rootproof.skills.catalog import load_playbooks
    from rootproof.skills.sidecar import check_sidecar

    playbooks, _ = load_playbooks([*builtin_sidecars(), *sidecars])
    causes = {spec.cause_id for playbook in playbooks for spec in playbook.hypotheses} | set(CAUSE_OF_REASON.values())
    return [
        (path, problem)
        for path, text in sidecars
        for problem in check_sidecar(Path(path).absolute().parent.name, text, causes)
    ]
