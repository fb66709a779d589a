"""Raw answers of a run's calls, put together again as the files of a bundle (DESIGN 4.7). Pure.

What several calls gave is kept once. Records that one answer holds twice stay twice.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

Raws = Sequence[Mapping[str, Any]]
Files = dict[str, str]
_STEMS = {"DATABASE_SLOW_QUERY": "database-slow-query", "SYSTEM_EVENTS": "system-events"}
_MANIFEST_ENDINGS = (".yaml", ".yml", ".json")
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


def log_file(topic: str) -> str:
    """The file that the records of a topic go to: its name says the topic again."""
    return f"logs/{_STEMS.get(topic, 'application')}.jsonl"


def log_lines(raws: Raws) -> list[str]:
    """The records of one topic, one JSON line each, oldest first, those without a time last."""
    most: Counter[str] = Counter()
    for raw in raws:
        most |= Counter(_log_line(record) for record in raw.get("logs", ()))
    lines = list(most.elements())
    return sorted(lines, key=_when)


def _when(line: str) -> tuple[bool, str]:
    at = json.loads(line).get("timestamp")
    return at is None, (at or "").removesuffix("Z")


def _log_line(record: Mapping[str, Any]) -> str:
    kept = {
        "timestamp": record.get("timestamp"),
        "level": record.get("level"),
        "service": record.get("service"),
        "instance": record.get("instance"),
        "body": record.get("message"),  # a name under which a message is not parsed a second time
        "metrics": record.get("metrics"),
    }
    return _json({key: value for key, value in kept.items() if value})


def metrics(raws: Raws) -> Files:
    """One Prometheus `query_range` answer with all series; values that are no numbers stay as many as they were."""
    series: dict[str, dict[str, Any]] = {}
    values: dict[str, dict[float, Any]] = {}
    for one in _all(raws, "series"):
        labels = dict(one.get("labels") or {})
        key = _json([one.get("name"), sorted(labels.items())])
        series.setdefault(key, {"metric": {"__name__": one.get("name"), **labels}, "skipped": 0})
        series[key]["skipped"] = max(series[key]["skipped"], one.get("skipped") or 0)
        values.setdefault(key, {}).update((at, value) for at, value in one.get("values") or ())
    result = []
    for key, item in series.items():
        points = sorted(values[key].items())
        gaps = [[points[0][0] if points else 0, "NaN"]] * item["skipped"]
        result.append({"metric": item["metric"], "values": [*gaps, *([at, str(value)] for at, value in points)]})
    return {"metrics/metrics.json": _answer({"resultType": "matrix", "result": result})} if result else {}


def alerts(raws: Raws) -> Files:
    """One Prometheus `/api/v1/alerts` answer."""
    found = _once(
        {
            "labels": _with(alert.get("labels"), alertname=alert.get("name"), severity=alert.get("severity")),
            "annotations": alert.get("annotations") or {},
            "state": alert.get("state"),
            "activeAt": alert.get("activeAt"),
            "value": alert.get("value"),
        }
        for alert in _all(raws, "alerts")
    )
    return {"alerts.json": _answer({"alerts": found})} if found else {}


def cluster(raws: Raws) -> Files:
    """Command outputs, objects, manifests, topology and changes."""
    files: Files = {}
    commands: dict[str, str] = {}
    for output in _all(raws, "outputs"):
        commands.setdefault(str(output.get("command")), str(output.get("text")))
    if commands:
        files["cluster/commands.json"] = _pretty(commands)
    for name in ("pods", "deployments", "nodes"):
        if objects := _once(_all([raw.get("objects") or {} for raw in raws], name), _identity):
            files[f"cluster/{name}.json"] = _pretty(objects)
    for manifest in _once(_all(raws, "manifests")):
        name = _free(f"manifests/{_manifest_name(str(manifest.get('file')))}", files)
        files[name] = str(manifest.get("text"))
    if topology := next((raw["topology"] for raw in raws if raw.get("topology")), None):
        files["topology.json"] = _pretty(topology)
    if changes := _once(_all(raws, "changes")):
        files["changes.json"] = _pretty(changes)
    return files


def knowledge(raws: Raws) -> Files:
    """One Markdown file a document, with the sections of it that were found."""
    documents: dict[str, list[Mapping[str, Any]]] = {}
    for block in _once(_all(raws, "evidenceBlocks"), lambda block: _json([block.get("source"), block.get("content")])):
        if block.get("class") == "MEMORY":
            continue  # a past case: as a file of the bundle it would come back as a runbook
        documents.setdefault(str(block.get("documentId") or block.get("source") or block.get("title")), []).append(
            block
        )
    files: Files = {}
    for number, (name, blocks) in enumerate(documents.items(), start=1):
        blocks.sort(key=lambda block: block.get("lineStart") or 0)
        parts = [f"# {blocks[0].get('title') or name}"]
        for block in blocks:
            heading = str(block.get("breadcrumb") or "").rpartition(" > ")[2]
            parts += [f"## {heading}"] if heading and heading != blocks[0].get("title") else []
            parts.append(str(block.get("content")))
        files[f"knowledge/{number:02}-{_slug(name.removesuffix('.md'))}.md"] = "\n\n".join(parts) + "\n"
    return files


def _all(raws: Iterable[Mapping[str, Any]], key: str) -> Iterable[Mapping[str, Any]]:
    return (item for raw in raws for item in raw.get(key) or () if isinstance(item, Mapping))


def _once(items: Iterable[Mapping[str, Any]], identity: Callable[[Mapping[str, Any]], str] | None = None) -> list[Any]:
    found: dict[str, Any] = {}
    for item in items:
        found.setdefault((identity or _json)(item), item)
    return list(found.values())


def _identity(item: Mapping[str, Any]) -> str:
    return _json([item.get("namespace"), item["name"]]) if "name" in item else _json(item)


def _with(labels: Mapping[str, Any] | None, **more: Any) -> dict[str, Any]:
    return {**{key: value for key, value in more.items() if value}, **(labels or {})}


def _answer(data: Any) -> str:
    return _pretty({"status": "success", "data": data})


def _free(path: str, files: Files) -> str:
    """The path, with a number where another file has it already."""
    stem, dot, ending = path.rpartition(".")
    names = (path, *(f"{stem}-{number}{dot}{ending}" for number in range(2, len(files) + 2)))
    return next(name for name in names if name not in files)


def _manifest_name(label: str) -> str:
    name = _slug(label.rpartition("/")[2])
    return name if name.endswith(_MANIFEST_ENDINGS) else f"{name}.yaml"


def _slug(text: str) -> str:
    return _UNSAFE.sub("-", text).strip("-.")[:80] or "unnamed"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _pretty(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"
