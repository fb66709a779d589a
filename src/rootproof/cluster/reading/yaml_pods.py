"""Pod specifications and statuses of YAML or JSON objects."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

from rootproof.cluster.ages import instant
from rootproof.cluster.model import (
    Affinity,
    Condition,
    Container,
    ContainerPort,
    ContainerState,
    EnvVar,
    Pod,
    PodSpec,
    PodVolume,
    Probe,
    ProbeAction,
    ProbeRole,
    Reference,
)
from rootproof.cluster.quantities import quantity
from rootproof.cluster.reading.commands import canonical_kind
from rootproof.cluster.reading.describe_pods import port_value
from rootproof.cluster.reading.walk import dig, flag, items, mapping, text, text_map, texts, whole

_PROBE_KEYS: tuple[tuple[str, ProbeRole], ...] = (
    ("livenessProbe", "liveness"),
    ("readinessProbe", "readiness"),
    ("startupProbe", "startup"),
)
_VOLUME_KINDS = {
    "persistentVolumeClaim": ("pvc", "claimName"),
    "configMap": ("configmap", "name"),
    "secret": ("secret", "secretName"),
    "hostPath": ("hostpath", "path"),
    "emptyDir": ("emptydir", "medium"),
    "nfs": ("nfs", "server"),
}


def amounts(value: object, *path: str) -> dict[str, float] | None:
    """The quantities below `path` by resource name; None where there are none."""
    found = dig(value, *path)
    if not isinstance(found, dict):
        return None
    pairs = ((str(key), quantity(item)) for key, item in found.items())
    return {key: amount for key, amount in pairs if amount is not None}


def pod_spec(spec: object, labels: dict[str, str] | None) -> PodSpec:
    """A pod's or a template's specification."""
    pod_security = mapping(spec, "securityContext")
    containers = [_container(item, pod_security, init=True) for item in items(spec, "initContainers")]
    containers.extend(_container(item, pod_security, init=False) for item in items(spec, "containers"))
    pull = tuple(name for item in items(spec, "imagePullSecrets") if (name := text(item, "name")))
    return PodSpec(
        containers=tuple(containers),
        labels=labels,
        service_account=text(spec, "serviceAccountName") or text(spec, "serviceAccount"),
        volumes=tuple(_volume(item) for item in items(spec, "volumes")),
        node_selector=text_map(spec, "nodeSelector") or {},
        tolerations=tuple(_toleration(item) for item in items(spec, "tolerations")),
        affinity=_affinity(mapping(spec, "affinity")),
        dns_policy=text(spec, "dnsPolicy"),
        nameservers=texts(spec, "dnsConfig", "nameservers"),
        image_pull_secrets=pull,
    )


def _toleration(item: dict[str, Any]) -> str:
    key, value, effect = text(item, "key") or "", text(item, "value"), text(item, "effect") or ""
    if text(item, "operator") == "Exists" or value is None:
        return f"{key}:{effect} op=Exists"
    return f"{key}={value}:{effect}"


def _affinity(value: dict[str, Any]) -> Affinity | None:
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    terms = []
    for term in items(value, "nodeAffinity", required, "nodeSelectorTerms"):
        requirements = (*items(term, "matchExpressions"), *items(term, "matchFields"))
        terms.append(
            tuple((text(r, "key") or "", text(r, "operator") or "In", texts(r, "values")) for r in requirements)
        )
    anti = []
    for term in items(value, "podAntiAffinity", required):
        labels = text_map(term, "labelSelector", "matchLabels") or {}
        chosen = [f"{key}={item}" for key, item in labels.items()]
        chosen += [
            f"{text(r, 'key')} {text(r, 'operator')} {','.join(texts(r, 'values'))}".strip()
            for r in items(term, "labelSelector", "matchExpressions")
        ]
        anti.append((text(term, "topologyKey") or "", ", ".join(chosen)))
    return Affinity(tuple(terms), tuple(anti)) if terms or anti else None


def _container(item: dict[str, Any], pod_security: dict[str, Any], *, init: bool) -> Container:
    security = mapping(item, "securityContext")
    user = whole(security, "runAsUser")
    non_root = flag(security, "runAsNonRoot")
    return Container(
        name=text(item, "name") or "",
        init=init,
        image=text(item, "image"),
        ports=tuple(
            ContainerPort(number, text(port, "protocol") or "TCP", text(port, "name"))
            for port in items(item, "ports")
            if (number := whole(port, "containerPort")) is not None
        ),
        command=(*texts(item, "command"), *texts(item, "args")),
        env=tuple(_env_var(env) for env in items(item, "env") if text(env, "name")),
        env_from=tuple(ref for env in items(item, "envFrom") if (ref := _env_from(env)) is not None),
        requests=amounts(item, "resources", "requests") or {},
        limits=amounts(item, "resources", "limits") or {},
        probes=tuple(_probe(role, mapping(item, key)) for key, role in _PROBE_KEYS if mapping(item, key)),
        mounts=tuple((text(m, "name") or "", text(m, "mountPath") or "") for m in items(item, "volumeMounts")),
        run_as_user=user if user is not None else whole(pod_security, "runAsUser"),
        run_as_non_root=non_root if non_root is not None else flag(pod_security, "runAsNonRoot"),
    )


def _env_var(item: dict[str, Any]) -> EnvVar:
    name = text(item, "name") or ""
    for key, kind in (("secretKeyRef", "secret"), ("configMapKeyRef", "configmap")):
        source = mapping(item, "valueFrom", key)
        if source:
            return EnvVar(
                name,
                ref=Reference(kind, text(source, "name") or "", text(source, "key"), bool(flag(source, "optional"))),
            )
    return EnvVar(name, value=text(item, "value"))


def _env_from(item: dict[str, Any]) -> Reference | None:
    for key, kind in (("secretRef", "secret"), ("configMapRef", "configmap")):
        source = mapping(item, key)
        if text(source, "name"):
            return Reference(kind, text(source, "name") or "", optional=bool(flag(source, "optional")))
    return None


def _probe(role: ProbeRole, item: dict[str, Any]) -> Probe:
    action: ProbeAction = "exec"
    port: int | str | None = None
    path = scheme = None
    for key, word in (("httpGet", "http-get"), ("tcpSocket", "tcp-socket"), ("grpc", "grpc")):
        target = dig(item, key)
        if isinstance(target, dict):
            action = cast("ProbeAction", word)
            port = port_value(text(target, "port"))
            path, scheme = text(target, "path"), text(target, "scheme")
    if action == "exec":
        path = " ".join(texts(item, "exec", "command")) or None
    return Probe(
        role=role,
        action=action,
        port=port,
        path=path,
        scheme=scheme.lower() if scheme else None,
        delay_s=whole(item, "initialDelaySeconds") or 0,
        timeout_s=whole(item, "timeoutSeconds") or 1,
        period_s=whole(item, "periodSeconds") or 10,
        failure_threshold=whole(item, "failureThreshold") or 3,
    )


def _volume(item: dict[str, Any]) -> PodVolume:
    name = text(item, "name") or ""
    for key, (kind, target) in _VOLUME_KINDS.items():
        if key in item:
            source = mapping(item, key)
            return PodVolume(name, kind, text(source, target), bool(flag(source, "optional")))
    word = next((key for key in item if key != "name"), "other")
    return PodVolume(name, word.lower())


def conditions(value: object, *path: str) -> tuple[Condition, ...]:
    """The conditions below `path`."""
    return tuple(
        Condition(kind, text(item, "status") or "Unknown", text(item, "reason"), text(item, "message"))
        for item in items(value, *path)
        if (kind := text(item, "type"))
    )


def pod(document: dict[str, Any], namespace: str) -> Pod:
    """A pod with its status."""
    meta, status = mapping(document, "metadata"), mapping(document, "status")
    spec = pod_spec(document.get("spec"), text_map(meta, "labels") or {})
    seen = {
        text(item, "name"): item
        for key in ("containerStatuses", "initContainerStatuses")
        for item in items(status, key)
    }
    containers = tuple(with_status(item, seen[item.name]) if item.name in seen else item for item in spec.containers)
    main = [item for item in containers if not item.init]
    has_status = bool(items(status, "containerStatuses"))
    owner = next(iter(items(meta, "ownerReferences")), {})
    deleted = instant(text(meta, "deletionTimestamp"))
    return Pod(
        name=text(meta, "name") or "",
        namespace=namespace,
        spec=replace(spec, containers=containers),
        node=text(document, "spec", "nodeName"),
        phase=text(status, "phase"),
        reason=text(status, "reason"),
        message=text(status, "message"),
        ready_containers=sum(1 for item in main if item.ready) if has_status else None,
        total_containers=len(main) if has_status else None,
        restarts=sum(item.restarts or 0 for item in containers) if has_status else None,
        created_at=instant(text(status, "startTime") or text(meta, "creationTimestamp")),
        deleted_at=deleted,
        terminating=True if deleted is not None else None,
        owner_kind=canonical_kind(text(owner, "kind") or "") if owner else None,
        owner_name=text(owner, "name"),
        ip=text(status, "podIP"),
        conditions=conditions(status, "conditions"),
    )


def with_status(container: Container, status: dict[str, Any]) -> Container:
    """A container with the readiness, restarts and states of its status."""
    return replace(
        container,
        ready=flag(status, "ready"),
        restarts=whole(status, "restartCount"),
        state=_state(mapping(status, "state")),
        last_state=_state(mapping(status, "lastState")),
    )


def _state(value: dict[str, Any]) -> ContainerState | None:
    for kind in ("running", "waiting", "terminated"):
        found = dig(value, kind)
        if isinstance(found, dict):
            return ContainerState(
                kind=kind,
                reason=text(found, "reason"),
                message=text(found, "message"),
                exit_code=whole(found, "exitCode"),
                started_at=instant(text(found, "startedAt")),
                finished_at=instant(text(found, "finishedAt")),
            )
    return None
