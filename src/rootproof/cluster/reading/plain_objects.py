"""The plain objects of a bundle's `cluster/{pods,deployments,nodes}.json`: flat, snake case, read liberally."""

from __future__ import annotations

from typing import Any

from rootproof.cluster.ages import instant
from rootproof.cluster.model import (
    Claim,
    Condition,
    Container,
    ContainerPort,
    ContainerState,
    Node,
    Pod,
    PodSpec,
    Service,
    ServicePort,
    Workload,
)
from rootproof.cluster.observations import Event
from rootproof.cluster.quantities import quantity
from rootproof.cluster.reading.commands import WORKLOAD_KINDS, canonical_kind
from rootproof.cluster.reading.table_objects import access_modes
from rootproof.cluster.reading.walk import dig, flag, items, mapping, text, text_map, texts, whole
from rootproof.cluster.reading.yaml_objects import objects_of_document
from rootproof.cluster.reading.yaml_pods import conditions

_PRESSURES = (
    ("memory_pressure", "MemoryPressure"),
    ("disk_pressure", "DiskPressure"),
    ("pid_pressure", "PIDPressure"),
    ("network_unavailable", "NetworkUnavailable"),
)


def objects_of_plain(group: str, item: dict[str, Any]) -> list[object]:
    """The objects of one entry of the list `group` (`pods`, `deployments`, ...); whole API objects work too."""
    if mapping(item, "metadata"):
        kind = text(item, "kind") or canonical_kind(group)
        return objects_of_document({"kind": kind, **item}, None)
    kind = canonical_kind(group)
    if text(item, "name") is None and kind != "event":
        return []
    if kind in WORKLOAD_KINDS:
        return [_workload(kind, item)]
    match kind:
        case "pod":
            return [_pod(item)]
        case "node":
            return [_node(item)]
        case "service":
            return [_service(item)]
        case "event":
            return [_event(item)]
        case "pvc":
            return [_claim(item)]
    return []


def _first(item: dict[str, Any], *keys: str) -> Any:
    return next((item[key] for key in keys if item.get(key) is not None), None)


def _namespace(item: dict[str, Any]) -> str:
    return text(item, "namespace") or "default"


def _pod(item: dict[str, Any]) -> Pod:
    containers = (
        *(_container(entry, init=True) for entry in items(item, "init_containers")),
        *(_container(entry, init=False) for entry in items(item, "containers")),
    )
    main = [entry for entry in containers if not entry.init and entry.ready is not None]
    node = text(item, "node_name") or text(item, "node")
    scheduled = next((c for c in items(item, "conditions") if text(c, "type") == "PodScheduled"), {})
    if text(scheduled, "status") == "False":
        node = None
    deleted = instant(_first(item, "deletion_timestamp", "deleted_at"))
    owner = mapping(item, "owner")
    restarts = whole(item, "restart_count")
    return Pod(
        name=text(item, "name") or "",
        namespace=_namespace(item),
        spec=PodSpec(containers=containers, labels=text_map(item, "labels")),
        node=node,
        phase=text(item, "phase") or text(item, "status"),
        reason=text(item, "reason"),
        message=text(item, "message"),
        ready_containers=sum(1 for entry in main if entry.ready) if main else None,
        total_containers=len(main) or None,
        restarts=restarts if restarts is not None else sum(c.restarts or 0 for c in containers) if main else None,
        created_at=instant(_first(item, "start_time", "created_at", "creation_timestamp")),
        deleted_at=deleted,
        terminating=True if deleted is not None or text(item, "phase") == "Terminating" else None,
        owner_kind=canonical_kind(text(owner, "kind") or text(item, "owner_kind") or "") or None,
        owner_name=text(owner, "name") or text(item, "owner_name"),
        ip=text(item, "pod_ip") or text(item, "ip"),
        conditions=conditions(item, "conditions"),
    )


def _container(item: dict[str, Any], *, init: bool) -> Container:
    requests = _amounts(item, "requests", "request")
    limits = _amounts(item, "limits", "limit")
    return Container(
        name=text(item, "name") or "",
        init=init,
        image=text(item, "image"),
        ports=tuple(ContainerPort(int(port)) for port in texts(item, "ports") if port.isdigit()),
        command=(*texts(item, "command"), *texts(item, "args")),
        requests=requests,
        limits=limits,
        ready=flag(item, "ready"),
        restarts=whole(item, "restart_count") if "restart_count" in item else whole(item, "restarts"),
        state=_state(item.get("state")),
        last_state=_state(_first(item, "last_state", "last_termination")),
    )


def _amounts(item: dict[str, Any], plural: str, singular: str) -> dict[str, float] | None:
    found: dict[str, float] = {}
    for name in ("cpu", "memory"):
        values = (
            dig(item, "resources", plural, name),
            dig(item, plural, name),
            item.get(f"{name}_{singular}"),
            item.get(f"{singular}_{name}"),
        )
        amount = next((amount for value in values if (amount := quantity(value)) is not None), None)
        if amount is not None:
            found[name] = amount
    return found or None


def _state(value: object) -> ContainerState | None:
    """`{"running": true, "started_at"}`, `{"waiting": true, "reason"}`, or the API's nested form, or a bare word."""
    if isinstance(value, str):
        return ContainerState(kind=value.lower()) if value else None
    if not isinstance(value, dict) or not value:
        return None
    kind = next((word for word in ("running", "waiting", "terminated") if value.get(word)), None)
    inner = value[kind] if kind is not None and isinstance(value[kind], dict) else value
    code = whole(inner, "exit_code") if "exit_code" in inner else whole(inner, "exitCode")
    if kind is None:
        kind = "terminated" if code is not None or text(inner, "finished_at") else "waiting"
    return ContainerState(
        kind=kind,
        reason=text(inner, "reason") or None,
        message=text(inner, "message") or None,
        exit_code=code if kind != "running" else None,
        started_at=instant(_first(inner, "started_at", "startedAt")),
        finished_at=instant(_first(inner, "finished_at", "finishedAt")),
    )


def _workload(kind: str, item: dict[str, Any]) -> Workload:
    def count(*keys: str) -> int | None:
        return next((number for key in keys if (number := whole(item, key)) is not None), None)

    return Workload(
        kind=kind,
        name=text(item, "name") or "",
        namespace=_namespace(item),
        selector=text_map(item, "selector"),
        desired=count("desired", "replicas", "desired_replicas", "completions"),
        current=count("current", "total"),
        updated=count("updated", "up_to_date", "updated_replicas"),
        ready=count("ready", "ready_replicas"),
        available=count("available", "available_replicas"),
        created_at=instant(_first(item, "created_at", "creation_timestamp")),
        conditions=conditions(item, "conditions"),
        status=text(item, "status"),
        succeeded=count("succeeded"),
        failed=count("failed"),
        backoff_limit=count("backoff_limit"),
    )


def _node(item: dict[str, Any]) -> Node:
    ready = text(item, "ready") or ("True" if text(item, "status") == "Ready" else None)
    listed = list(conditions(item, "conditions"))
    for key, kind in _PRESSURES:
        value = text(item, key)
        if value is not None and all(entry.type != kind for entry in listed):
            listed.append(Condition(kind, value.capitalize()))
    cordoned = flag(item, "unschedulable")
    return Node(
        name=text(item, "name") or "",
        ready=ready.capitalize() if ready else next((c.status for c in listed if c.type == "Ready"), None),
        schedulable=None if cordoned is None else not cordoned,
        labels=text_map(item, "labels"),
        conditions=tuple(listed),
        capacity=_sizes(item, "capacity"),
        allocatable=_sizes(item, "allocatable"),
        pods_running=whole(item, "pods_running") if "pods_running" in item else whole(item, "pod_count"),
        ip=text(item, "internal_ip") or text(item, "ip"),
    )


def _sizes(item: dict[str, Any], prefix: str) -> dict[str, float] | None:
    found: dict[str, float] = {}
    for name in ("cpu", "memory", "pods"):
        amount = quantity(item.get(f"{prefix}_{name}"))
        if amount is None:
            amount = quantity(dig(item, prefix, name))
        if amount is not None:
            found[name] = amount
    return found or None


def _service(item: dict[str, Any]) -> Service:
    ports = []
    for entry in items(item, "ports"):
        number = whole(entry, "port")
        if number is not None:
            target = dig(entry, "target_port") if "target_port" in entry else dig(entry, "targetPort")
            value = int(target) if isinstance(target, int) or str(target).isdigit() else target
            ports.append(ServicePort(number, text(entry, "protocol") or "TCP", value, text(entry, "name")))
    return Service(
        name=text(item, "name") or "",
        namespace=_namespace(item),
        type=text(item, "type"),
        cluster_ip=text(item, "cluster_ip"),
        selector=text_map(item, "selector"),
        ports=tuple(ports),
    )


def _claim(item: dict[str, Any]) -> Claim:
    return Claim(
        name=text(item, "name") or "",
        namespace=_namespace(item),
        phase=text(item, "phase") or text(item, "status"),
        volume=text(item, "volume") or text(item, "volume_name"),
        storage_class=text(item, "storage_class"),
        requested_bytes=quantity(_first(item, "requested", "request", "storage")),
        access_modes=access_modes(",".join(texts(item, "access_modes"))),
    )


def _event(item: dict[str, Any]) -> Event:
    target = mapping(item, "involved_object") or mapping(item, "object")
    kind, _, name = (text(item, "object") or "").partition("/")
    last = instant(_first(item, "last_time", "last_timestamp", "last_seen", "timestamp", "time"))
    first = instant(_first(item, "first_time", "first_timestamp", "first_seen"))
    return Event(
        kind=canonical_kind(text(target, "kind") or kind),
        name=text(target, "name") or name or text(item, "name") or "",
        namespace=text(target, "namespace") or _namespace(item),
        type=text(item, "type") or "",
        reason=text(item, "reason") or "",
        message=text(item, "message") or "",
        count=whole(item, "count") or 1,
        last_at=last,
        first_at=first or last,
    )
