"""Senders prove themselves over the raw bytes; a byte, a minute or a name that differs is refused."""

from __future__ import annotations

import base64
import hashlib
import hmac
from datetime import UTC, datetime, timedelta

import pytest

from rootproof.intake.signatures import Proof, Secrets, Sender, Vendor, check_sender, needs_proof

NOW = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
BODY = b'{"a": 1}'
SECRET = "s3cret-of-a-vendor"


def mark(body: bytes, secret: str = SECRET) -> str:
    return hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def checked(
    vendor: Vendor, headers: dict[str, str], body: bytes = BODY, secret: str = SECRET, token: str = ""
) -> Sender:
    return check_sender(vendor, headers, body, Secrets({vendor: secret}, token), now=NOW, window_s=300)


@pytest.mark.parametrize(
    ("vendor", "headers"),
    [
        (Vendor.PAGERDUTY, {"x-pagerduty-signature": f"v1={mark(BODY)}"}),
        (Vendor.PAGERDUTY, {"x-pagerduty-signature": f"v1={mark(BODY, 'older')}, v1={mark(BODY)}"}),
        (Vendor.SENTRY, {"sentry-hook-signature": mark(BODY)}),
        (Vendor.GRAFANA, {"x-grafana-alerting-signature": mark(BODY)}),
    ],
)
def test_a_signature_over_the_body_is_taken_and_names_the_delivery(vendor: Vendor, headers: dict[str, str]) -> None:
    found = checked(vendor, headers)
    assert found.proof is Proof.SIGNED
    assert found.delivery_key is not None
    assert len(found.delivery_key) == 64
    assert checked(vendor, headers, BODY.replace(b"1", b"2")).proof is Proof.WRONG
    assert checked(vendor, headers, secret="another").proof is Proof.WRONG
    assert checked(vendor, headers, secret=f"newer {SECRET}").proof is Proof.SIGNED
    assert checked(vendor, {}).proof is Proof.NONE
    assert checked(vendor, dict.fromkeys(headers, "")).proof is Proof.WRONG


def test_a_signature_of_another_scheme_is_none() -> None:
    assert checked(Vendor.PAGERDUTY, {"x-pagerduty-signature": f"v2={mark(BODY)}"}).proof is Proof.WRONG
    assert checked(Vendor.PAGERDUTY, {"x-pagerduty-signature": mark(BODY)}).proof is Proof.WRONG


@pytest.mark.parametrize(("age_s", "proof"), [(0, Proof.SIGNED), (300, Proof.SIGNED), (301, Proof.STALE)])
@pytest.mark.parametrize("side", [1, -1])
def test_a_signed_time_must_be_near_in_the_past_and_in_the_future(age_s: int, proof: Proof, side: int) -> None:
    stamp = str(int((NOW - side * timedelta(seconds=age_s)).timestamp()))
    headers = {
        "x-grafana-alerting-signature": mark(stamp.encode() + b":" + BODY),
        "x-grafana-alerting-timestamp": stamp,
    }
    assert checked(Vendor.GRAFANA, headers).proof is proof


def test_a_time_that_was_not_signed_is_refused() -> None:
    headers = {"x-grafana-alerting-signature": mark(BODY), "x-grafana-alerting-timestamp": str(int(NOW.timestamp()))}
    assert checked(Vendor.GRAFANA, headers).proof is Proof.WRONG


@pytest.mark.parametrize(
    "headers",
    [
        {"authorization": "Bearer t0ken"},
        {"x-rootproof-token": "t0ken"},
        {"authorization": "Basic " + base64.b64encode(b"anyone:t0ken").decode()},
    ],
)
def test_a_token_is_taken_in_three_places(headers: dict[str, str]) -> None:
    found = checked(Vendor.ALERTMANAGER, headers, token="t0ken")
    assert (found.proof, found.delivery_key) == (Proof.TOKEN, None)
    assert checked(Vendor.ALERTMANAGER, headers, token="next t0ken").proof is Proof.TOKEN
    assert checked(Vendor.ALERTMANAGER, headers, token="other").proof is not Proof.TOKEN
    assert checked(Vendor.ALERTMANAGER, headers).proof is Proof.NONE


def test_a_wrong_bearer_may_still_be_an_api_key() -> None:
    assert checked(Vendor.GENERIC, {"authorization": "Bearer rp_x"}, token="t").proof is Proof.NONE
    assert checked(Vendor.GENERIC, {"x-rootproof-token": "nope"}, token="t").proof is Proof.WRONG


def test_secrets_are_not_printed() -> None:
    secrets = Secrets({Vendor.SENTRY: SECRET}, "t0ken")
    assert SECRET not in repr(secrets)
    assert "t0ken" not in repr(secrets)
    assert needs_proof(Vendor.SENTRY, secrets)
    assert needs_proof(Vendor.ALERTMANAGER, secrets)
    assert not needs_proof(Vendor.ALERTMANAGER, Secrets({Vendor.SENTRY: SECRET}))
