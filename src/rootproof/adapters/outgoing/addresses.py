"""Which addresses a message may go to. Checked on the address that is connected to, never on a name alone.

Source: IANA special-purpose address registries; RFC 6890; RFC 4291 (mapped and compatible addresses), RFC 6052
(NAT64), RFC 3056 (6to4), RFC 4380 (Teredo).
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from rootproof.errors import SourceDenied

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

_HOST = re.compile(r"[a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9_])?\.?")
_NUMBER_LIKE = re.compile(r"(?:0x[0-9a-f]*|[0-9]+)(?:\.(?:0x[0-9a-f]*|[0-9]+))*\.?")
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_METADATA = frozenset(
    ipaddress.ip_address(text)
    for text in ("169.254.169.254", "169.254.170.2", "100.100.100.200", "192.0.0.192", "168.63.129.16", "fd00:ec2::254")
)
"""Services that hand credentials of a machine to whoever asks from it: never called, whatever is allowed."""
_PORTS = {"https": 443, "http": 80}
MAX_URL = 2_000


@dataclass(frozen=True, slots=True)
class Destination:
    """A URL in the parts that a connection needs."""

    scheme: str
    host: str
    port: int
    path: str
    """With its query, as it is sent."""

    @property
    def authority(self) -> str:
        """What stands in `Host`."""
        shown = f"[{self.host}]" if ":" in self.host else self.host
        return shown if self.port == _PORTS[self.scheme] else f"{shown}:{self.port}"


def destination(url: str) -> Destination:
    """The parts of a URL that may be called at all. Raises: SourceDenied; its message does not repeat the URL."""
    if len(url) > MAX_URL or not url.isascii() or not url.isprintable() or "\\" in url or " " in url:
        raise SourceDenied("the address is not a plain URL in ASCII")
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError:
        raise SourceDenied("the address cannot be read as a URL") from None
    if parts.scheme not in _PORTS:
        raise SourceDenied("the address is neither https nor http")
    if parts.username is not None or parts.password is not None:
        raise SourceDenied("the address holds a user name or password; put the secret into the path or a signature")
    if port == 0:
        raise SourceDenied("the address has port 0")
    if "%" in host:
        raise SourceDenied("the address names an interface of this machine")
    if ":" in host:
        _literal(host)
    elif not _HOST.fullmatch(host):
        raise SourceDenied("the address names no host")
    elif _NUMBER_LIKE.fullmatch(host):
        _literal(host.removesuffix("."))  # 2130706433, 0x7f.1, 0177.0.0.1: some resolvers read them as addresses
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Destination(parts.scheme, host, port or _PORTS[parts.scheme], path)


def check_address(address: IPAddress, *, allow_private: bool) -> None:
    """Raises: SourceDenied for an address that a message may not go to."""
    for one in (address, *_inside(address)):
        if one in _METADATA:
            raise SourceDenied("the host is a cloud's metadata service")
        if one.is_multicast or one.is_unspecified or (one.is_reserved and not one.is_loopback):
            raise SourceDenied("the host's address is multicast, unspecified or reserved")
        if one.is_link_local:
            raise SourceDenied("the host's address is link-local")
        if not allow_private and not one.is_global:
            raise SourceDenied(
                "the host's address is private or loopback; notify.allow_private = true permits that for your own "
                "network"
            )


def _literal(host: str) -> IPAddress:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        raise SourceDenied("the host is written as a number that is no plain address") from None


def _inside(address: IPAddress) -> list[IPAddress]:
    """IPv4 addresses that an IPv6 address stands for."""
    if isinstance(address, ipaddress.IPv4Address):
        return []
    found: list[IPAddress | None] = [address.ipv4_mapped, address.sixtofour]
    if address.teredo is not None:
        found.extend(address.teredo)
    if address in _NAT64 or (int(address) >> 32 == 0 and int(address) > 1):
        found.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return [one for one in found if one is not None]
