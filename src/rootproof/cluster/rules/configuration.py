"""What templates refer to: ConfigMaps, Secrets, accounts, addresses in the environment, ports that collide."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Unpack

from rootproof.cluster.fact import ClusterFact, Weight, sentence
from rootproof.cluster.model import EnvVar, Pod, PodSpec, Reference, Workload
from rootproof.cluster.reading.addresses import inside_cluster
from rootproof.cluster.rules.view import CONTROLLERS, Extra, View, fact
from rootproof.cluster.rules.workloads import short_of_replicas

_ADDRESS = re.compile(
    r"(?:[a-z][a-z0-9+.-]{1,20}://)?(?:[^@/\s]{1,200}@)?(?P<host>[a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?)(?::(?P<port>\d{1,5}))?"
    r"(?:/\S*)?"
)
_ADDRESS_NAME = re.compile(
    r"(?:^|_)(?:ADDR|ADDRESS|HOST|HOSTNAME|URL|URI|ENDPOINT|SERVER|SERVERS|BROKERS?|SERVICE|DSN)$"
)
_LOCAL = frozenset({"localhost", "0.0.0.0", "127.0.0.1"})  # noqa: S104 - names to leave alone, nothing binds
_IP = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")


def configuration_facts(view: View) -> Iterator[ClusterFact]:
    """Missing references, addresses that no Service has, and containers of one pod that want the same port."""
    for item, spec, hurt in _templates(view):
        yield from _references(view, item, spec, hurt=hurt)
        yield from _addresses(view, item, spec)
        yield from _ports(item, spec, hurt=hurt)
        yield from _dns(view, item, spec)
    yield from _config_addresses(view)


def _templates(view: View) -> Iterator[tuple[Workload | Pod, PodSpec, bool]]:
    """Every controller's template (its pods' where only they were seen), and whether the workload is hurt now."""
    seen: set[tuple[str, str]] = set()
    for item in view.state.workloads.values():
        if item.kind not in CONTROLLERS:
            continue
        pods = view.pods_of.get((item.namespace, item.name), ())
        spec = item.spec if item.spec.containers else pods[0].spec if pods else item.spec
        seen.add((item.namespace, item.name))
        yield item, spec, short_of_replicas(view, item) or any(view.is_bad(pod) for pod in pods)
    for pod in view.state.pods.values():
        key = (pod.namespace, view.app_of(pod) or pod.name)
        if key not in seen and pod.spec.containers:
            seen.add(key)
            yield pod, pod.spec, view.is_bad(pod)


def _fact(item: Workload | Pod, aspect: str, reason: str, words: str, **extra: Unpack[Extra]) -> ClusterFact:
    kind = item.kind if isinstance(item, Workload) else "pod"
    app = item.name if isinstance(item, Workload) else None
    return fact(kind, item.name, aspect, reason, words, namespace=item.namespace, app=app, **extra)


def _references(view: View, item: Workload | Pod, spec: PodSpec, *, hurt: bool) -> Iterator[ClusterFact]:
    for where, reference in _all_references(spec):
        exists = view.state.exists(reference.kind, item.namespace, reference.name)
        if reference.optional or exists is None:
            continue
        name = f"{reference.kind} {reference.name}"
        values: dict[str, str | float] = {"ref_kind": reference.kind, "ref_name": reference.name}
        if exists is False:
            reason = "service_account_not_found" if reference.kind == "serviceaccount" else "missing_config_reference"
            words = f"{where} refers to {name}, which does not exist in namespace {item.namespace}"
        else:
            found = view.state.others.get((reference.kind, item.namespace, reference.name))
            keys = found.keys if found is not None else None
            if reference.key is None or not keys or reference.key in keys:
                continue
            reason = "missing_config_key"
            words = f"{where} refers to key {reference.key} of {name}, which has only {', '.join(sorted(keys)[:8])}"
        weight = Weight.CAUSE if hurt else Weight.LEAD
        yield _fact(item, "reference", reason, words, values=values, weight=weight, abnormal=True, current=hurt)


def _all_references(spec: PodSpec) -> Iterator[tuple[str, Reference]]:
    for container in spec.containers:
        for variable in container.env:
            if variable.ref is not None:
                yield f"environment variable {variable.name} of container {container.name}", variable.ref
        for reference in container.env_from:
            yield f"envFrom of container {container.name}", reference
    for volume in spec.volumes:
        if volume.kind in {"configmap", "secret"} and volume.target:
            yield f"volume {volume.name}", Reference(volume.kind, volume.target, optional=volume.optional)
    if spec.service_account and spec.service_account != "default":
        yield "the template", Reference("serviceaccount", spec.service_account)


def _addresses(view: View, item: Workload | Pod, spec: PodSpec) -> Iterator[ClusterFact]:
    """Cluster addresses in the environment that no Service answers to. Only logs can tell whether they are used."""
    for container in spec.containers:
        for variable in container.env:
            found = _address(variable)
            if found is None:
                continue
            host, port = found
            name, _, rest = host.partition(".")
            namespace = rest.partition(".")[0] or item.namespace
            exists = view.state.exists("service", namespace, name)
            target = host if port is None else f"{host}:{port}"
            points = f"{variable.name} of container {container.name} points at {target}"
            values: dict[str, str | float] = {"variable": variable.name, "host": host}
            if exists is False and not _pod_address(view, namespace, host):
                words = f"{points}, but namespace {namespace} has no service {name}"
                yield _fact(item, "env", "env_address_without_service", words, values=values, weight=Weight.LEAD)
            elif exists and port is not None:
                service = view.state.services[namespace, name]
                ports = [known.number for known in service.ports]
                if ports and port not in ports:
                    values["port"] = port
                    listed = ", ".join(str(number) for number in ports)
                    words = f"{points}, but service {name} has port {listed}"
                    yield _fact(item, "env", "env_port_mismatch", words, values=values, weight=Weight.LEAD)


def _pod_address(view: View, namespace: str, host: str) -> bool:
    """Whether the host is a pod behind a headless Service (`db-0.db`)."""
    first, _, rest = host.partition(".")
    return (namespace, first) in view.state.pods or bool(
        rest and view.state.exists("service", namespace, rest.partition(".")[0])
    )


def _address(variable: EnvVar) -> tuple[str, int | None] | None:
    """Host and port of a variable that holds an address of this cluster; None for anything else."""
    value = (variable.value or "").strip()
    if not value or len(value) > 500:
        return None
    match = _ADDRESS.fullmatch(value.lower())
    if match is None:
        return None
    host, port = match["host"], match["port"]
    named = _ADDRESS_NAME.search(variable.name.upper()) is not None
    if host in _LOCAL or host.isdigit() or _IP.fullmatch(host) or not (named or (port and "://" in value)):
        return None
    if not inside_cluster(host):
        return None
    return host, int(port) if port else None


def _dns(view: View, item: Workload | Pod, spec: PodSpec) -> Iterator[ClusterFact]:
    """A pod that does not ask the cluster's DNS cannot find Services by name."""
    policy, servers = spec.dns_policy, spec.nameservers
    if isinstance(item, Workload) and policy is None:
        declared = view.declared_spec(item.namespace, item.name)
        policy, servers = declared.dns_policy, declared.nameservers
    dns = [s.cluster_ip for s in view.state.services.values() if s.namespace == "kube-system" and "dns" in s.name]
    if policy == "None" and not (dns and any(server in dns for server in servers)):
        listed = ", ".join(servers) or "none"
        words = f"dnsPolicy None with nameservers {listed}, so service names do not resolve in its pods"
        weight = Weight.CAUSE if dns else Weight.LEAD
        yield _fact(
            item, "network", "dns_policy_without_cluster_dns", words, values={"dns_policy": policy}, weight=weight
        )


def _config_addresses(view: View) -> Iterator[ClusterFact]:
    """URLs in ConfigMaps that point at Services or ports that do not exist."""
    for item in view.state.others.values():
        namespace = item.namespace or "default"
        for host, port in item.addresses:
            name, _, rest = host.partition(".")
            where = rest.partition(".")[0] or namespace
            if not inside_cluster(host) or view.state.exists("service", where, name) is None:
                continue
            target = host if port is None else f"{host}:{port}"
            service = view.state.services.get((where, name))
            ports = [known.number for known in service.ports] if service is not None else []
            if service is None and not _pod_address(view, where, host):
                words, reason = (
                    f"points at {target}, but namespace {where} has no service {name}",
                    "config_address_without_service",
                )
            elif ports and port is not None and port not in ports:
                listed = ", ".join(str(number) for number in ports)
                words, reason = f"points at {target}, but service {name} has port {listed}", "config_port_mismatch"
            else:
                continue
            yield fact(
                item.kind,
                item.name,
                "env",
                reason,
                words,
                namespace=namespace,
                values={"host": host},
                weight=Weight.LEAD,
            )


def _ports(item: Workload | Pod, spec: PodSpec, *, hurt: bool) -> Iterator[ClusterFact]:
    counted = Counter(
        (port.number, port.protocol)
        for c in spec.containers
        if not c.init
        for port in {(p.number, p.protocol): p for p in c.ports}.values()
    )
    for (number, protocol), count in counted.items():
        if count < 2:
            continue
        names = [c.name for c in spec.containers if any(port.number == number for port in c.ports)]
        words = sentence(
            f"containers {', '.join(names)} of one pod all declare port {number}/{protocol}",
            "only one of them can listen on it",
        )
        weight = Weight.CAUSE if hurt else Weight.LEAD
        yield _fact(
            item, "port", "container_port_conflict", words, values={"port": number}, weight=weight, current=True
        )
