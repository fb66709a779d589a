"""Recorded cluster outputs in, one `ClusterState` out. Nothing raises on a strange output: it is counted and named."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rootproof.cluster.ages import instant
from rootproof.cluster.observations import Change
from rootproof.cluster.reading.commands import CLUSTER_WIDE, Command, Output, TextKind, not_found, parse_command, unwrap
from rootproof.cluster.reading.describe import objects_of_description
from rootproof.cluster.reading.node_outputs import connectivity, lineage, unit_status
from rootproof.cluster.reading.plain_objects import objects_of_plain
from rootproof.cluster.reading.table_objects import objects_of_row, usage_of_row
from rootproof.cluster.reading.tables import Row, headless, table
from rootproof.cluster.reading.walk import items, mapping, text
from rootproof.cluster.reading.yaml_objects import objects_of_document
from rootproof.cluster.reading.yaml_text import Unreadable, documents
from rootproof.cluster.state import ClusterState, StateBuilder
from rootproof.domain.cutting import within

_MAX_OUTPUTS = 20_000
_MAX_OUTPUT_CHARS = 4_000_000
_MAX_OBJECTS = 50_000
_MAX_MANIFESTS = 2_000


def read(raw: Mapping[str, Any]) -> ClusterState:
    """The state that the raw answer of a `ClusterSource` records.

    Shape: at most 20,000 outputs and 50,000 plain objects are read; what is over is named in `problems`.
    """
    builder = StateBuilder()
    outputs = raw.get("outputs") or []
    if len(outputs) > _MAX_OUTPUTS:
        builder.problem("outputs", f"{len(outputs)} outputs recorded, only the first {_MAX_OUTPUTS} were read")
    for item in outputs[:_MAX_OUTPUTS]:
        command, output = text(item, "command") or "", text(item, "text") or ""
        builder.count(_read_output(builder, command, within(output, _MAX_OUTPUT_CHARS)), command)
    _read_objects(builder, mapping(dict(raw), "objects"))
    for item in items(dict(raw), "manifests")[:_MAX_MANIFESTS]:
        _read_manifest(builder, text(item, "file") or "manifest", text(item, "text") or "")
    builder.calls = _calls(raw.get("topology"))
    builder.changes = tuple(_change(item) for item in items(dict(raw), "changes"))
    return builder.build()


def _read_output(builder: StateBuilder, line: str, raw_text: str) -> str:
    command = parse_command(line)
    if command.tool == "nc":
        return _add_all(builder, [connectivity(command, raw_text)])
    if command.tool == "systemctl":
        return _add_all(builder, [unit_status(command, raw_text)])
    output = unwrap(raw_text)
    if output.kind is TextKind.FAILED:
        builder.problem(line, output.message)
        absent = not_found(output.message)
        if absent is not None:
            builder.missing(absent[0], command.namespace or "default", absent[1])
        return "failed"
    if output.kind is TextKind.EMPTY:
        _note_empty(builder, command)
        return "empty"
    return _read_data(builder, command, output)


def _add_all(builder: StateBuilder, found: list[Any]) -> str:
    known = [item for item in found if item is not None]
    for item in known:
        builder.add(item)
    return "parsed" if known else "unknown"


def _note_empty(builder: StateBuilder, command: Command) -> None:
    # An empty answer to "list all" says that there are none; an empty grep or selector says nothing about the rest.
    if command.tool == "kubectl" and command.lists_all and command.kind != "all":
        _note_listed(builder, command)


def _note_listed(builder: StateBuilder, command: Command) -> None:
    kind = command.kind or ""
    everywhere = command.all_namespaces or kind in CLUSTER_WIDE
    builder.list_complete(kind, "*" if everywhere else command.namespace or "default")


def _read_data(builder: StateBuilder, command: Command, output: Output) -> str:
    if command.tool == "kubectl":
        match command.verb:
            case "describe" if command.kind is not None:
                return _add_all(builder, objects_of_description(command.kind, output.text, command.namespace))
            case "get" | "events" if command.kind is not None:
                return _read_get(builder, command, output.text)
            case "top" if command.kind is not None:
                rows = table(output.text) or []
                return _add_all(builder, [usage_of_row(command.kind, row, command.namespace) for row in rows])
    if "lineage" in command.tool or command.verb == "lineage":
        return _read_lineage(builder, command, output.text)
    return _read_by_shape(builder, output.text)


def _read_lineage(builder: StateBuilder, command: Command, body: str) -> str:
    words = command.line.split()
    namespace = command.namespace or (words[words.index("-n") + 1] if "-n" in words[:-1] else None)
    found = lineage(body, namespace)
    return "unknown" if found is None else (_add_all(builder, found) if found else "parsed")


def _read_by_shape(builder: StateBuilder, body: str) -> str:
    """Text of a tool we do not know: taken only where it is plainly a description or an API object."""
    stripped = body.lstrip()
    if stripped.startswith(("apiVersion:", "{", "- apiVersion:")):
        return _read_yaml(builder, body, None)
    return "unknown"


def _read_get(builder: StateBuilder, command: Command, body: str) -> str:
    if (command.output or "").startswith(("yaml", "json")) and not (command.output or "").startswith("jsonpath"):
        outcome = _read_yaml(builder, body, command.namespace)
    else:
        outcome = _read_table(builder, command, body)
    if outcome == "parsed" and command.lists_all:
        _note_listed(builder, command)
    return outcome


def _read_yaml(builder: StateBuilder, body: str, namespace: str | None) -> str:
    try:
        found = [item for document in documents(body) for item in objects_of_document(document, namespace)]
    except Unreadable:
        return "unknown"
    return _add_all(builder, list(found))


def _read_table(builder: StateBuilder, command: Command, body: str) -> str:
    if (command.output or "").startswith(("jsonpath", "go-template", "custom-columns", "template")):
        return "unknown"
    kind = command.kind or ""
    rows: list[Row] | None = table(body)
    if rows is None and (command.cut_header or command.filtered):
        rows = headless(body, kind, with_namespace=command.all_namespaces) or None
    if rows is None:
        return "unknown"
    for row in rows:
        for item in objects_of_row(kind, row, command.namespace):
            builder.add(item)
    return "parsed"


def _read_objects(builder: StateBuilder, objects: dict[str, Any]) -> None:
    taken = 0
    for group, entries in objects.items():
        if not isinstance(entries, list):
            continue
        for entry in entries:
            if taken >= _MAX_OBJECTS:
                builder.problem(f"objects/{group}", f"only the first {_MAX_OBJECTS} objects were read")
                return
            taken += 1
            for item in objects_of_plain(str(group), entry) if isinstance(entry, dict) else ():
                builder.add(item)


def _read_manifest(builder: StateBuilder, file: str, body: str) -> None:
    try:
        found = documents(body)
    except Unreadable as error:
        builder.problem(f"manifest {file}", str(error))
        return
    for document in found:
        for item in objects_of_document(document, None):
            builder.declare(item)


def _calls(topology: object) -> tuple[tuple[str, str], ...]:
    edges = topology.get("calls") if isinstance(topology, Mapping) else None
    if not isinstance(edges, list):
        return ()
    return tuple(
        (str(edge[0]), str(edge[1])) for edge in edges[:5_000] if isinstance(edge, list | tuple) and len(edge) >= 2
    )


_CHANGED = ("object", "service", "app", "workload", "deployment")
"""Where a record of a change names what was changed: the first is the format's own key."""


def _change(item: dict[str, Any]) -> Change:
    return Change(
        at=instant(text(item, "time") or text(item, "at")),
        kind=text(item, "kind") or "change",
        object=next((found for key in _CHANGED if (found := text(item, key))), ""),
        summary=text(item, "summary") or "",
        author=text(item, "author"),
    )
