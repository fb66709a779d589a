"""A server that speaks the OpenAI chat completions API and plays a script: run it as a process of its own.

`python -m tests.fakes.openai_server SCRIPT.json LOG.jsonl` prints its port on the first line of stdout. The script has
a list for each agent (`planner`, `executor`, `verifier`); the entry for a request is chosen by the agent, known by the
tools it offers, and by the number of assistant turns it shows, so the server keeps no conversation. An entry is
`{"calls": [[name, arguments], ...]}`, `{"text": ...}` or a fault: `{"status", "headers", "body"}`, `{"sleep_s"}`,
`{"raw"}` (sent with status 200); a list of entries is played one a try. Every request is appended to the log.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


class Script:
    """The script and the log."""

    def __init__(self, script: Path, log: Path) -> None:
        self._entries = json.loads(script.read_text(encoding="utf-8"))
        self._log = log
        self._tries: Counter[tuple[str, int]] = Counter()
        self._lock = threading.Lock()

    def entry(self, request: dict[str, Any]) -> dict[str, Any]:
        tools = {tool["function"]["name"] for tool in request.get("tools", [])}
        agent = "planner" if "submit_plan" in tools else "verifier" if "submit_verdicts" in tools else "executor"
        point = sum(message["role"] == "assistant" for message in request["messages"])
        with self._lock:
            with self._log.open("a", encoding="utf-8") as log:
                log.write(json.dumps({"agent": agent, "point": point, "request": request}) + "\n")
            turns = self._entries[agent]
            found = turns[point] if point < len(turns) else {"text": "the script ends here"}
            if isinstance(found, list):
                made = self._tries[agent, point]
                self._tries[agent, point] += 1
                found = found[min(made, len(found) - 1)]
        return found


class Handler(BaseHTTPRequestHandler):
    """One request."""

    script: Script
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        entry = self.script.entry(request)
        if "sleep_s" in entry:
            time.sleep(entry["sleep_s"])
        if "status" in entry:
            self._send(entry["status"], json.dumps(entry.get("body", {})), entry.get("headers", {}))
        elif "raw" in entry:
            self._send(200, entry["raw"], entry.get("headers", {}))
        else:
            self._send(200, json.dumps(_completion(entry)), {})

    def _send(self, status: int, body: str, headers: dict[str, str]) -> None:
        data = body.encode("utf-8", "surrogatepass")
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_args: object) -> None:
        """Nothing on stderr."""


def _completion(entry: dict[str, Any]) -> dict[str, Any]:
    calls = [
        {
            "id": f"call_{number}",
            "type": "function",
            "function": {"name": name, "arguments": value if isinstance(value, str) else json.dumps(value)},
        }
        for number, (name, value) in enumerate(entry.get("calls", []))
    ]
    message: dict[str, Any] = {"role": "assistant", "content": entry.get("text")}
    if calls:
        message["tool_calls"] = calls
    if "refusal" in entry:
        message["refusal"] = entry["refusal"]
    reason = entry.get("finish_reason", "tool_calls" if calls else "stop")
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_777_000_000,
        "model": "fake-1",
        "choices": [{"index": 0, "finish_reason": reason, "message": message}],
        "usage": {"prompt_tokens": 321, "completion_tokens": 45, "total_tokens": 366},
    }


def main() -> None:
    Handler.script = Script(Path(sys.argv[1]), Path(sys.argv[2]))
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
