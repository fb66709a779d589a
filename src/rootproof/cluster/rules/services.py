"""Services: selector against labels, target port against container port, protocol, routes, and connection tests."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Unpack

from rootproof.cluster.fact import ClusterFact, Weight, sentence
from rootproof.cluster.model import ContainerPort, Pod, Service, ServicePort
from rootproof.cluster.observations import Connectivity
from rootproof.cluster.rules.view import CONTROLLERS, Extra, View, fact, selects
from rootproof.cluster.rules.wording import pairs_text


def service_facts(view: View) -> Iterator[ClusterFact]:
    """What is wrong between each Service and its pods, then routes and connection tests."""
    for service in view.state.services.values():
        found = list(_service(view, service))
        yield from found
        if not found and _ready_addresses(view, service):
            addresses = _ready_addresses(view, service)
            words = f"has {len(addresses)} ready endpoint{'' if len(addresses) == 1 else 's'}"
            yield _fact(view, service, "endpoints", "endpoints_ready", words, abnormal=False)
    yield from _routes(view)
    for test in view.state.connectivity:
        yield _connectivity(view, test)
    yield from _cut_off_places(view)


def _fact(view: View, service: Service, aspect: str, reason: str, words: str, **extra: Unpack[Extra]) -> ClusterFact:
    return fact(
        "service", service.name, aspect, reason, words, namespace=service.namespace,
        app=_app(view, service), **extra,
    )  # fmt: skip


def _app(view: View, service: Service) -> str | None:
    """The workload behind the Service; for one that selects nothing, the workload it was most likely meant for."""
    found = view.app_of_service(service)
    if found is not None or not service.selector:
        return found
    for item in view.state.workloads.values():
        labels = item.spec.labels or item.selector or {}
        shares = set(labels.values()) & set(service.selector.values())
        if shares and item.namespace == service.namespace and item.kind in CONTROLLERS:
            return item.name
    return None


def _ready_addresses(view: View, service: Service) -> tuple[str, ...]:
    behind = view.state.endpoints.get((service.namespace, service.name))
    return (behind.ready if behind is not None else None) or service.endpoints or ()


def _service(view: View, service: Service) -> Iterator[ClusterFact]:
    if service.type == "ExternalName" or not service.selector:
        return
    pods = view.selected_pods(service)
    if pods == () and view.state.is_listed("pod", service.namespace):
        if not _ready_addresses(view, service):
            yield _selects_nothing(view, service)
        return
    if not pods:
        return
    alive = [pod for pod in pods if not pod.terminating]
    if alive and all(view.is_bad(pod) for pod in alive):
        words = f"none of its {len(alive)} pods is ready, so it has no ready endpoints"
        yield _fact(view, service, "endpoints", "no_ready_endpoints", words, weight=Weight.CONSEQUENCE)
    for port in service.ports:
        yield from _port(view, service, port, alive or list(pods))


def _selects_nothing(view: View, service: Service) -> ClusterFact:
    scaled = view.workload(service.namespace, service.name)
    selected = [
        item
        for item in view.state.workloads.values()
        if item.namespace == service.namespace and selects(service.selector, item.spec.labels or item.selector)
    ]
    if selected or (scaled is not None and scaled.desired == 0 and scaled.spec.labels is None):
        words = f"selector {pairs_text(service.selector)} has no pods now, so it has no endpoints"
        return _fact(view, service, "endpoints", "no_ready_endpoints", words, weight=Weight.CONSEQUENCE)
    near = _nearest(view, service)
    words = sentence(
        f"selector {pairs_text(service.selector)} matches no pod, so it has no endpoints",
        f"pods of {near[0]} have labels {near[1]}" if near is not None else None,
    )
    return _fact(view, service, "endpoints", "selector_matches_nothing", words, weight=Weight.CAUSE,
                 values={"selector": pairs_text(service.selector)})  # fmt: skip


def _nearest(view: View, service: Service) -> tuple[str, str] | None:
    app = _app(view, service)
    for pod in view.pods_of.get((service.namespace, app or ""), ()):
        labels = {k: v for k, v in (pod.spec.labels or {}).items() if k != "pod-template-hash"}
        return app or "", pairs_text(labels)
    return None


def _port(view: View, service: Service, port: ServicePort, pods: list[Pod]) -> Iterator[ClusterFact]:
    declared = _container_ports(view, pods)
    if not declared or port.target is None:
        return
    numbers = {item.number for item in declared}
    names = {item.name for item in declared if item.name}
    described = ", ".join(sorted({f"{item.number}/{item.protocol}" for item in declared}))
    target = port.target
    if isinstance(target, int):
        matches = [item for item in declared if item.number == target]
    elif names:
        matches = [item for item in declared if item.name == target]
    else:
        return
    values: dict[str, str | float] = {"port": port.number, "target_port": target, "container_ports": described}
    if not matches and numbers:
        words = f"port {port.number} goes to target port {target}, but the containers' ports are {described}"
        yield _fact(view, service, "endpoints", "port_mismatch", words, values=values, weight=Weight.CAUSE)
    elif all(item.protocol != port.protocol for item in matches):
        words = f"port {port.number} is {port.protocol}, but the containers' ports are {described}"
        yield _fact(view, service, "endpoints", "protocol_mismatch", words, values=values, weight=Weight.CAUSE)


def _container_ports(view: View, pods: list[Pod]) -> list[ContainerPort]:
    """The ports of the selected pods; empty when some container declares none, since ports need not be declared."""
    found: list[ContainerPort] = []
    for pod in pods:
        spec = pod.spec if pod.spec.containers else view.declared_spec(pod.namespace, view.app_of(pod))
        main = [container for container in spec.containers if not container.init]
        if not main or all(not container.ports for container in main):
            return []
        found.extend(port for container in main for port in container.ports)
    return found


def _routes(view: View) -> Iterator[ClusterFact]:
    state = view.state
    for route in state.routes:
        name, _, rest = route.backend.partition(".")
        namespace = rest.partition(".")[0] or route.namespace
        exists = state.exists("service", namespace, name)
        where = sentence(f"host {route.host}" if route.host else None, f"path {route.path}" if route.path else None)
        target = f"service {name}" + (f" port {route.port}" if route.port is not None else "")
        if exists is False:
            words = f"sends {where or 'traffic'} to {target}, which does not exist in namespace {namespace}"
            yield fact(route.kind, route.name, "route", "route_backend_missing", words, namespace=route.namespace,
                       app=None, values={"backend": name}, weight=Weight.CAUSE)  # fmt: skip
        elif exists and route.port is not None:
            service = state.services[namespace, name]
            known = {port.number for port in service.ports} | {port.name for port in service.ports if port.name}
            if known and route.port not in known:
                ports = ", ".join(str(port.number) for port in service.ports)
                words = f"sends {where or 'traffic'} to {target}, but the service's ports are {ports}"
                yield fact(route.kind, route.name, "route", "route_port_mismatch", words, namespace=route.namespace,
                           app=view.app_of_service(service), values={"backend": name}, weight=Weight.CAUSE)  # fmt: skip


def _cut_off_places(view: View) -> Iterator[ClusterFact]:
    """Places from which several services cannot be reached although others reach them: the place is the suspect."""
    failed: dict[str, list[str]] = defaultdict(list)
    tried: Counter[str] = Counter()
    for test in view.state.connectivity:
        reached = any(ok for _, ok in test.outcomes)
        for place, ok in test.outcomes:
            if place is not None and ok is not None:
                tried[place] += 1
                if not ok and reached:
                    failed[place].append(test.host.partition(".")[0])
    for place, names in failed.items():
        if len(names) > 1:
            words = (
                f"{len(names)} of {tried[place]} services tested from it cannot be reached, "
                f"but from other nodes they can: {', '.join(names[:6])}"
            )
            values: dict[str, str | float] = {"failed": len(names), "tests": tried[place]}
            yield fact("node", place, "connectivity", "services_unreachable_from_node", words, values=values)


def _connectivity(view: View, test: Connectivity) -> ClusterFact:
    name, _, rest = test.host.partition(".")
    namespace = rest.partition(".")[0] or "default"
    service = view.state.services.get((namespace, name))
    app = view.app_of_service(service) if service is not None else None
    tried = [(place, ok) for place, ok in test.outcomes if ok is not None]
    failed = [place for place, ok in tried if not ok]
    target = f"{test.host}:{test.port}"
    where = ", ".join(place for place in failed if place)
    values: dict[str, str | float] = {"port": test.port, "tests": len(tried), "failed": len(failed)}
    if not tried:
        words, reason, bad, weight = (
            f"the connection test to {target} gave no result",
            "connection_untested",
            False,
            Weight.NORMAL,
        )
    elif not failed:
        words, reason, bad, weight = f"accepts connections at {target}", "connection_ok", False, Weight.NORMAL
    elif len(failed) == len(tried):
        words = f"refuses connections at {target}" + (f" from {where}" if where else "")
        reason, bad, weight = "connection_failed", True, Weight.CONSEQUENCE
    else:
        words = f"cannot be reached at {target} from {where or 'some places'}, but from others it can"
        reason, bad, weight = "unreachable_from_some_nodes", True, Weight.CONSEQUENCE
    return fact(
        "service", name, "connectivity", reason, words, namespace=namespace, app=app, abnormal=bad, weight=weight,
        values=values,
    )  # fmt: skip
