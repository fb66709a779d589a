"""Recorded cluster state: command outputs, object lists, manifests, topology and changes, selected by view."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rootproof.adapters.sources.commands import CLUSTER_SCOPED, Command, kind_of, parse_command
from rootproof.adapters.sources.deadline import Deadline, in_thread
from rootproof.adapters.sources.documents import garbled, read_json, read_text
from rootproof.adapters.sources.workload import workload_of
from rootproof.domain.cutting import within
from rootproof.errors import QueryRejected
from rootproof.ports.sources import ClusterQuery

MAX_ANSWER_CHARS = 48 * 1024 * 1024
OBJECT_FILES = ("pods", "deployments", "nodes")
MAX_MANIFEST_BYTES = 4 * 1024 * 1024

_VIEW_COMMANDS: dict[str, Callable[[Command], bool]] = {
    "overview": lambda _: True,
    "list": lambda command: command.verb in ("get", "top", "lineage") and command.output not in ("yaml", "json"),
    "describe": lambda command: command.verb == "describe",
    "events": lambda command: command.verb == "events" or command.kind == "event" or command.verb == "describe",
    "yaml": lambda command: command.output in ("yaml", "json"),
    "node_services": lambda command: command.verb == "node",
    "connectivity": lambda command: command.verb == "probe",
}
_VIEWS = frozenset({*_VIEW_COMMANDS, "changes", "topology", "manifests"})


@dataclass(frozen=True, slots=True)
class ClusterFiles:
    """Where the recorded state lies; each path comes with the label that errors name it by."""

    commands: tuple[Path, str] | None = None
    objects: dict[str, tuple[Path, str]] = field(default_factory=dict)
    manifests: tuple[tuple[Path, str], ...] = ()
    topology: tuple[Path, str] | None = None
    changes: tuple[Path, str] | None = None

    def __bool__(self) -> bool:
        return bool(self.commands or self.objects or self.manifests or self.topology or self.changes)


@dataclass(frozen=True, slots=True)
class _Record:
    outputs: list[tuple[Command, str]]
    objects: dict[str, list[dict[str, Any]]]
    manifests: list[dict[str, str]]
    topology: dict[str, Any] | None
    changes: list[dict[str, Any]]


class ClusterRecord:
    """A cluster source over the files of a bundle, read once at the first query."""

    name = "recorded cluster state"

    def __init__(self, files: ClusterFiles, kind: str = "BUNDLE") -> None:
        self.kind = kind
        self._files = files
        self._record: _Record | None = None
        self._lock = threading.Lock()

    async def fetch(self, query: ClusterQuery, *, deadline_s: float) -> str:
        """The raw answer, as `ports.sources.ClusterSource` says; parts the view does not ask for are empty.

        Shape: at most `MAX_ANSWER_CHARS` of command output; `more` is true when some was left out.
        Raises: QueryRejected for an unknown view; SourceGarbled, SourceUnavailable, SourceDenied, SourceTimeout.
        """
        if query.view not in _VIEWS:
            raise QueryRejected(f"no view {query.view!r} of the cluster; there are {', '.join(sorted(_VIEWS))}")
        return await in_thread(lambda deadline: self._answer(query, deadline), deadline_s=deadline_s, source=self.name)

    def _answer(self, query: ClusterQuery, deadline: Deadline) -> str:
        record = self._loaded(deadline)
        everything = query.view == "overview"
        outputs, more = _bounded(_outputs(record, query))
        answer = {
            "success": True,
            "outputs": outputs,
            "objects": _objects(record, query),
            "manifests": _manifests(record, query),
            "topology": record.topology if everything or query.view == "topology" else None,
            "changes": _changes(record, query),
            "more": more,
        }
        return json.dumps(answer, ensure_ascii=False)

    def _loaded(self, deadline: Deadline) -> _Record:
        with self._lock:
            if self._record is None:
                self._record = _read(self._files, deadline)
            return self._record


def _outputs(record: _Record, query: ClusterQuery) -> list[dict[str, str]]:
    wanted = _VIEW_COMMANDS.get(query.view)
    if wanted is None:
        return []
    return [
        {"command": command.line, "text": text}
        for command, text in record.outputs
        if wanted(command) and _asked_for(command, text, query)
    ]


def _bounded(outputs: list[dict[str, str]]) -> tuple[list[dict[str, str]], bool]:
    size = 0
    for index, output in enumerate(outputs):
        size += len(output["command"]) + len(output["text"])
        if size > MAX_ANSWER_CHARS:
            return outputs[:index], True
    return outputs, False


def _asked_for(command: Command, text: str, query: ClusterQuery) -> bool:
    kind, name = kind_of(query.kind), query.name
    scoped = command.kind not in CLUSTER_SCOPED and command.verb not in ("node", "probe")
    if query.namespace and command.namespace and scoped and command.namespace != query.namespace:
        return False
    if query.view == "overview":
        return True
    about_events = query.view == "events" and command.kind == "event"
    names_kind = kind and command.kind and command.verb in ("get", "describe")
    if names_kind and command.kind != kind and not about_events:
        return False
    if name is None:
        return True
    if command.verb in ("get", "describe") and command.names and not any(_is(named, name) for named in command.names):
        return command.kind == "event" and name in text
    return any(_is(named, name) for named in command.names) or name in command.line or name in text


def _is(named: str, wanted: str) -> bool:
    """Whether an object is the wanted one, or a pod of the wanted workload."""
    host = named.partition(".")[0]  # `cart.shop` of a probe is the service `cart`
    return wanted in (named, host) or workload_of(named) == wanted or named.startswith(wanted + "-")


def _objects(record: _Record, query: ClusterQuery) -> dict[str, list[dict[str, Any]]]:
    if query.view not in ("overview", "list", "describe"):
        return {name: [] for name in OBJECT_FILES}
    kind = kind_of(query.kind)
    answer: dict[str, list[dict[str, Any]]] = {}
    for name in OBJECT_FILES:
        listed = record.objects.get(name, [])
        if query.view != "overview" and kind and kind_of(name) != kind:
            listed = []
        answer[name] = [item for item in listed if _object_asked_for(item, name, query)]
    return answer


def _object_asked_for(item: dict[str, Any], name: str, query: ClusterQuery) -> bool:
    namespace = item.get("namespace")
    if query.namespace and namespace and name != "nodes" and namespace != query.namespace:
        return False
    if query.view == "overview" or query.name is None:
        return True
    return _is(str(item.get("name", "")), query.name)


def _manifests(record: _Record, query: ClusterQuery) -> list[dict[str, str]]:
    if query.view not in ("overview", "manifests", "yaml"):
        return []
    if query.view == "overview" or query.name is None:
        return record.manifests
    return [item for item in record.manifests if query.name in item["file"] or query.name in item["text"]]


def _changes(record: _Record, query: ClusterQuery) -> list[dict[str, Any]]:
    if query.view == "overview" or (query.view == "changes" and query.name is None):
        return record.changes
    if query.view != "changes":
        return []
    return [change for change in record.changes if query.name and query.name in json.dumps(change, ensure_ascii=False)]


def _read(files: ClusterFiles, deadline: Deadline) -> _Record:
    outputs = _read_commands(*files.commands) if files.commands else []
    deadline.check()
    manifests = []
    for path, label in files.manifests:
        deadline.check()
        manifests.append({"file": label, "text": read_text(path, label, max_bytes=MAX_MANIFEST_BYTES)})
    return _Record(
        outputs=outputs,
        objects={name: _read_objects(path, label) for name, (path, label) in files.objects.items()},
        manifests=manifests,
        topology=_read_topology(*files.topology) if files.topology else None,
        changes=_read_objects(*files.changes) if files.changes else [],
    )


def _read_commands(path: Path, label: str) -> list[tuple[Command, str]]:
    body = read_json(path, label)
    if not isinstance(body, dict):
        raise garbled(label, f"a JSON {type(body).__name__}", 'an object {"command": "its output"}')
    for line, text in body.items():
        if not isinstance(text, str):
            raise garbled(
                f"{label}, {within(line, 80)!r}", f"a JSON {type(text).__name__}", "the command's output as text"
            )
    return [(parse_command(line), text) for line, text in body.items()]


def _read_objects(path: Path, label: str) -> list[dict[str, Any]]:
    body = read_json(path, label)
    listed = body.get("items") if isinstance(body, dict) else body
    if not isinstance(listed, list) or not all(isinstance(item, dict) for item in listed):
        raise garbled(label, "something else", "a list of objects")
    return listed


def _read_topology(path: Path, label: str) -> dict[str, Any]:
    body = read_json(path, label)
    calls = body.get("calls") if isinstance(body, dict) else None
    if not isinstance(calls, list) or not all(
        isinstance(call, list) and len(call) == 2 and all(isinstance(end, str) for end in call) for call in calls
    ):
        raise garbled(label, "no list of pairs under `calls`", '{"calls": [["caller", "callee"], ...]}')
    return {"calls": calls}
