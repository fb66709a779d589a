"""A worker that is killed in the middle of a job: the queue gives the job to another one."""

from __future__ import annotations

import asyncio
import secrets
import subprocess
import sys

from rootproof.adapters.docket.run_queue import DocketRunQueue
from tests.contracts.polling import wait_until
from tests.contracts.redis_server import RedisServer, redis_process, redis_server

__all__ = ["redis_process", "redis_server"]

_WORKER = """
import asyncio, sys
from rootproof.adapters.docket.run_queue import DocketRunQueue

async def handle(run_id):
    print("begun", run_id, flush=True)
    await asyncio.Event().wait()

async def main(url, prefix):
    await DocketRunQueue(url, prefix=prefix, redelivery_s=1).work(handle, concurrency=1)

asyncio.run(main(*sys.argv[1:]))
"""


async def test_the_job_of_a_killed_worker_goes_to_another_one(redis_server: RedisServer) -> None:
    prefix = f"test-{secrets.token_hex(4)}"
    command = [sys.executable, "-c", _WORKER, redis_server.url, prefix]
    victim = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE)
    assert victim.stdout is not None
    queue = DocketRunQueue(redis_server.url, prefix=prefix, timeout_s=5, redelivery_s=1)
    done: list[str] = []

    async def handle(run_id: str) -> None:
        done.append(run_id)

    await queue.enqueue("run-1")
    assert await asyncio.wait_for(victim.stdout.readline(), 30) == b"begun run-1\n"
    worker = asyncio.create_task(queue.work(handle, concurrency=1))
    await queue.enqueue("run-1")  # nothing: a job of this key is under way
    await queue.enqueue("run-2")
    await wait_until(lambda: done == ["run-2"])
    victim.kill()
    await victim.wait()
    await wait_until(lambda: done == ["run-2", "run-1"])
    worker.cancel()
    await asyncio.wait([worker], timeout=20)
    await queue.close()
