"""Services, templates, nodes and the order of facts: declared held against what is."""

from __future__ import annotations

import pytest

from rootproof.cluster.facts import Focus, Weight
from rootproof.cluster.taxonomy import CAUSE_OF_REASON
from tests.cluster.texts import (
    NAMESPACE,
    NOW,
    current,
    deployment,
    describe,
    facts_of,
    named,
    pod_row,
    pods,
    service,
    table,
)

POD = "star-catalog-7d9f8c6b5d-x2x4z"


def serving(**more: str) -> dict[str, str]:
    """A Service that goes with the pod, changed as asked."""
    parts = {"selector": "app=star-catalog", "port": "80/TCP", "target": "7400/TCP", "endpoints": "10.9.0.7:7400"}
    return service("star-catalog", **{**parts, **more})


def healthy_pod() -> dict[str, str]:
    """The pod behind the Service, in full."""
    return {**pods(pod_row(POD)), **describe(POD, app="star-catalog"), **deployment("star-catalog", ready="1/1")}


@pytest.mark.parametrize(
    ("more", "reason", "cause"),
    [
        ({"selector": "app=star-katalog", "endpoints": ""}, "selector_matches_nothing", "service_selector_mismatch"),
        ({"target": "7999/TCP"}, "port_mismatch", "service_port_mapping_mismatch"),
        ({"port": "80/UDP", "target": "7400/UDP"}, "protocol_mismatch", "service_protocol_mismatch"),
    ],
)
def test_what_parts_a_service_from_its_pods(more: dict[str, str], reason: str, cause: str) -> None:
    item = named(current(facts_of({**healthy_pod(), **serving(**more)})), reason)
    assert item.object == "service/star-catalog"
    assert CAUSE_OF_REASON[item.reason] == cause


def test_a_selector_that_matches_nothing_names_the_app_it_was_meant_for() -> None:
    commands = {**healthy_pod(), **serving(selector="app=star-katalog", endpoints="")}
    assert named(facts_of(commands), "selector_matches_nothing").app == "star-catalog"


def test_a_service_whose_pods_fail_is_a_consequence() -> None:
    commands = {**pods(pod_row(POD, ready="0/1", status="CrashLoopBackOff", restarts="5 (9s ago)")),
                **describe(POD, app="star-catalog", ready=False, restarts=5), **serving(endpoints="")}  # fmt: skip
    assert named(current(facts_of(commands)), "no_ready_endpoints").weight is Weight.CONSEQUENCE


@pytest.mark.parametrize(
    ("text", "reason", "abnormal"),
    [
        ("Connection to star-catalog 7400 port succeeded!", "connection_ok", False),
        ("nc: connect to star-catalog port 7400 failed: Connection refused", "connection_failed", True),
        ("from dome-1: open\nfrom dome-2: timed out", "unreachable_from_some_nodes", True),
    ],
)
def test_connection_tests(text: str, reason: str, abnormal: bool) -> None:
    found = facts_of({**healthy_pod(), **serving(), f"nc -zv star-catalog.{NAMESPACE} 7400": text})
    assert named(found, reason).abnormal is abnormal


INGRESS = """
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: front, namespace: skywatch}
spec:
  rules:
  - host: sky.example
    http:
      paths:
      - path: /stars
        backend: {service: {name: %s, port: {number: %s}}}
"""


@pytest.mark.parametrize(
    ("backend", "port", "reason"),
    [("star-katalog", 80, "route_backend_missing"), ("star-catalog", 81, "route_port_mismatch")],
)
def test_a_route_to_nowhere(backend: str, port: int, reason: str) -> None:
    services = {f"kubectl get services -n {NAMESPACE}": table("NAME | TYPE | CLUSTER-IP | EXTERNAL-IP | PORT(S) | AGE",
                "star-catalog | ClusterIP | 10.8.0.3 | <none> | 80/TCP | 9d")}  # fmt: skip
    item = named(
        current(facts_of({**healthy_pod(), **serving(), **services}, manifests=[INGRESS % (backend, port)])), reason
    )
    assert CAUSE_OF_REASON[item.reason] == "gateway_misroute"
    assert "/stars" in item.text


TEMPLATE = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: star-catalog, namespace: skywatch}
spec:
  replicas: 2
  selector: {matchLabels: {app: star-catalog}}
  template:
    metadata: {labels: {app: star-catalog}}
    spec:
      dnsPolicy: "None"
      dnsConfig: {nameservers: [192.0.2.1]}
      containers:
      - name: main
        image: registry.example/star-catalog:1.0
        ports: [{containerPort: 7400}]
        env:
        - {name: PLATES_HOST, value: "plate-store"}
        - {name: ARCHIVE_URL, value: "http://me:hush@star-catalog:81/x"}
        - {name: PUBLIC_URL, value: "https://sky.example.com/"}
        - {name: LISTEN_HOST, value: "localhost"}
        - name: TOKEN
          valueFrom: {secretKeyRef: {name: sky-key, key: token}}
      - name: relay
        image: registry.example/relay:1.0
        ports: [{containerPort: 7400}]
"""


def test_what_a_template_refers_to_must_exist() -> None:
    command = "kubectl get deployment star-catalog -n skywatch -o yaml"
    commands = {
        command: TEMPLATE + "status: {replicas: 2}\n",
        f"kubectl get secrets -n {NAMESPACE}": "No resources found",
        f"kubectl get services -n {NAMESPACE}": table(
            "NAME | TYPE | CLUSTER-IP | EXTERNAL-IP | PORT(S) | AGE",
            "star-catalog | ClusterIP | 10.8.0.3 | <none> | 80/TCP | 9d",
        ),
        **serving(),
    }
    found = current(facts_of(commands))
    secret = named(found, "missing_config_reference")
    assert (secret.values["ref_kind"], secret.values["ref_name"], secret.weight) == ("secret", "sky-key", Weight.CAUSE)
    unknown = [item for item in found if item.reason == "env_address_without_service"]
    assert [item.values["host"] for item in unknown] == ["plate-store"]
    assert named(found, "env_port_mismatch").values["port"] == 81
    assert all("hush" not in item.text for item in found)
    assert named(found, "container_port_conflict").values["port"] == 7400
    assert named(found, "dns_policy_without_cluster_dns")


def test_zero_replicas_are_a_fault_where_something_still_calls() -> None:
    rows = deployment("star-catalog", ready="0/0")
    assert named(current(facts_of(rows, calls=[("front", "star-catalog")])), "replicas_zero").weight is Weight.CAUSE
    assert current(facts_of(rows)) == []
    assert "manifest declares 2" in named(facts_of(rows, manifests=[TEMPLATE]), "replicas_zero").text


def node(conditions: str = "", *, pods_text: str = "(3 in total)", room: int = 20, taints: str = "<none>") -> str:
    """A described node."""
    return (
        f"Name:  dome-1\nTaints:  {taints}\nUnschedulable:  false\nConditions:\n"
        "  Type             Status   LastHeartbeatTime  Reason   Message\n"
        "  ----             ------   -----------------  ------   -------\n"
        f"  MemoryPressure   False    now                Fine     enough memory\n{conditions}"
        f"Capacity:\n  cpu:   4\n  pods:  {room}\nAllocatable:\n  cpu:   4\n  pods:  {room}\n"
        f"Non-terminated Pods:  {pods_text}\nEvents:  <none>\n"
    )


READY = "  Ready            True     now                Posting  kubelet is posting\n"
LOST = "  Ready            Unknown  now                Lost     Kubelet stopped posting node status.\n"
PRESSED = "  DiskPressure     True     now                Full     kubelet has disk pressure\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (node(LOST), "node_not_ready"),
        (node(READY + PRESSED), "disk_pressure"),
        (node(READY, pods_text="(20 in total)"), "too_many_pods"),
        (node(READY, pods_text="(19 in total)"), "pods_near_capacity"),
    ],
)
def test_what_is_wrong_with_a_node(text: str, reason: str) -> None:
    item = named(current(facts_of({"kubectl describe node dome-1": text})), reason)
    assert item.object == "node/dome-1"


def test_a_node_that_is_fine_is_said_to_be() -> None:
    found = facts_of({"kubectl describe node dome-1": node(READY)})
    assert current(found) == []
    assert "is Ready, no pressure, 3 of 20 pods" in named(found, "ready").text


@pytest.mark.parametrize(
    ("unit", "reason"),
    [
        ("kubelet", "kubelet_down"),
        ("containerd", "container_runtime_down"),
        ("kube-proxy", "kube_proxy_down"),
        ("kube-scheduler", "kube_scheduler_down"),
        ("chronyd", "node_service_down"),
    ],
)
def test_a_service_of_a_node_that_is_down(unit: str, reason: str) -> None:
    text = f"○ {unit}.service - X\n     Active: inactive (dead) since Sun 2031-05-04 11:58:00 UTC; 2min ago\n"
    item = named(current(facts_of({f"ssh dome-1 systemctl status {unit}": text})), reason)
    assert (item.object, item.weight) == ("node/dome-1", Weight.CAUSE)
    up = text.replace("inactive (dead)", "active (running)")
    assert current(facts_of({f"ssh dome-1 systemctl status {unit}": up})) == []


def test_facts_about_the_question_come_first_among_what_is_wrong() -> None:
    rows = pods(
        pod_row("aperture-7d9f8c6b5d-x2x4z", ready="0/1", status="Error"),
        pod_row(POD, ready="0/1", status="CrashLoopBackOff", restarts="5 (9s ago)"),
        pod_row("lens-7d9f8c6b5d-x2x4z"),
    )
    found = facts_of(rows, focus=Focus(text="Why is star-catalog down?"))
    assert found[0].app == "star-catalog"
    assert facts_of(rows)[0].app == "aperture"
    wrong = [item.abnormal and item.current for item in found]
    assert wrong == sorted(wrong, reverse=True)


def test_changes_calls_and_failed_commands_are_facts_too() -> None:
    found = facts_of(
        {"kubectl top nodes": "error: Metrics API not available"},
        calls=[("front", "star-catalog")],
        changes=[
            {"time": "2031-05-04T11:00:00Z", "kind": "deploy", "object": "deployment/star-catalog", "summary": "to 1.1"}
        ],
    )
    assert named(found, "changed").last_at == NOW.replace(hour=11)
    assert "calls star-catalog" in named(found, "calls").text
    assert "Metrics API not available" in named(found, "command_failed").text
    assert current(found) == []


def test_measured_usage_is_held_against_the_limit() -> None:
    body = "    Limits:\n      cpu:     200m\n      memory:  96Mi"
    top = table("NAME | CPU(cores) | MEMORY(bytes)", f"{POD} | 198m | 20Mi")
    found = facts_of({**describe(POD, app="star-catalog", body=body), f"kubectl top pods -n {NAMESPACE}": top})
    assert "99% of its limit 200m" in named(current(found), "cpu_usage_high").text
    assert named(found, "memory_usage_normal").abnormal is False


def test_every_cause_of_the_taxonomy_is_a_known_one() -> None:
    assert all(cause.islower() and " " not in cause for cause in CAUSE_OF_REASON.values())
