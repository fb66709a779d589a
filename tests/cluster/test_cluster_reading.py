"""Reading recorded outputs: tables, descriptions, YAML, node outputs, and honest handling of what failed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rootproof.cluster.read import read
from rootproof.cluster.reading.commands import TextKind, canonical_kind, parse_command, unwrap
from rootproof.cluster.reading.tables import headless, table
from rootproof.cluster.reading.yaml_text import Unreadable, documents
from tests.cluster.texts import NAMESPACE, describe, raw, state_of
from tests.cluster.texts import table as aligned


def test_empty_cells_of_a_table_stay_empty() -> None:
    text = aligned(
        "NAME | STATUS | VOLUME | CAPACITY | ACCESS MODES | STORAGECLASS | AGE",
        "plates | Pending | | | | slow | 3m",
        "lenses | Bound | pv-7 | 5Gi | RWO | slow | 3m",
    )
    first, second = table(text) or []
    assert (first["VOLUME"], first["STORAGECLASS"], first["AGE"]) == ("", "slow", "3m")
    assert second["ACCESS MODES"] == "RWO"


def test_restarts_keep_their_age() -> None:
    text = aligned("NAME | READY | STATUS | RESTARTS | AGE", "dome-0 | 0/1 | Error | 12 (5m3s ago) | 2d")
    (pod,) = state_of({f"kubectl get pods -n {NAMESPACE}": text}).pods.values()
    assert (pod.restarts, pod.last_restart_age_s, pod.ready_containers, pod.total_containers) == (12, 303, 0, 1)


def test_a_table_whose_spacing_was_lost_is_still_read() -> None:
    text = "NAME READY STATUS RESTARTS AGE NOMINATED NODE\ndome-0 0/1 Error 12 (5m3s ago) 2d <none>"
    (row,) = table(text) or []
    assert (row["RESTARTS"], row["AGE"], row["NOMINATED NODE"]) == ("12 (5m3s ago)", "2d", "<none>")


def test_rows_without_header_are_read_by_the_kind() -> None:
    line = (
        "skywatch     star-catalog-7d9f8c6b5d-x2x4z      0/1     CrashLoopBackOff   7 (2m ago)   3h   10.9.0.1   dome-2"
    )
    state = state_of({"kubectl get pod -A | grep star": line})
    pod = state.pods["skywatch", "star-catalog-7d9f8c6b5d-x2x4z"]
    assert (pod.status, pod.restarts, pod.node) == ("CrashLoopBackOff", 7, "dome-2")
    assert not state.is_listed("pod", "skywatch")


def test_headless_lines_that_do_not_fit_are_left_out() -> None:
    assert headless("some words that are no row at all", "pod", with_namespace=False) == []


def test_event_lines_without_header_are_read() -> None:
    text = (
        "2m10s       Warning   BackOff   pod/dome-0   Back-off restarting failed container\n"
        "3m          Normal    Pulled    pod/dome-0   Container image already present\n"
    )
    state = state_of({f"kubectl get events -n {NAMESPACE} | tail -n 20": text})
    event = next(item for item in state.events if item.reason == "BackOff")
    assert (event.kind, event.name, event.namespace, event.last_age_s) == ("pod", "dome-0", NAMESPACE, 130)


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("Pods", "pod"),
        ("persistentvolumeclaims", "pvc"),
        ("PersistentVolumeClaim", "pvc"),
        ("deployments.apps", "deployment"),
        ("ingresses", "ingress"),
        ("networkpolicies", "networkpolicy"),
        ("storageclasses", "storageclass"),
        ("widgets", "widget"),
    ],
)
def test_kinds_have_one_name(word: str, kind: str) -> None:
    assert canonical_kind(word) == kind


def test_a_command_line_is_taken_apart() -> None:
    command = parse_command("kubectl -n skywatch get po dome-0 -o=yaml | head -50")
    assert (command.verb, command.kind, command.names, command.namespace) == ("get", "pod", ("dome-0",), "skywatch")
    assert command.output == "yaml"
    assert not command.lists_all
    remote = parse_command("ssh dome-1 systemctl status kubelet")
    assert (remote.tool, remote.node, remote.arguments) == ("systemctl", "dome-1", ("kubelet",))
    assert parse_command("kubectl get svc -A").lists_all
    assert not parse_command("kubectl get svc -n x -l app=y").lists_all


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('stdout:\n\nstderr:\nError from server (NotFound): pods "x" not found', TextKind.FAILED),
        ("Command `kubectl get x` failed with return code 1\nOutput:\n", TextKind.FAILED),
        ("error: Metrics API not available", TextKind.FAILED),
        ("Unable to connect to the server: dial tcp 10.0.0.1:6443: i/o timeout", TextKind.FAILED),
        ("", TextKind.EMPTY),
        ("No resources found in skywatch namespace.", TextKind.EMPTY),
        ("stdout:\n\nstderr:\nNo resources found in skywatch namespace.\n", TextKind.EMPTY),
        ("stdout:\nNAME   READY\nx      1/1\n\nstderr:\n", TextKind.DATA),
    ],
)
def test_failed_empty_and_filled_outputs_are_told_apart(text: str, kind: TextKind) -> None:
    assert unwrap(text).kind is kind


def test_a_failed_command_is_a_problem_and_never_an_empty_list() -> None:
    text = (
        "Command `kubectl get secrets -n skywatch` failed with return code 1\nstdout:\n\nstderr:\nerror: Forbidden here"
    )
    state = state_of({"kubectl get secrets -n skywatch": text})
    assert state.counts.failed == 1
    assert "Forbidden here" in state.problems[0].message
    assert state.exists("secret", "skywatch", "anything") is None


def test_an_empty_list_says_that_there_are_none() -> None:
    state = state_of({"kubectl get secrets -n skywatch": "No resources found in skywatch namespace."})
    assert state.exists("secret", "skywatch", "anything") is False
    filtered = state_of({"kubectl get secrets -n skywatch -l app=x": ""})
    assert filtered.exists("secret", "skywatch", "anything") is None


def test_what_the_server_does_not_find_does_not_exist() -> None:
    text = 'Error from server (NotFound): services "star-catalog" not found'
    state = state_of({"kubectl get services star-catalog -n skywatch": text})
    assert state.exists("service", "skywatch", "star-catalog") is False


def test_unknown_outputs_are_counted_and_named() -> None:
    state = state_of({"frobnicate --all": "beep boop", "kubectl get pods -n skywatch": ""})
    assert state.unknown == ("frobnicate --all",)
    assert (state.counts.unknown, state.counts.empty, state.counts.total) == (1, 1, 2)


def test_a_description_gives_containers_probes_and_events() -> None:
    body = (
        "    Limits:\n      cpu:     200m\n      memory:  96Mi\n    Requests:\n      cpu:  100m\n"
        "    Liveness:   http-get http://:7400/alive delay=5s timeout=2s period=10s #success=1 #failure=3\n"
        "    Environment:\n      TOKEN:  <set to the key 'token' in secret 'sky-key'>  Optional: false\n"
        "      PORT:  7400\n"
        "    Mounts:\n      /plates from plates (rw)"
    )
    tail = "Volumes:\n  plates:\n    Type:       PersistentVolumeClaim (a reference)\n    ClaimName:  plates-claim"
    text = describe(
        "star-catalog-7d9f8c6b5d-x2x4z", app="star-catalog", body=body, tail=tail,
        events=["Warning | BackOff | 2m (x9 over 20m) | Back-off restarting failed container"],
    )  # fmt: skip
    state = state_of(text)
    (pod,) = state.pods.values()
    (container,) = pod.spec.containers
    assert container.limits == {"cpu": 0.2, "memory": 96 * 2**20}
    assert container.probes[0].port == 7400
    assert container.probes[0].path == "/alive"
    assert container.env[0].ref is not None
    assert (container.env[0].ref.kind, container.env[0].ref.name, container.env[0].ref.key) == (
        "secret", "sky-key", "token",
    )  # fmt: skip
    assert container.mounts == (("plates", "/plates"),)
    assert (pod.spec.volumes[0].kind, pod.spec.volumes[0].target) == ("pvc", "plates-claim")
    assert (pod.owner_kind, pod.node) == ("replicaset", "dome-1")
    assert state.events[0].count == 9


def test_the_same_pod_in_several_outputs_is_one_pod() -> None:
    name = "star-catalog-7d9f8c6b5d-x2x4z"
    commands = {
        **describe(name, app="star-catalog", body="    Limits:\n      memory:  96Mi"),
        f"kubectl get pod {name} -n {NAMESPACE}": aligned(
            "NAME | READY | STATUS | RESTARTS | AGE", f"{name} | 1/1 | Running | 0 | 40m"
        ),
    }
    (pod,) = state_of(commands).pods.values()
    assert pod.status == "Running"
    assert pod.spec.containers[0].limits == {"memory": 96 * 2**20}


SECRET = """
apiVersion: v1
kind: Secret
metadata: {name: sky-key, namespace: skywatch}
stringData: {token: hush-hush-canary}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: sky-config, namespace: skywatch}
data:
  app.conf: |
    upstream = http://user:hush-hush-canary@star-catalog:7400/v1
"""


def test_secret_values_never_enter_the_state() -> None:
    state = read(raw({"kubectl get secret sky-key -n skywatch -o yaml": SECRET}, manifests=[SECRET]))
    assert "hush-hush-canary" not in repr(state)
    assert state.others["secret", "skywatch", "sky-key"].keys == ("token",)
    assert state.others["configmap", "skywatch", "sky-config"].addresses == (("star-catalog", 7400),)


def test_yaml_within_bounds_only() -> None:
    with pytest.raises(Unreadable, match="aliases"):
        documents("a: &a x\nb: [" + ", ".join(["*a"] * 200) + "]")
    with pytest.raises(Unreadable, match="not YAML"):
        documents("a: [1")
    state = read(raw(manifests=["a: [1"]))
    assert "not YAML" in state.problems[0].message


def test_units_and_connection_tests_are_read() -> None:
    status = (
        "○ kubelet.service - Node agent\n     Loaded: loaded (/etc/x; enabled)\n"
        "     Active: failed (Result: exit-code) since Sun 2031-05-04 11:58:00 UTC; 2min ago\n"
    )
    state = state_of(
        {
            "ssh dome-1 systemctl status kubelet": status,
            "ssh dome-2 systemctl status crio": "Unit crio.service could not be found.",
            "nc -zv star-catalog.skywatch 7400": "from dome-1: refused\nfrom dome-2: succeeded!\nfrom dome-3:",
        }
    )
    assert [(u.node, u.unit, u.active) for u in state.node_services] == [
        ("dome-1", "kubelet", "failed"),
        ("dome-2", "crio", "not-found"),
    ]
    assert state.connectivity[0].outcomes == (("dome-1", False), ("dome-2", True), ("dome-3", None))


def test_a_lineage_tree_knows_owners() -> None:
    text = (
        "NAME                                    READY   STATUS   AGE\n"
        "Deployment/star-catalog                 1/2              3m\n"
        "└── ReplicaSet/star-catalog-7d9f8c6b5d  1/2              3m\n"
        "    ├── Pod/star-catalog-7d9f8c6b5d-a   0/1     Error    3m\n"
        "    └── Pod/star-catalog-7d9f8c6b5d-b   1/1     Running  3m\n"
    )
    state = state_of({"kubectl lineage deployment star-catalog -n skywatch": text})
    assert {(pod.owner_name, pod.status) for pod in state.pods.values()} == {
        ("star-catalog-7d9f8c6b5d", "Error"), ("star-catalog-7d9f8c6b5d", "Running"),
    }  # fmt: skip
    assert state.workloads["deployment", "skywatch", "star-catalog"].desired == 2


@given(st.text(max_size=400), st.text(max_size=60))
def test_no_output_raises(text: str, tail: str) -> None:
    for verb in ("get pods -n x", "describe node y", "get events -A", "top pods", "get pv -o yaml", tail):
        state = state_of({f"kubectl {verb}": text, tail: text})
        assert state.counts.total in {1, 2}


def test_strange_shapes_of_the_raw_answer_are_survived() -> None:
    strange = {
        "outputs": None,
        "objects": {"pods": [1, {"name": "x", "containers": [None, {"state": 7}]}]},
        "manifests": [{"file": 3}],
        "topology": {"calls": [["a"]]},
        "changes": [{"time": "never"}],
    }
    state = read(strange)
    assert list(state.pods) == [("default", "x")]
    assert state.calls == ()
