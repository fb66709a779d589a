"""`kubectl describe` of every kind: the objects and the events below them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from rootproof.cluster.ages import sighting
from rootproof.cluster.model import (
    Claim,
    Endpoints,
    Node,
    Other,
    Quota,
    Route,
    Service,
    ServicePort,
    Taint,
    Volume,
)
from rootproof.cluster.observations import Event, EventsShown
from rootproof.cluster.quantities import quantity
from rootproof.cluster.reading.addresses import addresses_in
from rootproof.cluster.reading.commands import CLUSTER_WIDE, WORKLOAD_KINDS
from rootproof.cluster.reading.describe_pods import conditions_of, pod_of, port_value, workload_of_sections
from rootproof.cluster.reading.sections import (
    Section,
    by_key,
    described_objects,
    labels_of,
    section_table,
    sections,
    text_of,
)
from rootproof.cluster.reading.table_objects import access_modes

_TARGET = re.compile(r"([A-Za-z0-9-]+)/([A-Z]{3,4})")
_POD_TOTAL = re.compile(r"\((\d{1,6}) in total\)")
_TAINT = re.compile(r"(?P<key>[^=:\s]+)(?:=(?P<value>[^:\s]*))?:(?P<effect>\S+)")
_BACKEND = re.compile(r"(?P<path>\S*)\s+(?P<service>[a-z0-9][a-z0-9.-]*):(?P<port>[a-z0-9-]+|%!s\S+)\s*\(")
_DATA_SIZE = re.compile(r"(?m)^(\S+):\s+\d+ bytes$")
_DATA_KEY = re.compile(r"(?m)^(\S+):\n----$")


def objects_of_description(kind: str, text: str, namespace: str | None) -> list[object]:
    """Every object and event in a `describe` output; empty when the text describes nothing."""
    if kind == "service":
        return services(text, namespace)
    found: list[object] = []
    for part in described_objects(text):
        parts = by_key(sections(part.splitlines()))
        where = text_of(parts, "Namespace") or namespace or "default"
        if kind in {"configmap", "secret"}:
            pattern = _DATA_KEY if kind == "configmap" else _DATA_SIZE
            hosts = addresses_in(part) if kind == "configmap" else ()
            keys = tuple(pattern.findall(part))
            found.append(Other(kind, text_of(parts, "Name") or "", where, keys=keys, addresses=hosts))
        else:
            found.extend(_objects(kind, parts, where))
        found.extend(_events(kind, parts, where))
    return found


def _objects(kind: str, found: dict[str, Section], namespace: str) -> list[object]:
    if kind == "pod":
        return [pod_of(found, namespace)]
    if kind in WORKLOAD_KINDS:
        return [workload_of_sections(kind, found, namespace)]
    if kind == "ingress":
        return [*_routes(found, namespace), _other(kind, found, namespace)]
    reader = _READERS.get(kind)
    return [reader(found, namespace)] if reader is not None else [_other(kind, found, namespace)]


def _events(kind: str, found: dict[str, Section], namespace: str) -> list[object]:
    section = found.get("Events")
    name = text_of(found, "Name")
    if section is None or name is None:
        return []
    listed: list[object] = [EventsShown(kind, name, namespace)]
    for row in section_table(section.lines):
        seen = sighting(row.get("Age"))
        listed.append(
            Event(
                kind=kind,
                name=name,
                namespace="default" if kind in CLUSTER_WIDE else namespace,
                type=row.get("Type", ""),
                reason=row.get("Reason", ""),
                message=row.get("Message", ""),
                count=seen.count,
                last_age_s=seen.last_age_s,
                first_age_s=seen.first_age_s,
            )
        )
    return listed


def _service(found: dict[str, Section], namespace: str) -> Service:
    return Service(
        name=text_of(found, "Name") or "",
        namespace=namespace,
        type=text_of(found, "Type"),
        cluster_ip=text_of(found, "IP"),
        selector=labels_of(found, "Selector"),
        ports=(),
        endpoints=_addresses(found.get("Endpoints")),
        external_name=text_of(found, "External Name"),
    )


def _ports(found: dict[str, Section]) -> tuple[ServicePort, ...]:
    port = text_of(found, "Port")
    if port is None:
        return ()
    words = port.split()
    match = _TARGET.fullmatch(words[-1])
    if match is None or not match[1].isdigit():
        return ()
    target = _TARGET.fullmatch(text_of(found, "TargetPort") or "")
    name = words[0] if len(words) > 1 and words[0] != "<unset>" else None
    return (ServicePort(int(match[1]), match[2], port_value(target[1]) if target is not None else int(match[1]), name),)


def services(text: str, namespace: str | None) -> list[object]:
    """Services with all their ports: `Port`, `TargetPort` and `Endpoints` repeat for each port of a Service."""
    found: list[object] = []
    for part in described_objects(text):
        listed = sections(part.splitlines())
        parts = by_key(listed)
        where = text_of(parts, "Namespace") or namespace or "default"
        ports: list[ServicePort] = []
        endpoints: list[str] | None = None
        group: dict[str, Section] = {}
        for item in listed:
            if item.key == "Port":
                ports.extend(_ports(group))
                group = {}
            if item.key in {"Port", "TargetPort"}:
                group[item.key] = item
            if item.key == "Endpoints":
                endpoints = [*(endpoints or []), *(_addresses(item) or ())]
        ports.extend(_ports(group))
        plain = _service(parts, where)
        found.append(
            Service(
                name=plain.name,
                namespace=where,
                type=plain.type,
                cluster_ip=plain.cluster_ip,
                selector=plain.selector,
                ports=tuple(ports),
                endpoints=None if endpoints is None else tuple(dict.fromkeys(endpoints)),
                external_name=plain.external_name,
            )
        )
        found.extend(_events("service", parts, where))
    return found


def _addresses(section: Section | None) -> tuple[str, ...] | None:
    if section is None:
        return None
    return tuple(part.strip() for line in section.values() for part in line.split(",") if part.strip())


def _endpoints(found: dict[str, Section], namespace: str) -> Endpoints:
    subsets = by_key(found["Subsets"].children()) if "Subsets" in found else {}
    return Endpoints(
        name=text_of(found, "Name") or "",
        namespace=namespace,
        ready=_addresses(subsets.get("Addresses")) or (() if "Subsets" in found else None),
        not_ready=_addresses(subsets.get("NotReadyAddresses")) or (() if "Subsets" in found else None),
    )


def _claim(found: dict[str, Section], namespace: str) -> Claim:
    used = found.get("Used By")
    return Claim(
        name=text_of(found, "Name") or "",
        namespace=namespace,
        phase=text_of(found, "Status"),
        volume=text_of(found, "Volume"),
        storage_class=(text_of(found, "StorageClass") or "") if "StorageClass" in found else None,
        access_modes=access_modes(text_of(found, "Access Modes")),
        volume_mode=text_of(found, "VolumeMode"),
        used_by=tuple(used.values()) if used is not None else (),
    )


def _volume(found: dict[str, Section], _namespace: str) -> Volume:
    return Volume(
        name=text_of(found, "Name") or "",
        capacity_bytes=quantity(text_of(found, "Capacity")),
        access_modes=access_modes(text_of(found, "Access Modes")),
        storage_class=(text_of(found, "StorageClass") or "") if "StorageClass" in found else None,
        phase=text_of(found, "Status"),
        claim=text_of(found, "Claim"),
        labels=labels_of(found, "Labels"),
        volume_mode=text_of(found, "VolumeMode"),
    )


def _quota(found: dict[str, Section], namespace: str) -> Quota:
    used: dict[str, float] = {}
    hard: dict[str, float] = {}
    # The table has no key of its own: it hangs below whichever field came last.
    for line in (line for section in found.values() if section.key != "Events" for line in section.lines):
        words = line.split()
        if len(words) == 3:
            amount, bound = quantity(words[1]), quantity(words[2])
            if amount is not None and bound is not None:
                used[words[0]], hard[words[0]] = amount, bound
    return Quota(name=text_of(found, "Name") or "", namespace=namespace, used=used or None, hard=hard or None)


def _amounts(section: Section | None) -> dict[str, float] | None:
    if section is None:
        return None
    pairs = ((item.key, quantity(item.value)) for item in section.children())
    return {key: amount for key, amount in pairs if amount is not None}


def _node(found: dict[str, Section], _namespace: str) -> Node:
    conditions = conditions_of(found.get("Conditions"))
    total = _POD_TOTAL.search(found["Non-terminated Pods"].value) if "Non-terminated Pods" in found else None
    taints = [
        match for line in (found["Taints"].values() if "Taints" in found else []) if (match := _TAINT.match(line))
    ]
    unschedulable = text_of(found, "Unschedulable")
    addresses = by_key(found["Addresses"].children()) if "Addresses" in found else {}
    requested: dict[str, float] = {}
    for row in section_table(found["Allocated resources"].lines[1:]) if "Allocated resources" in found else ():
        amount = quantity(row.get("Requests", "").partition(" ")[0])
        if amount is not None and row.get("Resource"):
            requested[row["Resource"]] = amount
    return Node(
        name=text_of(found, "Name") or "",
        ready=next((item.status for item in conditions if item.type == "Ready"), None),
        schedulable=None if unschedulable is None else unschedulable != "true",
        labels=labels_of(found, "Labels"),
        taints=tuple(Taint(m["key"], m["value"] or "", m["effect"]) for m in taints) if "Taints" in found else None,
        conditions=conditions,
        capacity=_amounts(found.get("Capacity")),
        allocatable=_amounts(found.get("Allocatable")),
        requested=requested or None,
        pods_running=int(total[1]) if total is not None else None,
        ip=text_of(addresses, "InternalIP"),
    )


def _routes(found: dict[str, Section], namespace: str) -> list[Route]:
    name = text_of(found, "Name") or ""
    routes = []
    for line in found["Rules"].lines if "Rules" in found else ():
        match = _BACKEND.search(line)
        if match is not None:
            routes.append(
                Route(
                    "ingress", name, namespace, match["service"], port_value(match["port"]), path=match["path"] or None
                )
            )
    return routes


def _other(kind: str, found: dict[str, Section], namespace: str) -> Other:
    pull = found.get("Image pull secrets")
    return Other(
        kind=kind,
        name=text_of(found, "Name") or "",
        namespace=None if kind in CLUSTER_WIDE else namespace,
        image_pull_secrets=tuple(pull.values()) if pull is not None else None,
    )


_READERS: Mapping[str, Callable[[dict[str, Section], str], object]] = {
    "endpoints": _endpoints,
    "pvc": _claim,
    "pv": _volume,
    "quota": _quota,
    "node": _node,
}
