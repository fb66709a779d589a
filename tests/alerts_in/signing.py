"""An RSA key and a certificate of its own for a test: nothing secret has to lie in the repository."""

from __future__ import annotations

import base64
import hashlib
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

_E = 65_537
_INFO = {
    "1": ("sha1", bytes.fromhex("3021300906052b0e03021a05000414")),
    "2": ("sha256", bytes.fromhex("3031300d060960864801650304020105000420")),
}
_RSA = bytes.fromhex("06092a864886f70d0101010500")
_NOTIFICATION = ("Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type")
_HANDSHAKE = ("Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type")


@dataclass(frozen=True)
class Signer:
    n: int
    d: int

    @classmethod
    def fresh(cls, bits: int = 1_024) -> Signer:
        p, q = _prime(bits // 2), _prime(bits // 2)
        return cls(p * q, pow(_E, -1, (p - 1) * (q - 1)))

    def sign(self, text: bytes, version: str = "2") -> bytes:
        name, info = _INFO[version]
        size = (self.n.bit_length() + 7) // 8
        tail = info + hashlib.new(name, text).digest()
        block = b"\x00\x01" + b"\xff" * (size - len(tail) - 3) + b"\x00" + tail
        return pow(int.from_bytes(block), self.d, self.n).to_bytes(size)

    def sns(self, fields: dict[str, str], version: str = "2") -> dict[str, str]:
        """The message, signed."""
        names = _HANDSHAKE if fields["Type"] != "Notification" else _NOTIFICATION
        text = "".join(f"{name}\n{fields[name]}\n" for name in names if name in fields).encode()
        signature = base64.b64encode(self.sign(text, version)).decode()
        return {**fields, "SignatureVersion": version, "Signature": signature}

    def certificate(self, begins: datetime | None = None, ends: datetime | None = None) -> bytes:
        begins = begins or datetime(2026, 1, 1, tzinfo=UTC)
        ends = ends or begins + timedelta(days=365)
        key = _tlv(0x30, _integer(self.n) + _integer(_E))
        spki = _tlv(0x30, _tlv(0x30, _RSA) + _tlv(0x03, b"\x00" + key))
        times = _tlv(0x30, _time(begins) + _time(ends))
        empty = _tlv(0x30, b"")
        body = _tlv(0xA0, _integer(2)) + _integer(7) + _tlv(0x30, _RSA) + empty + times + empty + spki
        der = _tlv(0x30, _tlv(0x30, body) + _tlv(0x30, _RSA) + _tlv(0x03, b"\x00sig"))
        text = base64.encodebytes(der)
        return b"-----BEGIN CERTIFICATE-----\n" + text + b"-----END CERTIFICATE-----\n"


@dataclass
class FixedCertificates:
    """Gives one certificate for every address, and notes what it was asked for."""

    pem: bytes
    asked: list[str]

    async def fetch(self, url: str) -> Any:
        self.asked.append(url)
        return self.pem


def _prime(bits: int) -> int:
    while True:
        number = secrets.randbits(bits) | (3 << (bits - 2)) | 1
        if number % _E != 1 and all(number % small for small in (3, 5, 7, 11, 13, 17, 19, 23)) and _is_prime(number):
            return number


def _is_prime(number: int) -> bool:
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for _ in range(16):
        x = pow(secrets.randbelow(number - 3) + 2, odd, number)
        if x in (1, number - 1):
            continue
        for _ in range(twos - 1):
            x = x * x % number
            if x == number - 1:
                break
        else:
            return False
    return True


def _tlv(tag: int, content: bytes) -> bytes:
    size = len(content)
    if size < 0x80:
        return bytes([tag, size]) + content
    length = size.to_bytes((size.bit_length() + 7) // 8)
    return bytes([tag, 0x80 | len(length)]) + length + content


def _integer(number: int) -> bytes:
    return _tlv(0x02, number.to_bytes(number.bit_length() // 8 + 1))


def _time(instant: datetime) -> bytes:
    return _tlv(0x17, instant.strftime("%y%m%d%H%M%SZ").encode())
