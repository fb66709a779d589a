"""An alert as every vendor's payload becomes after normalisation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class AlertStatus(StrEnum):
    """Whether the alert is on or over."""

    FIRING = "firing"
    RESOLVED = "resolved"


class Severity(StrEnum):
    """The three severities all vendors are mapped to; the vendor's own word stays in `Alert.raw_severity`."""

    CRITICAL = "critical"
    WARNING = "warning"
    INFO = "info"


class PayloadKind(StrEnum):
    """What a webhook body turned out to be."""

    ALERT = "alert"
    HANDSHAKE = "handshake"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Alert:
    """One alert. Fields that the payload does not state are None or empty, never guessed."""

    name: str
    status: AlertStatus | None = None
    severity: Severity | None = None
    raw_severity: str | None = None
    service: str | None = None
    summary: str | None = None
    description: str | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    fingerprint: str | None = None


@dataclass(frozen=True, slots=True)
class NormalizedPayload:
    """The alerts of one webhook body, in its order; empty unless `kind` is ALERT."""

    vendor: str
    kind: PayloadKind
    alerts: tuple[Alert, ...] = ()
    group_key: str | None = None
    seen: tuple[str, ...] = ()
    """For UNKNOWN: the top-level keys or type that were seen, to tell the user what did not match."""
