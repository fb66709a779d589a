"""Runs as they happen: one reader of rows a run, however many listen to it.

The rows are the truth, the bus only says when to look, and a look comes at least every `MAX_PAUSE_S` without it. A
listener that falls behind what is kept here reads the rows again: nobody's slowness costs memory or another's time.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Iterable
from dataclasses import dataclass, field

from rootproof.diagnosis.events import EventLog, StreamEvent
from rootproof.diagnosis.present import readable
from rootproof.errors import LimitExceeded, StoreError
from rootproof.ports.event_bus import EventBus, Subscription
from rootproof.ports.run_directory import RunDirectory

FIRST_PAUSE_S = 0.25
MAX_PAUSE_S = 2.0
"""Between two looks at the rows of a run of which the bus says nothing."""
MIN_GAP_S = 0.03
"""Between two looks that the bus asks for: a burst of messages is one look."""
MAX_FAILURES = 20
"""Looks in a row that the store may fail; then the streams break off, and their clients come again."""
KEPT_EVENTS = 500
KEPT_BYTES = 2 * 1024 * 1024
KEPT_PASSING = 200
"""Ephemeral events that wait for a slow listener; older ones are lost."""


class RunGone(StoreError):
    """There is no such run of this owner."""


@dataclass(slots=True)
class Kept:
    """An event and what it is on the wire."""

    seq: int
    event: StreamEvent
    frame: bytes


@dataclass(eq=False, slots=True)
class Listener:
    """One stream, from after an id on."""

    feed: Feed
    position: int
    _wake: asyncio.Event = field(default_factory=asyncio.Event)
    _passing: deque[Kept] = field(default_factory=lambda: deque(maxlen=KEPT_PASSING))
    closed: bool = False

    async def events(self) -> AsyncGenerator[Kept, None]:
        """Every event after the position, each once, `end` last. Raises: StoreError when the rows cannot be read."""
        while True:
            self._wake.clear()
            while self._passing:
                yield self._passing.popleft()
            for kept in await self.feed.after(self.position):
                self.position = kept.seq
                yield kept
                if kept.event.type == "end":
                    return
            if self.closed or self.feed.log.end_seen_at(self.position):
                return
            await self._wake.wait()

    def wake(self, passing: Iterable[Kept] = ()) -> None:
        """Something happened."""
        self._passing.extend(passing)
        self._wake.set()

    def close(self) -> None:
        """Stop listening; once is enough."""
        if not self.closed:
            self.closed = True
            self._wake.set()
            self.feed.leave(self)


class Feed:
    """One run that somebody listens to."""

    def __init__(self, feeds: RunFeeds, run_id: str, owner: str) -> None:
        self.key = (run_id, owner)
        self.log = EventLog()
        self._feeds = feeds
        self._kept: deque[Kept] = deque()
        self._bytes = 0
        self._floor = 0
        """Every event beyond this id is kept."""
        self._listeners: set[Listener] = set()
        self._task: asyncio.Task[None] | None = None
        self._looking = asyncio.Lock()
        self._broken: Exception | None = None

    async def look(self) -> bool:
        """Whether there is news. Raises: StoreError, also where the run is there no more."""
        async with self._looking:
            if self.log.ended:
                return False
            run_id, owner = self.key
            news = await self._feeds.directory.news(run_id, after=self.log.seq, owner=owner)
            if news is None:
                raise RunGone(f"run {run_id} is not there")
            with readable(run_id):
                fresh = [_kept(event) for event in self.log.take(news)]
            self._keep(fresh)
        if fresh:
            for listener in self._listeners:
                listener.wake()
        return bool(fresh)

    async def after(self, position: int) -> list[Kept]:
        """What comes after an id: of what is kept, else from the rows. Raises: StoreError."""
        if self._broken is not None:
            raise StoreError(f"run {self.key[0]} cannot be followed: {self._broken}") from self._broken
        if position >= self._floor:
            return [kept for kept in self._kept if kept.seq > position]
        run_id, owner = self.key
        rows = await self._feeds.directory.news(run_id, after=0, owner=owner)
        if rows is None:
            raise RunGone(f"run {run_id} is not there")
        with readable(run_id):
            return [kept for kept in map(_kept, EventLog().take(rows)) if kept.seq > position]

    def join(self, position: int) -> Listener:
        """A listener from after this id on."""
        listener = Listener(self, position)
        self._listeners.add(listener)
        return listener

    def follow(self) -> None:
        """Look for news as long as somebody listens and the run goes on."""
        if self._task is None and self._listeners and not self.log.ended:
            self._task = asyncio.create_task(self._follow())

    def leave(self, listener: Listener) -> None:
        """One listener fewer; nobody follows a run to which nobody listens."""
        self._listeners.discard(listener)
        self._feeds.listeners -= 1
        if not self._listeners:
            if self._task is not None:
                self._task.cancel()
                self._task = None
            self._feeds.drop(self)

    def _keep(self, fresh: list[Kept]) -> None:
        self._kept.extend(fresh)
        self._bytes += sum(len(kept.frame) for kept in fresh)
        while self._kept and (len(self._kept) > KEPT_EVENTS or self._bytes > KEPT_BYTES):
            oldest = self._kept.popleft()
            self._bytes -= len(oldest.frame)
            self._floor = oldest.seq

    async def _follow(self) -> None:
        try:
            async with self._feeds.bus.subscribe(self.key[0]) as subscription:
                await self._until_the_end(subscription)
        except Exception as error:  # noqa: BLE001 - whatever it was, no stream may wait for a follower that is gone
            self._broken = error
            for listener in self._listeners:
                listener.wake()

    async def _until_the_end(self, subscription: Subscription) -> None:
        clock = asyncio.get_running_loop().time
        pause, failures = FIRST_PAUSE_S, 0
        while not self.log.ended:
            looked_at = clock()
            try:
                fresh = await self.look()
                failures = 0
            except StoreError:
                fresh, failures = False, failures + 1
                if failures >= MAX_FAILURES:
                    raise
            pause = FIRST_PAUSE_S if fresh else min(pause * 2, MAX_PAUSE_S)
            moved = await subscription.moved(pause)
            told = [_kept(self.log.passing(each)) for each in subscription.passing()]
            if told:
                for listener in self._listeners:
                    listener.wake(told)
            # A bus that is closed answers at once, and a burst asks for many looks: neither may make this spin.
            rest = (MIN_GAP_S if moved else pause) - (clock() - looked_at)
            if rest > 0:
                await asyncio.sleep(rest)


class RunFeeds:
    """The runs that somebody listens to, in this process."""

    def __init__(self, directory: RunDirectory, bus: EventBus, *, max_listeners: int) -> None:
        self.directory = directory
        self.bus = bus
        self.max_listeners = max_listeners
        self.listeners = 0
        self._feeds: dict[tuple[str, str], Feed] = {}

    async def listen(self, run_id: str, owner: str, after: int = 0) -> Listener | None:
        """A listener from after this id on; None when there is no such run of this owner. Its user closes it.

        Raises: LimitExceeded when there are as many listeners as may be; StoreError.
        """
        if self.listeners >= self.max_listeners:
            raise LimitExceeded(
                f"{self.listeners} streams are open already, at most {self.max_listeners} may be (server.max_streams)",
                limit="max_streams",
            )
        feed = self._feeds.setdefault((run_id, owner), Feed(self, run_id, owner))
        listener = feed.join(after)
        self.listeners += 1
        try:
            if feed.log.seq == 0 or feed.log.seq < after:
                await feed.look()
        except RunGone:
            listener.close()
            return None
        except BaseException:
            listener.close()
            raise
        feed.follow()
        return listener

    def drop(self, feed: Feed) -> None:
        """Forget a feed to which nobody listens."""
        if self._feeds.get(feed.key) is feed:
            del self._feeds[feed.key]


def _kept(event: StreamEvent) -> Kept:
    return Kept(event.seq or 0, event, event.frame())
