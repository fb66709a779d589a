"""Whether a text was signed by the key of a certificate: the RSA signatures that SNS makes.

Source: RFC 8017 (RSASSA-PKCS1-v1_5).
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

MAX_CERTIFICATE_BYTES = 16_384
_MIN_BITS = 2_048


def is_signed(pem: bytes, signature: bytes, text: bytes, digest: Literal["sha1", "sha256"], *, now: datetime) -> bool:
    """Whether `signature` is that of `text` by the key of a certificate that is valid now; False for no certificate."""
    from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
    from cryptography.hazmat.primitives.hashes import SHA1, SHA256
    from cryptography.x509 import load_pem_x509_certificate

    if len(pem) > MAX_CERTIFICATE_BYTES:
        return False
    try:
        certificate = load_pem_x509_certificate(pem)
        key = certificate.public_key()
    except (ValueError, UnsupportedAlgorithm):
        return False
    timely = certificate.not_valid_before_utc <= now <= certificate.not_valid_after_utc
    if not timely or not isinstance(key, RSAPublicKey) or key.key_size < _MIN_BITS:
        return False
    # SHA-1 is what SNS signs version 1 with; a topic can be set to version 2.
    algorithm = SHA1() if digest == "sha1" else SHA256()  # noqa: S303
    try:
        key.verify(signature, text, PKCS1v15(), algorithm)
    except InvalidSignature:
        return False
    return True
