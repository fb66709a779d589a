"""A server that speaks the OpenAI chat completions API and plays scripts: run it as a process of its own.

`python -m tests.fakes.openai_server SCRIPTS.json LOG.jsonl` prints its port on the first line of stdout. The file holds
one script, or one for each model name. A script has a list for each agent (`planner`, `executor`, `verifier`); the
entry for a request is chosen by the agent, known by the tools it offers, and by the number of assistant turns it shows,
so the server keeps no conversation. Past its end the last `period` entries are played again. An entry is a reply,
`{"calls": [[name, arguments], ...], "text": ..., "ids": [...], "finish_reason", "refusal", "usage", "fill_chars"}`, or
a fault: `{"status", "headers", "retry_after_date_s", "body"}`, `{"raw", "fill_chars"}` (sent with status 200),
`{"events": [...]}` (sent as they are), `{"drop": true}`. `sleep_s` waits before the first byte, `stall_after` and
`cut_after` act after so many events of a stream, `drip_s` waits after each byte, `whole` does not stream, and
`content_type` lies. A list of entries is played one a try. Every request is appended to the log.
"""

from __future__ import annotations

import json
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

_PIECE = 24
"""Characters of arguments in one event."""


class Script:
    """The scripts and the log."""

    def __init__(self, script: Path, log: Path) -> None:
        self._scripts = json.loads(script.read_text(encoding="utf-8"))
        self._log = log
        self._tries: Counter[tuple[str, str, int]] = Counter()
        self._lock = threading.Lock()

    def entry(self, request: dict[str, Any], size: int) -> dict[str, Any]:
        tools = {tool["function"]["name"] for tool in request.get("tools", [])}
        agent = "planner" if "submit_plan" in tools else "verifier" if "submit_verdicts" in tools else "executor"
        point = sum(message["role"] == "assistant" for message in request["messages"])
        model = request["model"]
        script = self._scripts.get(model, self._scripts)
        with self._lock:
            with self._log.open("a", encoding="utf-8") as log:
                line = {"model": model, "agent": agent, "point": point, "bytes": size, "request": request}
                log.write(json.dumps(line) + "\n")
            found = _at(script[agent], point, script.get("period", 0))
            if isinstance(found, list):
                made = self._tries[model, agent, point]
                self._tries[model, agent, point] += 1
                found = found[min(made, len(found) - 1)]
        return found


def _at(turns: list[Any], point: int, period: int) -> Any:
    if point < len(turns):
        return turns[point]
    if not period:
        return {"text": "the script ends here"}
    return turns[len(turns) - period + (point - len(turns)) % period]


class Handler(BaseHTTPRequestHandler):
    """One request."""

    script: Script
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        request = json.loads(body)
        entry = self.script.entry(request, len(body))
        try:
            self._play(entry, streams=bool(request.get("stream")))
        except OSError:
            self.close_connection = True  # the client went away while it was kept waiting

    def _play(self, entry: dict[str, Any], *, streams: bool) -> None:
        time.sleep(entry.get("sleep_s", 0))
        if entry.get("drop"):
            self._hang_up()
        elif "status" in entry:
            self._send(entry["status"], json.dumps(entry.get("body", {})), entry)
        elif "raw" in entry:
            self._send(200, entry["raw"] + "x" * entry.get("fill_chars", 0), entry)
        elif streams and not entry.get("whole"):
            self._stream(entry, entry["events"] if "events" in entry else list(_chunks(entry)))
        else:
            self._send(200, json.dumps(_completion(entry)), entry)

    def _send(self, status: int, body: str, entry: dict[str, Any]) -> None:
        data = body.encode("utf-8", "surrogatepass")
        self.send_response(status)
        self.send_header("Content-Type", entry.get("content_type", "application/json"))
        self.send_header("Content-Length", str(len(data)))
        for name, value in entry.get("headers", {}).items():
            self.send_header(name, value)
        if "retry_after_date_s" in entry:
            self.send_header("Retry-After", formatdate(time.time() + entry["retry_after_date_s"], usegmt=True))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, entry: dict[str, Any], events: list[Any]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", entry.get("content_type", "text/event-stream"))
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for number, event in enumerate(events):
            if number == entry.get("cut_after"):
                self._hang_up()
                return
            if number == entry.get("end_after"):
                break
            if number == entry.get("stall_after"):
                time.sleep(entry["stall_s"])
            self._event(event if isinstance(event, str) else json.dumps(event), entry)
        self._write(b"")

    def _event(self, event: str, entry: dict[str, Any]) -> None:
        data = f"data: {event}\n\n".encode("utf-8", "surrogatepass")
        pause_s = entry.get("drip_s")
        for piece in [data] if pause_s is None else [bytes([byte]) for byte in data]:
            self._write(piece)
            time.sleep(pause_s or 0)

    def _write(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def _hang_up(self) -> None:
        """Close the connection in the middle of whatever it was."""
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, *_args: object) -> None:
        """Nothing on stderr."""


def _calls(entry: dict[str, Any]) -> list[dict[str, Any]]:
    wanted = entry.get("calls", [])
    ids = entry.get("ids", [f"call_{number}" for number in range(len(wanted))])
    return [
        {
            "id": ids[number % len(ids)],
            "type": "function",
            "function": {"name": name, "arguments": value if isinstance(value, str) else json.dumps(value)},
        }
        for number, (name, value) in enumerate(wanted)
    ]


def _reason(entry: dict[str, Any]) -> Any:
    return entry.get("finish_reason", "tool_calls" if entry.get("calls") else "stop")


def _usage(entry: dict[str, Any]) -> Any:
    return entry.get("usage", {"prompt_tokens": 321, "completion_tokens": 45, "total_tokens": 366})


def _text(entry: dict[str, Any]) -> str | None:
    filler = "word " * (entry.get("fill_chars", 0) // 5)
    return (entry.get("text") or "") + filler or None


def _completion(entry: dict[str, Any]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": _text(entry)}
    if calls := _calls(entry):
        message["tool_calls"] = calls
    if "refusal" in entry:
        message["refusal"] = entry["refusal"]
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_777_000_000,
        "model": "fake-1",
        "choices": [{"index": 0, "finish_reason": _reason(entry), "message": message}],
        "usage": _usage(entry),
    }


def _chunks(entry: dict[str, Any]) -> Iterator[dict[str, Any] | str]:
    """The reply as the events of a stream: arguments come in pieces, the usage at the end."""
    yield _chunk({"role": "assistant", "content": ""})
    if text := _text(entry):
        yield _chunk({"content": text})
    if "refusal" in entry:
        yield _chunk({"refusal": entry["refusal"]})
    for number, call in enumerate(_calls(entry)):
        arguments = call["function"]["arguments"]
        head = {**call, "index": number, "function": {**call["function"], "arguments": ""}}
        yield _chunk({"tool_calls": [head]})
        for at in range(0, len(arguments), max(_PIECE, len(arguments) // 50)):
            piece = arguments[at : at + max(_PIECE, len(arguments) // 50)]
            yield _chunk({"tool_calls": [{"index": number, "function": {"arguments": piece}}]})
    yield _chunk({}, _reason(entry))
    yield {**_chunk({}), "choices": [], "usage": _usage(entry)}
    yield "[DONE]"


def _chunk(delta: dict[str, Any], reason: Any = None) -> dict[str, Any]:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1_777_000_000,
        "model": "fake-1",
        "choices": [{"index": 0, "delta": delta, "finish_reason": reason}],
    }


class Server(ThreadingHTTPServer):
    """Ends with its process, and says nothing of clients that went away."""

    daemon_threads = True

    def handle_error(self, *_args: object) -> None:
        """A client may hang up at any time: that is what it is tested for."""


def main() -> None:
    Handler.script = Script(Path(sys.argv[1]), Path(sys.argv[2]))
    server = Server(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
