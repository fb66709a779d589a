"""What is fetched to check what came in: certificates. `bootstrap.backend.report_sender` sends what goes out."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rootproof.ports.certificates import CertificateSource


def certificate_source() -> CertificateSource:
    """Fetches the certificates that SNS signs with, from public addresses only."""
    from rootproof.adapters.outgoing.http_sender import HttpCertificates

    return HttpCertificates()
