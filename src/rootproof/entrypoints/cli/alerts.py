"""`rootproof alerts`: how a webhook body is read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from rootproof.entrypoints.cli.output import Exit, emit_json, say

app = typer.Typer(help="Read alert payloads.", no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def _group() -> None:
    """Keeps `normalize` a sub-command while it is the only one."""


@app.command("normalize")
def normalize_file(
    file: Annotated[Path, typer.Argument(help="The payload, JSON of any vendor; `-` reads stdin.")],
    as_json: Annotated[bool, typer.Option("--json", help="JSON on stdout, for programs.")] = False,
) -> None:
    """Show how an alert payload is read; exit 1 when its shape is not known."""
    from rootproof.domain.alert import PayloadKind
    from rootproof.entrypoints.cli.input import read_bytes
    from rootproof.intake.normalize import normalize

    payload = normalize(read_bytes(file))
    alerts = [_fields(alert) for alert in payload.alerts]
    if as_json:
        body: dict[str, Any] = {"vendor": payload.vendor, "kind": payload.kind.value, "alerts": alerts}
        if payload.kind is PayloadKind.UNKNOWN:
            body["seen"] = list(payload.seen)
        emit_json(body)
    else:
        say(f"{payload.vendor}: {payload.kind}, {len(alerts)} alerts\n")
        for alert in alerts:
            say(f"- {alert['name']} [{alert['status']}, {alert['severity']}] {alert['service'] or ''}\n")
            say(f"    {alert['summary'] or alert['description'] or 'no summary'}\n")
        if payload.kind is PayloadKind.UNKNOWN:
            say(f"    seen: {', '.join(payload.seen)}\n")
    raise typer.Exit(Exit.FELL_SHORT if payload.kind is PayloadKind.UNKNOWN else Exit.DONE)


def _fields(alert: Any) -> dict[str, Any]:
    from rootproof.domain.window import iso

    return {
        "name": alert.name,
        "status": alert.status,
        "severity": alert.severity,
        "rawSeverity": alert.raw_severity,
        "service": alert.service,
        "summary": alert.summary,
        "description": alert.description,
        "startedAt": iso(alert.started_at) if alert.started_at else None,
        "endedAt": iso(alert.ended_at) if alert.ended_at else None,
        "labels": dict(alert.labels),
        "annotations": dict(alert.annotations),
        "fingerprint": alert.fingerprint,
    }
