"""Amazon SNS over HTTPS: whose messages are taken, how they are checked, how a subscription is confirmed.

A subscription is never confirmed by us: fetching an address out of a body would let anyone make us call it.

Source: Amazon SNS "Parsing message formats", "Verifying the signatures of Amazon SNS messages".
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal
from urllib.parse import urlsplit

from rootproof.intake.certificates import is_signed
from rootproof.intake.document import read_json
from rootproof.intake.times import parse_time

_CERTIFICATE_HOST = re.compile(r"sns\.[a-z0-9-]{3,30}\.amazonaws\.com(?:\.cn)?")
_CERTIFICATE_PATH = re.compile(r"/[A-Za-z0-9._-]{1,200}\.pem")
_SIGNED_OF_NOTIFICATION = ("Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type")
_SIGNED_OF_HANDSHAKE = ("Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type")
_HANDSHAKES = frozenset({"SubscriptionConfirmation", "UnsubscribeConfirmation"})
_DIGESTS: Mapping[str, Literal["sha1", "sha256"]] = {"1": "sha1", "2": "sha256"}
RETRY_WINDOW = timedelta(hours=1)
"""SNS sends a message again, with its first time, for about an hour."""


@dataclass(frozen=True, slots=True)
class Envelope:
    """An SNS message; nothing about it has been checked."""

    fields: Mapping[str, str]

    @property
    def topic(self) -> str:
        """The topic's ARN."""
        return self.fields.get("TopicArn", "")

    @property
    def certificate_url(self) -> str | None:
        """Where the signing certificate is; None unless it is a host of SNS, over HTTPS, without anything odd."""
        stated = self.fields.get("SigningCertURL", "")
        try:
            url = urlsplit(stated)
            plain = url.port is None and url.username is None and not url.query and not url.fragment
        except ValueError:
            return None
        known = (
            _CERTIFICATE_HOST.fullmatch(url.netloc) is not None and _CERTIFICATE_PATH.fullmatch(url.path) is not None
        )
        return stated if url.scheme == "https" and plain and known else None

    @property
    def delivery_key(self) -> str:
        """Equal when the message is sent again."""
        named = f"sns\0{self.topic}\0{self.fields.get('MessageId', '')}"
        return hashlib.sha256(named.encode()).hexdigest()

    @property
    def hint(self) -> str | None:
        """How a person confirms the subscription; None where there is nothing to confirm."""
        if self.fields.get("Type") not in _HANDSHAKES:
            return None
        return (
            f"SNS asks to confirm a subscription of {self.topic:.256}; Rootproof never does that by itself. Confirm it "
            "with `aws sns confirm-subscription --topic-arn ... --token ...`; the token stands in the server's log"
        )

    @property
    def token(self) -> str:
        """What confirms the subscription: for the server's log only."""
        return self.fields.get("Token", "")[:2_000]

    def is_fresh(self, now: datetime, window_s: int) -> bool:
        """Whether its signed time is near enough to now."""
        at = parse_time(self.fields.get("Timestamp"))
        return at is not None and abs(now - at) <= max(RETRY_WINDOW, timedelta(seconds=window_s))

    def is_signed_by(self, pem: bytes, now: datetime) -> bool:
        """Whether its signature holds with this certificate, and the certificate's time."""
        digest = _DIGESTS.get(self.fields.get("SignatureVersion", ""))
        try:
            signature = base64.b64decode(self.fields.get("Signature", ""), validate=True)
        except (ValueError, binascii.Error):
            return False
        return digest is not None and is_signed(pem, signature, self._signed_text(), digest, now=now)

    def _signed_text(self) -> bytes:
        names = _SIGNED_OF_HANDSHAKE if self.fields.get("Type") in _HANDSHAKES else _SIGNED_OF_NOTIFICATION
        return "".join(f"{name}\n{self.fields[name]}\n" for name in names if name in self.fields).encode()


def read_envelope(body: bytes) -> Envelope | None:
    """The SNS message in a body; None where it is something else. Raises: UsageError for a body that is not JSON."""
    value: Any = read_json(body)
    if not isinstance(value, dict) or not isinstance(value.get("TopicArn"), str) or "Type" not in value:
        return None
    return Envelope({name: field for name, field in value.items() if isinstance(field, str)})


def is_known_topic(envelope: Envelope, topics: Sequence[str]) -> bool:
    """Whether messages of the topic are taken from a sender that is known; every topic's where none is named.

    A signature makes no sender known: it says only that some customer of AWS sent the message.
    """
    return not topics or envelope.topic in topics
