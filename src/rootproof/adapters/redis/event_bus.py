"""An EventBus over Redis pub/sub: one connection a process, however many streams listen in it."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import secrets
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from contextvars import Context
from typing import Any

from redis.asyncio import Redis
from redis.exceptions import RedisError

from rootproof.adapters.redis.client import RedisLink, close_quietly, words_of
from rootproof.errors import StoreUnavailable
from rootproof.ports.event_bus import bounded_passing
from rootproof.ports.listeners import Listener, Listeners

_log = logging.getLogger(__name__)

_BACKOFF_S = (0.1, 0.25, 0.5, 1.0, 2.0)
_QUIET_S = 10.0
"""A connection that is silent for so long is asked for a sign of life."""


class RedisEventBus:
    """Subscribers of this process hear its own publishers directly, and those of other processes through Redis.

    So a stream whose run is carried out in the same process does not notice that Redis is away.
    """

    def __init__(self, link: RedisLink) -> None:
        self._link = link
        self._me = secrets.token_hex(8)
        self._channels = f"{link.prefix}:runs:"
        self._listeners = Listeners()
        self._ear: asyncio.Task[None] | None = None
        self._pubsub: Any = None
        """The connection while it is up; only what is subscribed on it is known to `_confirmed`."""
        self._confirmed: defaultdict[bytes, asyncio.Event] = defaultdict(asyncio.Event)
        self._closed = False

    async def publish(self, run_id: str, passing: Mapping[str, Any] | None = None) -> None:
        """Say that the run moved. Where Redis is away the other processes do not hear it."""
        if self._closed:
            return
        passing, as_json = bounded_passing(passing)
        self._listeners.tell(run_id, passing)
        self._listeners.tell(None, passing)
        message = f'{{"from": "{self._me}", "passing": {as_json}}}'.encode()

        async def question(client: Redis) -> None:
            await client.publish(self._channels + run_id, message)

        with suppress(StoreUnavailable):
            await self._link.ask("publish that a run moved", question)

    @asynccontextmanager
    async def subscribe(self, run_id: str | None) -> AsyncIterator[Listener]:
        """Listen to a run; None: to every run."""
        listener = self._listeners.add(run_id)
        try:
            await self._listen(run_id)
            yield listener
        finally:
            if self._listeners.remove(run_id, listener):
                await self._stop_listening(run_id)

    async def close(self) -> None:
        """Wake every subscriber once and give the connection back; nothing is heard after it."""
        self._closed = True
        if self._ear is not None:
            self._ear.cancel()
            await asyncio.wait([self._ear])
        self._listeners.wake_all()

    async def _listen(self, run_id: str | None) -> None:
        """Subscribe, and wait (not long) until Redis has confirmed: what is published from then on is heard."""
        if self._closed:
            return
        if self._ear is None:
            # A context of its own: it serves every run, and its log lines are about none.
            self._ear = asyncio.create_task(self._hear(), name="event bus listener", context=Context())
        elif self._pubsub is not None:
            await self._tell_redis(self._pubsub, run_id, listen=True)
        if self._pubsub is None and self._link.is_away:
            return  # whoever listens is woken when the connection is there
        with suppress(TimeoutError):
            async with asyncio.timeout(self._link.timeout_s):
                await self._confirmed[self._place(run_id)].wait()

    async def _stop_listening(self, run_id: str | None) -> None:
        self._confirmed.pop(self._place(run_id), None)
        if self._pubsub is not None:
            await self._tell_redis(self._pubsub, run_id, listen=False)

    async def _tell_redis(self, pubsub: Any, run_id: str | None, *, listen: bool) -> None:
        """Ask for a channel, or for no more of it. The listening task sees when the connection breaks."""
        place = self._place(run_id)
        match run_id, listen:
            case None, True:
                change = pubsub.psubscribe(place)
            case None, False:
                change = pubsub.punsubscribe(place)
            case _, True:
                change = pubsub.subscribe(place)
            case _:
                change = pubsub.unsubscribe(place)
        with suppress(RedisError, OSError, TimeoutError):
            async with asyncio.timeout(self._link.timeout_s):
                await change

    async def _hear(self) -> None:
        """Keep one connection up and hand on what comes in, until cancelled."""
        failures = 0
        while True:
            client = self._link.listener()
            pubsub = client.pubsub()
            try:
                await self._join(pubsub)
                self._link.note_answer()
                failures = 0
                while True:
                    await self._hand_on(pubsub)
            except Exception as error:  # noqa: BLE001 - whatever it was: an ear that is gone hears nothing ever again
                if failures == 0:
                    _log.warning("the event bus lost Redis (%s): streams of other processes slow down", words_of(error))
            finally:
                self._pubsub = None
                self._confirmed.clear()
                await close_quietly(pubsub, self._link.timeout_s)
                await close_quietly(client, self._link.timeout_s)
            await asyncio.sleep(_BACKOFF_S[min(failures, len(_BACKOFF_S) - 1)])
            failures += 1

    async def _join(self, pubsub: Any) -> None:
        """Subscribe to everything that somebody listens to, then wake all: something may have been missed."""
        async with asyncio.timeout(2 * self._link.timeout_s):
            # A channel of our own keeps the connection a pub/sub one while nobody listens.
            await pubsub.subscribe(f"{self._channels}-")
            runs = [self._place(run_id) for run_id in self._listeners.runs() if run_id is not None]
            if runs:
                await pubsub.subscribe(*runs)
            if None in self._listeners:
                await pubsub.psubscribe(self._place(None))
        self._pubsub = pubsub
        for run_id in self._listeners.runs():  # those that came while the lines above waited
            if self._place(run_id) not in (*runs, *pubsub.patterns):
                await self._tell_redis(pubsub, run_id, listen=True)
        self._listeners.wake_all()

    async def _hand_on(self, pubsub: Any) -> None:
        """Read one message. Raises: what redis raises when the connection is broken or silent."""
        message = await pubsub.get_message(timeout=_QUIET_S)
        if message is None:
            async with asyncio.timeout(self._link.timeout_s):
                await pubsub.ping()
            message = await pubsub.get_message(timeout=self._link.timeout_s)
            if message is None:
                raise TimeoutError
        match message["type"]:
            case "subscribe" | "psubscribe":
                self._confirmed[message["channel"]].set()
            case "message" | "pmessage":
                sender, passing = _content(message["data"])
                if sender != self._me:
                    run_id = message["channel"].decode(errors="replace").removeprefix(self._channels)
                    whom = run_id if message["type"] == "message" else None
                    self._listeners.tell(whom, passing)

    def _place(self, run_id: str | None) -> bytes:
        """The channel of a run, or the pattern of all."""
        if run_id is None:
            return (re.sub(r"([*?\[\]\\])", r"\\\1", self._channels) + "*").encode()
        return f"{self._channels}{run_id}".encode(errors="replace")


def _content(data: bytes) -> tuple[str, Mapping[str, Any] | None]:
    """Who said it, and the ephemeral event; whatever cannot be read is still a sign that the run moved."""
    try:
        message = json.loads(data)
        sender, passing = message.get("from", ""), message.get("passing")
    except (ValueError, AttributeError, RecursionError):
        return "", None
    return str(sender), passing if isinstance(passing, dict) else None
