"""YAML objects and plain objects of every kind become the same typed objects as tables and descriptions."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from rootproof.cluster.read import read
from tests.cluster.texts import NAMESPACE, current, facts_of, named, raw, state_of

LIST = """
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Node
  metadata: {name: dome-1, labels: {mirror: gold}}
  spec: {unschedulable: true, taints: [{key: optics, value: reserved, effect: NoSchedule}]}
  status:
    capacity: {cpu: "4", memory: 8Gi, pods: "20"}
    allocatable: {cpu: 3900m, memory: 7Gi, pods: "20"}
    conditions: [{type: Ready, status: "True"}, {type: MemoryPressure, status: "True", reason: Low, message: little}]
    addresses: [{type: InternalIP, address: 10.0.0.4}]
- apiVersion: v1
  kind: Endpoints
  metadata: {name: star-catalog, namespace: skywatch}
  subsets:
  - addresses: [{ip: 10.9.0.7}]
    notReadyAddresses: [{ip: 10.9.0.8}]
    ports: [{port: 7400}]
- apiVersion: v1
  kind: PersistentVolume
  metadata: {name: disk-1, labels: {tier: fast}}
  spec:
    capacity: {storage: 10Gi}
    accessModes: [ReadWriteOnce]
    storageClassName: slow
    claimRef: {namespace: skywatch, name: plates}
  status: {phase: Bound}
- apiVersion: v1
  kind: ResourceQuota
  metadata: {name: night, namespace: skywatch}
  spec: {hard: {pods: "9"}}
  status: {hard: {pods: "9"}, used: {pods: "9"}}
- apiVersion: v1
  kind: Event
  metadata: {name: e1, namespace: skywatch}
  involvedObject: {kind: Pod, name: star-0, namespace: skywatch}
  type: Warning
  reason: BackOff
  message: Back-off restarting failed container
  count: 7
  firstTimestamp: "2031-05-04T11:00:00Z"
  lastTimestamp: "2031-05-04T11:59:00Z"
- apiVersion: v1
  kind: ServiceAccount
  metadata: {name: observer, namespace: skywatch}
  imagePullSecrets: [{name: pull-key}]
- apiVersion: gateway.networking.k8s.io/v1
  kind: HTTPRoute
  metadata: {name: sky, namespace: skywatch}
  spec:
    hostnames: [sky.example]
    rules: [{matches: [{path: {value: /stars}}], backendRefs: [{name: star-catalog, port: 80}]}]
- apiVersion: networking.istio.io/v1
  kind: VirtualService
  metadata: {name: sky-mesh, namespace: skywatch}
  spec:
    hosts: [sky.example]
    http:
    - match: [{uri: {prefix: /old}}]
      route: [{destination: {host: lens.skywatch.svc.cluster.local, port: {number: 90}}}]
- apiVersion: apps/v1
  kind: DaemonSet
  metadata: {name: dome-agent, namespace: skywatch}
  spec:
    selector: {matchLabels: {app: dome-agent}}
    template: {metadata: {labels: {app: dome-agent}}, spec: {containers: []}}
  status: {desiredNumberScheduled: 3, numberReady: 1}
"""


def test_yaml_of_every_kind_is_typed() -> None:
    state = state_of({"kubectl get all -A -o yaml": LIST})
    node = state.nodes["dome-1"]
    assert (node.schedulable, node.ip, node.allocatable and node.allocatable["cpu"]) == (False, "10.0.0.4", 3.9)
    assert [(t.key, t.effect) for t in node.taints or ()] == [("optics", "NoSchedule")]
    behind = state.endpoints[NAMESPACE, "star-catalog"]
    assert (behind.ready, behind.not_ready) == (("10.9.0.7:7400",), ("10.9.0.8:7400",))
    volume = state.volumes["disk-1"]
    assert (volume.claim, volume.access_modes, volume.storage_class) == ("skywatch/plates", ("RWO",), "slow")
    assert state.quotas[NAMESPACE, "night"].used == {"pods": 9.0}
    (event,) = state.events
    assert (event.count, event.last_at) == (7, datetime(2031, 5, 4, 11, 59, tzinfo=UTC))
    assert state.others["serviceaccount", NAMESPACE, "observer"].image_pull_secrets == ("pull-key",)
    assert {(r.kind, r.backend, r.port, r.path) for r in state.routes} == {
        ("httproute", "star-catalog", 80, "/stars"),
        ("virtualservice", "lens.skywatch.svc.cluster.local", 90, "/old"),
    }


def test_yaml_leads_to_facts_as_tables_do() -> None:
    commands = {"kubectl get all -A -o yaml": LIST, f"kubectl get services -n {NAMESPACE}": "No resources found"}
    found = current(facts_of(commands))
    assert named(found, "memory_pressure").object == "node/dome-1"
    assert named(found, "replicas_unavailable").values == {"ready": 1, "desired": 3}
    assert {item.object for item in found if item.reason == "route_backend_missing"} == {
        "httproute/sky", "virtualservice/sky-mesh",
    }  # fmt: skip
    assert named(found, "quota_full").values["used"] == 9


POD = """
apiVersion: v1
kind: Pod
metadata:
  name: star-catalog-7d9f8c6b5d-x2x4z
  namespace: skywatch
  labels: {app: star-catalog}
  ownerReferences: [{kind: ReplicaSet, name: star-catalog-7d9f8c6b5d}]
spec:
  nodeName: dome-1
  imagePullSecrets: [{name: pull-key}]
  tolerations: [{key: optics, operator: Exists, effect: NoSchedule}, {key: a, value: b, effect: NoExecute}]
  containers:
  - name: main
    image: r.example/star-catalog:1
    ports: [{name: api, containerPort: 7400}]
    livenessProbe: {httpGet: {path: /alive, port: api, scheme: HTTPS}, periodSeconds: 5}
    readinessProbe: {exec: {command: [check, -v]}}
    envFrom: [{secretRef: {name: sky-key}}, {configMapRef: {name: sky-config, optional: true}}]
    securityContext: {runAsUser: 1000}
status:
  phase: Running
  startTime: "2031-05-04T11:20:00Z"
  containerStatuses:
  - name: main
    ready: false
    restartCount: 4
    state: {waiting: {reason: CrashLoopBackOff}}
    lastState: {terminated: {reason: OOMKilled, exitCode: 137, finishedAt: "2031-05-04T11:59:30Z"}}
"""


def test_a_pod_in_yaml_has_its_status_and_its_declaration() -> None:
    (pod,) = state_of({f"kubectl get pod x -n {NAMESPACE} -o yaml": POD}).pods.values()
    (container,) = pod.spec.containers
    assert [(p.role, p.action, p.port, p.scheme) for p in container.probes] == [
        ("liveness", "http-get", "api", "https"),
        ("readiness", "exec", None, None),
    ]
    assert [(r.kind, r.name, r.optional) for r in container.env_from] == [
        ("secret", "sky-key", False),
        ("configmap", "sky-config", True),
    ]
    assert pod.spec.tolerations == ("optics:NoSchedule op=Exists", "a=b:NoExecute")
    assert (container.run_as_user, container.restarts, pod.owner_name) == (1000, 4, "star-catalog-7d9f8c6b5d")
    item = named(current(facts_of({f"kubectl get pod x -n {NAMESPACE} -o yaml": POD})), "oom_killed")
    assert item.last_at == datetime(2031, 5, 4, 11, 59, 30, tzinfo=UTC)


def test_plain_objects_of_other_kinds_are_taken_too() -> None:
    objects = {
        "services": [{"name": "star-catalog", "namespace": NAMESPACE, "selector": {"app": "star-catalog"},
                      "ports": [{"port": 80, "target_port": "7400"}]}],
        "events": [{"object": "pod/star-0", "namespace": NAMESPACE, "type": "Warning", "reason": "BackOff",
                    "message": "Back-off", "count": 3, "last_time": "2031-05-04T11:59:00Z"}],
        "pvcs": [{"name": "plates", "namespace": NAMESPACE, "status": "Pending", "requested": "5Gi"}],
        "nodes": [{"name": "dome-1", "ready": "False", "memory_pressure": "True", "capacity": {"cpu": 4, "pods": 10}}],
        "deployments": [{"metadata": {"name": "lens", "namespace": NAMESPACE}, "spec": {"replicas": 2},
                         "status": {"x": 1}},
                        {"name": "dome", "namespace": NAMESPACE, "desired": 3, "ready": 1}],
        "unknown_things": [{"name": "x"}],
        "pods": [{"name": "star-0", "namespace": NAMESPACE, "phase": "Pending",
                  "owner": {"kind": "StatefulSet", "name": "star"},
                  "containers": [{"name": "m", "limits": {"memory": "1Gi"}, "state": "waiting", "ready": False}]}],
    }  # fmt: skip
    state = read(raw(objects=objects))
    assert state.services[NAMESPACE, "star-catalog"].ports[0].target == 7400
    assert state.claims[NAMESPACE, "plates"].requested_bytes == 5 * 2**30
    assert state.events[0].count == 3
    assert state.workloads["deployment", NAMESPACE, "lens"].ready == 0
    pod = state.pods[NAMESPACE, "star-0"]
    assert (pod.owner_name, pod.spec.containers[0].limits) == ("star", {"memory": 2.0**30})
    found = current(facts_of({}, objects=objects))
    assert {"node_not_ready", "memory_pressure", "replicas_unavailable"} <= {item.reason for item in found}


@pytest.mark.parametrize("text", ["", "[]", "- 1", "kind: Pod", "{}", "just words"])
def test_documents_that_are_no_objects_give_nothing(text: str) -> None:
    state = read(raw({"kubectl get pod x -o yaml": text}, manifests=[text]))
    assert not state.pods
    assert not state.declared


def test_addresses_in_a_config_map_are_held_against_services() -> None:
    config = (
        f"Name:         gate\nNamespace:    {NAMESPACE}\n\nData\n====\nroutes.yaml:\n----\n"
        "stars: http://star-katalog:7400/v1\nweb: https://sky.example.com/\n\nEvents:  <none>\n"
    )
    commands = {
        f"kubectl describe configmap gate -n {NAMESPACE}": config,
        f"kubectl get services -n {NAMESPACE}": "No resources found",
    }
    item = named(current(facts_of(commands)), "config_address_without_service")
    assert (item.object, item.values["host"]) == ("configmap/gate", "star-katalog")
    assert state_of(commands).others["configmap", NAMESPACE, "gate"].keys == ("routes.yaml",)


def test_a_node_from_which_several_services_cannot_be_reached_is_named() -> None:
    text = "from dome-1: open\nfrom dome-2: timed out"
    found = facts_of({f"nc -zv {name}.{NAMESPACE} 80": text for name in ("a", "b", "c")})
    item = named(current(found), "services_unreachable_from_node")
    assert (item.object, item.values["failed"]) == ("node/dome-2", 3)
