"""Recorded cluster state, selected by view, kind, name and namespace."""

from __future__ import annotations

import asyncio
import json

import pytest

from rootproof.adapters.sources import clusterfiles
from rootproof.adapters.sources.bundle import open_bundle
from rootproof.adapters.sources.commands import parse_command
from rootproof.errors import QueryRejected, SourceGarbled
from rootproof.ports.sources import ClusterQuery

POD = "kiosk-6c9d7b5f48-x2k8p"
COMMANDS = {
    "kubectl get pods -n shop": f"NAME\n{POD}\n",
    "kubectl get pods -n lab": "NAME\nprobe\n",
    f"kubectl describe pod {POD} -n shop": "Name: kiosk",
    "kubectl describe node n1": "Name: n1",
    "kubectl get events -n shop": f"BackOff pod/{POD}",
    "kubectl get deployment kiosk -n shop -o yaml": "kind: Deployment",
    "ssh n1 systemctl status kubelet": "active",
    "ssh n2 sudo systemctl status kubelet": "inactive",
    "nc -zv kiosk.shop 80": "open",
    "kubectl logs kiosk -n shop": "hello",
}
PODS = [{"name": POD, "namespace": "shop"}, {"name": "probe", "namespace": "lab"}]


@pytest.fixture
def ask(write, tmp_path):
    write("cluster/commands.json", COMMANDS)
    write("cluster/pods.json", PODS)
    write("cluster/nodes.json", [{"name": "n1"}, {"name": "n2"}])
    write("cluster/deployments.json", {"items": [{"name": "kiosk", "namespace": "shop"}]})
    write("manifests/kiosk.yaml", "kind: Deployment\nname: kiosk\n")
    write("topology.json", {"calls": [["web", "kiosk"]]})
    write("changes.json", [{"time": "2026-05-01T11:00:00Z", "kind": "deploy", "object": "kiosk", "summary": "v2"}])
    source = open_bundle(tmp_path).cluster

    def fetch(**query):
        return json.loads(asyncio.run(source.fetch(ClusterQuery(**query), deadline_s=20)))

    return fetch


def commands(answer):
    return [output["command"] for output in answer["outputs"]]


def test_overview_gives_everything(ask):
    found = ask(view="overview")
    assert commands(found) == list(COMMANDS)
    assert found["objects"]["pods"] == PODS
    assert [len(found["objects"][name]) for name in ("deployments", "nodes")] == [1, 2]
    assert found["manifests"] == [{"file": "manifests/kiosk.yaml", "text": "kind: Deployment\nname: kiosk\n"}]
    assert found["topology"] == {"calls": [["web", "kiosk"]]}
    assert (found["changes"][0]["summary"], found["more"], found["success"]) == ("v2", False, True)


def test_overview_of_a_namespace_keeps_what_has_none(ask):
    found = ask(view="overview", namespace="lab")
    assert commands(found) == [
        "kubectl get pods -n lab",
        "kubectl describe node n1",
        "ssh n1 systemctl status kubelet",
        "ssh n2 sudo systemctl status kubelet",
        "nc -zv kiosk.shop 80",
    ]
    assert [pod["name"] for pod in found["objects"]["pods"]] == ["probe"]
    assert len(found["objects"]["nodes"]) == 2


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"view": "list", "kind": "pod", "namespace": "shop"}, ["kubectl get pods -n shop"]),
        ({"view": "describe", "kind": "pods", "name": "kiosk"}, [f"kubectl describe pod {POD} -n shop"]),
        ({"view": "describe", "name": POD}, [f"kubectl describe pod {POD} -n shop"]),
        ({"view": "describe", "kind": "node"}, ["kubectl describe node n1"]),
        ({"view": "describe", "kind": "node", "name": "n9"}, []),
        ({"view": "events", "namespace": "shop", "kind": "event"}, ["kubectl get events -n shop"]),
        ({"view": "yaml", "name": "kiosk"}, ["kubectl get deployment kiosk -n shop -o yaml"]),
        ({"view": "node_services"}, ["ssh n1 systemctl status kubelet", "ssh n2 sudo systemctl status kubelet"]),
        ({"view": "node_services", "name": "n2"}, ["ssh n2 sudo systemctl status kubelet"]),
        ({"view": "connectivity", "name": "kiosk"}, ["nc -zv kiosk.shop 80"]),
        ({"view": "connectivity", "name": "web"}, []),
        ({"view": "topology"}, []),
    ],
)
def test_a_view_selects_the_commands_that_match(ask, query, expected):
    assert commands(ask(**query)) == expected


def test_parts_that_a_view_does_not_ask_for_are_empty(ask):
    found = ask(view="changes")
    assert (found["outputs"], found["manifests"], found["topology"]) == ([], [], None)
    assert found["objects"] == {"pods": [], "deployments": [], "nodes": []}
    assert len(found["changes"]) == 1
    assert ask(view="changes", name="other")["changes"] == []
    assert ask(view="topology")["topology"] == {"calls": [["web", "kiosk"]]}
    assert ask(view="manifests", name="other")["manifests"] == []


def test_objects_are_selected_like_commands(ask):
    found = ask(view="list", kind="pod", namespace="shop")["objects"]
    assert ([pod["name"] for pod in found["pods"]], found["nodes"]) == ([POD], [])
    assert [pod["name"] for pod in ask(view="describe", name="kiosk")["objects"]["pods"]] == [POD]


def test_an_answer_is_bounded(ask, monkeypatch):
    monkeypatch.setattr(clusterfiles, "MAX_ANSWER_CHARS", 60)
    found = ask(view="overview")
    assert (len(found["outputs"]), found["more"]) == (1, True)


def test_an_unknown_view_is_refused_with_those_there_are(ask):
    with pytest.raises(QueryRejected, match="connectivity"):
        ask(view="everything")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("cluster/commands.json", [], "an object"),
        ("cluster/commands.json", {"kubectl get pods": 3}, "'kubectl get pods'"),
        ("cluster/commands.json", "{'", "line 1, column 2"),
        ("cluster/pods.json", {"pods": []}, "a list of objects"),
        ("cluster/nodes.json", ["n1"], "a list of objects"),
        ("topology.json", {"calls": [["a"]]}, "caller"),
        ("changes.json", "null", "a list of objects"),
    ],
)
def test_a_broken_file_is_named_at_query_time(ask, write, tmp_path, name, content, words):
    write(name, content)
    bundle = open_bundle(tmp_path)
    with pytest.raises(SourceGarbled, match=name) as caught:
        asyncio.run(bundle.cluster.fetch(ClusterQuery(view="overview"), deadline_s=20))
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("kubectl get po -n=shop", ("get", "pod", (), "shop")),
        ("kubectl get pods a b --namespace shop | grep a", ("get", "pod", ("a", "b"), "shop")),
        ("kubectl -n shop describe deploy/kiosk", ("describe", "deployment", ("kiosk",), "shop")),
        ("kubectl get deployments.apps", ("get", "deployment", (), None)),
        ("kubectl get persistentvolumeclaim data -nshop", ("get", "pvc", ("data",), "shop")),
        ("kubectl logs kiosk-0 -c main", ("logs", "pod", ("kiosk-0",), None)),
        ("kubectl exec kiosk-0 -- ls -n x", ("exec", "pod", ("kiosk-0",), None)),
        ("kube-lineage deployment kiosk -n shop", ("lineage", "deployment", ("kiosk",), "shop")),
        ("ssh ops@n1 systemctl status kubelet", ("node", "node", ("n1", "systemctl", "status", "kubelet"), None)),
        ("ssh n1 nc -zv kiosk.shop 80", ("probe", "service", ("n1", "kiosk.shop"), None)),
        ("curl -s http://kiosk.shop/health", ("probe", "service", ("http://kiosk.shop/health",), None)),
        ("kubectl", ("other", None, (), None)),
        ("", ("other", None, (), None)),
        ("helm list", ("other", None, ("list",), None)),
    ],
)
def test_a_command_line_is_understood(line, expected):
    found = parse_command(line)
    assert (found.verb, found.kind, found.names, found.namespace) == expected
