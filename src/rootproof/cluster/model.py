"""What recorded cluster outputs become: frozen objects in which None means "not seen" and empty means "seen, none".

CPU is in cores, memory and storage in bytes, ages in seconds before the moment of recording. Secret values never
enter this model: of a Secret only its name and key names are kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

ProbeRole = Literal["liveness", "readiness", "startup"]
ProbeAction = Literal["http-get", "tcp-socket", "grpc", "exec"]


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition of a pod, node, workload or job. `status` is `True`, `False` or `Unknown`."""

    type: str
    status: str
    reason: str | None = None
    message: str | None = None


@dataclass(frozen=True, slots=True)
class Probe:
    """A health check. `port` is a number, or a name where the declaration uses one."""

    role: ProbeRole
    action: ProbeAction
    port: int | str | None = None
    path: str | None = None
    scheme: str | None = None
    delay_s: float = 0.0
    timeout_s: float = 1.0
    period_s: float = 10.0
    failure_threshold: int = 3


@dataclass(frozen=True, slots=True)
class ContainerPort:
    """A port that a container declares."""

    number: int
    protocol: str = "TCP"
    name: str | None = None


@dataclass(frozen=True, slots=True)
class EnvVar:
    """An environment variable: a literal value, or a reference to a key of a ConfigMap or Secret."""

    name: str
    value: str | None = None
    ref: Reference | None = None


@dataclass(frozen=True, slots=True)
class Reference:
    """A pointer from a pod to a `configmap`, `secret`, `pvc` or `serviceaccount` of its namespace."""

    kind: str
    name: str
    key: str | None = None
    optional: bool = False


@dataclass(frozen=True, slots=True)
class ContainerState:
    """One state of a container. `kind` is `running`, `waiting` or `terminated`."""

    kind: str
    reason: str | None = None
    message: str | None = None
    exit_code: int | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Container:
    """A container of a pod or of a workload's template."""

    name: str
    init: bool = False
    image: str | None = None
    ports: tuple[ContainerPort, ...] = ()
    command: tuple[str, ...] = ()
    """Command and arguments, in order."""
    env: tuple[EnvVar, ...] = ()
    env_from: tuple[Reference, ...] = ()
    requests: Mapping[str, float] | None = None
    limits: Mapping[str, float] | None = None
    probes: tuple[Probe, ...] = ()
    mounts: tuple[tuple[str, str], ...] = ()
    """(volume name, path)."""
    run_as_user: int | None = None
    run_as_non_root: bool | None = None
    ready: bool | None = None
    restarts: int | None = None
    state: ContainerState | None = None
    last_state: ContainerState | None = None


@dataclass(frozen=True, slots=True)
class PodVolume:
    """A volume of a pod: what kind it is and what it points at."""

    name: str
    kind: str
    """`pvc`, `configmap`, `secret`, `hostpath`, `emptydir`, ... in lower case."""
    target: str | None = None
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Affinity:
    """The hard placement rules: alternatives of label requirements for nodes, and whether pods repel each other."""

    node_terms: tuple[tuple[tuple[str, str, tuple[str, ...]], ...], ...] = ()
    """Any term must hold; a term is requirements `(key, operator, values)` that must all hold."""
    anti_affinity: tuple[tuple[str, str], ...] = ()
    """Topology key and selector text of each required pod anti-affinity."""


@dataclass(frozen=True, slots=True)
class Taint:
    """A taint of a node."""

    key: str
    value: str
    effect: str


@dataclass(frozen=True, slots=True)
class PodSpec:
    """What a pod, or a workload's template, declares."""

    containers: tuple[Container, ...] = ()
    labels: Mapping[str, str] | None = None
    service_account: str | None = None
    volumes: tuple[PodVolume, ...] = ()
    node_selector: Mapping[str, str] | None = None
    tolerations: tuple[str, ...] | None = None
    """`key=value:Effect` or `key:Effect op=Exists` lines as `describe` writes them."""
    affinity: Affinity | None = None
    dns_policy: str | None = None
    nameservers: tuple[str, ...] = ()
    image_pull_secrets: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Pod:
    """A pod. `status` is the table's word (`CrashLoopBackOff`), `phase` the API's (`Running`)."""

    name: str
    namespace: str
    spec: PodSpec = field(default_factory=PodSpec)
    node: str | None = None
    phase: str | None = None
    status: str | None = None
    reason: str | None = None
    message: str | None = None
    ready_containers: int | None = None
    total_containers: int | None = None
    restarts: int | None = None
    last_restart_age_s: float | None = None
    age_s: float | None = None
    created_at: datetime | None = None
    deleted_at: datetime | None = None
    terminating: bool | None = None
    owner_kind: str | None = None
    owner_name: str | None = None
    ip: str | None = None
    conditions: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Workload:
    """A Deployment, StatefulSet, DaemonSet, ReplicaSet, Job or CronJob (`kind` in lower case)."""

    kind: str
    name: str
    namespace: str
    spec: PodSpec = field(default_factory=PodSpec)
    selector: Mapping[str, str] | None = None
    desired: int | None = None
    current: int | None = None
    updated: int | None = None
    ready: int | None = None
    available: int | None = None
    age_s: float | None = None
    created_at: datetime | None = None
    owner_kind: str | None = None
    owner_name: str | None = None
    conditions: tuple[Condition, ...] = ()
    paused: bool | None = None
    status: str | None = None
    """A Job's word: `Complete`, `Failed`, `Running`, `Suspended`."""
    active: int | None = None
    succeeded: int | None = None
    failed: int | None = None
    backoff_limit: int | None = None


@dataclass(frozen=True, slots=True)
class ServicePort:
    """A port of a Service. `target` is a number or a container port's name."""

    number: int
    protocol: str = "TCP"
    target: int | str | None = None
    name: str | None = None
    app_protocol: str | None = None


@dataclass(frozen=True, slots=True)
class Service:
    """A Service. `endpoints` are the addresses that `describe` shows."""

    name: str
    namespace: str
    type: str | None = None
    cluster_ip: str | None = None
    selector: Mapping[str, str] | None = None
    ports: tuple[ServicePort, ...] = ()
    endpoints: tuple[str, ...] | None = None
    external_name: str | None = None


@dataclass(frozen=True, slots=True)
class Endpoints:
    """The addresses behind a Service: ready ones and not ready ones."""

    name: str
    namespace: str
    ready: tuple[str, ...] | None = None
    not_ready: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """A PersistentVolumeClaim. `storage_class` is empty when the claim asks for none, None when not seen."""

    name: str
    namespace: str
    phase: str | None = None
    volume: str | None = None
    storage_class: str | None = None
    requested_bytes: float | None = None
    access_modes: tuple[str, ...] | None = None
    selector: Mapping[str, str] | None = None
    volume_mode: str | None = None
    used_by: tuple[str, ...] = ()
    age_s: float | None = None


@dataclass(frozen=True, slots=True)
class Volume:
    """A PersistentVolume; `claim` is `namespace/name`."""

    name: str
    capacity_bytes: float | None = None
    access_modes: tuple[str, ...] | None = None
    storage_class: str | None = None
    phase: str | None = None
    claim: str | None = None
    labels: Mapping[str, str] | None = None
    volume_mode: str | None = None


@dataclass(frozen=True, slots=True)
class Quota:
    """A ResourceQuota: amounts per resource name (`requests.cpu`, `pods`, ...)."""

    name: str
    namespace: str
    used: Mapping[str, float] | None = None
    hard: Mapping[str, float] | None = None


@dataclass(frozen=True, slots=True)
class Node:
    """A node. `ready` is `True`, `False` or `Unknown` as its condition says."""

    name: str
    ready: str | None = None
    schedulable: bool | None = None
    labels: Mapping[str, str] | None = None
    taints: tuple[Taint, ...] | None = None
    conditions: tuple[Condition, ...] = ()
    capacity: Mapping[str, float] | None = None
    allocatable: Mapping[str, float] | None = None
    requested: Mapping[str, float] | None = None
    """What the node's pods request together."""
    pods_running: int | None = None
    ip: str | None = None


@dataclass(frozen=True, slots=True)
class Route:
    """A rule of an Ingress, HTTPRoute or VirtualService: host and path to a backend service and port."""

    kind: str
    name: str
    namespace: str
    backend: str
    port: int | str | None = None
    host: str | None = None
    path: str | None = None


@dataclass(frozen=True, slots=True)
class Other:
    """Any further object: that it exists, with the key names of a ConfigMap or Secret and its references."""

    kind: str
    name: str
    namespace: str | None
    keys: tuple[str, ...] | None = None
    image_pull_secrets: tuple[str, ...] | None = None
    addresses: tuple[tuple[str, int | None], ...] = ()
    """Hosts and ports of the URLs in a ConfigMap's values; nothing else of the values is kept."""
    details: Mapping[str, str] = field(default_factory=dict)


ClusterObject = Pod | Workload | Service | Endpoints | Claim | Volume | Quota | Node | Other
