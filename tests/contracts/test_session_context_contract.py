"""What every SessionContextStore keeps to."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from rootproof.adapters.local.session_context import FileSessionContext
from rootproof.adapters.memory.session_context import InMemorySessionContext
from rootproof.adapters.redis.session_context import RedisSessionContext
from rootproof.errors import StoreError
from rootproof.ports.session_context import MAX_PAIR_CHARS, MAX_PAIRS, History, MessagePair, SessionContextStore
from tests.contracts.polling import wait_until
from tests.contracts.redis_server import a_link, redis_process, redis_server

__all__ = ["redis_process", "redis_server"]

HOUR = timedelta(hours=1)


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def files_of(folder: Path) -> list[Path]:
    return list(folder.glob("*.json"))


UNKNOWN = History((), known=False)


def a_pair(number: int, *, answer: str = "pool exhausted") -> MessagePair:
    asked_at = datetime(2026, 3, 4, 5, 6, 7, 123456, tzinfo=UTC) + timedelta(seconds=number)
    return MessagePair(f"run-{number}", f"why {number}?", answer, asked_at)


@pytest.fixture(params=["memory", "file", "redis"])
def kind(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
async def opened(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> AsyncIterator[Callable[[], SessionContextStore]]:
    """Opens the store, as often as there are processes."""
    memory = InMemorySessionContext()
    links = []

    def open_it() -> SessionContextStore:
        match kind:
            case "memory":
                return memory
            case "file":
                return FileSessionContext(tmp_path / "sessions")
            case _:
                links.append(a_link(request.getfixturevalue("redis_server")))
                return RedisSessionContext(links[-1])

    yield open_it
    for link in links:
        await link.close()


@pytest.fixture
def store(opened: Callable[[], SessionContextStore]) -> SessionContextStore:
    return opened()


async def test_a_session_that_never_spoke_is_not_known(store: SessionContextStore) -> None:
    assert await store.history("ses-1", "ana") == UNKNOWN


async def test_pairs_come_back_in_order_from_another_process(
    store: SessionContextStore, opened: Callable[[], SessionContextStore]
) -> None:
    for number in range(3):
        await store.append("ses-1", "ana", a_pair(number), ttl=HOUR)
    assert await opened().history("ses-1", "ana") == History((a_pair(0), a_pair(1), a_pair(2)), known=True)


async def test_the_oldest_fall_off(store: SessionContextStore) -> None:
    for number in range(MAX_PAIRS + 3):
        await store.append("ses-1", "ana", a_pair(number), ttl=HOUR)
    kept = await store.history("ses-1", "ana")
    assert [pair.run_id for pair in kept.pairs] == [f"run-{number}" for number in range(3, MAX_PAIRS + 3)]


async def test_a_run_that_is_there_is_replaced_in_its_place(store: SessionContextStore) -> None:
    for number in range(3):
        await store.append("ses-1", "ana", a_pair(number), ttl=HOUR)
    await store.append("ses-1", "ana", a_pair(1, answer="better"), ttl=HOUR)
    kept = await store.history("ses-1", "ana")
    assert kept.pairs == (a_pair(0), a_pair(1, answer="better"), a_pair(2))


@pytest.mark.parametrize(
    "other", [("ses-1", "bob"), ("ses-2", "ana"), ("ses-1", "Ana"), ("ses-1a", "na"), ("ses-1", "ana ")]
)
async def test_another_owner_or_session_sees_and_changes_nothing(
    store: SessionContextStore, other: tuple[str, str]
) -> None:
    await store.append("ses-1", "ana", a_pair(0), ttl=HOUR)
    assert await store.history(*other) == UNKNOWN
    await store.append(*other, a_pair(1), ttl=HOUR)
    await store.forget(*other)
    assert await store.history(*other) == UNKNOWN
    assert (await store.history("ses-1", "ana")).pairs == (a_pair(0),)


async def test_forgotten_is_not_known(store: SessionContextStore) -> None:
    await store.forget("ses-1", "ana")
    await store.append("ses-1", "ana", a_pair(0), ttl=HOUR)
    await store.forget("ses-1", "ana")
    assert await store.history("ses-1", "ana") == UNKNOWN


async def test_a_history_ends_with_its_time_to_live(store: SessionContextStore) -> None:
    await store.append("ses-1", "ana", a_pair(0), ttl=timedelta(milliseconds=40))
    await store.append("ses-2", "ana", a_pair(0), ttl=HOUR)

    async def is_over() -> bool:
        return await store.history("ses-1", "ana") == UNKNOWN

    await wait_until(is_over)
    assert (await store.history("ses-2", "ana")).known
    await store.append("ses-1", "ana", a_pair(1), ttl=HOUR)
    assert (await store.history("ses-1", "ana")).pairs == (a_pair(1),)


async def test_each_pair_begins_the_time_to_live_anew(store: SessionContextStore) -> None:
    await store.append("ses-1", "ana", a_pair(0), ttl=timedelta(milliseconds=300))
    await store.append("ses-1", "ana", a_pair(1), ttl=HOUR)
    await store.append("ses-2", "ana", a_pair(0), ttl=timedelta(milliseconds=310))

    async def the_first_time_is_over() -> bool:
        return not (await store.history("ses-2", "ana")).known

    await wait_until(the_first_time_is_over)
    assert (await store.history("ses-1", "ana")).pairs == (a_pair(0), a_pair(1))


async def test_texts_of_every_script_come_back(store: SessionContextStore) -> None:
    pair = replace(a_pair(0), question='为什么 🦊 慢? "quoted" \\ \n\t', answer="نفاد 👩‍👩‍👧 \u2028 é")
    await store.append("ses-1", "ana", pair, ttl=HOUR)
    assert (await store.history("ses-1", "ana")).pairs == (pair,)


async def test_what_utf8_cannot_hold_is_written_out(store: SessionContextStore) -> None:
    await store.append("ses-1", "ana", replace(a_pair(0), question="half \ud83d", answer="nul \x00"), ttl=HOUR)
    (kept,) = (await store.history("ses-1", "ana")).pairs
    assert (kept.question, kept.answer) == ("half \\ud83d", "nul \\x00")


@pytest.mark.parametrize(("question", "answer"), [(9_000, 9_000), (9_000, 10), (10, 9_000), (3_000, 1_500)])
async def test_a_pair_is_bounded_and_keeps_both_sides(store: SessionContextStore, question: int, answer: int) -> None:
    pair = replace(a_pair(0), question="q" * question, answer="a" * answer)
    await store.append("ses-1", "ana", pair, ttl=HOUR)
    (kept,) = (await store.history("ses-1", "ana")).pairs
    assert len(kept.question) + len(kept.answer) == MAX_PAIR_CHARS
    assert kept.question.startswith("q" * min(question, MAX_PAIR_CHARS // 2 - 10))
    assert kept.answer.startswith("a" * min(answer, MAX_PAIR_CHARS // 2 - 10))


async def test_a_naive_time_and_no_time_to_live_are_refused(store: SessionContextStore) -> None:
    naive = replace(a_pair(0), asked_at=datetime(2026, 3, 4))  # noqa: DTZ001 - what is refused
    with pytest.raises(StoreError, match="aware"):
        await store.append("ses-1", "ana", naive, ttl=HOUR)
    with pytest.raises(StoreError, match="time to live"):
        await store.append("ses-1", "ana", a_pair(0), ttl=timedelta())
    assert await store.history("ses-1", "ana") == UNKNOWN


async def test_pairs_that_come_at_once_are_all_kept(
    store: SessionContextStore, opened: Callable[[], SessionContextStore]
) -> None:
    stores = [store, opened()]
    await asyncio.gather(
        *(stores[number % 2].append("ses-1", "ana", a_pair(number), ttl=HOUR) for number in range(MAX_PAIRS))
    )
    kept = await store.history("ses-1", "ana")
    assert {pair.run_id for pair in kept.pairs} == {f"run-{number}" for number in range(MAX_PAIRS)}


_APPENDER = """
import asyncio, sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from rootproof.adapters.local.session_context import FileSessionContext
from rootproof.ports.session_context import MessagePair

async def main(folder, name):
    store = FileSessionContext(Path(folder))
    for number in range(10):
        pair = MessagePair(f"{name}-{number}", "why?", "so", datetime.now(UTC))
        await store.append("ses-1", "ana", pair, ttl=timedelta(hours=1))

asyncio.run(main(*sys.argv[1:]))
"""


def test_two_processes_write_one_file_and_lose_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    writers = [subprocess.Popen([sys.executable, "-c", _APPENDER, str(folder), name]) for name in ("left", "right")]
    assert [writer.wait(timeout=60) for writer in writers] == [0, 0]
    kept = asyncio.run(FileSessionContext(folder).history("ses-1", "ana"))
    assert {pair.run_id for pair in kept.pairs} == {f"{name}-{n}" for name in ("left", "right") for n in range(10)}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b'{"endsAt": "2099-01-01T00:00:00+00:00", "pairs": [{}]}',
        b"\xff\xfe",
        b"[" * 9_000,
        b"9" * 5_000,
    ],
    ids=lambda content: content[:12].decode("latin-1"),
)
async def test_a_damaged_file_is_not_known_and_the_next_pair_repairs_it(
    tmp_path: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    store = FileSessionContext(tmp_path)
    await store.append("ses-1", "ana", a_pair(0), ttl=HOUR)
    (file,) = files_of(tmp_path)
    file.write_bytes(content)
    assert await store.history("ses-1", "ana") == UNKNOWN
    assert "damaged" in caplog.text
    await store.append("ses-1", "ana", a_pair(1), ttl=HOUR)
    assert (await store.history("ses-1", "ana")).pairs == (a_pair(1),)


async def test_files_are_private_and_their_names_say_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "state" / "sessions"
    await FileSessionContext(folder).append("ses-canary", "ana-canary", a_pair(0), ttl=HOUR)
    assert mode(folder) == 0o700
    for file in [*files_of(folder), folder / "lock"]:
        assert mode(file) == 0o600
        assert "canary" not in file.name


async def test_a_folder_that_others_could_read_is_closed(tmp_path: Path) -> None:
    os.chmod(tmp_path, 0o755)  # noqa: PTH101 - asynchronous code has no Path.chmod
    await FileSessionContext(tmp_path).append("ses-1", "ana", a_pair(0), ttl=HOUR)
    assert mode(tmp_path) == 0o700


async def test_files_whose_time_is_over_are_deleted_by_later_writes(tmp_path: Path) -> None:
    store = FileSessionContext(tmp_path, purge_every_s=0)
    await store.append("ses-old", "ana", a_pair(0), ttl=timedelta(milliseconds=1))

    async def only_the_new_one_is_left() -> bool:
        await store.append("ses-new", "ana", a_pair(1), ttl=HOUR)
        return len(files_of(tmp_path)) == 1

    await wait_until(only_the_new_one_is_left)
    assert (await store.history("ses-new", "ana")).known


async def test_a_link_in_place_of_a_file_is_not_followed(tmp_path: Path) -> None:
    store = FileSessionContext(tmp_path / "sessions")
    await store.append("ses-1", "ana", a_pair(0), ttl=HOUR)
    (file,) = files_of(tmp_path / "sessions")
    file.rename(tmp_path / "elsewhere")
    file.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError, match="read a session's history"):
        await store.history("ses-1", "ana")


async def test_a_folder_that_cannot_be_made_is_a_store_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    store = FileSessionContext(tmp_path / "file" / "sessions")
    with pytest.raises(StoreError, match="going on without it"):
        await store.append("ses-1", "ana", a_pair(0), ttl=HOUR)


async def test_expired_sessions_leave_memory_without_being_read() -> None:
    now = [0.0]
    store = InMemorySessionContext(lambda: now[0])
    for number in range(200):
        await store.append(f"ses-{number}", "ana", a_pair(number), ttl=timedelta(seconds=1))
    now[0] = 2.0
    for _ in range(5):
        await store.append("ses-new", "ana", a_pair(0), ttl=HOUR)
    assert list(store._kept) == [("ses-new", "ana")]


async def test_a_process_that_keeps_the_lock_is_not_waited_for_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fcntl = pytest.importorskip("fcntl")
    monkeypatch.setattr("rootproof.adapters.local.session_context._LOCK_WAIT_S", 0.05)
    store = FileSessionContext(tmp_path)
    await store.append("ses-1", "ana", a_pair(0), ttl=HOUR)
    handle = os.open(tmp_path / "lock", os.O_RDWR)
    fcntl.flock(handle, fcntl.LOCK_EX)
    with pytest.raises(StoreError, match="another process"):
        await store.append("ses-1", "ana", a_pair(1), ttl=HOUR)
    os.close(handle)
    await store.append("ses-1", "ana", a_pair(1), ttl=HOUR)
    assert (await store.history("ses-1", "ana")).pairs == (a_pair(0), a_pair(1))
