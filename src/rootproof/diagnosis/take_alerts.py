"""A webhook body becomes incidents: read, grouped, freed of credentials, stored. Its diagnosis comes later."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from rootproof.diagnosis.backend import Backend
from rootproof.domain.alert import Alert, PayloadKind
from rootproof.domain.incident import AlertGroup, Delivery, IntakePolicy, Taken
from rootproof.errors import UsageError
from rootproof.intake.grouping import group_alerts
from rootproof.intake.normalize import normalize
from rootproof.intake.stored_alert import bounded
from rootproof.redaction.credentials import structure_without_credentials, without_credentials

MAX_GROUPS = 200
"""Incidents that one body may touch."""
_MAX_KEY_CHARS = 2_000
_MAX_TITLE_CHARS = 300
_BESIDE_BYTES = 32 * 1024
"""From this size on a body is read in a thread: others are answered meanwhile."""


@dataclass(frozen=True, slots=True)
class Arrived:
    """A webhook body whose sender was checked."""

    source: str
    """The webhook's name."""
    body: bytes
    owner: str
    at: datetime
    key: str | None = None
    """Equal for a delivery that is sent again."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of a webhook body."""

    kind: PayloadKind
    vendor: str
    taken: Taken
    alerts: int = 0
    """How many it held."""


async def take_alerts(backend: Backend, policy: IntakePolicy, labels: Sequence[str], arrived: Arrived) -> Receipt:
    """What became of the body: its alerts stored with their incidents, in one transaction.

    Raises: UsageError for a body that is no alert payload; StoreError.
    """
    if len(arrived.body) < _BESIDE_BYTES:
        kind, vendor, groups = _read(arrived, labels)
    else:
        kind, vendor, groups = await asyncio.to_thread(_read, arrived, labels)
    if kind is not PayloadKind.ALERT:
        return Receipt(kind, vendor, Taken())
    count = sum(len(group.alerts) for group in groups)
    if not groups:
        return Receipt(kind, vendor, Taken())
    delivery = Delivery(arrived.owner, groups, arrived.at, arrived.key)
    return Receipt(kind, vendor, await backend.incidents.take(delivery, policy), count)


def _read(arrived: Arrived, labels: Sequence[str]) -> tuple[PayloadKind, str, tuple[AlertGroup, ...]]:
    payload = normalize(arrived.body)
    if payload.kind is PayloadKind.UNKNOWN:
        seen = ", ".join(without_credentials(key)[:40] for key in payload.seen[:8])
        raise UsageError(
            f"the body holds no alert that is recognised (seen: {seen}); `rootproof alerts normalize FILE` shows how a "
            "body is read, and docs/guides/alerts-in.md what is taken"
        )
    groups = group_alerts(payload, labels, source=arrived.source)
    if len(groups) > MAX_GROUPS:
        raise UsageError(
            f"the body holds alerts of {len(groups)} groups, at most {MAX_GROUPS} are taken at once; send smaller "
            "bodies, or group by fewer labels (intake.group_labels)"
        )
    return payload.kind, payload.vendor, tuple(_clean_group(group) for group in groups)


def _clean_group(group: AlertGroup) -> AlertGroup:
    """The group without credentials, bounded. Its hash is that of the group as it was sent."""
    return replace(
        group,
        group_key=without_credentials(group.group_key)[:_MAX_KEY_CHARS],
        title=without_credentials(group.title)[:_MAX_TITLE_CHARS],
        alerts=tuple(clean_alert(alert) for alert in group.alerts),
    )


def clean_alert(alert: Alert) -> Alert:
    """The alert without credentials, bounded; identifiers are its owner's own words and stay."""
    fields: dict[str, Any] = {
        "name": alert.name,
        "rawSeverity": alert.raw_severity,
        "service": alert.service,
        "summary": alert.summary,
        "description": alert.description,
        "labels": dict(alert.labels),
        "annotations": dict(alert.annotations),
    }
    shown = structure_without_credentials(fields)
    return bounded(
        replace(
            alert,
            name=shown["name"],
            raw_severity=shown["rawSeverity"],
            service=shown["service"],
            summary=shown["summary"],
            description=shown["description"],
            labels=shown["labels"],
            annotations=shown["annotations"],
            fingerprint=_clean_fingerprint(alert.fingerprint),
        )
    )


def _clean_fingerprint(fingerprint: str | None) -> str | None:
    """The fingerprint, or its hash where a sender put a credential into it: it must stay the same from day to day."""
    if fingerprint is None or without_credentials(fingerprint) == fingerprint:
        return fingerprint
    return hashlib.sha256(fingerprint.encode()).hexdigest()
