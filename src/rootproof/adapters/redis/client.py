"""The one place that talks to Redis: every wait bounded, an outage remembered, no secret in what is said about it."""

from __future__ import annotations

import asyncio
import hashlib
import re
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import ConstantBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as RedisTimeoutError

from rootproof.errors import StoreUnavailable, UsageError

T = TypeVar("T")

_CONNECTIONS = 32
_PAUSES_S = (0.5, 1.0, 2.0, 5.0)
"""How long nothing is asked of a Redis that did not answer: the first time, the second, ...; then always the last."""
_RETRY_WAIT_S = 0.05
_HEALTH_CHECK_S = 15
_WORD = re.compile(r"[A-Z]{3,20}\b")


class RedisLink:
    """A client of one Redis and what is known of its health; shared by the adapters of a process.

    A call takes at most `timeout_s` twice (one more try on a fresh connection). After a call that got no answer the
    next ones fail at once for a moment, so that an outage does not make every write wait.
    """

    def __init__(self, url: str, *, prefix: str = "rootproof", timeout_s: float = 2.0) -> None:
        """Raises: UsageError for an address that is none; it is not repeated, since it may hold a password."""
        self.prefix = prefix
        self.timeout_s = timeout_s
        self._url = url
        self.client: Redis = self._open(retries=1, connections=_CONNECTIONS)
        self._failures = 0
        self._asked_again_at = 0.0

    @property
    def is_away(self) -> bool:
        """Whether Redis did not answer a moment ago, so that it is not worth asking now."""
        return time.monotonic() < self._asked_again_at

    def key(self, kind: str, *parts: str) -> str:
        """A key in our space; the parts are hashed, so that no text in them can reach another key."""
        return f"{self.prefix}:{kind}:{hashlib.sha256(chr(0).join(parts).encode(errors='replace')).hexdigest()}"

    async def ask(self, what: str, question: Callable[[Redis], Awaitable[T]]) -> T:
        """What `question` gives. Raises: StoreUnavailable, naming `what` was tried, when Redis did not do it."""
        if self.is_away:
            raise StoreUnavailable(f"{what}: Redis did not answer a moment ago; going on without it")
        try:
            async with asyncio.timeout(2 * self.timeout_s):
                answer = await question(self.client)
        except (RedisError, OSError, TimeoutError) as error:
            if is_outage(error):
                self.note_outage()
            # The cause is not chained: a server's words may repeat what it was sent.
            raise StoreUnavailable(
                f"{what}: Redis could not be used ({words_of(error)}); going on without it"
            ) from None
        self.note_answer()
        return answer

    def listener(self) -> Redis:
        """A client of its own for one long-lived connection, which says at once when that breaks."""
        return self._open(retries=0, connections=2)

    def note_outage(self) -> None:
        """Remember that Redis did not answer."""
        pause = _PAUSES_S[min(self._failures, len(_PAUSES_S) - 1)]
        self._failures += 1
        self._asked_again_at = time.monotonic() + pause

    def note_answer(self) -> None:
        """Remember that Redis answered."""
        self._failures = 0
        self._asked_again_at = 0.0

    async def close(self) -> None:
        """Release the connections."""
        await close_quietly(self.client, self.timeout_s)

    def _open(self, *, retries: int, connections: int) -> Redis:
        try:
            pool = BlockingConnectionPool.from_url(
                self._url,
                max_connections=connections,
                timeout=self.timeout_s,
                socket_timeout=self.timeout_s,
                socket_connect_timeout=self.timeout_s,
                socket_keepalive=True,
                health_check_interval=_HEALTH_CHECK_S,
                retry=Retry(ConstantBackoff(_RETRY_WAIT_S), retries),
                decode_responses=False,
            )
        except (ValueError, TypeError):
            raise UsageError(
                "redis.url is no address of a Redis: it looks like redis://host:6379/0 "
                "(rediss:// with TLS, unix:// for a socket); special characters of a password are written as %XX"
            ) from None
        return Redis.from_pool(pool)


def is_outage(error: BaseException) -> bool:
    """Whether the server gave no answer at all; a refusal (out of memory, read only) is an answer."""
    return isinstance(error, (RedisConnectionError, RedisTimeoutError, OSError, TimeoutError))


def words_of(error: BaseException) -> str:
    """What kind of failure it was: the class and the server's code (`OOM`, `NOAUTH`), never its free text."""
    code = _WORD.match(str(error))
    return f"{type(error).__name__} {code.group()}" if code else type(error).__name__


async def close_quietly(closable: Any, timeout_s: float) -> None:
    """Close a client or pub/sub connection; one that is broken, or does not answer, is dropped."""
    try:
        async with asyncio.timeout(timeout_s):
            await closable.aclose()
    except (RedisError, OSError, TimeoutError):
        return
