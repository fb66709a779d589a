"""`POST /api/alerts/{vendor}`: who may send, what is refused, what an acknowledgement says."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import logging
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI

from rootproof.diagnosis.backend import Backend
from rootproof.domain.api_key import LOCAL_OWNER, Scope
from rootproof.entrypoints.http.app import create_app
from rootproof.settings import IntakeSettings, Settings
from tests.alerts_in import payloads
from tests.alerts_in.payloads import as_bytes
from tests.alerts_in.signing import FixedCertificates, Signer
from tests.http.conftest import HandClock, client_of, stored_key

SECRETS = {"RP_PD": "pagerduty-secret", "RP_SENTRY": "sentry-secret", "RP_GRAFANA": "grafana-secret", "RP_TOKEN": "t0k"}
TOPIC = "arn:aws:sns:eu-west-1:123456789012:alarms"
INTAKE = IntakeSettings(
    owner="oncall",
    pagerduty_secret_env="RP_PD",
    sentry_secret_env="RP_SENTRY",
    grafana_secret_env="RP_GRAFANA",
    token_env="RP_TOKEN",
    sns_topics=(TOPIC,),
)
JSON = {"Content-Type": "application/json"}


@pytest.fixture
def guarded(settings: Settings, backend: Backend, monkeypatch: pytest.MonkeyPatch) -> FastAPI:
    """A server whose senders are all set up."""
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    return create_app(replace(settings, intake=INTAKE), backend)


@pytest.fixture
async def outside(guarded: FastAPI) -> AsyncIterator[httpx2.AsyncClient]:
    """A caller of it that shows nothing by itself."""
    async with client_of(guarded) as client:
        yield client


def mark(body: bytes, name: str) -> str:
    return hmac.new(SECRETS[name].encode(), body, hashlib.sha256).hexdigest()


def signed(vendor: str, body: bytes, clock: HandClock, age_s: int = 0) -> dict[str, str]:
    match vendor:
        case "pagerduty":
            return JSON | {"X-PagerDuty-Signature": f"v1={mark(b'x', 'RP_PD')},v1={mark(body, 'RP_PD')}"}
        case "sentry":
            return JSON | {"Sentry-Hook-Signature": mark(body, "RP_SENTRY")}
        case _:
            stamp = str(int(clock.instant.timestamp()) - age_s)
            return JSON | {
                "X-Grafana-Alerting-Signature": mark(stamp.encode() + b":" + body, "RP_GRAFANA"),
                "X-Grafana-Alerting-Timestamp": stamp,
            }


SIGNED_BODIES = {
    "pagerduty": as_bytes(payloads.pagerduty()),
    "sentry": as_bytes(payloads.sentry()),
    "grafana": as_bytes(payloads.grafana()),
}
ALL_BODIES: dict[str, Any] = {
    "alertmanager": payloads.alertmanager(),
    "grafana": payloads.grafana(),
    "pagerduty": payloads.pagerduty(),
    "cloudwatch": payloads.sns(json.dumps(payloads.cloudwatch_alarm())),
    "datadog": payloads.datadog(),
    "sentry": payloads.sentry(),
    "opsgenie": payloads.opsgenie(),
    "generic": payloads.generic(),
}


@pytest.mark.parametrize("vendor", ALL_BODIES)
async def test_every_vendor_opens_an_incident(local: httpx2.AsyncClient, vendor: str) -> None:
    answer = await local.post(f"/api/alerts/{vendor}", json=ALL_BODIES[vendor])
    assert answer.status_code == 202, answer.text
    body = answer.json()
    assert (body["status"], body["alerts"], body["ignored"]) == ("accepted", 1, 0)
    (touched,) = body["incidents"]
    assert (touched["effect"], touched["status"], touched["runId"]) == ("OPENED", "OPEN", None)
    assert touched["nextRunAt"] is not None


async def test_sns_sends_json_as_text(local: httpx2.AsyncClient) -> None:
    answer = await local.post(
        "/api/alerts/cloudwatch",
        content=as_bytes(ALL_BODIES["cloudwatch"]),
        headers={"Content-Type": "text/plain; charset=UTF-8"},
    )
    assert answer.status_code == 202
    assert answer.json()["vendor"] == "aws-cloudwatch"


async def test_an_unknown_vendor_is_refused(local: httpx2.AsyncClient) -> None:
    assert (await local.post("/api/alerts/nagios", json=payloads.generic())).status_code == 422


@pytest.mark.parametrize("vendor", SIGNED_BODIES)
async def test_a_signed_delivery_is_taken_once(
    outside: httpx2.AsyncClient, backend: Backend, clock: HandClock, vendor: str
) -> None:
    body = SIGNED_BODIES[vendor]
    headers = signed(vendor, body, clock)
    first = await outside.post(f"/api/alerts/{vendor}", content=body, headers=headers)
    assert first.status_code == 202, first.text
    (found,) = await backend.incidents.incidents("oncall")
    again = await outside.post(f"/api/alerts/{vendor}", content=body, headers=headers)
    assert (again.status_code, again.json()["status"]) == (200, "repeat")
    assert again.json()["incidentId"] == found.incident_id
    assert (await backend.incidents.incidents("oncall"))[0].alert_count == 1


@pytest.mark.parametrize("vendor", SIGNED_BODIES)
async def test_no_wrong_changed_and_misplaced_signatures_are_refused(
    outside: httpx2.AsyncClient, backend: Backend, clock: HandClock, vendor: str
) -> None:
    body = SIGNED_BODIES[vendor]
    headers = signed(vendor, body, clock)
    name = next(name for name in headers if "Signature" in name)
    changed = body.replace(b"0", b"1", 1)
    wrong = headers | {name: headers[name][:-1] + ("0" if headers[name][-1] != "0" else "1")}
    for content, shown in ((body, JSON), (body, wrong), (changed, headers), (body, headers | {name: ""})):
        answer = await outside.post(f"/api/alerts/{vendor}", content=content, headers=shown)
        assert answer.status_code == 401, (shown, answer.text)
        assert "www-authenticate" in answer.headers
        assert not any(secret in answer.text for secret in SECRETS.values())
    other = "generic"
    assert (await outside.post(f"/api/alerts/{other}", content=body, headers=headers)).status_code == 401
    assert await backend.incidents.incidents("oncall") == ()
    assert await backend.incidents.incidents(LOCAL_OWNER) == ()


async def test_an_old_delivery_is_refused(outside: httpx2.AsyncClient, clock: HandClock) -> None:
    body = SIGNED_BODIES["grafana"]
    for age_s in (301, -302):
        answer = await outside.post(
            "/api/alerts/grafana", content=body, headers=signed("grafana", body, clock, age_s=age_s)
        )
        assert answer.status_code == 401
        assert "replay_window_s" in answer.json()["detail"]


async def test_a_signature_header_that_stands_there_twice_is_refused(
    outside: httpx2.AsyncClient, clock: HandClock
) -> None:
    body = SIGNED_BODIES["sentry"]
    headers = [*signed("sentry", body, clock).items(), ("Sentry-Hook-Signature", "0" * 64)]
    answer = await outside.post("/api/alerts/sentry", content=body, headers=headers)
    assert answer.status_code == 400


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Authorization": "Bearer t0k"}, 202),
        ({"X-Rootproof-Token": "t0k"}, 202),
        ({"Authorization": "Basic " + base64.b64encode(b"am:t0k").decode()}, 202),
        ({"Authorization": "Basic " + base64.b64encode(b"t0k:am").decode()}, 401),
        ({"Authorization": "Bearer t0"}, 401),
        ({"X-Rootproof-Token": "t0k2"}, 401),
        ({}, 401),
    ],
)
async def test_the_token_of_vendors_without_a_signature(
    outside: httpx2.AsyncClient, headers: dict[str, str], status: int
) -> None:
    answer = await outside.post("/api/alerts/alertmanager", json=payloads.alertmanager(), headers=headers)
    assert answer.status_code == status, answer.text


async def test_an_api_key_makes_them_its_owners_and_needs_the_scope(
    app: FastAPI, ana: httpx2.AsyncClient, ben: httpx2.AsyncClient, backend: Backend, clock: HandClock
) -> None:
    taken = await ana.post("/api/alerts/generic", json=payloads.generic())
    assert taken.status_code == 202
    (found,) = await backend.incidents.incidents("ana")
    assert (await ben.get(f"/api/incidents/{found.incident_id}")).status_code == 404
    assert (await ben.post("/api/alerts/generic", json=payloads.generic())).status_code == 202
    assert len(await backend.incidents.incidents("ben")) == 1
    reader = await stored_key(backend, clock, "ana", Scope.READ)
    async with client_of(app, reader) as client:
        assert (await client.post("/api/alerts/generic", json=payloads.generic())).status_code == 403
    async with client_of(app) as nobody:
        assert (await nobody.post("/api/alerts/generic", json=payloads.generic())).status_code == 401


async def test_a_secret_that_is_missing_closes_the_door(
    settings: Settings, backend: Backend, caplog: pytest.LogCaptureFixture
) -> None:
    app = create_app(replace(settings, intake=IntakeSettings(token_env="RP_NOT_SET")), backend)
    async with client_of(app) as client:
        answer = await client.post("/api/alerts/generic", json=payloads.generic())
    assert answer.status_code == 503
    assert "RP_NOT_SET" not in answer.text
    assert "RP_NOT_SET" in caplog.text


async def test_five_simultaneous_deliveries_make_one_incident(local: httpx2.AsyncClient, backend: Backend) -> None:
    body = payloads.alertmanager("OrderErrors", "OrderLatency")
    answers = await asyncio.gather(*(local.post("/api/alerts/alertmanager", json=body) for _ in range(5)))
    assert {answer.status_code for answer in answers} == {202}
    assert len({answer.json()["incidents"][0]["incidentId"] for answer in answers}) == 1
    (found,) = await backend.incidents.incidents(LOCAL_OWNER)
    assert found.alert_count == 10


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b'{"alertname": "a", "alertname": "b"}', "application/json", 400),
        (b'{"alertname": "a", "alertname": "b"}', "text/plain", 400),
        (b"[" * 100 + b"]" * 100, "application/json", 400),
        (b"[" * 100 + b"]" * 100, "text/plain", 400),
        (b"{not json", "application/json", 400),
        (b"\xff\xfe", "text/plain", 422),
        (b"", "application/json", 422),
        (b'{"hello": "world"}', "application/json", 422),
    ],
)
async def test_bodies_that_are_no_alert_are_refused(
    local: httpx2.AsyncClient, backend: Backend, body: bytes, kind: str, status: int
) -> None:
    answer = await local.post("/api/alerts/generic", content=body, headers={"Content-Type": kind})
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert await backend.incidents.incidents(LOCAL_OWNER) == ()


async def test_a_body_that_is_too_large_is_refused(local: httpx2.AsyncClient) -> None:
    body = as_bytes(payloads.generic(description="x" * 1_100_000))
    assert (await local.post("/api/alerts/generic", content=body, headers=JSON)).status_code == 413


async def test_credentials_of_an_alert_reach_no_row_and_no_answer(
    local: httpx2.AsyncClient, backend: Backend, caplog: pytest.LogCaptureFixture
) -> None:
    canary = "hunter2-Zx81Qq77canary"
    body = payloads.generic(
        description=f"login failed: password={canary}",
        labels={"db_password": canary, "dsn": f"postgres://app:{canary}@orders-db/orders"},
        annotations={"header": f"Authorization: Bearer {canary}"},
        fingerprint=f"password={canary}",
    )
    answer = await local.post("/api/alerts/generic", json=body)
    (found,) = await backend.incidents.incidents(LOCAL_OWNER)
    kept = await backend.incidents.alerts(found.incident_id)
    shown = (await local.get(f"/api/incidents/{found.incident_id}")).text
    assert kept[0].alert.service == "metrics-store"
    for text in (answer.text, repr(found), repr(kept), shown, caplog.text):
        assert canary not in text


class TestSns:
    signer = Signer.fresh()

    @pytest.fixture
    def certificates(self, guarded: FastAPI) -> FixedCertificates:
        kept = FixedCertificates(self.signer.certificate(), [])
        guarded.state.certificates = kept
        return kept

    def message(self, clock: HandClock, **fields: str) -> dict[str, str]:
        stamp = clock.instant.isoformat()
        return self.signer.sns(payloads.sns(json.dumps(payloads.cloudwatch_alarm()), Timestamp=stamp, **fields))

    async def test_a_signed_message_is_taken_once(
        self, outside: httpx2.AsyncClient, certificates: FixedCertificates, backend: Backend, clock: HandClock
    ) -> None:
        message = self.message(clock)
        assert (await outside.post("/api/alerts/cloudwatch", json=message)).status_code == 202
        assert (await outside.post("/api/alerts/cloudwatch", json=message)).json()["status"] == "repeat"
        assert len(await backend.incidents.incidents("oncall")) == 1
        assert certificates.asked[0] == message["SigningCertURL"]

    async def test_others_are_refused(
        self, outside: httpx2.AsyncClient, certificates: FixedCertificates, clock: HandClock
    ) -> None:
        message = self.message(clock)
        changed = message | {"Message": message["Message"].replace("orders", "0rders")}
        other_topic = self.message(clock, TopicArn=TOPIC + "2")
        elsewhere = message | {"SigningCertURL": "https://evil.example/a.pem"}
        unsigned = {name: value for name, value in message.items() if not name.startswith("Sign")}
        for body in (changed, other_topic, elsewhere, unsigned, payloads.cloudwatch_alarm()):
            assert (await outside.post("/api/alerts/cloudwatch", json=body)).status_code == 401
        assert all("evil" not in url for url in certificates.asked)
        clock.pass_time(4_000)
        assert (await outside.post("/api/alerts/cloudwatch", json=message)).status_code == 401

    async def test_a_token_does_not_open_another_topic(self, outside: httpx2.AsyncClient, clock: HandClock) -> None:
        headers = {"X-Rootproof-Token": "t0k"}
        other = self.message(clock, TopicArn=TOPIC + "2")
        assert (await outside.post("/api/alerts/cloudwatch", json=other, headers=headers)).status_code == 403
        mine = self.message(clock)
        assert (await outside.post("/api/alerts/cloudwatch", json=mine, headers=headers)).status_code == 202

    async def test_a_subscription_is_shown_and_not_confirmed(
        self,
        outside: httpx2.AsyncClient,
        certificates: FixedCertificates,
        clock: HandClock,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        handshake = payloads.sns(
            "confirm",
            Type="SubscriptionConfirmation",
            Token="tok-4711",
            SubscribeURL="https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription",
            Timestamp=clock.instant.isoformat(),
        )
        with caplog.at_level(logging.WARNING):
            answer = await outside.post("/api/alerts/cloudwatch", json=self.signer.sns(handshake))
        assert (answer.status_code, answer.json()["status"]) == (200, "handshake")
        assert "confirm-subscription" in answer.json()["hint"]
        assert "tok-4711" not in answer.text
        assert "tok-4711" in caplog.text
        assert all("Action=" not in url for url in certificates.asked)
