"""Certificates that senders sign with, by their address."""

from __future__ import annotations

from typing import Protocol


class CertificateSource(Protocol):
    """Fetches over HTTPS, whose certificate check is what the trust in the answer rests on."""

    async def fetch(self, url: str) -> bytes:
        """The certificate in PEM, kept for later calls. Raises: SourceUnavailable, SourceDenied."""
        ...
