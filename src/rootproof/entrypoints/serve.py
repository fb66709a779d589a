"""`rootproof serve`: the HTTP server and, in a thread of the same process, a worker."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from typing import TYPE_CHECKING

from rootproof.entrypoints.cli.output import tell
from rootproof.entrypoints.worker import Signals, run_in_loop, work_grace_s
from rootproof.entrypoints.worker_thread import WorkerThread
from rootproof.errors import UsageError
from rootproof.settings import Settings

if TYPE_CHECKING:
    import uvicorn
    from fastapi import FastAPI

    from rootproof.diagnosis.backend import Backend

_BACKLOG = 2_048
_LAST_PORT = 65_535


def serve(settings: Settings) -> None:
    """Serve until SIGINT or SIGTERM. Raises: UsageError for settings or an address that cannot be used; StoreError."""
    run_in_loop(_serve(settings))


async def _serve(settings: Settings) -> None:
    from rootproof.bootstrap.backend import ProcessChannels, open_backend, service_telemetry
    from rootproof.entrypoints.http.app import create_app
    from rootproof.entrypoints.http.bind import check_bind

    telemetry, shared = service_telemetry(settings), ProcessChannels()
    async with AsyncExitStack() as closing:
        closing.callback(telemetry.close)
        backend = await open_backend(settings, telemetry=telemetry, shared=shared)
        closing.push_async_callback(backend.close)
        has_keys = await _has_keys(backend)
        check_bind(settings, has_keys=has_keys)
        listener = closing.enter_context(listening(settings.server.host, settings.server.port))
        app = create_app(settings, backend)
        worker = WorkerThread(settings, telemetry, shared)
        signals = Signals()
        server = _server(app, settings)
        for line in greeting(settings, listener.getsockname()[1], has_keys=has_keys):
            tell(line)
        working = await worker.begin()
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        asked = asyncio.create_task(signals.wait())
        await asyncio.wait({working, serving, asked}, return_when=asyncio.FIRST_COMPLETED)
        if asked.done():
            tell(f"rootproof: ending; {worker.busy} runs under way have up to {work_grace_s(settings):g} s")
        asked.cancel()
        _end_streams(app, server)
        await asyncio.gather(worker.stop(work_grace_s(settings)), serving)
        await working


def _end_streams(app: FastAPI, server: uvicorn.Server) -> None:
    """Take no more requests and let streams end; their clients come again and resume."""
    from sse_starlette.sse import AppStatus

    app.state.draining = True
    AppStatus.should_exit = True
    server.should_exit = True


async def _has_keys(backend: Backend) -> bool:
    from rootproof.diagnosis.keys import is_live

    now = backend.services.clock.now()
    return any(is_live(key, now=now) for key in await backend.keys.all())


def _server(app: FastAPI, settings: Settings) -> uvicorn.Server:
    """The HTTP server, its signals left to us: it would end the process by the signal it got."""
    import uvicorn

    class Server(uvicorn.Server):
        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            yield

    return Server(
        uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            ws="none",
            backlog=_BACKLOG,
            timeout_graceful_shutdown=max(1, round(work_grace_s(settings))),
        )
    )


@contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """A listening socket. Raises: UsageError for an address that cannot be used, with what the system said."""
    bare = host.strip("[]")
    if not 0 <= port <= _LAST_PORT:
        raise UsageError(f"server.port is {port}; a port is a number from 0 (any free one) to {_LAST_PORT}")
    try:
        family, kind, number, _, address = socket.getaddrinfo(
            bare, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (OSError, UnicodeError, OverflowError) as error:
        raise UsageError(f"server.host {host!r} with port {port} is no address of this machine: {error}") from error
    listener = socket.socket(family, kind, number)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(_BACKLOG)
        listener.setblocking(False)
    except (OSError, OverflowError) as error:
        listener.close()
        raise UsageError(
            f"cannot listen on {host} port {port}: {getattr(error, 'strerror', None) or error}; end the process that "
            "uses it, or choose another with --port"
        ) from error
    with listener:
        yield listener


def greeting(settings: Settings, port: int, *, has_keys: bool) -> Iterator[str]:
    """What is said when the server begins: where it is, who may use it, how to go on."""
    host = settings.server.host
    shown = f"[{host}]" if ":" in host and not host.startswith("[") else host
    yield f"rootproof: listening on http://{shown}:{port}"
    if has_keys:
        yield "rootproof: callers need an API key; `rootproof keys list` shows which there are"
    else:
        yield (
            "rootproof: there is no API key: whoever is on this machine may use the server, nobody else. Make one with "
            "`rootproof keys create --owner NAME --scope diagnose`"
        )
    if not settings.worker.concurrency:
        yield "rootproof: worker.concurrency is 0: runs wait for a `rootproof worker`"
