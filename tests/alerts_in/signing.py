"""An RSA key and a certificate of its own for a test: nothing secret has to lie in the repository."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA1, SHA256
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

_NOTIFICATION = ("Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type")
_HANDSHAKE = ("Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type")


@dataclass(frozen=True)
class Signer:
    key: RSAPrivateKey

    @classmethod
    def fresh(cls) -> Signer:
        return cls(generate_private_key(65_537, 2_048))

    def sign(self, text: bytes, version: str = "2") -> bytes:
        return self.key.sign(text, PKCS1v15(), SHA1() if version == "1" else SHA256())

    def sns(self, fields: dict[str, str], version: str = "2") -> dict[str, str]:
        """The message, signed."""
        names = _HANDSHAKE if fields["Type"] != "Notification" else _NOTIFICATION
        text = "".join(f"{name}\n{fields[name]}\n" for name in names if name in fields).encode()
        signature = base64.b64encode(self.sign(text, version)).decode()
        return {**fields, "SignatureVersion": version, "Signature": signature}

    def certificate(self, begins: datetime | None = None, ends: datetime | None = None) -> bytes:
        begins = begins or datetime(2026, 1, 1, tzinfo=UTC)
        ends = ends or begins + timedelta(days=365)
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "sns.test")])
        builder = x509.CertificateBuilder(name, name, self.key.public_key(), 7, begins, ends)
        return builder.sign(self.key, SHA256()).public_bytes(Encoding.PEM)


@dataclass
class FixedCertificates:
    """Gives one certificate for every address, and notes what it was asked for."""

    pem: bytes
    asked: list[str]

    async def fetch(self, url: str) -> Any:
        self.asked.append(url)
        return self.pem
