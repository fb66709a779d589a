"""Any vendor's webhook body, made into alerts. What is not recognised is said to be unknown, with what was seen."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping
from typing import Any

from rootproof.domain.alert import Alert, NormalizedPayload, PayloadKind
from rootproof.domain.cutting import within
from rootproof.errors import UsageError
from rootproof.intake.document import read_json
from rootproof.intake.fields import dig
from rootproof.intake.shape import Shape
from rootproof.intake.vendors import alertmanager, aws, cards, generic, pagerduty, sentry
from rootproof.intake.vendors.clouds import CLOUD_SHAPES
from rootproof.intake.vendors.observability import OBSERVABILITY_SHAPES
from rootproof.intake.vendors.saas import SAAS_SHAPES
from rootproof.intake.vendors.selfhosted import SELF_HOSTED_SHAPES
from rootproof.intake.vendors.uptime import UPTIME_SHAPES

MAX_ALERTS = 1_000

_READERS: tuple[Callable[[Any], NormalizedPayload | None], ...] = (
    alertmanager.read,
    pagerduty.read,
    sentry.read,
    cards.read,
)
_SHAPES: tuple[Shape, ...] = (
    *CLOUD_SHAPES,
    *SAAS_SHAPES,
    *UPTIME_SHAPES,
    *OBSERVABILITY_SHAPES,
    *SELF_HOSTED_SHAPES,
)
"""The first that matches counts, so those that ask for more of a body stand before those that ask for less."""
_VENDORS = frozenset({shape.vendor for shape in _SHAPES} | {"alertmanager", "prometheus", "pagerduty", "sentry"})


def normalize(payload: bytes | str) -> NormalizedPayload:
    """The alerts in a webhook body, in its order; HANDSHAKE or UNKNOWN (with `seen`) where it holds none.

    Raises: UsageError when the body is not JSON, names a key twice, or is too large, too deep or too long a list.
    """
    found = _read(read_json(payload), nested=False)
    if len(found.alerts) > MAX_ALERTS:
        raise UsageError(
            f"the alert payload holds {len(found.alerts):,} alerts, more than {MAX_ALERTS:,}. Send smaller groups "
            "(Alertmanager: max_alerts)."
        )
    return found


def alert_from_fields(fields: Mapping[str, Any]) -> Alert:
    """The alert that `fields` state: one of our own `alerts normalize`, or one with any well-known field names.

    Shape: every field is optional; the name is empty where none is stated. A whole webhook body gives its first alert.
    Raises: UsageError when `fields` is no object.
    """
    if not isinstance(fields, Mapping):
        raise UsageError(
            f"an alert is an object of fields, not a JSON {type(fields).__name__}; give name, labels, summary"
        )
    if "alerts" in fields and (found := _read(fields, nested=False)).alerts:
        return found.alerts[0]
    return generic.read_fields(fields)


def _read(body: Any, *, nested: bool) -> NormalizedPayload:
    """`nested` is true inside an envelope (SNS, Pub/Sub), which may hold another body but no further envelope."""
    if (handshake := _handshake(body)) is not None:
        return handshake
    if not nested and (found := aws.read(body, lambda inner: _read(inner, nested=True))) is not None:
        return found
    if not nested and (pushed := _pushed(body)) is not None:
        return _read(pushed, nested=True)
    for read in _READERS:
        if (found := read(body)) is not None:
            return found
    if isinstance(body, Mapping):
        for shape in _SHAPES:
            if shape.matches(body):
                return NormalizedPayload(vendor=shape.vendor, kind=PayloadKind.ALERT, alerts=(shape.read(body),))
    return generic.read(body, _VENDORS) or NormalizedPayload(
        vendor="unknown", kind=PayloadKind.UNKNOWN, seen=_seen(body)
    )


def _pushed(body: Any) -> Any:
    """The JSON inside a Google Pub/Sub push message, or None where `body` is no such message."""
    if not isinstance(body, Mapping) or "subscription" not in body:
        return None
    data = dig(body, "message.data")
    if not isinstance(data, str):
        return None
    try:
        return read_json(base64.b64decode(data, validate=True), what="the data of the Pub/Sub message")
    except (binascii.Error, UsageError):
        return None  # a message of another kind: the body is then reported as it is


def _handshake(body: Any) -> NormalizedPayload | None:
    """The verification bodies that carry no alert: challenge URLs and Azure Event Grid validation."""
    if isinstance(body, Mapping) and body.get("type") == "url_verification" and "challenge" in body:
        return NormalizedPayload(vendor="challenge", kind=PayloadKind.HANDSHAKE)
    if isinstance(body, list) and body and isinstance(body[0], Mapping):
        kind = body[0].get("eventType")
        if kind == "Microsoft.EventGrid.SubscriptionValidationEvent":
            return NormalizedPayload(vendor="azure-event-grid", kind=PayloadKind.HANDSHAKE)
    return None


def _seen(body: Any) -> tuple[str, ...]:
    if isinstance(body, Mapping):
        return tuple(within(str(key), 80) for key in list(body)[:20]) or ("an empty object",)
    if isinstance(body, list):
        return (f"a list of {len(body)}",)
    return (f"a single {type(body).__name__}",)
