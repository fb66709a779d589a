"""Who sends alerts: the vendor's signature or the shared token, else an API key, else the person at the machine."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass

from fastapi import Request

from rootproof.domain.api_key import Scope
from rootproof.entrypoints.http.auth import Gate, presented_key, session_cookie
from rootproof.entrypoints.http.problems import Problem, forbidden, unauthorized, unavailable
from rootproof.errors import UsageError
from rootproof.intake.signatures import Proof, Secrets, Vendor, check_sender, needs_proof
from rootproof.intake.sns import read_envelope
from rootproof.ports.certificates import CertificateSource
from rootproof.settings import Settings
from rootproof.settings.named_secrets import intake_secrets

log = logging.getLogger("rootproof.http")

_HOW = "; docs/guides/alerts-in.md says what each sender can send"


@dataclass(frozen=True, slots=True)
class KnownSender:
    """Whose alerts these are."""

    owner: str
    delivery_key: str | None
    """Of a signed delivery."""


async def known_sender(request: Request, vendor: Vendor, body: bytes) -> KnownSender:
    """Whose alerts the body holds, decided before anything of it is parsed.

    Raises: Problem 401, 403, 503; StoreError.
    """
    settings: Settings = request.app.state.settings
    gate: Gate = request.app.state.gate
    secrets = _secrets(request, settings)
    found = check_sender(
        vendor,
        _single_headers(request),
        body,
        secrets,
        now=gate.clock.now(),
        window_s=settings.intake.replay_window_s,
    )
    match found.proof:
        case Proof.SIGNED | Proof.TOKEN:
            return KnownSender(settings.intake.owner, found.delivery_key)
        case Proof.WRONG:
            raise unauthorized(f"the signature or token of this {vendor} delivery is wrong{_HOW}")
        case Proof.STALE:
            raise unauthorized(
                f"the delivery was signed more than {settings.intake.replay_window_s} seconds ago or ahead "
                "(intake.replay_window_s); compare the clocks of both machines"
            )
    if vendor is Vendor.CLOUDWATCH and (signer := await _sns_sender(request, settings, body)) is not None:
        return signer
    proof_set_up = needs_proof(vendor, secrets) or (vendor is Vendor.CLOUDWATCH and bool(settings.intake.sns_topics))
    if proof_set_up and presented_key(request) is None and session_cookie(request) is None:
        raise unauthorized(f"a delivery for {vendor} needs its signature, the intake token or an API key{_HOW}")
    principal = await gate.principal(request)
    if Scope.DIAGNOSE not in principal.scopes:
        raise forbidden(f"this key does not have the scope {Scope.DIAGNOSE.value!r}")
    return KnownSender(principal.owner, None)


async def _sns_sender(request: Request, settings: Settings, body: bytes) -> KnownSender | None:
    """The sender of a signed SNS message of a known topic; None where no topic is set up or it is no such message.

    Here the body is parsed first, strictly: SNS keeps its signature in it.
    """
    topics = settings.intake.sns_topics
    envelope = read_envelope(body) if topics else None
    if envelope is None or presented_key(request) is not None:
        return None
    url = envelope.certificate_url
    if envelope.topic not in topics or url is None:
        raise unauthorized(
            f"the message is of no SNS topic in intake.sns_topics, or its certificate is not SNS's{_HOW}"
        )
    now = request.app.state.gate.clock.now()
    if not envelope.is_fresh(now, settings.intake.replay_window_s):
        raise unauthorized("the SNS message was signed too long ago or ahead; compare the clocks of both machines")
    if not envelope.is_signed_by(await _certificates(request).fetch(url), now):
        raise unauthorized(f"the signature of this SNS message is wrong{_HOW}")
    return KnownSender(settings.intake.owner, envelope.delivery_key)


def _certificates(request: Request) -> CertificateSource:
    kept: CertificateSource | None = getattr(request.app.state, "certificates", None)
    if kept is None:
        from rootproof.bootstrap.outgoing import certificate_source

        request.app.state.certificates = kept = certificate_source()
    return kept


def _secrets(request: Request, settings: Settings) -> Secrets:
    """Read once. A variable that is missing must not open the door, so nothing is taken without it."""
    kept: Secrets | None = getattr(request.app.state, "intake_secrets", None)
    if kept is None:
        try:
            kept = intake_secrets(settings.intake)
        except UsageError as error:
            log.error("no alerts are taken: %s", error)  # noqa: TRY400 - the operator's mistake, no bug
            raise unavailable("the server's check of senders is not set up; its log says what is missing") from error
        request.app.state.intake_secrets = kept
    return kept


def _single_headers(request: Request) -> Mapping[str, str]:
    """Headers by name. Raises: Problem 400 for two of one that prove something: which of them counts?"""
    found: dict[str, str] = {}
    for name, value in request.headers.items():
        if name in found and ("signature" in name or "timestamp" in name or name == "x-rootproof-token"):
            raise Problem(400, "invalid-request", f"the header {name!r:.60} stands there twice; send it once")
        found[name] = value
    return found
