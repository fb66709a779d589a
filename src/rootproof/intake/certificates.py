"""Just enough of X.509 and RSA to check a signature: the public key in a certificate, and PKCS #1 v1.5.

No dependency of ours brings a cryptography library, and checking needs no secret: the expected block is built whole
and compared whole, so nothing in it is parsed that a forger could play with.

Source: RFC 5280 (Certificate), RFC 8017 (RSASSA-PKCS1-v1_5).
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

MAX_CERTIFICATE_BYTES = 16_384
_PEM = re.compile(rb"-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]{1,32768})-----END CERTIFICATE-----")
_SEQUENCE, _INTEGER, _BITS, _VERSION, _UTC_TIME, _TIME = 0x30, 0x02, 0x03, 0xA0, 0x17, 0x18
_RSA = bytes.fromhex("06092a864886f70d010101")
"""rsaEncryption, as an object identifier in DER."""
_DIGEST_INFO = {
    "sha1": bytes.fromhex("3021300906052b0e03021a05000414"),
    "sha256": bytes.fromhex("3031300d060960864801650304020105000420"),
}
_MIN_BITS, _MAX_BITS = 1_024, 8_192
_MAX_EXPONENT = 2**32


@dataclass(frozen=True, slots=True)
class Certificate:
    """What matters of a certificate."""

    modulus: int
    exponent: int
    not_before: datetime
    not_after: datetime

    def is_valid_at(self, instant: datetime) -> bool:
        """Whether its time has come and is not over."""
        return self.not_before <= instant <= self.not_after


def read_certificate(pem: bytes) -> Certificate:
    """The first certificate of a PEM text. Raises: ValueError when it is none with an RSA key of a usual size."""
    found = _PEM.search(pem) if len(pem) <= MAX_CERTIFICATE_BYTES else None
    if found is None:
        raise ValueError("no certificate in PEM")
    try:
        der = base64.b64decode(b"".join(found[1].split()), validate=True)
    except binascii.Error as error:
        raise ValueError("the certificate is not base64") from error
    (outer,) = _parts(der, _SEQUENCE)
    signed, *_ = _items(outer)
    fields = [item for item in _items(_expect(signed, _SEQUENCE)) if item[0] != _VERSION]
    # serial, signature algorithm, issuer, validity, subject, public key
    validity, key = fields[3], fields[5]
    begins, ends = (_instant(*item) for item in list(_items(_expect(validity, _SEQUENCE)))[:2])
    algorithm, bits = list(_items(_expect(key, _SEQUENCE)))[:2]
    if not _expect(algorithm, _SEQUENCE).startswith(_RSA):
        raise ValueError("the certificate's key is no RSA key")
    (pair,) = _parts(_expect(bits, _BITS)[1:], _SEQUENCE)
    modulus, exponent = (int.from_bytes(_expect(item, _INTEGER)) for item in list(_items(pair))[:2])
    if not _MIN_BITS <= modulus.bit_length() <= _MAX_BITS or not 3 <= exponent < _MAX_EXPONENT:
        raise ValueError("the certificate's key is not of a usual size")
    return Certificate(modulus, exponent, begins, ends)


def is_signed(certificate: Certificate, signature: bytes, text: bytes, digest: Literal["sha1", "sha256"]) -> bool:
    """Whether `signature` is that of `text` by the certificate's key."""
    size = (certificate.modulus.bit_length() + 7) // 8
    number = int.from_bytes(signature)
    if len(signature) != size or number >= certificate.modulus:
        return False
    shown = pow(number, certificate.exponent, certificate.modulus).to_bytes(size)
    tail = _DIGEST_INFO[digest] + hashlib.new(digest, text, usedforsecurity=False).digest()
    expected = b"\x00\x01" + b"\xff" * (size - len(tail) - 3) + b"\x00" + tail
    return hmac.compare_digest(shown, expected)


def _items(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Tag and content of what stands in a DER value, one after the other. Raises: ValueError."""
    at = 0
    while at < len(content):
        if at + 2 > len(content):
            raise ValueError("the certificate ends in the middle")
        tag, length = content[at], content[at + 1]
        at += 2
        if length >= 0x80:
            more = length & 0x7F
            if not 1 <= more <= 3 or at + more > len(content):
                raise ValueError("the certificate has a length that cannot be")
            length = int.from_bytes(content[at : at + more])
            at += more
        if at + length > len(content):
            raise ValueError("the certificate ends in the middle")
        yield tag, content[at : at + length]
        at += length


def _parts(content: bytes, tag: int) -> list[bytes]:
    """The contents of the values with that tag. Raises: ValueError where there is no value at all."""
    found = [value for kind, value in _items(content) if kind == tag]
    if len(found) != 1:
        raise ValueError("the certificate is not laid out like one")
    return found


def _expect(item: tuple[int, bytes], tag: int) -> bytes:
    if item[0] != tag:
        raise ValueError("the certificate is not laid out like one")
    return item[1]


def _instant(tag: int, content: bytes) -> datetime:
    text = content.decode("ascii")
    layout = {_UTC_TIME: "%y%m%d%H%M%SZ", _TIME: "%Y%m%d%H%M%SZ"}.get(tag)
    if layout is None:
        raise ValueError("the certificate's times cannot be read")
    return datetime.strptime(text, layout).replace(tzinfo=UTC)
