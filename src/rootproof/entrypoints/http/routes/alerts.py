"""Webhooks: alerts come in, are acknowledged at once, and are diagnosed later."""

from __future__ import annotations

import logging
from datetime import datetime
from enum import StrEnum

from fastapi import APIRouter, Request, Response
from pydantic import Field

from rootproof.diagnosis.present import View
from rootproof.diagnosis.take_alerts import Arrived, Receipt, take_alerts
from rootproof.domain.alert import PayloadKind
from rootproof.domain.incident import Effect, IncidentStatus
from rootproof.entrypoints.http.deps import BackendDep, SettingsDep
from rootproof.entrypoints.http.problems import ProblemView, forbidden
from rootproof.entrypoints.http.senders import known_sender
from rootproof.intake.signatures import Vendor
from rootproof.intake.sns import Envelope, is_known_topic, read_envelope
from rootproof.settings import Settings

router = APIRouter(tags=["alerts"])
log = logging.getLogger("rootproof.intake")


class ReceiptStatus(StrEnum):
    """What was done with a delivery."""

    ACCEPTED = "accepted"
    REPEAT = "repeat"
    """It had arrived before: nothing was counted again."""
    HANDSHAKE = "handshake"
    """It holds no alert; `hint` says how to confirm it."""


class TouchedIncidentView(View):
    """An incident that the delivery touched."""

    incident_id: str = Field(description="Its id.", examples=["inc-0b5a3c1e-6a0e-4c57-9f0e-5a7d1f2b3c4d"])
    effect: Effect = Field(description="What the delivery did to it.")
    status: IncidentStatus = Field(description="Where it is now.")
    run_id: str | None = Field(description="Its newest run; null until the first one begins.")
    next_run_at: datetime | None = Field(description="When a run is due; null when none is.")


class ReceiptView(View):
    """The acknowledgement of a delivery. Diagnosis comes later."""

    status: ReceiptStatus = Field(description="What was done with it.")
    vendor: str = Field(description="What the body was read as.", examples=["alertmanager"])
    alerts: int = Field(description="How many alerts it held.", examples=[3])
    ignored: int = Field(description="Alerts that say that something ended of which nothing is known.")
    incidents: list[TouchedIncidentView] = Field(description="The incidents that it touched, in its order.")
    incident_id: str | None = Field(None, description="Of a repeat: the incident that the delivery had touched.")
    hint: str | None = Field(None, description="What to do next, where something is to be done.")


_PROBLEMS: dict[int | str, dict[str, object]] = {
    200: {"model": ReceiptView, "description": "A repeat or a handshake: nothing was counted."},
    400: {"model": ProblemView, "description": "The body is not JSON that can be read in one way only."},
    401: {"model": ProblemView, "description": "No key, signature or token, or a wrong or stale one."},
    403: {"model": ProblemView, "description": "The key does not have the scope `diagnose`."},
    413: {"model": ProblemView, "description": "The body is too large."},
    422: {"model": ProblemView, "description": "The body holds no alert that is recognised, or too many."},
    503: {"model": ProblemView, "description": "The store cannot be used at the moment."},
}
_BODY = {
    "requestBody": {
        "required": True,
        "description": "The body as the monitoring system sends it; JSON of any supported shape.",
        "content": {
            "application/json": {
                "schema": {"anyOf": [{"type": "object"}, {"type": "array", "items": {}}]},
                "example": {
                    "version": "4",
                    "groupKey": '{}:{alertname="HighErrorRate"}',
                    "status": "firing",
                    "alerts": [
                        {
                            "status": "firing",
                            "labels": {"alertname": "HighErrorRate", "service": "cart", "severity": "critical"},
                            "annotations": {"summary": "5xx above 5 %"},
                            "startsAt": "2026-03-04T05:06:07Z",
                            "fingerprint": "4f1c9a7d2b3e5f60",
                        }
                    ],
                },
            }
        },
    }
}


@router.post(
    "/api/alerts/{vendor}",
    response_model=ReceiptView,
    status_code=202,
    summary="Take alerts",
    description=(
        "A webhook for a monitoring system. The sender shows an API key with the scope `diagnose`, the vendor's own "
        "signature, or the intake token. Alerts are stored with their incident and acknowledged; one run an incident "
        "diagnoses them later."
    ),
    responses=_PROBLEMS,
    openapi_extra=_BODY,
)
async def take_alert_payload(
    vendor: Vendor, request: Request, response: Response, backend: BackendDep, settings: SettingsDep
) -> ReceiptView:
    """The acknowledgement."""
    body = await request.body()
    sender = await known_sender(request, vendor, body)
    envelope = _envelope(body, settings) if vendor is Vendor.CLOUDWATCH else None
    arrived = Arrived(vendor.value, body, sender.owner, backend.services.clock.now(), sender.delivery_key)
    receipt = await take_alerts(backend, settings.intake, settings.intake.group_labels, arrived)
    if receipt.kind is PayloadKind.HANDSHAKE or receipt.taken.repeat:
        response.status_code = 200
    return _view(receipt, envelope)


def _envelope(body: bytes, settings: Settings) -> Envelope | None:
    """The SNS message in the body. Raises: Problem 403 for one of another topic, whoever sends it."""
    envelope = read_envelope(body)
    if envelope is not None and not is_known_topic(envelope, settings.intake.sns_topics):
        raise forbidden("messages of this SNS topic are not taken; name its ARN in intake.sns_topics")
    return envelope


def _view(receipt: Receipt, envelope: Envelope | None) -> ReceiptView:
    taken = receipt.taken
    hint = envelope.hint if envelope is not None else None
    status = ReceiptStatus.REPEAT if taken.repeat else ReceiptStatus.ACCEPTED
    if receipt.kind is PayloadKind.HANDSHAKE:
        status = ReceiptStatus.HANDSHAKE
        hint = hint or "the body is a check of the connection and holds no alert; nothing has to be done"
        log.warning("a handshake of %s arrived: %s", receipt.vendor, hint)
        if envelope is not None and envelope.token:
            log.warning("token of that subscription, which confirms it once: %r", envelope.token)
    return ReceiptView(
        status=status,
        vendor=receipt.vendor,
        alerts=receipt.alerts,
        ignored=taken.ignored,
        incidents=[
            TouchedIncidentView(
                incident_id=group.incident.incident_id,
                effect=group.effect,
                status=group.incident.status,
                run_id=group.incident.run_id,
                next_run_at=group.incident.next_run_at,
            )
            for group in taken.groups
        ],
        incident_id=taken.incident_id,
        hint=hint,
    )
