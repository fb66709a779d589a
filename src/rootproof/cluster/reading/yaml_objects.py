"""Kubernetes objects of YAML or JSON documents: from `-o yaml`, and from the manifests that were deployed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rootproof.cluster.ages import instant
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
    Workload,
)
from rootproof.cluster.observations import Event
from rootproof.cluster.quantities import quantity
from rootproof.cluster.reading.addresses import addresses_in
from rootproof.cluster.reading.commands import CLUSTER_WIDE, WORKLOAD_KINDS, canonical_kind
from rootproof.cluster.reading.describe_pods import port_value
from rootproof.cluster.reading.table_objects import access_modes
from rootproof.cluster.reading.walk import dig, flag, items, mapping, text, text_map, texts, whole
from rootproof.cluster.reading.yaml_pods import amounts, conditions, pod, pod_spec


def objects_of_document(document: dict[str, Any], namespace: str | None) -> list[object]:
    """The objects that one document holds; empty when it is no Kubernetes object."""
    kind = canonical_kind(text(document, "kind") or "")
    meta = mapping(document, "metadata")
    if not kind or not (text(meta, "name") or kind == "event"):
        return []
    where = text(meta, "namespace") or namespace or "default"
    if kind in WORKLOAD_KINDS:
        return [_workload(kind, document, where)]
    if kind in {"ingress", "httproute", "virtualservice"}:
        name = text(meta, "name") or ""
        return [*_routes(kind, document, where, name), Other(kind, name, where)]
    reader = _READERS.get(kind)
    if reader is not None:
        return [reader(document, where)]
    return [_other(kind, document, where)]


def _workload(kind: str, document: dict[str, Any], namespace: str) -> Workload:
    meta, spec, status = (mapping(document, key) for key in ("metadata", "spec", "status"))
    template = mapping(spec, "jobTemplate", "spec", "template") if kind == "cronjob" else mapping(spec, "template")
    owner = next(iter(items(meta, "ownerReferences")), {})
    desired = whole(spec, "replicas")
    if kind == "daemonset":
        desired = whole(status, "desiredNumberScheduled")
    if kind == "job":
        desired = whole(spec, "completions") or 1
    ready = whole(status, "numberReady" if kind == "daemonset" else "readyReplicas")
    if ready is None and status and kind in {"deployment", "statefulset", "replicaset"}:
        ready = 0
    selector = text_map(spec, "selector", "matchLabels")
    return Workload(
        kind=kind,
        name=text(meta, "name") or "",
        namespace=namespace,
        spec=pod_spec(template.get("spec"), text_map(template, "metadata", "labels") or {}),
        selector=selector,
        desired=desired if desired is not None or kind not in {"deployment", "statefulset"} else 1,
        current=whole(status, "replicas"),
        updated=whole(status, "updatedReplicas"),
        ready=ready,
        available=whole(status, "availableReplicas"),
        created_at=instant(text(meta, "creationTimestamp")),
        owner_kind=canonical_kind(text(owner, "kind") or "") if owner else None,
        owner_name=text(owner, "name"),
        conditions=conditions(status, "conditions"),
        paused=flag(spec, "paused"),
        active=whole(status, "active"),
        succeeded=whole(status, "succeeded"),
        failed=whole(status, "failed"),
        backoff_limit=whole(spec, "backoffLimit"),
    )


def _service(document: dict[str, Any], namespace: str) -> Service:
    spec = mapping(document, "spec")
    ports = []
    for item in items(spec, "ports"):
        number = whole(item, "port")
        if number is not None:
            target = port_value(text(item, "targetPort"))
            ports.append(
                ServicePort(
                    number,
                    text(item, "protocol") or "TCP",
                    number if target is None else target,
                    text(item, "name"),
                    text(item, "appProtocol"),
                )
            )
    return Service(
        name=text(document, "metadata", "name") or "",
        namespace=namespace,
        type=text(spec, "type") or "ClusterIP",
        cluster_ip=text(spec, "clusterIP"),
        selector=text_map(spec, "selector") or {},
        ports=tuple(ports),
        external_name=text(spec, "externalName"),
    )


def _endpoints(document: dict[str, Any], namespace: str) -> Endpoints:
    ready: list[str] = []
    waiting: list[str] = []
    for subset in items(document, "subsets"):
        ports = [number for item in items(subset, "ports") if (number := whole(item, "port")) is not None]
        for key, found in (("addresses", ready), ("notReadyAddresses", waiting)):
            for address in items(subset, key):
                ip = text(address, "ip") or ""
                found.extend([f"{ip}:{port}" for port in ports] or [ip])
    return Endpoints(text(document, "metadata", "name") or "", namespace, tuple(ready), tuple(waiting))


def _claim(document: dict[str, Any], namespace: str) -> Claim:
    spec, status = mapping(document, "spec"), mapping(document, "status")
    return Claim(
        name=text(document, "metadata", "name") or "",
        namespace=namespace,
        phase=text(status, "phase"),
        volume=text(spec, "volumeName"),
        storage_class=text(spec, "storageClassName"),
        requested_bytes=quantity(dig(spec, "resources", "requests", "storage")),
        access_modes=access_modes(",".join(texts(spec, "accessModes"))),
        selector=text_map(spec, "selector", "matchLabels"),
        volume_mode=text(spec, "volumeMode"),
    )


def _volume(document: dict[str, Any], _namespace: str) -> Volume:
    spec = mapping(document, "spec")
    reference = mapping(spec, "claimRef")
    claim = f"{text(reference, 'namespace') or 'default'}/{text(reference, 'name')}" if reference else None
    return Volume(
        name=text(document, "metadata", "name") or "",
        capacity_bytes=quantity(dig(spec, "capacity", "storage")),
        access_modes=access_modes(",".join(texts(spec, "accessModes"))),
        storage_class=text(spec, "storageClassName") or "",
        phase=text(document, "status", "phase"),
        claim=claim,
        labels=text_map(document, "metadata", "labels") or {},
        volume_mode=text(spec, "volumeMode"),
    )


def _quota(document: dict[str, Any], namespace: str) -> Quota:
    return Quota(
        name=text(document, "metadata", "name") or "",
        namespace=namespace,
        used=amounts(document, "status", "used"),
        hard=amounts(document, "status", "hard") or amounts(document, "spec", "hard"),
    )


def _node(document: dict[str, Any], _namespace: str) -> Node:
    spec, status = mapping(document, "spec"), mapping(document, "status")
    found = conditions(status, "conditions")
    addresses = {text(item, "type"): text(item, "address") for item in items(status, "addresses")}
    taints = tuple(
        Taint(text(item, "key") or "", text(item, "value") or "", text(item, "effect") or "")
        for item in items(spec, "taints")
    )
    return Node(
        name=text(document, "metadata", "name") or "",
        ready=next((item.status for item in found if item.type == "Ready"), None),
        schedulable=not flag(spec, "unschedulable"),
        labels=text_map(document, "metadata", "labels"),
        taints=taints,
        conditions=found,
        capacity=amounts(status, "capacity"),
        allocatable=amounts(status, "allocatable"),
        ip=addresses.get("InternalIP"),
    )


def _event(document: dict[str, Any], namespace: str) -> Event:
    target = mapping(document, "involvedObject") or mapping(document, "regarding")
    last = (
        text(document, "lastTimestamp") or text(document, "series", "lastObservedTime") or text(document, "eventTime")
    )
    return Event(
        kind=canonical_kind(text(target, "kind") or ""),
        name=text(target, "name") or "",
        namespace=text(target, "namespace") or namespace,
        type=text(document, "type") or "",
        reason=text(document, "reason") or "",
        message=text(document, "message") or text(document, "note") or "",
        count=whole(document, "count") or whole(document, "series", "count") or 1,
        last_at=instant(last),
        first_at=instant(text(document, "firstTimestamp") or text(document, "eventTime")) or instant(last),
    )


def _routes(kind: str, document: dict[str, Any], namespace: str, name: str) -> list[Route]:
    spec = mapping(document, "spec")
    if kind == "ingress":
        return _ingress_routes(spec, namespace, name)
    hosts = ",".join(texts(spec, "hosts") or texts(spec, "hostnames")) or None
    routes = []
    for rule in (*items(spec, "http"), *items(spec, "tcp"), *items(spec, "rules")):
        for target in (*items(rule, "route"), *items(rule, "backendRefs")):
            destination = mapping(target, "destination") or target
            backend = text(destination, "host") or text(destination, "name")
            port = text(destination, "port", "number") or text(destination, "port")
            if backend:
                where = text(destination, "namespace") or namespace
                routes.append(Route(kind, name, where, backend, port_value(port), hosts, _match_path(rule)))
    return routes


def _match_path(rule: dict[str, Any]) -> str | None:
    for match in (*items(rule, "match"), *items(rule, "matches")):
        path = text(match, "path", "value") or text(match, "uri", "prefix") or text(match, "uri", "exact")
        if path:
            return path
    return None


def _ingress_routes(spec: dict[str, Any], namespace: str, name: str) -> list[Route]:
    found = []
    backends: list[tuple[str | None, str | None, dict[str, Any]]] = [(None, None, mapping(spec, "defaultBackend"))]
    for rule in items(spec, "rules"):
        backends += [(text(rule, "host"), text(p, "path"), mapping(p, "backend")) for p in items(rule, "http", "paths")]
    for host, path, backend in backends:
        service = text(backend, "service", "name") or text(backend, "serviceName")
        if service:
            port = mapping(backend, "service", "port")
            value = text(port, "number") or text(port, "name") or text(backend, "servicePort")
            found.append(Route("ingress", name, namespace, service, port_value(value), host, path))
    return found


def _other(kind: str, document: dict[str, Any], namespace: str) -> Other:
    keys: tuple[str, ...] | None = None
    if kind in {"configmap", "secret"}:
        # Key names only: the values of a Secret must not enter the state.
        keys = tuple(str(key) for part in ("data", "stringData", "binaryData") for key in mapping(document, part))
    pull = tuple(name for item in items(document, "imagePullSecrets") if (name := text(item, "name")))
    details: dict[str, str] = {}
    for key in ("provisioner", "volumeBindingMode"):
        value = text(document, key)
        if value:
            details[key.upper()] = value
    return Other(
        kind=kind,
        name=text(document, "metadata", "name") or "",
        namespace=None if kind in CLUSTER_WIDE else namespace,
        keys=keys,
        addresses=_addresses(document) if kind == "configmap" else (),
        image_pull_secrets=pull if kind == "serviceaccount" else None,
        details=details,
    )


def _addresses(document: dict[str, Any]) -> tuple[tuple[str, int | None], ...]:
    return addresses_in("\n".join((text_map(document, "data") or {}).values()))


_READERS: Mapping[str, Callable[[dict[str, Any], str], object]] = {
    "pod": pod,
    "service": _service,
    "endpoints": _endpoints,
    "pvc": _claim,
    "pv": _volume,
    "quota": _quota,
    "node": _node,
    "event": _event,
}
