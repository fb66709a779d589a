"""A finished run as a message: JSON for programs, and the form that Slack and what is compatible with it take.

Everything in it comes from logs, alerts and models, so nothing in it may act: no mention, no link but ours, no markup.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from rootproof import __version__
from rootproof.diagnosis.present import RunView, run_view
from rootproof.domain.outgoing import Target, TargetKind
from rootproof.domain.report import CoverageStatus
from rootproof.ports.run_store import RunRows
from rootproof.redaction.credentials import without_credentials

SCHEMA_VERSION = 1
MAX_CAUSES = 5
MAX_PROBLEMS = 10
_MAX_SUMMARY, _MAX_TEXT, _MAX_NAME = 1_500, 500, 200
_MAX_BLOCK = 2_900
"""Slack takes 3,000 characters a block."""
_PROBLEMS = frozenset({CoverageStatus.ERROR, CoverageStatus.UNAVAILABLE})
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
_GAP = "\u200b"
"""A space of no width: what it stands in is no mention and no address any more, and reads as before."""


def message_body(rows: RunRows, target: Target, public_url: str) -> bytes:
    """The message's body, JSON in UTF-8."""
    fields = message_fields(rows, public_url)
    match target.kind:
        case TargetKind.WEBHOOK:
            body: Mapping[str, Any] = fields
        case TargetKind.SLACK:
            body = slack_message(fields)
    return json.dumps(body, ensure_ascii=False).encode("utf-8", "backslashreplace")


def message_headers(rows: RunRows, target: Target, body: bytes, now: datetime) -> dict[str, str]:
    """Headers: the key by which the receiver knows a repeat, and the signature over time and body."""
    stamp = str(int(now.timestamp()))
    headers = {
        "Content-Type": "application/json; charset=utf-8",
        "User-Agent": f"Rootproof/{__version__}",
        "Idempotency-Key": f"{rows.run.run_id}/{target.name}",
    }
    if target.kind is TargetKind.WEBHOOK:
        headers |= {"X-Rootproof-Event": "run.finished", "X-Rootproof-Timestamp": stamp}
        if target.secret:
            headers["X-Rootproof-Signature"] = f"v1={signature(target.secret, stamp, body)}"
    return headers


def signature(secret: str, stamp: str, body: bytes) -> str:
    """HMAC-SHA256 (hex) over the time, a dot, and the body."""
    return hmac.new(secret.encode(), stamp.encode() + b"." + body, hashlib.sha256).hexdigest()


def message_fields(rows: RunRows, public_url: str) -> dict[str, Any]:
    """The report in short: bounded, identifiers shown to their owner, credentials never."""
    view = run_view(rows)
    run = rows.run
    report = view.report
    return {
        "schemaVersion": SCHEMA_VERSION,
        "event": "run.finished",
        "runId": run.run_id,
        "sessionId": run.session_id,
        "incidentId": run.incident_id,
        "status": run.status.value,
        "statusReason": run.status_reason.value if run.status_reason else None,
        "question": _clean(run.question, _MAX_TEXT),
        "service": _clean(run.service, _MAX_NAME),
        "severity": run.severity,
        "summary": _clean(report.summary if report else "the run ended without a report", _MAX_SUMMARY),
        "healthy": report.healthy if report else False,
        "rootCauses": _causes(view),
        "verdicts": dict(view.self_evaluation.verdicts) if view.self_evaluation else {},
        "coverageProblems": _problems(view),
        "link": f"{public_url.rstrip('/')}/api/runs/{run.run_id}" if public_url else None,
    }


def slack_message(fields: Mapping[str, Any]) -> dict[str, Any]:
    """`{text, blocks}` of the same."""
    title = f"Rootproof: {fields['service'] or 'diagnosis'}"
    if fields["severity"]:
        title += f" ({fields['severity']})"
    lines = [neutral(fields["summary"])]
    for number, cause in enumerate(fields["rootCauses"], 1):
        standing = f"{cause['verdict'] or 'NOT_CHECKED'}, confidence {cause['confidence']}"
        lines.append(f"{number}. {neutral(cause['text'])} [{standing}]")
    if not fields["rootCauses"]:
        lines.append("Nothing is wrong." if fields["healthy"] else "No root cause is supported by the evidence.")
    problems = [neutral(f"{one['source']}: {one['status']} {one['detail']}") for one in fields["coverageProblems"]]
    blocks = [_section(f"*{neutral(title)}*"), _section("\n".join(lines))]
    if problems:
        blocks.append(_section("Not looked at: " + "; ".join(problems)))
    if fields["link"]:
        blocks.append(_section(f"<{_url(fields['link'])}|Open the run> {fields['runId']}"))
    return {
        "text": f"{neutral(title)}: {neutral(fields['summary'])}"[:_MAX_BLOCK],
        "blocks": blocks,
        "unfurl_links": False,
        "unfurl_media": False,
    }


def neutral(text: str) -> str:
    """`text` that reads as it is and does nothing: no mention, no link, no control character."""
    shown = _CONTROL.sub(" ", text)
    shown = shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    shown = shown.replace("@", f"@{_GAP}").replace("://", f":{_GAP}//").replace("](", f"]{_GAP}(")
    return re.sub(r"(?i)\bwww\.", lambda found: f"{found[0][:-1]}{_GAP}.", shown)


def _causes(view: RunView) -> list[dict[str, Any]]:
    if view.report is None:
        return []
    verdicts = {claim.id: claim.verdict.value for claim in view.report.claims}
    return [
        {
            "text": _clean(cause.text, _MAX_TEXT),
            "causeId": cause.cause_id,
            "category": cause.category.value,
            "objects": [_clean(name, _MAX_NAME) for name in cause.objects[:10]],
            "confidence": cause.confidence.value,
            "verdict": verdicts.get(cause.claim_id),
        }
        for cause in view.report.root_causes[:MAX_CAUSES]
    ]


def _problems(view: RunView) -> list[dict[str, Any]]:
    if view.report is None:
        return []
    found = [one for one in view.report.coverage if one.status in _PROBLEMS]
    return [
        {
            "tool": one.tool,
            "source": _clean(one.source, _MAX_NAME),
            "status": one.status.value,
            "detail": _clean(one.detail, _MAX_TEXT),
        }
        for one in found[:MAX_PROBLEMS]
    ]


def _clean(text: str | None, most: int) -> str:
    """`text` without credentials, cut afterwards."""
    if not text:
        return ""
    shown = without_credentials(text)
    return shown if len(shown) <= most else shown[: most - 1] + "…"


def _section(text: str) -> dict[str, Any]:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text[:_MAX_BLOCK], "verbatim": True}}


def _url(link: str) -> str:
    return link.replace("&", "&amp;").replace("<", "%3C").replace(">", "%3E").replace("|", "%7C")
