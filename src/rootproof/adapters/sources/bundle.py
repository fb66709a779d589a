"""A bundle: one incident's recorded inputs in a folder (DESIGN 4.7). Every part is optional.

`expected.toml` is for the evaluation and is never opened here; the bundle's id is for people, no agent sees it.
"""

from __future__ import annotations

import difflib
import os
import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from rootproof.adapters.sources.alertfiles import AlertFile
from rootproof.adapters.sources.clusterfiles import OBJECT_FILES, ClusterFiles, ClusterRecord
from rootproof.adapters.sources.clusternotes import notes_on
from rootproof.adapters.sources.deadline import Deadline, in_thread
from rootproof.adapters.sources.documents import read_at_most, read_payload
from rootproof.adapters.sources.logfiles import LogArchive, describe_file
from rootproof.adapters.sources.metricfiles import MetricFiles
from rootproof.adapters.sources.paths import Tree
from rootproof.domain.alert import Alert, PayloadKind
from rootproof.domain.toml_text import parse_toml
from rootproof.errors import UsageError
from rootproof.ports.sources import (
    AlertSource,
    ClusterSource,
    KnowledgeSource,
    LogQuery,
    LogSource,
    MetricSource,
    Sources,
)

_MAX_HEAD_BYTES = 256 * 1024
_NAMED = 5
"""Files of one kind that are named."""
_KEYS = ("id", "now", "timezone", "question")
_OFFSET = re.compile(r"([+-])(\d{2}):?(\d{2})")


@dataclass(frozen=True, slots=True)
class Bundle:
    """What a bundle holds, ready to be asked. A source is None where the bundle has no file for it."""

    root: Path
    bundle_id: str | None
    """For people and the evaluation; it may name the incident, so no agent sees it."""
    now: datetime | None
    """The moment of the diagnosis, or None for the real one."""
    timezone: tzinfo
    question: str | None
    payload: tuple[Alert, ...]
    logs: LogSource | None
    metrics: MetricSource | None
    alerts: AlertSource | None
    cluster: ClusterSource | None
    knowledge_dir: Path | None
    skills_dir: Path | None
    notes: tuple[str, ...]
    """What was found and not used, and why."""

    def sources(self, knowledge: KnowledgeSource | None = None) -> Sources:
        """The sources of a run over this bundle; `knowledge` is made elsewhere from `knowledge_dir`."""
        return Sources(
            logs=self.logs,
            metrics=self.metrics,
            alerts=self.alerts,
            cluster=self.cluster,
            knowledge=knowledge,
            payload=self.payload,
            notes=self.notes,
        )


class BundleLogs:
    """The log source of a bundle: the files of `logs/`, parsed at the first query that needs them, once."""

    name = "recorded logs"

    def __init__(self, archive: LogArchive, kind: str = "BUNDLE") -> None:
        self.kind = kind
        self._archive = archive

    async def fetch(self, query: LogQuery, *, deadline_s: float) -> str:
        """The raw answer, as `ports.sources.LogSource` says. Raises: as `LogArchive.answer`; SourceTimeout."""

        def work(deadline: Deadline) -> str:
            return self._archive.answer(query, deadline)

        return await in_thread(work, deadline_s=deadline_s, source=self.name)


def open_bundle(path: Path, *, kind: str = "BUNDLE") -> Bundle:
    """The bundle in the folder `path`; its data files are opened at the first query only, but for a look at what a
    query could not say: manifests and changes that are not what they should be.

    Raises: UsageError when there is no such folder, or `bundle.toml` or `alert.json` is wrong (with file, key, remedy).
    """
    if not path.is_dir():
        if path.is_file():
            raise UsageError(f"{path} is a file, and a bundle is a folder. Name its folder: {path.parent}")
        raise UsageError(f"no bundle at {path}: there is no such folder. Name the folder that holds bundle.toml.")
    tree = Tree(path)
    head = _read_head(tree)
    zone = _timezone(head.get("timezone"))
    now = _now(head.get("now"), zone)
    question = _text(head, "question")
    log_files = [describe_file(file, tree.label(file), now or _changed_at(file)) for file in tree.files("logs")]
    metric_files = [(file, tree.label(file)) for file in _of_kind(tree, "metrics", (".json", ".csv"))]
    alerts = tree.file("alerts.json")
    cluster = _cluster_files(tree)
    tree.notes += notes_on(cluster)
    return Bundle(
        root=tree.root,
        bundle_id=_text(head, "id"),
        now=now,
        timezone=zone,
        question=question,
        payload=_payload(tree),
        logs=BundleLogs(LogArchive(log_files, zone, BundleLogs.name), kind) if log_files else None,
        metrics=MetricFiles(metric_files, zone, kind) if metric_files else None,
        alerts=AlertFile(alerts, tree.label(alerts), kind) if alerts else None,
        cluster=ClusterRecord(cluster, kind) if cluster else None,
        knowledge_dir=_closed_folder(tree, "knowledge"),
        skills_dir=_closed_folder(tree, "skills"),
        notes=tuple(dict.fromkeys(tree.notes)),
    )


def _read_head(tree: Tree) -> dict[str, Any]:
    path = _own_file(tree, "bundle.toml")
    if path is None:
        return {}
    try:
        content = read_at_most(path, _MAX_HEAD_BYTES)
        if len(content) > _MAX_HEAD_BYTES:
            raise UsageError(
                f"bundle.toml: larger than {_MAX_HEAD_BYTES // 1024} KiB. It holds {', '.join(_KEYS)} only."
            )
        head = parse_toml(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise UsageError(f"bundle.toml: not UTF-8 at byte {error.start}. Save it as UTF-8.") from error
    except ValueError as error:
        raise UsageError(f"bundle.toml: {error}. Correct that line; texts and times stand in quotes.") from error
    except OSError as error:
        raise UsageError(
            f"bundle.toml: {error.strerror or error}. Give the user that runs this read access."
        ) from error
    for key in head:
        if key in _KEYS:
            continue
        close = difflib.get_close_matches(key, _KEYS, n=1)
        if close:
            raise UsageError(f"bundle.toml: unknown key {key!r}. Did you mean {close[0]!r}?")
        tree.notes.append(f"bundle.toml: the key {key!r} is not used (known: {', '.join(_KEYS)})")
    return head


def _own_file(tree: Tree, name: str) -> Path | None:
    """A file that is read when the bundle is opened. Raises: UsageError for what is there and is no file to read."""
    path = tree.file(name)
    if path is None and os.path.lexists(tree.root / name):
        why = tree.notes[-1].removeprefix(f"{name}: ")
        raise UsageError(f"{name}: {why}. Put a regular file there, or remove it.")
    return path


def _text(head: dict[str, Any], key: str) -> str | None:
    value = head.get(key)
    if value is None:
        return None
    if not isinstance(value, str):
        raise UsageError(f"bundle.toml: {key} is {value!r}, not a text. Put it in quotes.")
    return value.strip() or None


def _timezone(value: Any) -> tzinfo:
    """`Z`, an offset such as `+08:00`, or an IANA name."""
    if value is None or value in ("Z", "UTC", "utc"):
        return UTC
    wrong = UsageError(
        f"bundle.toml: timezone is {value!r}. Give an offset such as '+08:00' or a name such as 'Asia/Tokyo'."
    )
    if not isinstance(value, str):
        raise wrong
    if match := _OFFSET.fullmatch(value):
        offset = timedelta(hours=int(match[2]), minutes=int(match[3]))
        if offset >= timedelta(hours=24):
            raise wrong
        return timezone(-offset if match[1] == "-" else offset)
    try:
        return ZoneInfo(value)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise wrong from error


def _now(value: Any, zone: tzinfo) -> datetime | None:
    if value is None:
        return None
    wrong = UsageError(
        f"bundle.toml: now is {value!r}. Give date and time as RFC 3339, such as '2026-03-01T12:00:00Z'."
    )
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip()) if len(value.strip()) > 10 else date.min
        except ValueError as error:
            raise wrong from error
    if not isinstance(value, datetime):
        raise wrong
    try:
        return (value if value.tzinfo else value.replace(tzinfo=zone)).astimezone(UTC)
    except OverflowError as error:
        raise wrong from error


def _payload(tree: Tree) -> tuple[Alert, ...]:
    path = _own_file(tree, "alert.json")
    if path is None:
        return ()
    found = read_payload(path, "alert.json")
    if found.kind is not PayloadKind.ALERT:
        seen = f"; it has {', '.join(found.seen)}" if found.seen else ""
        tree.notes.append(f"alert.json: no alert in it ({found.kind.value}){seen}")
    return found.alerts


def _cluster_files(tree: Tree) -> ClusterFiles:
    commands = tree.file("cluster", "commands.json")
    objects = {name: file for name in OBJECT_FILES if (file := tree.file("cluster", f"{name}.json"))}
    known = {commands, *objects.values()}
    tree.notes.extend(
        f"{tree.label(file)}: not a file this version reads" for file in tree.files("cluster") if file not in known
    )
    manifests = _of_kind(tree, "manifests", (".yaml", ".yml", ".json"))
    topology, changes = tree.file("topology.json"), tree.file("changes.json")
    return ClusterFiles(
        commands=(commands, tree.label(commands)) if commands else None,
        objects={name: (file, tree.label(file)) for name, file in objects.items()},
        manifests=tuple((file, tree.label(file)) for file in manifests),
        topology=(topology, tree.label(topology)) if topology else None,
        changes=(changes, tree.label(changes)) if changes else None,
    )


def _of_kind(tree: Tree, folder: str, suffixes: tuple[str, ...]) -> list[Path]:
    """The files of the folder with these endings; the others are noted."""
    files = tree.files(folder)
    other = [tree.label(file) for file in files if file.suffix.lower() not in suffixes]
    if other:
        more = f" and {len(other) - _NAMED} more" if len(other) > _NAMED else ""
        tree.notes.append(f"{', '.join(other[:_NAMED])}{more}: not read; {folder}/ takes {', '.join(suffixes)}")
    return [file for file in files if file.suffix.lower() in suffixes]


def _closed_folder(tree: Tree, name: str) -> Path | None:
    """The folder, unless a link in it leads out of the bundle: whoever reads it later would follow that link."""
    folder = tree.folder(name)
    if folder is None or not tree.is_closed(folder):
        return None
    return folder


def _changed_at(file: Path) -> datetime:
    return datetime.fromtimestamp(file.stat().st_mtime, UTC)
