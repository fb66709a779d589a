"""Where tests find Redis."""

from __future__ import annotations

import os
import socket

import pytest


def redis_url() -> str:
    """The Redis of this machine; skips where there is none, fails where services are required."""
    url = os.environ.get("ROOTPROOF_TEST_REDIS", "redis://127.0.0.1:6379/0")
    host, _, port = url.removeprefix("redis://").partition("/")[0].partition(":")
    try:
        socket.create_connection((host, int(port or 6379)), timeout=3).close()
    except OSError as error:
        reason = f"no Redis at {host}:{port} (ROOTPROOF_TEST_REDIS names another): {error}"
        if os.environ.get("ROOTPROOF_REQUIRE_SERVICES") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    return url
