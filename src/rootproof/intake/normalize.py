"""Any vendor's webhook body, made into alerts. What is not recognised is said to be unknown, with what was seen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rootproof.domain.alert import NormalizedPayload, PayloadKind
from rootproof.errors import UsageError
from rootproof.intake.document import read_json
from rootproof.intake.shape import Shape
from rootproof.intake.vendors import alertmanager, aws, cards, generic, pagerduty, sentry
from rootproof.intake.vendors.clouds import CLOUD_SHAPES
from rootproof.intake.vendors.saas import SAAS_SHAPES
from rootproof.intake.vendors.selfhosted import SELF_HOSTED_SHAPES

MAX_ALERTS = 1_000

_READERS: tuple[Callable[[Any], NormalizedPayload | None], ...] = (
    alertmanager.read,
    pagerduty.read,
    sentry.read,
    cards.read,
)
_SHAPES: tuple[Shape, ...] = (*CLOUD_SHAPES, *SAAS_SHAPES, *SELF_HOSTED_SHAPES)
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


def _read(body: Any, *, nested: bool) -> NormalizedPayload:
    """`nested` is true inside an SNS envelope, which may hold another vendor's body but no further envelope."""
    if (handshake := _handshake(body)) is not None:
        return handshake
    if not nested and (found := aws.read(body, lambda inner: _read(inner, nested=True))) is not None:
        return found
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
        return tuple(str(key)[:80] for key in list(body)[:20]) or ("an empty object",)
    if isinstance(body, list):
        return (f"a list of {len(body)}",)
    return (f"a single {type(body).__name__}",)
