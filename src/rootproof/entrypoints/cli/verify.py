"""`rootproof verify`: check the claims of any report against its evidence."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from rootproof.entrypoints.cli.output import Exit, emit_json, say


def verify(
    file: Annotated[Path, typer.Argument(help="JSON with claims, evidence and coverage; `-` reads stdin.")],
    as_json: Annotated[bool, typer.Option("--json", help="JSON on stdout, for programs.")] = False,
) -> None:
    """Check claims against evidence; exit 1 unless every claim is SUPPORTED or NOT_CHECKABLE."""
    from rootproof.agent.grounding.check import check_claims
    from rootproof.agent.loop import PLAYBOOK
    from rootproof.agent.report import stands
    from rootproof.agent.testimony import without_testimony
    from rootproof.diagnosis.verify_report import read_report
    from rootproof.domain.claim import Verdict
    from rootproof.entrypoints.cli.input import read_bytes

    given = read_report(read_bytes(file))
    checked = without_testimony(
        check_claims(given.claims, given.evidence, given.coverage), given.evidence, given.coverage
    )
    invents = given.reasoner != PLAYBOOK
    summary_stands = stands(given.summary, checked, given.evidence, given.coverage, invents=invents)
    verdicts: list[dict[str, Any]] = [
        {"id": item.claim.id, "text": item.claim.text, "verdict": item.verdict, "reasons": list(item.reasons)}
        for item in checked
    ]
    if as_json:
        emit_json({"claims": verdicts, "summaryStands": summary_stands})
    else:
        for item in verdicts:
            say(f"{item['id']} {item['verdict']}: {item['text']}\n")
            for reason in item["reasons"]:
                say(f"    - {reason}\n")
        if not summary_stands:
            say("the summary goes beyond what its claims rest on\n")
    held = all(item.verdict in (Verdict.SUPPORTED, Verdict.NOT_CHECKABLE) for item in checked)
    raise typer.Exit(Exit.DONE if held and summary_stands else Exit.FELL_SHORT)
