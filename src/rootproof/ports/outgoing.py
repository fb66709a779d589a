"""Sending a message to another system over HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol


class MessageSender(Protocol):
    """One POST. Adapters refuse addresses that nobody outside may make us reach."""

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> None:
        """Return when the other side answered with 2xx.

        Raises: SourceDenied when the address must not be called or the other side refuses for good; SourceUnavailable
        when trying again may work. Messages hold neither address nor answer.
        """
        ...

    async def close(self) -> None:
        """Release connections."""
        ...
