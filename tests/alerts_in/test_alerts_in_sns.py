"""SNS messages: signature, certificate, topic and time all have to hold."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from rootproof.intake.sns import Envelope, is_known_topic, read_envelope
from tests.alerts_in.payloads import as_bytes, sns
from tests.alerts_in.signing import Signer

NOW = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
SIGNER = Signer.fresh()
PEM = SIGNER.certificate()


def envelope(fields: dict[str, str]) -> Envelope:
    found = read_envelope(as_bytes(fields))
    assert found is not None
    return found


@pytest.mark.parametrize("version", ["1", "2"])
@pytest.mark.parametrize("subject", [{}, {"Subject": "ALARM"}])
def test_a_signed_notification_holds_and_a_changed_one_does_not(version: str, subject: dict[str, str]) -> None:
    signed = SIGNER.sns(sns("hello", **subject), version)
    assert envelope(signed).is_signed_by(PEM, NOW)
    for name in ("Message", "MessageId", "Timestamp", "TopicArn"):
        assert not envelope(signed | {name: signed[name] + "x"}).is_signed_by(PEM, NOW), name
    assert not envelope(signed | {"SignatureVersion": "3"}).is_signed_by(PEM, NOW)
    assert not envelope(signed | {"Signature": signed["Signature"][::-1]}).is_signed_by(PEM, NOW)
    assert not envelope(signed).is_signed_by(Signer.fresh().certificate(), NOW)


def test_a_handshake_signs_other_fields() -> None:
    fields = sns("confirm", Type="SubscriptionConfirmation", Token="tok", SubscribeURL="https://sns.example/?a=1")
    signed = SIGNER.sns(fields)
    assert envelope(signed).is_signed_by(PEM, NOW)
    assert not envelope(signed | {"Token": "other"}).is_signed_by(PEM, NOW)
    assert "confirm-subscription" in (envelope(signed).hint or "")
    assert envelope(sns("hello")).hint is None


def test_a_certificate_counts_in_its_time_only() -> None:
    signed = envelope(SIGNER.sns(sns("hello")))
    old = SIGNER.certificate(NOW - timedelta(days=400), NOW - timedelta(days=1))
    early = SIGNER.certificate(NOW + timedelta(days=1), NOW + timedelta(days=2))
    assert not signed.is_signed_by(old, NOW)
    assert not signed.is_signed_by(early, NOW)


@pytest.mark.parametrize(
    "url",
    [
        "http://sns.eu-west-1.amazonaws.com/a.pem",
        "https://sns.eu-west-1.amazonaws.com.evil.example/a.pem",
        "https://evil.example/sns.eu-west-1.amazonaws.com/a.pem",
        "https://sns.eu-west-1.amazonaws.com@evil.example/a.pem",
        "https://evil@sns.eu-west-1.amazonaws.com/a.pem",
        "https://sns.eu-west-1.amazonaws.com:444/a.pem",
        "https://sns.eu-west-1.amazonaws.com/a.pem?x=1",
        "https://sns.eu-west-1.amazonaws.com/../a.txt",
        "https://s3.amazonaws.com/a.pem",
        "https://[::1/a.pem",
        "",
    ],
)
def test_a_certificate_from_elsewhere_is_not_even_fetched(url: str) -> None:
    assert envelope(sns("hello", SigningCertURL=url)).certificate_url is None


def test_the_usual_certificate_addresses_are_known() -> None:
    assert envelope(sns("hello")).certificate_url is not None
    china = "https://sns.cn-north-1.amazonaws.com.cn/SimpleNotificationService-01.pem"
    assert envelope(sns("hello", SigningCertURL=china)).certificate_url == china


@pytest.mark.parametrize(("minutes", "fresh"), [(0, True), (59, True), (61, False), (-61, False)])
def test_a_message_is_fresh_as_long_as_sns_retries(minutes: int, *, fresh: bool) -> None:
    stamp = (NOW - timedelta(minutes=minutes)).isoformat()
    assert envelope(sns("hello", Timestamp=stamp)).is_fresh(NOW, 300) is fresh


@pytest.mark.parametrize(
    "pem",
    [b"", b"nonsense", b"-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----", PEM[:300] + b"==" + PEM[-30:]],
)
def test_what_is_no_certificate_is_refused(pem: bytes) -> None:
    assert not envelope(SIGNER.sns(sns("hello"))).is_signed_by(pem, NOW)


def test_other_bodies_are_no_envelope() -> None:
    assert read_envelope(b'{"AlarmName": "x"}') is None
    assert read_envelope(b"[]") is None


def test_a_known_sender_may_be_held_to_topics() -> None:
    message = envelope(SIGNER.sns(sns("hello")))
    assert is_known_topic(message, ())
    assert not is_known_topic(message, ("arn:aws:sns:eu-west-1:1:other",))
    assert is_known_topic(message, (message.topic,))
