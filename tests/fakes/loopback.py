"""What the fakes of log servers have in common: a loopback HTTP server in a thread that plays faults before it works.

A fault is a dictionary: `status`, `body`, `headers`, `content_type` for an answer; `hang` waits until the server is
closed; `cut` sends so many bytes of the good answer and hangs up; `drop` hangs up at once; `after` lets so many good
answers pass first; `path` is for requests whose path contains it. Faults are used up in order; `times` repeats one.
"""

from __future__ import annotations

import base64
import gzip
import socket
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

_FORM = "application/x-www-form-urlencoded"


class Refused(Exception):
    """What the server does not do: its status and its words."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status
        self.words = words


@dataclass(frozen=True)
class Asked:
    """One request."""

    method: str
    path: str
    params: dict[str, str]
    headers: dict[str, str]
    body: str = ""


@dataclass(frozen=True)
class Reply:
    """One good answer."""

    body: bytes
    content_type: str = "application/json; charset=UTF-8"


@dataclass(repr=False)
class FakeLogServer:
    """Subclasses say what is answered; the fields say who may ask and what goes wrong."""

    token: str = ""
    user: str = ""
    password: str = ""
    faults: list[dict[str, Any]] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    port: int = 0

    def reply(self, asked: Asked) -> Reply:
        """The good answer. Raises: Refused."""
        raise NotImplementedError

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def paths(self, part: str) -> list[dict[str, str]]:
        """The parameters of the requests whose path contains `part`."""
        return [asked.params for asked in self.asked if part in asked.path]

    def check_who(self, asked: Asked) -> None:
        """Raises: Refused without the right credentials."""
        given = asked.headers.get("authorization", "")
        wanted = ""
        if self.token:
            wanted = f"Bearer {self.token}"
        elif self.user:
            wanted = "Basic " + base64.b64encode(f"{self.user}:{self.password}".encode()).decode()
        if wanted and given != wanted:
            raise Refused(401, "unauthorized" if not given else f"wrong credentials: {given}")

    def fault_for(self, asked: Asked) -> dict[str, Any] | None:
        for fault in self.faults:
            if fault.get("path", "") not in asked.path:
                continue
            if fault.get("after", 0) > 0:
                fault["after"] -= 1
                return None
            fault["times"] = fault.get("times", 1) - 1
            if fault["times"] <= 0:
                self.faults.remove(fault)
            return fault
        return None

    def __enter__(self):
        self._closing = threading.Event()
        self._lock = threading.Lock()
        handler = type("Handler", (_Handler,), {"fake": self})
        self._server = _Server(("127.0.0.1", 0), handler)
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    block_on_close = True

    def handle_error(self, *_args: object) -> None:
        """A client may hang up at any time: that is what it is tested for."""


class _Handler(BaseHTTPRequestHandler):
    fake: FakeLogServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._handle("")

    def do_POST(self) -> None:
        self._handle(self.rfile.read(int(self.headers.get("Content-Length", "0"))).decode())

    def do_DELETE(self) -> None:
        self.do_POST()

    def _handle(self, body: str) -> None:
        parts = urlsplit(self.path)
        form = body if self.headers.get("Content-Type", _FORM) == _FORM else ""
        values = parse_qs(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
        values |= parse_qs(form, keep_blank_values=True)
        params = {name: found[-1] for name, found in values.items()}
        headers = {name.lower(): value for name, value in self.headers.items()}
        asked = Asked(self.command, parts.path, params, headers, body)
        with self.fake._lock:
            self.fake.asked.append(asked)
            fault = self.fake.fault_for(asked)
        try:
            self._answer(asked, fault)
        except OSError:
            self.close_connection = True  # the client went away

    def _answer(self, asked: Asked, fault: dict[str, Any] | None) -> None:
        if fault and fault.get("hang"):
            self.fake._closing.wait(60)
        if fault and (fault.get("drop") or fault.get("hang")):
            self._hang_up()
            return
        if fault and "status" in fault:
            body = fault.get("body", "")
            data = body if isinstance(body, bytes) else body.encode()
            kind = fault.get("content_type", "text/plain; charset=utf-8")
            self._send(fault["status"], data, kind, fault.get("headers", {}))
            return
        try:
            self.fake.check_who(asked)
            reply = self.fake.reply(asked)
        except Refused as refused:
            self._send(refused.status, refused.words.encode(), "text/plain; charset=utf-8", {})
            return
        data, headers = reply.body, {}
        if "gzip" in asked.headers.get("accept-encoding", ""):
            data, headers = gzip.compress(data, 1), {"Content-Encoding": "gzip"}
        self._send(200, data, reply.content_type, headers, cut=fault.get("cut") if fault else None)

    def _send(self, status: int, data: bytes, kind: str, headers: dict[str, str], cut: int | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data if cut is None else data[:cut])
        if cut is not None:
            self._hang_up()

    def _hang_up(self) -> None:
        self.close_connection = True
        self.wfile.flush()
        self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, *_args: object) -> None:
        """Nothing on stderr."""
