"""The alerts and cluster projections."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rootproof.domain.limits import ToolProjectionLimits
from rootproof.errors import ProjectionError
from tests.aci.projecting import SECRET_60, Projecting, leaked


def alert(name: str = "HighLatency", state: str = "firing", **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "state": state,
        "severity": "critical",
        "labels": {"alertname": name, "severity": "critical", "service": "billing-api"},
        "annotations": {"summary": "p99 is 4 s"},
        "activeAt": "2026-05-04T10:05:00Z",
        "value": "4.02",
    } | more


def test_an_alert_shows_what_the_monitoring_system_says() -> None:
    projecting = Projecting()
    item = projecting.alerts([alert()])["alerts"][0]
    assert item == {
        "evidence_id": "E1",
        "name": "HighLatency",
        "state": "firing",
        "severity": "critical",
        "labels": {"service": "billing-api"},
        "summary": "p99 is 4 s",
        "active_at": "2026-05-04T10:05:00Z",
        "value": "4.02",
    }
    assert projecting.last is not None
    evidence = projecting.last.evidence[0]
    assert evidence.cls == "OBSERVATION"
    assert evidence.subject == "billing-api"
    assert evidence.text == (
        'alert "HighLatency" is firing since 2026-05-04T10:05:00Z, severity critical, value 4.02, '
        "service billing-api: p99 is 4 s"
    )


def test_firing_alerts_come_first_and_inactive_ones_are_shown() -> None:
    view = Projecting().alerts([alert("a", "inactive"), alert("b", "pending"), alert("c", "firing")])
    assert [item["state"] for item in view["alerts"]] == ["firing", "pending", "inactive"]


def test_what_is_left_out_is_counted() -> None:
    many = [alert(f"Alert{chr(65 + n)}") for n in range(6)]
    many[0]["labels"] = {f"k{n}": "v" for n in range(20)}
    view = Projecting(ToolProjectionLimits(max_series=2)).alerts(many, total=30)
    assert view["shown"] == 2
    assert view["omitted"] == {"alerts": 28, "labels": 8}


def test_no_alerts_is_no_evidence() -> None:
    view = Projecting().alerts([])
    assert view["status"] == "NO_EVIDENCE"
    assert view["scope"]["source_kind"] == "MOCK"


def test_every_field_of_an_alert_is_redacted_before_it_is_cut() -> None:
    for filler in range(0, 125, 5):
        secret = "x" * filler + f" token={SECRET_60}"
        named = {"password": "Hunter2Hunter2", "runbook": secret}
        entry = alert(secret, secret, severity=secret, value=secret, labels=named, annotations={"summary": secret})
        text = json.dumps(Projecting().alerts([entry]))
        assert leaked(SECRET_60, text) == [], filler
        assert "Hunter2" not in text


@pytest.mark.parametrize(
    "raw", ["{}", '{"success": true}', '{"success": true, "alerts": [5]}', '{"success": false}', "x"], ids=repr
)
@pytest.mark.parametrize("tool", ["alerts", "cluster"])
def test_what_has_not_the_contracts_shape_is_refused(tool: str, raw: str) -> None:
    with pytest.raises(ProjectionError):
        getattr(Projecting(), tool)(raw)


@pytest.mark.parametrize(
    "part",
    [
        {"outputs": "x"},
        {"outputs": [5]},
        {"outputs": [{"command": 5, "text": "x"}]},
        {"outputs": [{"command": "kubectl get pods", "text": None}]},
        {"objects": [1]},
        {"objects": {"pods": "x"}},
        {"objects": {"pods": [5]}},
        {"manifests": [7]},
        {"topology": 5},
        {"changes": "x"},
    ],
    ids=str,
)
def test_cluster_state_that_cannot_be_read_is_never_taken_for_an_empty_one(part: dict[str, Any]) -> None:
    with pytest.raises(ProjectionError):
        Projecting().cluster(part)


PODS = """\
NAME                        READY   STATUS             RESTARTS      AGE
cart-5d9c7b6f4-x2k9q        0/1     CrashLoopBackOff   12 (1m ago)   40m
mail-6b8f9d7c5-p4w2z        1/1     Running            0             3d
"""


def cluster(text: str = PODS, command: str = "kubectl get pods -n shop") -> dict[str, Any]:
    return {"outputs": [{"command": command, "text": text}]}


def test_facts_are_about_objects_abnormal_first_and_in_placeholders() -> None:
    projecting = Projecting()
    view = projecting.cluster(cluster())
    abnormal = [fact["abnormal"] for fact in view["facts"]]
    assert abnormal == sorted(abnormal, reverse=True)
    assert view["scope"] == {"view": "overview", "kind": None, "name": None, "namespace": None, "source_kind": "MOCK"}
    text = json.dumps(view)
    assert "CrashLoopBackOff" in text
    assert "x2k9q" not in text
    assert "<pod:cart-1>" in text
    assert projecting.identifiers.resolve("<pod:cart-1>") == "cart-5d9c7b6f4-x2k9q"
    assert projecting.last is not None
    assert all(item.cls == "OBSERVATION" for item in projecting.last.evidence)


def test_facts_over_the_limit_are_counted() -> None:
    rows = "\n".join(f"job{chr(97 + n)}-5d9c7b6f4-x2k9{chr(97 + n)} 0/1 CrashLoopBackOff 12 40m" for n in range(20))
    whole = Projecting(ToolProjectionLimits(max_bytes=200_000, max_facts=500)).cluster(
        cluster("NAME READY STATUS RESTARTS AGE\n" + rows)
    )
    cut = Projecting(ToolProjectionLimits(max_bytes=200_000, max_facts=5)).cluster(
        cluster("NAME READY STATUS RESTARTS AGE\n" + rows)
    )
    assert cut["shown"] == 5
    assert cut["omitted"]["facts"] == whole["shown"] - 5


def test_outputs_that_were_not_understood_are_counted() -> None:
    view = Projecting().cluster(cluster("%%%%\nno table at all", "frobnicate --all"))
    assert view["truncated"] is True
    assert view["omitted"]["outputs_not_understood"] == 1


def test_cluster_texts_leak_no_secret_however_they_are_cut() -> None:
    head = "Name: cart-0\nNamespace: shop\nStatus: Running\nContainers:\n  main:\n    Environment:\n"
    for filler in range(0, 300, 11):
        words = "w " * (filler // 2)
        body = (
            f"{head}      NOTE: {words} API_TOKEN={SECRET_60}\n      API_TOKEN: {SECRET_60}\n"
            f"Events:\n  Type Reason Age From Message\n  Warning Failed 2m kubelet {words}token={SECRET_60}\n"
        )
        view = Projecting().cluster(cluster(body, "kubectl describe pod cart-0 -n shop"), view="describe")
        assert leaked(SECRET_60, json.dumps(view)) == [], filler
