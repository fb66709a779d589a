"""Who sent a webhook body: vendors' signatures and shared tokens, checked over the raw bytes before anything is parsed.

Every comparison takes the same time for a near miss as for nonsense. A secret may hold several, separated by spaces,
so that one can be replaced without losing a delivery.

Source: PagerDuty "Verifying signatures" (v1 = HMAC-SHA256 of the body, several in one header); Sentry "Integration
platform: webhooks" (HMAC-SHA256 of the body); Grafana "Configure webhook notifications" (HMAC-SHA256 of the body, or of
`timestamp:body` where a timestamp header is set up).
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

PAGERDUTY_HEADER = "x-pagerduty-signature"
SENTRY_HEADER = "sentry-hook-signature"
GRAFANA_HEADER = "x-grafana-alerting-signature"
GRAFANA_TIME_HEADER = "x-grafana-alerting-timestamp"
TOKEN_HEADER = "x-rootproof-token"  # noqa: S105 - the name of a header
_MAX_SIGNATURES = 10
_MAX_HEADER = 4_000


class Vendor(StrEnum):
    """The senders that have a webhook of their own; `generic` takes the payload of any other."""

    ALERTMANAGER = "alertmanager"
    GRAFANA = "grafana"
    PAGERDUTY = "pagerduty"
    CLOUDWATCH = "cloudwatch"
    DATADOG = "datadog"
    SENTRY = "sentry"
    OPSGENIE = "opsgenie"
    GENERIC = "generic"


@dataclass(frozen=True, slots=True)
class Secrets:
    """What senders prove themselves with; empty where nothing is set up. Never printed."""

    signing: Mapping[Vendor, str] = field(default_factory=dict, repr=False)
    token: str = field(default="", repr=False)


class Proof(StrEnum):
    """What a delivery shows of its sender."""

    NONE = "NONE"
    """Nothing that could be checked: an API key must say who it is."""
    WRONG = "WRONG"
    STALE = "STALE"
    """The signature holds, its time is outside the window."""
    SIGNED = "SIGNED"
    TOKEN = "TOKEN"  # noqa: S105 - a word, not a token


@dataclass(frozen=True, slots=True)
class Sender:
    """The outcome of the check."""

    proof: Proof
    delivery_key: str | None = None
    """SHA-256 (hex) of what was signed: equal when it is sent again."""


def check_sender(
    vendor: Vendor, headers: Mapping[str, str], body: bytes, secrets: Secrets, *, now: datetime, window_s: int
) -> Sender:
    """What the delivery shows of its sender. `headers` by lower-case name."""
    secret = secrets.signing.get(vendor, "")
    if secret:
        found = _signed(vendor, headers, body, secret.split(), now=now, window_s=window_s)
        if found is not None:
            return found
    shown = _shown_tokens(headers)
    if secrets.token and shown:
        known = secrets.token.split()
        if any(_same(token, one) for token in shown for one in known):
            return Sender(Proof.TOKEN)
        # A bearer may be an API key instead, which whoever asks next will know.
        return Sender(Proof.WRONG if _has_token_only(headers) else Proof.NONE)
    return Sender(Proof.NONE)


def needs_proof(vendor: Vendor, secrets: Secrets) -> bool:
    """Whether a sender must show a signature, a token or an API key even on a loopback server without keys."""
    return bool(secrets.signing.get(vendor) or secrets.token)


def _signed(
    vendor: Vendor, headers: Mapping[str, str], body: bytes, known: Sequence[str], *, now: datetime, window_s: int
) -> Sender | None:
    """The outcome; None where the vendor's header is missing."""
    match vendor:
        case Vendor.PAGERDUTY:
            header = headers.get(PAGERDUTY_HEADER)
            marks = [part.strip() for part in (header or "")[:_MAX_HEADER].split(",")]
            shown = [mark[3:] for mark in marks if mark.startswith("v1=")]
            signed = body
        case Vendor.SENTRY:
            header = headers.get(SENTRY_HEADER)
            shown, signed = [header or ""], body
        case Vendor.GRAFANA:
            header = headers.get(GRAFANA_HEADER)
            at = headers.get(GRAFANA_TIME_HEADER)
            shown = [header or ""]
            signed = body if at is None else at.encode("latin-1", "replace") + b":" + body
        case _:
            return None
    if header is None:
        return None
    wanted = [hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest() for secret in known]
    if not any(_same(mark.strip().lower(), one) for mark in shown[:_MAX_SIGNATURES] for one in wanted):
        return Sender(Proof.WRONG)
    at = headers.get(GRAFANA_TIME_HEADER) if vendor is Vendor.GRAFANA else None
    if at is not None and not _is_fresh(at, now, window_s):
        return Sender(Proof.STALE)
    return Sender(Proof.SIGNED, delivery_key(vendor, signed))


def delivery_key(vendor: Vendor, signed: bytes) -> str:
    """The name of a delivery, equal when it is sent again."""
    return hashlib.sha256(vendor.value.encode() + b"\0" + signed).hexdigest()


def _is_fresh(stated: str, now: datetime, window_s: int) -> bool:
    """Whether a time in seconds since 1970 is near enough to now, in the past as in the future."""
    return stated.isdecimal() and len(stated) < 12 and abs(now.timestamp() - int(stated)) <= window_s


def _shown_tokens(headers: Mapping[str, str]) -> list[str]:
    scheme, _, rest = headers.get("authorization", "")[:_MAX_HEADER].strip().partition(" ")
    shown = [headers[TOKEN_HEADER].strip()] if TOKEN_HEADER in headers else []
    match scheme.lower():
        case "bearer":
            shown.append(rest.strip())
        case "basic":
            shown.append(_password(rest.strip()))
    return [token for token in shown if token]


def _has_token_only(headers: Mapping[str, str]) -> bool:
    bearer = headers.get("authorization", "").strip().lower().startswith("bearer")
    return not bearer and "x-api-key" not in headers


def _password(encoded: str) -> str:
    try:
        return base64.b64decode(encoded, validate=True).decode("utf-8").partition(":")[2]
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return ""


def _same(shown: str, known: str) -> bool:
    return hmac.compare_digest(shown.encode("utf-8", "surrogatepass"), known.encode("utf-8", "surrogatepass"))
