"""Which addresses are taken, and that none of them is repeated."""

from __future__ import annotations

import logging
import traceback

import pytest

from rootproof.adapters.docket.run_queue import DocketRunQueue
from rootproof.adapters.redis.client import RedisLink
from rootproof.adapters.redis.event_bus import RedisEventBus
from rootproof.adapters.redis.session_context import RedisSessionContext
from rootproof.errors import StoreUnavailable, UsageError
from tests.contracts.redis_server import (
    TIMEOUT_S,
    RedisServer,
    redis_process,
    redis_server,
)
from tests.redis.outage import HOUR, PAIR

__all__ = ["redis_process", "redis_server"]


async def test_no_secret_of_the_address_is_said(redis_server: RedisServer, caplog: pytest.LogCaptureFixture) -> None:
    canary = "canary-pw-7391"
    caplog.set_level(logging.DEBUG)
    for who, port in (("service", redis_server.port), ("", 1)):
        url = f"redis://{who}:{canary}@127.0.0.1:{port}/0"
        link = RedisLink(url, prefix="test", timeout_s=TIMEOUT_S)
        bus, queue = RedisEventBus(link), DocketRunQueue(url, prefix="test", timeout_s=TIMEOUT_S)
        with pytest.raises(StoreUnavailable) as refused:
            await RedisSessionContext(link).append("ses-1", "ana", PAIR, ttl=HOUR)
        async with bus.subscribe("run-1"):
            await bus.publish("run-1")
        await queue.enqueue("run-1")
        await bus.close()
        await queue.close()
        await link.close()
        assert canary not in "".join(traceback.format_exception(refused.value))
    assert "could not be put into the queue" in caplog.text
    assert canary not in caplog.text


@pytest.mark.parametrize(
    "url",
    [
        "redis://:canary#pw@host:6379/0",
        "redis://:canary-pw@host:port/0",
        "http://canary-pw@host",
        "canary-pw",
        "",
    ],
)
async def test_an_address_that_is_none_is_refused_without_being_repeated(url: str) -> None:
    with pytest.raises(UsageError, match=r"redis\.url") as refused:
        RedisLink(url)
    assert "canary" not in "".join(traceback.format_exception(refused.value))
    with pytest.raises(UsageError, match=r"redis\.url") as refused:
        DocketRunQueue(url)
    assert "canary" not in "".join(traceback.format_exception(refused.value))


@pytest.mark.parametrize(
    "url", ["redis://h:1/0", "rediss://u:p@h:1/0?ssl_cert_reqs=none", "unix:///run/redis.sock?db=1"]
)
async def test_every_form_of_address_is_taken(url: str) -> None:
    await RedisLink(url).close()
    assert DocketRunQueue(url)._url.startswith(url)


def test_an_option_of_the_address_that_is_none_is_refused() -> None:
    with pytest.raises(UsageError, match=r"redis\.url"):
        RedisLink("redis://host:6379/0?socket_timeout=soon")
