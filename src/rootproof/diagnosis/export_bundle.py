"""A stored run as a bundle that `diagnose` can run: what its calls gave, without any credential.

Only what was asked can be in it, and only as long as the complete results are kept; everything else is said.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rootproof.aci.identifiers import IdentifierMap, restore
from rootproof.agent.state import RunState, fold
from rootproof.diagnosis import bundle_parts
from rootproof.diagnosis.services import Services
from rootproof.domain.alert import Alert
from rootproof.domain.invocation import Invocation, InvocationStatus, is_final
from rootproof.domain.window import iso
from rootproof.ports.run_store import RunRows
from rootproof.skills.builtin import builtin_texts
from rootproof.skills.catalog import Catalog

MAX_BYTES = 64 * 1024 * 1024
"""Of all files together: what is over it is left out, of logs the oldest records."""
_PARTS: Mapping[str, Callable[[bundle_parts.Raws], bundle_parts.Files]] = {
    "query_alerts": bundle_parts.alerts,
    "query_metrics": bundle_parts.metrics,
    "query_cluster": bundle_parts.cluster,
    "lookup_knowledge": bundle_parts.knowledge,
}


@dataclass(slots=True)
class ExportedBundle:
    """The files by their path in the bundle, and what could not be put in."""

    files: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    size_bytes: int = 0

    def add(self, path: str, text: str) -> None:
        """Put a file in, or note that there is no room for it."""
        size = len(text.encode("utf-8", "backslashreplace"))
        if self.size_bytes + size > MAX_BYTES:
            self.notes.append(f"{path}: left out, the bundle would be larger than {MAX_BYTES >> 20} MiB")
            return
        self.files[path] = text
        self.size_bytes += size

    def add_lines(self, path: str, lines: list[str]) -> None:
        """Put lines in, the last ones first: as many as there is room for."""
        room = MAX_BYTES - self.size_bytes
        kept = 0
        for line in reversed(lines):
            room -= len(line.encode("utf-8", "backslashreplace")) + 1
            if room < 0:
                break
            kept += 1
        if kept < len(lines):
            left_out = len(lines) - kept
            self.notes.append(f"{path}: the oldest {left_out} of {len(lines)} records are left out, for their size")
        if kept:
            self.add(path, "\n".join(lines[len(lines) - kept :]) + "\n")


async def export_bundle(services: Services, rows: RunRows) -> ExportedBundle:
    """The bundle of a run. Identifiers are as their owner sees them; credentials are placeholders.

    Raises: StoreError for results that are not what was stored.
    """
    state = fold(rows.run, rows.steps, rows.invocations)
    bundle = ExportedBundle()
    bundle.add("bundle.toml", _head(state))
    _add_alert(bundle, state)
    calls = [call for call in rows.invocations if is_final(call.status)]
    raws = await _raws(services, rows, calls, bundle)
    for tool, part in _PARTS.items():
        for path, text in part([raw for call, raw in raws if call.tool_name == tool]).items():
            bundle.add(path, text)
    _add_logs(bundle, raws)
    bundle.notes += _not_exported(state, calls)
    return bundle


async def _raws(
    services: Services, rows: RunRows, calls: list[Invocation], bundle: ExportedBundle
) -> list[tuple[Invocation, Mapping[str, Any]]]:
    """The complete answers, cleaned; what is gone or no answer is noted."""
    identifiers = IdentifierMap()
    found: list[tuple[Invocation, Mapping[str, Any]]] = []
    for call in calls:
        name = f"call {call.step_no}.{call.call_index} ({call.tool_name})"
        if not call.raw_sha256:
            if call.status not in (InvocationStatus.OK, InvocationStatus.NO_EVIDENCE):
                bundle.notes.append(f"{name}: {call.status.value}, so there is nothing of it")
            continue
        key = f"{call.step_no}.{call.call_index}"
        item = await services.canonical.fetch(rows.run.context, key, now=services.clock.now())
        if item is None:
            bundle.notes.append(f"{name}: its complete result is gone (expired or deleted)")
            continue
        body = _object(item.raw)
        if body is None or body.get("success") is False:
            bundle.notes.append(f"{name}: the source's answer was no data")
            continue
        if body.get("more"):
            bundle.notes.append(f"{name}: the source held more than it gave")
        found.append((call, identifiers.resolve_structure(identifiers.redact_structure(body))))
    return found


def _object(raw: str) -> dict[str, Any] | None:
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return body if isinstance(body, dict) else None


def _add_logs(bundle: ExportedBundle, raws: list[tuple[Invocation, Mapping[str, Any]]]) -> None:
    by_file: dict[str, list[Mapping[str, Any]]] = {}
    for call, raw in raws:
        if call.tool_name == "query_logs":
            by_file.setdefault(bundle_parts.log_file(str(call.request.get("topic"))), []).append(raw)
    for path, answers in by_file.items():
        bundle.add_lines(path, bundle_parts.log_lines(answers))


def _head(state: RunState) -> str:
    run = state.run
    head = {"id": run.run_id, "now": iso(run.now), "timezone": "UTC", "question": run.question}
    return "".join(f"{key} = {_toml(value)}\n" for key, value in head.items() if value)


def _toml(text: str) -> str:
    """A basic string: JSON's escapes are TOML's, but for DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _add_alert(bundle: ExportedBundle, state: RunState) -> None:
    alerts = state.briefing.alerts if state.briefing else ()
    if alerts:
        payload = {
            "version": "4",
            "status": "firing" if any(alert.status != "resolved" for alert in alerts) else "resolved",
            "alerts": [restore(_alert(alert), state.identifiers) for alert in alerts],
        }
        bundle.add("alert.json", json.dumps(payload, ensure_ascii=False, indent=1) + "\n")


def _alert(alert: Alert) -> dict[str, Any]:
    """The alert as an Alertmanager webhook has it."""
    severity = alert.raw_severity or alert.severity
    named = {"alertname": alert.name, "severity": str(severity) if severity else None, "service": alert.service}
    told = {"summary": alert.summary, "description": alert.description}
    return {
        "status": (alert.status or "firing"),
        "labels": {**alert.labels, **{key: value for key, value in named.items() if value}},
        "annotations": {**alert.annotations, **{key: value for key, value in told.items() if value}},
        "startsAt": iso(alert.started_at) if alert.started_at else None,
        "endsAt": iso(alert.ended_at) if alert.ended_at else None,
        "fingerprint": alert.fingerprint,
    }


def _not_exported(state: RunState, calls: list[Invocation]) -> list[str]:
    briefing = state.briefing
    if briefing is None:
        return ["the run ended before it began to look: there is nothing but its question"]
    asked = {call.tool_name for call in calls}
    notes = [f"{tool}: available, and not asked in this run" for tool in briefing.tools if tool not in asked]
    if "lookup_knowledge" in asked:
        notes.append("knowledge: only the sections that were found, not whole documents")
    own = {skill.name for skill in briefing.skills} - {info.name for info in Catalog(builtin_texts()).infos()}
    notes += [f"skill {name}: not built in, and not in the bundle" for name in sorted(own)]
    return notes
