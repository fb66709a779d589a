"""Rows of kubectl tables as objects, one function a kind."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from rootproof.cluster.ages import age_seconds, sighting
from rootproof.cluster.model import (
    Claim,
    Endpoints,
    Node,
    Other,
    Pod,
    PodSpec,
    Quota,
    Service,
    Volume,
    Workload,
)
from rootproof.cluster.observations import Event, Usage
from rootproof.cluster.quantities import quantity
from rootproof.cluster.reading.commands import CLUSTER_WIDE, WORKLOAD_KINDS, canonical_kind
from rootproof.cluster.reading.tables import Row, known, labels, number
from rootproof.domain.cutting import within

_RATIO = re.compile(r"(\d{1,6})/(\d{1,6})")
_LAST_RESTART = re.compile(r"\(([^)]{1,30}) ago\)")
_QUOTA_PART = re.compile(r"([a-z0-9./-]+): ([^\s/,]+)/([^\s/,]+)")


def objects_of_row(kind: str, row: Row, namespace: str | None) -> list[object]:
    """The objects that a row of a `get KIND` table holds; `namespace` is used where the table has no such column."""
    where = known(row.get("NAMESPACE")) or namespace or "default"
    name = known(row.get("NAME"))
    if kind == "event":
        return [event_of_row(row, where)]
    if name is None:
        return []
    if "/" in name and kind == "all":
        prefix, _, name = name.partition("/")
        kind = canonical_kind(prefix)
    # `get storageclass` marks the default class behind its name.
    row = {**row, "NAME": name.removesuffix(" (default)")}
    if kind in WORKLOAD_KINDS:
        return [_workload(kind, row, where)]
    reader = _READERS.get(kind)
    if reader is not None:
        return [reader(row, where)]
    scope = None if kind in CLUSTER_WIDE else where
    return [Other(kind=kind, name=row["NAME"], namespace=scope, details=_details(row))]


def _details(row: Row) -> Mapping[str, str]:
    skipped = {"NAME", "NAMESPACE", "AGE", "LABELS"}
    return {column: within(value, 200) for column, value in row.items() if value and column not in skipped}


def _ratio(text: str | None) -> tuple[int | None, int | None]:
    match = _RATIO.fullmatch((text or "").strip())
    return (int(match[1]), int(match[2])) if match else (None, None)


def _pod(row: Row, namespace: str) -> Pod:
    ready, total = _ratio(row.get("READY"))
    restarts = row.get("RESTARTS", "")
    last = _LAST_RESTART.search(restarts)
    status = known(row.get("STATUS"))
    return Pod(
        name=row["NAME"],
        namespace=namespace,
        spec=PodSpec(labels=labels(row.get("LABELS"))),
        node=known(row.get("NODE")),
        status=status,
        ready_containers=ready,
        total_containers=total,
        restarts=number(restarts),
        last_restart_age_s=age_seconds(last[1]) if last else None,
        age_s=age_seconds(row.get("AGE")),
        terminating=None if status is None else status == "Terminating",
        ip=known(row.get("IP")),
    )


def _workload(kind: str, row: Row, namespace: str) -> Workload:
    ready, desired = _ratio(row.get("READY"))
    if desired is None:
        ready, desired = number(row.get("READY")), number(row.get("DESIRED"))
    succeeded, completions = _ratio(row.get("COMPLETIONS"))
    return Workload(
        kind=kind,
        name=row["NAME"],
        namespace=namespace,
        selector=labels(row.get("SELECTOR")),
        desired=desired if kind != "job" else completions,
        current=number(row.get("CURRENT")),
        updated=number(row.get("UP-TO-DATE")),
        ready=ready,
        available=number(row.get("AVAILABLE")),
        age_s=age_seconds(row.get("AGE")),
        status=known(row.get("STATUS")) if kind == "job" else None,
        active=number(row.get("ACTIVE")),
        succeeded=succeeded,
    )


def _service(row: Row, namespace: str) -> Service:
    return Service(
        name=row["NAME"],
        namespace=namespace,
        type=known(row.get("TYPE")),
        cluster_ip=known(row.get("CLUSTER-IP")),
        selector=labels(row.get("SELECTOR")),
        # Ports without targets must not hide the ports that `describe` gave: only names would be lost by merging.
        ports=(),
        external_name=known(row.get("EXTERNAL-IP")) if row.get("TYPE") == "ExternalName" else None,
    )


def _endpoints(row: Row, namespace: str) -> Endpoints:
    addresses = known(row.get("ENDPOINTS"))
    cells = tuple(part.strip() for part in addresses.split(",")) if addresses else ()
    return Endpoints(name=row["NAME"], namespace=namespace, ready=cells if addresses else None)


def access_modes(text: str | None) -> tuple[str, ...] | None:
    """Access modes in their short form (`RWO`, `ROX`, `RWX`, `RWOP`); None for nothing."""
    if known(text) is None:
        return None
    short = {"ReadWriteOnce": "RWO", "ReadOnlyMany": "ROX", "ReadWriteMany": "RWX", "ReadWriteOncePod": "RWOP"}
    return tuple(short.get(part.strip(), part.strip()) for part in str(text).split(",") if part.strip())


def _claim(row: Row, namespace: str) -> Claim:
    return Claim(
        name=row["NAME"],
        namespace=namespace,
        phase=known(row.get("STATUS")),
        volume=known(row.get("VOLUME")),
        storage_class=(known(row["STORAGECLASS"]) or "") if "STORAGECLASS" in row else None,
        access_modes=access_modes(row.get("ACCESS MODES")),
        age_s=age_seconds(row.get("AGE")),
        volume_mode=known(row.get("VOLUMEMODE")),
    )


def _volume(row: Row, _namespace: str) -> Volume:
    return Volume(
        name=row["NAME"],
        capacity_bytes=quantity(row.get("CAPACITY")),
        access_modes=access_modes(row.get("ACCESS MODES")),
        storage_class=(known(row["STORAGECLASS"]) or "") if "STORAGECLASS" in row else None,
        phase=known(row.get("STATUS")),
        claim=known(row.get("CLAIM")),
        labels=labels(row.get("LABELS")),
        volume_mode=known(row.get("VOLUMEMODE")),
    )


def _quota(row: Row, namespace: str) -> Quota:
    used: dict[str, float] = {}
    hard: dict[str, float] = {}
    for resource, left, right in _QUOTA_PART.findall(f"{row.get('REQUEST', '')}, {row.get('LIMIT', '')}"):
        amount, bound = quantity(left), quantity(right)
        if amount is not None and bound is not None:
            used[resource], hard[resource] = amount, bound
    return Quota(name=row["NAME"], namespace=namespace, used=used or None, hard=hard or None)


def _node(row: Row, _namespace: str) -> Node:
    words = row.get("STATUS", "").split(",")
    ready = {"Ready": "True", "NotReady": "False", "Unknown": "Unknown"}.get(words[0])
    return Node(
        name=row["NAME"],
        ready=ready,
        schedulable="SchedulingDisabled" not in words if row.get("STATUS") else None,
        labels=labels(row.get("LABELS")),
        ip=known(row.get("INTERNAL-IP")),
    )


def event_of_row(row: Row, namespace: str) -> Event:
    """An event from a row of `get events` or `kubectl events`."""
    kind, _, name = row.get("OBJECT", "").partition("/")
    seen = sighting(row.get("LAST SEEN"))
    count = number(row.get("COUNT"))
    first = age_seconds(row.get("FIRST SEEN"))
    return Event(
        kind=canonical_kind(kind) if name else "",
        name=name or kind,
        namespace=namespace,
        type=row.get("TYPE", ""),
        reason=row.get("REASON", ""),
        message=row.get("MESSAGE", ""),
        count=count or seen.count,
        last_age_s=seen.last_age_s,
        first_age_s=first if first is not None else seen.first_age_s,
    )


def usage_of_row(kind: str, row: Row, namespace: str | None) -> Usage | None:
    """A measurement from a row of `kubectl top`."""
    name = known(row.get("NAME")) or known(row.get("POD"))
    if name is None:
        return None
    cpu = next((value for column, value in row.items() if column.startswith("CPU(cores")), None)
    memory = next((value for column, value in row.items() if column.startswith("MEMORY(bytes")), None)
    where = known(row.get("NAMESPACE")) or namespace
    return Usage(
        kind=kind,
        name=name,
        namespace=None if kind == "node" else where or "default",
        cpu=quantity(cpu),
        memory=quantity(memory),
    )


_READERS: Mapping[str, Callable[[Row, str], object]] = {
    "pod": _pod,
    "service": _service,
    "endpoints": _endpoints,
    "pvc": _claim,
    "pv": _volume,
    "quota": _quota,
    "node": _node,
}
