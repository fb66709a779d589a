"""Where the server may listen, and to which names it answers."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from rootproof.errors import UsageError
from rootproof.settings import Settings


def check_bind(settings: Settings, *, has_keys: bool) -> None:
    """Nothing. Raises: UsageError for an address beyond this machine while no API key exists."""
    host = settings.server.host
    if not has_keys and not is_loopback(host):
        raise UsageError(
            f"server.host is {host!r}, and there is no API key: others could use the server without one. Make a key "
            "with `rootproof keys create --owner NAME --scope admin`, or listen on 127.0.0.1"
        )


def is_loopback(host: str) -> bool:
    """Whether a host name or address is this machine's own. Names other than `localhost` are not looked up."""
    bare = host.strip("[]").lower().rstrip(".")
    if bare == "localhost":
        return True
    try:
        address = ipaddress.ip_address(bare.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback


def is_known_host(settings: Settings, header: str | None) -> bool:
    """Whether the `Host` header names this server: a loopback name, or one that is configured."""
    if not header:
        return False
    name = host_name(header)
    return name is not None and (is_loopback(name) or name in _configured(settings))


def host_name(header: str) -> str | None:
    """The name in a `Host` header, without its port, in lower case; None for what is none."""
    try:
        parts = urlsplit(f"//{header}")
        _ = parts.port  # a port that is no number is refused here
    except ValueError:
        return None
    if parts.netloc != header or "@" in header or not parts.hostname:
        return None
    return parts.hostname.rstrip(".")


def _configured(settings: Settings) -> frozenset[str]:
    server = settings.server
    named = [*server.allowed_hosts, server.host]
    public = urlsplit(server.public_url).hostname if server.public_url else None
    return frozenset(name.strip("[]").lower() for name in (*named, public or "") if name)
