"""Where a log server is, who we are to it, and what the system says when it cannot be reached."""

from __future__ import annotations

import base64
import os
import socket
import ssl
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from rootproof.errors import UsageError


@dataclass(frozen=True, slots=True)
class Credentials:
    """How we prove who we are: a token, or a user with a password, or nothing."""

    token: str = field(default="", repr=False)
    scheme: str = "Bearer"
    """Stands before the token: `Bearer`, or `ApiKey` for Elasticsearch."""
    user: str = ""
    password: str = field(default="", repr=False)

    @property
    def authorization(self) -> str:
        """The header's value; empty where there are none."""
        if self.token:
            return f"{self.scheme} {self.token}"
        if self.user:
            return "Basic " + base64.b64encode(f"{self.user}:{self.password}".encode()).decode()
        return ""

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must not be repeated, longest first."""
        basic = self.authorization.removeprefix("Basic ") if self.user and not self.token else ""
        return tuple(sorted({self.token, self.password, basic} - {""}, key=len, reverse=True))


def system_words(error: BaseException) -> str:
    """What the system said at the bottom of the error: `Connection refused`, not `all attempts failed`."""
    words = str(error) or type(error).__name__
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLError | socket.gaierror):
            words = str(cause)
        elif isinstance(cause, OSError) and cause.errno is not None:
            words = os.strerror(cause.errno)
        cause = cause.__cause__ or cause.__context__
    return words


def checked_address(base_url: str, source: str) -> tuple[str, str]:
    """The address without its last slash, and `host:port` for messages. Raises: UsageError."""
    try:
        parts = urlsplit(base_url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"{source}: `url` must be an address such as https://logs.example.com")
    if parts.username or parts.password:
        raise UsageError(f"{source}: `url` holds a user or password; set `user` and `password_env` instead")
    if parts.query or parts.fragment:
        raise UsageError(f"{source}: `url` must end with its path, without `?` and `#`")
    place = f"{parts.hostname}:{port or (443 if parts.scheme == 'https' else 80)}"
    return base_url.rstrip("/"), place


def trusted(ca_file: str, source: str) -> ssl.SSLContext:
    """The system's authorities, or those of `ca_file`; never none. Raises: UsageError."""
    try:
        return ssl.create_default_context(cafile=ca_file or None)
    except (OSError, ssl.SSLError) as error:
        raise UsageError(
            f"{source}: `ca_file` {ca_file!r} cannot be used ({error}); give certificates as PEM"
        ) from error
