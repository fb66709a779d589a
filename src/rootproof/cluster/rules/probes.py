"""Probes that fail now: wrong port, wrong protocol, too strict timing, or an application that answers badly."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rootproof.cluster.fact import ClusterFact, Weight, one_line, sentence
from rootproof.cluster.model import Container, Pod, Probe, Service
from rootproof.cluster.observations import Event
from rootproof.cluster.rules.health import Health, last_restart_s
from rootproof.cluster.rules.messages import probe_role
from rootproof.cluster.rules.view import View, pod_fact
from rootproof.cluster.rules.wording import probe_text, restarts_text

_RECENT_S = 1_200.0
_TIGHT_S = 10.0
"""A container that is killed when it does not answer within this time of its start has no time to start."""
_WRONG_PROTOCOL = re.compile(
    r"malformed http|http response to https|does not look like a tls|first record|server preface|frame too large"
    r"|unexpected http status code|unimplemented|not implement the grpc health|http/0\.9|transport is closing",
    re.IGNORECASE,
)
_STATUS = re.compile(r"statuscode: (\d{3})")
_TOO_LATE = re.compile(r"refused|timeout|timed out|deadline|failed to connect|not serving|within", re.IGNORECASE)
_PORT_VARIABLES = frozenset({"PORT", "HTTP_PORT", "GRPC_PORT", "SERVER_PORT", "LISTEN_PORT", "APP_PORT"})


def probe_facts(view: View) -> Iterator[ClusterFact]:
    """One fact for each role of a probe that fails on a pod that is unhealthy now."""
    for pod in view.state.pods.values():
        if not view.is_bad(pod) or view.health_of(pod) is Health.PENDING:
            continue
        failing = _failing(view, pod)
        for role, events in failing.items():
            yield _fact(view, pod, role, events, failing)
        if not failing and not view.pod_events(pod):
            yield from _by_declaration(view, pod)


def _failing(view: View, pod: Pod) -> dict[str, list[Event]]:
    found: dict[str, list[Event]] = {}
    for event in view.pod_events(pod):
        role = probe_role(event)
        if role is None or not view.recent(event, _RECENT_S):
            continue
        # A readiness probe that failed before the pod became ready, or a liveness probe that never led to a restart
        # of an otherwise ready pod, is start-up noise.
        if role == "readiness" and view.health_of(pod) is Health.RESTARTING and not _repeats(event):
            continue
        if role != "readiness" and not pod.restarts and event.count < 2:
            continue
        found.setdefault(role, []).append(event)
    return found


def _repeats(event: Event) -> bool:
    return event.count >= 3


def _by_declaration(view: View, pod: Pod) -> Iterator[ClusterFact]:
    """Without events: only what the declaration alone proves wrong."""
    for container in pod.spec.containers:
        for probe in container.probes:
            if not _port_known(container, probe):
                words = sentence(
                    f"{probe_text(probe)} of container {container.name}",
                    _ports_words(container),
                    restarts_text(pod.restarts),
                )
                yield pod_fact(
                    view, pod, "probe", f"{probe.role}_probe_port_mismatch", words, values=_values(container, probe),
                    weight=Weight.CAUSE,
                )  # fmt: skip


def _fact(view: View, pod: Pod, role: str, events: list[Event], failing: dict[str, list[Event]]) -> ClusterFact:
    latest = min(events, key=lambda event: event.last_age_s if event.last_age_s is not None else 0.0)
    chosen = _probe_of(view, pod, role)
    reason, why, weight = f"{role}_probe_failed", None, Weight.FAILURE
    values: dict[str, str | float] = {}
    if chosen is not None:
        container, probe = chosen
        reason, why, weight = _diagnosis(view, pod, container, probe, latest, failing)
        values = _values(container, probe)
    status = _STATUS.search(latest.message)
    if status is not None:
        values["http_status"] = int(status[1])
    if pod.restarts is not None:
        values["restarts"] = pod.restarts
    count = sum(event.count for event in events)
    first, last = view.times(latest)
    words = sentence(
        f"{role} probe fails" + (f" ({count} times)" if count > 1 else ""),
        why,
        f"declared: {probe_text(chosen[1])} of container {chosen[0].name}" if chosen is not None else None,
        f"message: {one_line(latest.message, 220)}",
        restarts_text(pod.restarts, last_restart_s(pod, view.now)),
    )
    return pod_fact(
        view, pod, "probe", reason, words, values=values, weight=weight, first_at=first, last_at=last, count=count
    )


def _probe_of(view: View, pod: Pod, role: str) -> tuple[Container, Probe] | None:
    declared = view.declared_spec(pod.namespace, view.app_of(pod))
    workload = view.workload(pod.namespace, view.app_of(pod))
    specs = (pod.spec, *((workload.spec,) if workload is not None else ()), declared)
    for spec in specs:
        found = [(c, p) for c in spec.containers for p in c.probes if p.role == role]
        if found:
            unready = [pair for pair in found if pair[0].ready is False or pair[0].restarts]
            return (unready or found)[0]
    return None


def _diagnosis(
    view: View, pod: Pod, container: Container, probe: Probe, event: Event, failing: dict[str, list[Event]]
) -> tuple[str, str | None, Weight]:
    if not _port_known(container, probe):
        return f"{probe.role}_probe_port_mismatch", _ports_words(container), Weight.CAUSE
    other = _other_protocol(view, pod, container, probe, failing)
    if other is not None or _WRONG_PROTOCOL.search(event.message):
        return f"{probe.role}_probe_protocol_mismatch", other, Weight.CAUSE
    status = _STATUS.search(event.message)
    if status is not None:
        if status[1] == "404":
            return f"{probe.role}_probe_path_not_found", f"path {probe.path} does not exist", Weight.CAUSE
        return f"{probe.role}_probe_failed", f"the application answers {status[1]}", Weight.FAILURE
    patience = probe.delay_s + probe.period_s * (probe.failure_threshold - 1) + probe.timeout_s
    strict = patience < _TIGHT_S or (probe.failure_threshold == 1 and patience < 3 * _TIGHT_S)
    if probe.role != "readiness" and strict and _TOO_LATE.search(event.message):
        why = f"the container is killed {patience:g}s after it starts unless it answers by then"
        return f"{probe.role}_probe_timing", why, Weight.CAUSE
    return f"{probe.role}_probe_failed", None, Weight.FAILURE


def _port_known(container: Container, probe: Probe) -> bool:
    """Whether the probed port is one that the container has, as far as anything is declared."""
    if probe.port is None:
        return True
    names = {port.name for port in container.ports if port.name}
    if isinstance(probe.port, str):
        # `describe` shows no port names, so only a container whose ports are all named can be judged.
        return probe.port in names or len(names) < len(container.ports) or not container.ports
    numbers = {port.number for port in container.ports}
    numbers |= {int(v.value) for v in container.env if v.name in _PORT_VARIABLES and v.value and v.value.isdigit()}
    return not numbers or probe.port in numbers


def _ports_words(container: Container) -> str | None:
    ports = ", ".join(f"{port.number}/{port.protocol}" for port in container.ports)
    return f"the container's ports are {ports}" if ports else None


def _other_protocol(
    view: View, pod: Pod, container: Container, probe: Probe, failing: dict[str, list[Event]]
) -> str | None:
    """Words that say which other protocol the port speaks; None when nothing says so."""
    if probe.action not in {"http-get", "grpc"}:
        return None
    for other in container.probes:
        same_port = other.port == probe.port and other.role != probe.role
        if same_port and other.action not in {probe.action, "exec"} and other.role not in failing:
            return f"the {other.role} probe on the same port uses {other.action} and does not fail"
    spoken = _service_protocol(view, pod, probe)
    if spoken is not None and spoken != probe.action:
        return f"the Service calls this port {spoken.removesuffix('-get')}"
    return None


def _service_protocol(view: View, pod: Pod, probe: Probe) -> str | None:
    for service in view.state.services.values():
        if service.namespace != pod.namespace or view.app_of_service(service) != view.app_of(pod):
            continue
        word = _port_word(service, probe)
        if word.startswith(("grpc", "h2c")):
            return "grpc"
        if word.startswith(("http", "web")):
            return "http-get"
    return None


def _port_word(service: Service, probe: Probe) -> str:
    for port in service.ports:
        if probe.port in {port.target, port.number}:
            return (port.app_protocol or port.name or "").lower()
    return ""


def _values(container: Container, probe: Probe) -> dict[str, str | float]:
    values: dict[str, str | float] = {
        "container": container.name,
        "probe": probe.action,
        "delay_s": probe.delay_s,
        "period_s": probe.period_s,
        "timeout_s": probe.timeout_s,
        "failure_threshold": probe.failure_threshold,
    }
    if probe.port is not None:
        values["probe_port"] = probe.port
    if container.ports:
        values["container_ports"] = ", ".join(str(port.number) for port in container.ports)
    return values
