"""`kubectl describe` of pods and of everything that holds a pod template."""

from __future__ import annotations

import re

from rootproof.cluster.ages import instant
from rootproof.cluster.model import (
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
    Workload,
)
from rootproof.cluster.quantities import quantity
from rootproof.cluster.reading.commands import canonical_kind
from rootproof.cluster.reading.sections import Section, by_key, labels_of, section_table, sections, text_of
from rootproof.cluster.reading.tables import number
from rootproof.domain.cutting import within

_PORT = re.compile(r"(\d{1,5})/([A-Z]{3,4})")
_PROBE_FIELD = re.compile(r"(delay|timeout|period|#success|#failure)=(\d{1,9})")
_HTTP = re.compile(r"(?P<scheme>https?)://(?P<host>[^:/]*)(?::(?P<port>[^/\s]*))?(?P<path>/\S*)?")
_ENV_REFERENCE = re.compile(
    r"<set to the key '(?P<key>[^']*)' (?:in|of) (?P<kind>secret|config map) '(?P<name>[^']*)'>(?P<rest>.*)"
)
_REPLICAS = re.compile(r"(\d{1,9}) (desired|updated|total|available|unavailable|current)")
_JOB_PODS = re.compile(r"(\d{1,9}) (Active|Succeeded|Failed)")
_MOUNT = re.compile(r"(?P<path>\S+) from (?P<volume>\S+)(?: .*)?")
_VOLUME_TARGETS = {
    "PersistentVolumeClaim": ("pvc", "ClaimName"),
    "ConfigMap": ("configmap", "Name"),
    "Secret": ("secret", "SecretName"),
    "HostPath": ("hostpath", "Path"),
    "EmptyDir": ("emptydir", "Medium"),
    "NFS": ("nfs", "Server"),
}


def pod_of(found: dict[str, Section], namespace: str) -> Pod:
    """A pod from the sections of its description."""
    owner_kind, _, owner_name = (text_of(found, "Controlled By") or "").partition("/")
    node = text_of(found, "Node")
    phase = text_of(found, "Status")
    terminating = phase is not None and phase.startswith("Terminating")
    containers = _containers(found)
    statuses = [item for item in containers if not item.init and item.ready is not None]
    return Pod(
        name=text_of(found, "Name") or "",
        namespace=text_of(found, "Namespace") or namespace,
        spec=_spec(found, containers),
        node=node.partition("/")[0] if node else None,
        phase=None if terminating else phase,
        reason=text_of(found, "Reason"),
        message=text_of(found, "Message"),
        ready_containers=sum(1 for item in statuses if item.ready) if statuses else None,
        total_containers=len(statuses) or None,
        restarts=sum(item.restarts or 0 for item in containers) if statuses else None,
        created_at=instant(text_of(found, "Start Time")),
        terminating=True if terminating else None,
        owner_kind=canonical_kind(owner_kind) if owner_name else None,
        owner_name=owner_name or None,
        ip=text_of(found, "IP"),
        conditions=conditions_of(found.get("Conditions")),
    )


def workload_of_sections(kind: str, found: dict[str, Section], namespace: str) -> Workload:
    """A Deployment, StatefulSet, DaemonSet, ReplicaSet or Job from the sections of its description."""
    template = by_key(found["Pod Template"].children()) if "Pod Template" in found else {}
    counts = {word: int(text) for text, word in _REPLICAS.findall(text_of(found, "Replicas") or "")}
    jobs = {word: int(text) for text, word in _JOB_PODS.findall(text_of(found, "Pods Statuses") or "")}
    owner_kind, _, owner_name = (text_of(found, "Controlled By") or "").partition("/")
    desired = counts.get("desired")
    for key in ("Completions", "Desired Number of Nodes Scheduled"):
        desired = desired if desired is not None else number(text_of(found, key))
    waiting_or_ready = _pods_status(text_of(found, "Pods Status"))
    ready = number(text_of(found, "Number of Nodes Scheduled with Available Pods"))
    return Workload(
        kind=kind,
        name=text_of(found, "Name") or "",
        namespace=text_of(found, "Namespace") or namespace,
        spec=_spec(template, _containers(template)),
        selector=labels_of(found, "Selector"),
        desired=desired,
        current=counts.get("total", counts.get("current")),
        updated=counts.get("updated"),
        ready=ready,
        available=counts.get("available"),
        created_at=instant(text_of(found, "CreationTimestamp") or text_of(found, "Start Time")),
        owner_kind=canonical_kind(owner_kind) if owner_name else None,
        owner_name=owner_name or None,
        conditions=conditions_of(found.get("Conditions")),
        active=jobs.get("Active", waiting_or_ready),
        succeeded=jobs.get("Succeeded"),
        failed=jobs.get("Failed"),
        backoff_limit=number(text_of(found, "Backoff Limit")),
    )


def _pods_status(text: str | None) -> int | None:
    match = re.search(r"(\d{1,9}) Running", text or "")
    return int(match[1]) if match else None


def conditions_of(section: Section | None) -> tuple[Condition, ...]:
    """The conditions table of a pod, node or workload."""
    if section is None:
        return ()
    return tuple(
        Condition(row["Type"], row["Status"], row.get("Reason") or None, row.get("Message") or None)
        for row in section_table(section.lines)
        if row.get("Type") and row.get("Status")
    )


def _spec(found: dict[str, Section], containers: tuple[Container, ...]) -> PodSpec:
    tolerations = found.get("Tolerations")
    return PodSpec(
        containers=containers,
        labels=labels_of(found, "Labels"),
        service_account=text_of(found, "Service Account"),
        volumes=tuple(_volume(item) for item in found["Volumes"].children()) if "Volumes" in found else (),
        node_selector=labels_of(found, "Node-Selectors"),
        tolerations=tuple(tolerations.values()) if tolerations is not None else None,
    )


def _volume(section: Section) -> PodVolume:
    fields = by_key(section.children())
    word = (text_of(fields, "Type") or "").partition(" ")[0]
    kind, key = _VOLUME_TARGETS.get(word, (word.lower(), "Name"))
    optional = (text_of(fields, "Optional") or "").lower() == "true"
    return PodVolume(name=section.key, kind=kind, target=text_of(fields, key), optional=optional)


def _containers(found: dict[str, Section]) -> tuple[Container, ...]:
    listed: list[Container] = []
    for key, init in (("Init Containers", True), ("Containers", False)):
        if key in found:
            listed.extend(_container(item, init=init) for item in found[key].children())
    return tuple(listed)


def _container(section: Section, *, init: bool) -> Container:
    found = by_key(section.children())
    ports = text_of(found, "Port") or text_of(found, "Ports") or ""
    ready = text_of(found, "Ready")
    references = found.get("Environment Variables from")
    return Container(
        name=section.key,
        init=init,
        image=text_of(found, "Image"),
        ports=tuple(ContainerPort(int(port), protocol) for port, protocol in _PORT.findall(ports)),
        command=tuple(line for key in ("Command", "Args") if key in found for line in found[key].values()),
        env=_environment(found.get("Environment")),
        env_from=_env_from(references) if references is not None else (),
        requests=_amounts(found.get("Requests"), "State" in found or "Image" in found),
        limits=_amounts(found.get("Limits"), "State" in found or "Image" in found),
        probes=_probes(found),
        mounts=_mounts(found.get("Mounts")),
        ready=ready == "True" if ready is not None else None,
        restarts=number(text_of(found, "Restart Count")),
        state=_state(found.get("State")),
        last_state=_state(found.get("Last State")),
    )


def _amounts(section: Section | None, shown: bool) -> dict[str, float] | None:
    if section is None:
        return {} if shown else None
    found: dict[str, float] = {}
    for item in section.children():
        amount = quantity(item.value)
        if amount is not None:
            found[item.key] = amount
    return found


def _state(section: Section | None) -> ContainerState | None:
    if section is None or not section.value:
        return None
    fields = by_key(section.children())
    code = text_of(fields, "Exit Code")
    message = fields.get("Message")
    return ContainerState(
        kind=section.value.lower(),
        reason=text_of(fields, "Reason"),
        message=within(" ".join(message.values()), 1000) if message is not None and message.values() else None,
        exit_code=int(code) if code is not None and code.lstrip("-").isdigit() else None,
        started_at=instant(text_of(fields, "Started")),
        finished_at=instant(text_of(fields, "Finished")),
    )


def _environment(section: Section | None) -> tuple[EnvVar, ...]:
    if section is None:
        return ()
    return tuple(_env_var(item) for item in sections(section.lines))


def _env_var(section: Section) -> EnvVar:
    match = _ENV_REFERENCE.match(section.value)
    if match is None:
        return EnvVar(name=section.key, value=section.value)
    kind = "secret" if match["kind"] == "secret" else "configmap"
    optional = "Optional: true" in match["rest"]
    return EnvVar(name=section.key, ref=Reference(kind, match["name"], match["key"], optional))


def _env_from(section: Section) -> tuple[Reference, ...]:
    found = []
    for item in section.children():
        words = item.value.split()
        if words and words[0] in {"Secret", "ConfigMap"}:
            found.append(Reference(words[0].lower(), item.key, optional="Optional: true" in item.value))
    return tuple(found)


def _mounts(section: Section | None) -> tuple[tuple[str, str], ...]:
    if section is None:
        return ()
    matches = (_MOUNT.fullmatch(line) for line in section.values())
    return tuple((match["volume"], match["path"]) for match in matches if match is not None)


def _probes(found: dict[str, Section]) -> tuple[Probe, ...]:
    probes = (_probe(role, text_of(found, key)) for key, role in _ROLES)
    return tuple(probe for probe in probes if probe is not None)


_ROLES: tuple[tuple[str, ProbeRole], ...] = (
    ("Liveness", "liveness"),
    ("Readiness", "readiness"),
    ("Startup", "startup"),
)


def _probe(role: ProbeRole, text: str | None) -> Probe | None:
    if text is None:
        return None
    word, _, rest = text.partition(" ")
    fields = {name: int(value) for name, value in _PROBE_FIELD.findall(rest)}
    action: ProbeAction
    port: int | str | None = None
    path = scheme = None
    if word == "http-get":
        action = "http-get"
        match = _HTTP.search(rest)
        if match is not None:
            port, path, scheme = port_value(match["port"]), match["path"], match["scheme"]
    elif word == "exec":
        action = "exec"
        path = rest[rest.find("[") + 1 : rest.rfind("]")] if "[" in rest else None
    elif word in {"tcp-socket", "grpc"}:
        action = "tcp-socket" if word == "tcp-socket" else "grpc"
        port = port_value(rest.split(" ", 1)[0].rpartition(":")[2])
    else:
        return None
    return Probe(
        role=role,
        action=action,
        port=port,
        path=path,
        scheme=scheme,
        delay_s=fields.get("delay", 0),
        timeout_s=fields.get("timeout", 1),
        period_s=fields.get("period", 10),
        failure_threshold=fields.get("#failure", 3),
    )


def port_value(text: object) -> int | str | None:
    """A port as a number where it is one, else its name; None for nothing."""
    if text is None or text == "":
        return None
    plain = str(text)
    return int(plain) if plain.isdigit() else plain
