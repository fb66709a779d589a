"""A run that a caller of the service asks for: checked, started once however often it is asked for, and queued."""

from __future__ import annotations

import asyncio
import uuid
from dataclasses import dataclass

from rootproof.diagnosis.backend import Backend
from rootproof.diagnosis.capacity import check_capacity
from rootproof.diagnosis.start_run import RunRequest, as_stored, check_request, start_run
from rootproof.domain.alert import Alert
from rootproof.domain.api_key import Principal
from rootproof.domain.run import Run, is_terminal
from rootproof.domain.storable import plain, visible
from rootproof.errors import StoreError, UsageError

MAX_KEY_CHARS = 200
_KEYS = uuid.UUID("6d0a3f0e-3a57-4c1b-9a86-0f6f1f0c8a55")
"""The namespace of run ids that are made from idempotency keys."""


class SessionAbsent(UsageError):
    """There is no such session of this owner."""


class KeyReused(UsageError):
    """The idempotency key was given with another request before."""


@dataclass(frozen=True, slots=True)
class AskedRun:
    """What a caller wants to know."""

    question: str = ""
    payload: tuple[Alert, ...] = ()
    session_id: str | None = None
    model: str | None = None
    idempotency_key: str | None = None


async def request_run(backend: Backend, caller: Principal, asked: AskedRun, *, max_queued: int) -> Run:
    """The run, queued; the one that was started before where the key of the same owner names one.

    A caller with a key continues only sessions of its own that are there: to him a foreign session and an absent one
    are the same. Where no keys are in use, an unknown session id begins a session of that name.
    Raises: UsageError; SessionAbsent; KeyReused; LimitExceeded when too many runs wait; StoreError.
    """
    request = _request(backend, caller, asked)
    check_request(request)
    if request.run_id is not None:
        earlier = await backend.directory.run(request.run_id, owner=caller.owner)
        if earlier is not None:
            return await _again(backend, earlier, request, asked)
    if asked.session_id is not None and not await _may_use(backend, caller, asked.session_id):
        raise SessionAbsent(asked.session_id)
    await check_capacity(backend, max_queued)
    try:
        run = await start_run(backend.services, request)
    except StoreError:
        # Somebody else began the same run or the session at the same moment; what is there now decides.
        earlier = await backend.directory.run(request.run_id, owner=caller.owner) if request.run_id else None
        if earlier is not None:
            return await _again(backend, earlier, request, asked)
        if asked.session_id and await backend.directory.session(asked.session_id, owner=caller.owner) is None:
            raise SessionAbsent(asked.session_id) from None
        raise
    await backend.queue.enqueue(run.run_id, epoch=run.lease_epoch)
    return run


def _request(backend: Backend, caller: Principal, asked: AskedRun) -> RunRequest:
    basis = backend.basis
    known = (basis.reasoner, "playbook")
    if asked.model is not None and asked.model not in known:
        raise UsageError(
            f"model {asked.model!r:.100} is not offered here; use one of: {', '.join(dict.fromkeys(known))}"
        )
    name = _named(caller.owner, asked.idempotency_key)
    return RunRequest(
        question=asked.question,
        payload=asked.payload,
        session_id=asked.session_id or (f"ses-{name}" if name else None),
        owner=caller.owner,
        reasoner=asked.model or basis.reasoner,
        now=basis.now,
        sources=dict(basis.sources),
        run_id=f"run-{name}" if name else None,
    )


def _named(owner: str, key: str | None) -> uuid.UUID | None:
    """The same for the same owner and key, on every server and after every restart."""
    if key is None:
        return None
    if not 0 < len(key) <= MAX_KEY_CHARS:
        raise UsageError(f"an idempotency key has 1 to {MAX_KEY_CHARS} characters")
    return uuid.uuid5(_KEYS, f"{len(owner)}:{owner}:{key}")


async def _may_use(backend: Backend, caller: Principal, session_id: str) -> bool:
    return caller.key_id is None or await backend.directory.session(session_id, owner=caller.owner) is not None


async def _again(backend: Backend, run: Run, request: RunRequest, asked: AskedRun) -> Run:
    question, payload = await asyncio.to_thread(as_stored, request)
    same = (
        run.question == visible(question)
        and run.reasoner == request.reasoner
        and run.sources.get("payload") == plain(payload)
        and asked.session_id in (None, run.session_id)
    )
    if not same:
        raise KeyReused(
            f"this idempotency key began run {run.run_id} with another request; use a new key for a new request"
        )
    if not is_terminal(run.status):
        await backend.queue.enqueue(run.run_id, epoch=run.lease_epoch)
    return run
