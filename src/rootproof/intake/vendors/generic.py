"""The fallback for payloads of unknown origin that name their fields outright. Nothing is inferred from prose.

Keys are compared as words, so `alertName`, `alert_name` and `ALERT-NAME` are one. A body counts as an alert only when
it has a name under a name's key *and* something that only alerts have: a key, a state, or a known severity. Anything
else is UNKNOWN, with what was seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rootproof.domain.alert import Alert, NormalizedPayload, PayloadKind
from rootproof.intake.fields import first_text
from rootproof.intake.shape import Shape
from rootproof.intake.words import word

_OUTRIGHT = ("alertname", "labels.alertname", "alerttitle", "alertid", "fingerprint")
"""Keys that only alerts have."""
_NAMES = (
    "alertname", "alerttitle", "rulename", "monitorname", "checkname", "incidentname", "problemtitle", "problemname",
    "eventname", "title", "name", "alert", "subject", "labels.alertname",
)  # fmt: skip
_STATUS = (
    "status",
    "state",
    "alertstatus",
    "alertstate",
    "eventstatus",
    "currentstate",
    "status.state",
    "alerttransition",
)
_SEVERITY = (
    "rawseverity",
    "severity",
    "alertseverity",
    "priority",
    "level",
    "criticality",
    "urgency",
    "labels.severity",
)
_ALERT_STATES = frozenset({"firing", "alerting", "alarm", "triggered", "problem", "resolved", "recovered"})
"""States that only alerts are in; `open` or `active` may be anything's."""
_WRAPPERS = ("alert", "incident", "data", "payload", "event")
"""Keys under which some systems put the whole alert."""

GENERIC = Shape(
    vendor="generic",
    requires=(),
    name=_NAMES,
    status=_STATUS,
    severity=_SEVERITY,
    service=("service", "servicename", "app", "application", "labels.service"),
    summary=("summary", "annotations.summary", "message", "shortdescription"),
    description=("description", "annotations.description", "details", "message", "body", "text", "output"),
    started=(
        "startsat", "startedat", "starttime", "triggeredat", "firedat", "createdat", "activeat", "openedat",
    ),
    ended=("endsat", "endedat", "resolvedat", "closedat", "endtime", "recoveredat"),
    changed=("timestamp", "time", "date", "eventtime", "triggertime"),
    label_maps=("tags", "dimensions", "labels"),
    annotation_maps=("annotations",),
    labels={
        key: key for key in ("host", "hostname", "instance", "namespace", "environment", "region", "cluster", "metric")
    },
    identity=("fingerprint", "alertid", "dedupkey", "incidentid"),
)  # fmt: skip


def read(body: Any, known_vendors: frozenset[str]) -> NormalizedPayload | None:
    """The alert of a body that names its fields, itself or one level down."""
    if not isinstance(body, Mapping):
        return None
    folded = _folded(body)
    for candidate in (folded, *(_folded(folded[key]) for key in _WRAPPERS if isinstance(folded.get(key), Mapping))):
        if _is_alert(candidate):
            vendor = (first_text(folded, ("alertsource",)) or "").lower()
            return NormalizedPayload(
                vendor=vendor if vendor in known_vendors else "generic",
                kind=PayloadKind.ALERT,
                alerts=(GENERIC.read(candidate),),
            )
    return None


def read_fields(fields: Mapping[str, Any]) -> Alert:
    """The alert whose fields these are, whatever they leave out; the name is empty where none is stated."""
    folded = _folded(fields)
    alert = GENERIC.read(folded)
    return alert if first_text(folded, _NAMES) else replace(alert, name="")


def _folded(body: Mapping[str, Any]) -> dict[str, Any]:
    """`body` with its own keys as words; those of inner objects, which are labels, stay. The first of equals wins."""
    folded: dict[str, Any] = {}
    for key, value in body.items():
        folded.setdefault(word(key), value)
    return folded


def _is_alert(body: Mapping[str, Any]) -> bool:
    if first_text(body, _NAMES) is None:
        return False
    if first_text(body, _OUTRIGHT) is not None:
        return True
    state = word(first_text(body, _STATUS) or "")
    return state in _ALERT_STATES or ("severity" in body and GENERIC.read(body).severity is not None)
