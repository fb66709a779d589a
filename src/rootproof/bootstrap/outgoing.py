"""What calls other systems of its own accord: reports out, certificates in."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rootproof.ports.certificates import CertificateSource
    from rootproof.ports.outgoing import MessageSender
    from rootproof.settings import Settings


def message_sender(settings: Settings) -> MessageSender:
    """Sends reports; whoever opens it closes it."""
    from rootproof.adapters.outgoing.http_sender import HttpSender

    return HttpSender(allow_private=settings.notify.allow_private)


def certificate_source() -> CertificateSource:
    """Fetches the certificates that SNS signs with, from public addresses only."""
    from rootproof.adapters.outgoing.http_sender import HttpCertificates

    return HttpCertificates()
