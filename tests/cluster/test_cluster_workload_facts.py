"""Scheduling, workloads, quotas, storage, services, configuration and nodes: declared held against what is."""

from __future__ import annotations

import pytest

from rootproof.cluster.facts import Weight
from rootproof.cluster.taxonomy import CAUSE_OF_REASON
from tests.cluster.texts import (
    NAMESPACE,
    current,
    deployment,
    describe,
    facts_of,
    named,
    pod_row,
    pods,
    table,
)

POD = "star-catalog-7d9f8c6b5d-x2x4z"
WAITING = "    State:          Waiting\n      Reason:       ContainerCreating"


def pending(message: str, **more: str) -> dict[str, str]:
    """A pod that waits for a node, with the scheduler's words."""
    return describe(POD, app="star-catalog", status="Pending", node="<none>", ready=False, state="",
                    events=[f"Warning | FailedScheduling | 40s (x5 over 4m) | {message}"], **more)  # fmt: skip


def refused(parts: str, total: int = 5) -> str:
    """The scheduler's sentence."""
    return f"0/{total} nodes are available: {parts}. preemption: 0/{total} nodes are available: {total} not helpful."


@pytest.mark.parametrize(
    ("parts", "tail", "reason", "cause"),
    [
        ("1 node(s) were unschedulable, 4 Insufficient cpu", "", "insufficient_cpu", "cpu_capacity_mismatch"),
        ("5 Insufficient memory", "", "insufficient_memory", "memory_capacity_mismatch"),
        ("1 Too many pods, 4 Insufficient memory", "", "insufficient_memory", "memory_capacity_mismatch"),
        ("5 Too many pods", "", "too_many_pods", None),
        ("5 node(s) were unschedulable", "", "nodes_cordoned", "node_cordon_mismatch"),
        (
            "1 node(s) had untolerated taint {node-role.kubernetes.io/master: }, 4 node(s) had taint {a: b}",
            "",
            "untolerated_taint",
            "taint_toleration_mismatch",
        ),
        (
            "2 node(s) were unschedulable, 3 node(s) didn't match Pod's node affinity/selector",
            "Node-Selectors:  mirror=gold",
            "node_selector_mismatch",
            "node_selector_mismatch",
        ),
        (
            "5 node(s) didn't match Pod's node affinity/selector",
            "Node-Selectors:  <none>",
            "node_affinity_mismatch",
            "node_affinity_mismatch",
        ),
        (
            "2 node(s) were unschedulable, 3 node(s) didn't match pod anti-affinity rules",
            "",
            "anti_affinity_conflict",
            "pod_anti_affinity_conflict",
        ),
        ("3 node(s) had volume node affinity conflict, 2 Insufficient cpu", "", "volume_node_affinity_conflict", None),
        ("5 node(s) didn't have free ports for the requested pod ports", "", "host_port_conflict", None),
    ],
)
def test_why_no_node_takes_a_pod(parts: str, tail: str, reason: str, cause: str | None) -> None:
    item = named(current(facts_of(pending(refused(parts), tail=tail))), reason)
    assert item.aspect == "scheduling"
    assert item.weight is Weight.CAUSE
    assert CAUSE_OF_REASON.get(reason) == cause


def test_a_request_over_every_nodes_room_is_told_with_numbers() -> None:
    node = "Name:  dome-1\nAllocatable:\n  cpu:     4\n  memory:  8Gi\n"
    body = "    Requests:\n      cpu:  12"
    commands = {**pending(refused("5 Insufficient cpu"), body=body), "kubectl describe node dome-1": node}
    item = named(facts_of(commands), "insufficient_cpu")
    assert "cpu request 12" in item.text
    assert "largest 4" in item.text
    assert item.values["cpu_request_cores"] == 12


def test_a_selector_that_only_cordoned_nodes_match_is_a_cordon() -> None:
    nodes = table(
        "NAME | STATUS | ROLES | AGE | VERSION | LABELS",
        "dome-1 | Ready,SchedulingDisabled | <none> | 9d | v1 | mirror=gold",
        "dome-2 | Ready | <none> | 9d | v1 | mirror=iron",
    )
    words = refused("1 node(s) were unschedulable, 1 node(s) didn't match Pod's node affinity/selector", 2)
    commands = {**pending(words, tail="Node-Selectors:  mirror=gold"), "kubectl get nodes --show-labels": nodes}
    assert "cordoned nodes: dome-1" in named(current(facts_of(commands)), "nodes_cordoned").text


def test_silence_of_the_scheduler_counts_only_where_events_were_looked_at() -> None:
    silent = describe(POD, app="star-catalog", status="Pending", node="<none>", ready=False, state="")
    assert named(current(facts_of(silent)), "never_scheduled")
    only_a_row = facts_of(pods(pod_row(POD, ready="0/1", status="Pending", node="<none>")))
    assert [item.reason for item in current(only_a_row)] == ["pending"]


REPLICASET = "star-catalog-7d9f8c6b5d"


def failed_create(message: str) -> dict[str, str]:
    """An event of a ReplicaSet that cannot make its pods."""
    header = "LAST SEEN | TYPE | REASON | OBJECT | MESSAGE"
    row = f'30s | Warning | FailedCreate | replicaset/{REPLICASET} | Error creating: pods "x" is forbidden: {message}'
    return {f"kubectl get events -n {NAMESPACE}": table(header, row)}


@pytest.mark.parametrize(
    ("resource", "asked", "used", "limit", "kind"),
    [
        ("requests.cpu", "500m", "3600m", "4", "cpu"),
        ("limits.memory", "1Gi", "7Gi", "7Gi", "memory"),
        ("pods", "1", "9", "9", "pod"),
    ],
)
def test_a_quota_that_keeps_pods_out_blames_the_namespace(
    resource: str, asked: str, used: str, limit: str, kind: str
) -> None:
    message = (
        f"exceeded quota: night, requested: {resource}={asked}, used: {resource}={used}, limited: {resource}={limit}"
    )
    commands = {**failed_create(message), **deployment("star-catalog", ready="0/1")}
    item = named(current(facts_of(commands)), f"{kind}_quota_exceeded")
    assert (item.object, item.app) == (f"namespace/{NAMESPACE}", "star-catalog")
    assert CAUSE_OF_REASON[item.reason] == f"namespace_{kind}_quota_exceeded"
    assert current(facts_of({**failed_create(message), **deployment("star-catalog", ready="1/1")})) == []


SERVICE = f"""
apiVersion: v1
kind: Service
metadata: {{name: star-catalog, namespace: {NAMESPACE}}}
spec: {{selector: {{app: star-catalog}}, ports: [{{port: 80, targetPort: 7400}}]}}
"""
CLAIM = f"""
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {{name: plates, namespace: {NAMESPACE}}}
spec:
  accessModes: [ReadWriteMany]
  resources: {{requests: {{storage: 20Gi}}}}
  storageClassName: ""
  selector: {{matchLabels: {{tier: fast}}}}
"""


def quota(name: str, resource: str, used: str, hard: str) -> dict[str, str]:
    """A described quota."""
    head = f"Name:       {name}\nNamespace:  {NAMESPACE}\nResource    Used  Hard\n--------    ----  ----\n"
    text = f"{head}{resource}  {used}  {hard}\n"
    return {f"kubectl describe quota {name} -n {NAMESPACE}": text}


@pytest.mark.parametrize(
    ("listing", "manifest", "resource", "used", "hard", "kind"),
    [
        ("services", SERVICE, "services", "4", "4", "service"),
        ("pvc", CLAIM, "requests.storage", "5Gi", "10Gi", "storage"),
    ],
)
def test_a_declared_object_that_is_missing_and_a_full_quota_blame_the_namespace(
    listing: str, manifest: str, resource: str, used: str, hard: str, kind: str
) -> None:
    commands = {f"kubectl get {listing} -n {NAMESPACE}": "No resources found", **quota("night", resource, used, hard)}
    item = named(current(facts_of(commands, manifests=[manifest])), f"{kind}_quota_exceeded")
    assert item.object == f"namespace/{NAMESPACE}"
    roomy = {**commands, **quota("night", resource, "0", "900Gi")}
    assert named(current(facts_of(roomy, manifests=[manifest])), "declared_not_found").weight is Weight.FAILURE


def test_a_missing_service_account_counts_only_while_pods_are_missing() -> None:
    message = f'error looking up service account {NAMESPACE}/observer: serviceaccount "observer" not found'
    hurt = facts_of({**failed_create(message), **deployment("star-catalog", ready="0/1")})
    assert named(current(hurt), "service_account_not_found").app == "star-catalog"
    noise = facts_of({**failed_create(message), **deployment("star-catalog", ready="1/1")})
    assert current(noise) == []
    assert named(noise, "service_account_not_found").current is False


def volume(name: str = "disk-1", *, size: str = "50Gi", modes: str = "RWX", state: str = "Available", claim: str = "",
           labels: str = "tier=fast", cls: str = "") -> dict[str, str]:  # fmt: skip
    """A described volume."""
    return {
        f"kubectl describe pv {name}": f"Name:  {name}\nLabels:  {labels}\nStorageClass:  {cls}\nStatus:  {state}\n"
        f"Claim:  {claim}\nAccess Modes:  {modes}\nCapacity:  {size}\nEvents:  <none>\n"
    }


def claim(
    cls: str = "", event: str = "no persistent volumes available for this claim and no storage class is set"
) -> dict[str, str]:
    """A described claim that waits."""
    text = (
        f"Name:          plates\nNamespace:     {NAMESPACE}\nStorageClass:  {cls}\nStatus:        Pending\nVolume:\n"
        f"Used By:       {POD}\nEvents:\n"
        "  Type     Reason         Age  From  Message\n  ----     ------         ---- ----  -------\n"
        f"  Warning  FailedBinding  3m   ctrl  {event}\n"
    )
    return {f"kubectl describe pvc plates -n {NAMESPACE}": text}


@pytest.mark.parametrize(
    ("more", "reason", "cause"),
    [
        ({"size": "10Gi"}, "pvc_capacity_mismatch", "pvc_capacity_mismatch"),
        ({"modes": "RWO"}, "pvc_access_mode_mismatch", "pvc_access_mode_mismatch"),
        ({"labels": "tier=slow"}, "pvc_selector_mismatch", "pvc_selector_mismatch"),
        ({"cls": "gold"}, "pvc_storage_class_mismatch", "pvc_storage_class_mismatch"),
        ({"state": "Bound", "claim": f"{NAMESPACE}/other"}, "volume_bound_elsewhere", "pv_binding_occupied"),
        ({}, "pvc_pending", None),
    ],
)
def test_why_no_volume_serves_a_claim(more: dict[str, str], reason: str, cause: str | None) -> None:
    item = named(current(facts_of({**claim(), **volume(**more)}, manifests=[CLAIM])), reason)
    assert (item.object, item.app) == ("pvc/plates", "star-catalog")
    assert "asks for 20Gi" in item.text
    assert CAUSE_OF_REASON.get(item.reason) == cause


def test_a_volume_that_almost_fits_is_the_one_that_is_explained() -> None:
    commands = {**claim(), **volume("disk-1", size="1Gi", modes="RWO", cls="gold"), **volume("disk-2", size="19Gi")}
    item = named(facts_of(commands, manifests=[CLAIM]), "pvc_capacity_mismatch")
    assert "disk-2" in item.text
    assert "20Gi asked, 19Gi there" in item.text


def test_a_storage_class_that_does_not_exist() -> None:
    item = named(
        current(facts_of(claim("glacial", 'storageclass.storage.k8s.io "glacial" not found'))),
        "storage_class_not_found",
    )
    assert '"glacial" does not exist' in item.text


def test_a_job_over_its_backoff_limit() -> None:
    text = (
        f"Name:           nightly\nNamespace:      {NAMESPACE}\nCompletions:    1\nBackoff Limit:  2\n"
        "Pods Statuses:  0 Active (0 Ready) / 0 Succeeded / 3 Failed\nPod Template:\n  Containers:\n   main:\n"
        "    Image:  r.example/nightly:1\n    Args:\n      -c\n      index --al\n"
    )
    item = named(current(facts_of({f"kubectl describe job nightly -n {NAMESPACE}": text})), "backoff_limit_exceeded")
    assert "3 failed pods" in item.text
    assert "index --al" in item.text


def test_only_as_many_nodes_are_listed_as_the_scheduler_found_short() -> None:
    nodes = {
        f"kubectl describe node dome-{i}": f"Name:  dome-{i}\nAllocatable:\n  cpu:     4\n  memory:  {memory}\n"
        for i, memory in ((1, "1Gi"), (2, "30Gi"), (3, "2Gi"))
    }
    words = refused("1 node(s) had untolerated taint {mirror: gold}, 2 Insufficient memory", 3)
    item = named(facts_of({**pending(words), **nodes}), "insufficient_memory")
    listed = item.text.split("allocatable memory: ")[1].split(", scheduler")[0]
    assert "dome-1" in listed
    assert "dome-3" in listed
    assert "dome-2" not in listed
