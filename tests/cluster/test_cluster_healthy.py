"""Healthy clusters are not accused: start-up noise, routine states and unusual but valid shapes."""

from __future__ import annotations

import pytest

from tests.cluster.texts import (
    NAMESPACE,
    current,
    deployment,
    describe,
    facts_of,
    pod_row,
    pods,
    service,
    table,
)

POD = "star-catalog-7d9f8c6b5d-x2x4z"


def events(*rows: str) -> dict[str, str]:
    """The namespace's events."""
    return {f"kubectl get events -n {NAMESPACE}": table("LAST SEEN | TYPE | REASON | OBJECT | MESSAGE", *rows)}


def base(**more: str) -> dict[str, str]:
    """A pod, its deployment and its Service, all well."""
    parts = {"selector": "app=star-catalog", "port": "80/TCP", "target": "7400/TCP", "endpoints": "10.9.0.7:7400"}
    return {
        **pods(pod_row(POD)),
        **describe(POD, app="star-catalog"),
        **deployment("star-catalog", ready="1/1"),
        **service("star-catalog", **{**parts, **more}),
    }


NODES = table(
    "NAME | STATUS | ROLES | AGE | VERSION",
    "control | Ready,SchedulingDisabled | control-plane | 90d | v1.31.0",
    "dome-1 | Ready | <none> | 90d | v1.31.0",
)
HEADLESS = f"Name:  plates\nNamespace:  {NAMESPACE}\nSelector:  <none>\nType:  ClusterIP\nIP:  None\nEvents:  <none>\n"
EXTERNAL = (
    f"Name:  mail\nNamespace:  {NAMESPACE}\nSelector:  <none>\nType:  ExternalName\nExternal Name:  mail.example.com\n"
)

CLUSTERS = {
    "plain": base(),
    "start-up probe failures": {
        **base(),
        **events(
            f"39m | Warning | Unhealthy | pod/{POD} | Readiness probe failed: connection refused",
            f"39m | Warning | Unhealthy | pod/{POD} | Liveness probe failed: connection refused",
        ),
    },
    "first creation refused, then made": {
        **base(),
        **events(
            "40m | Warning | FailedCreate | replicaset/star-catalog-7d9f8c6b5d | Error creating: pods is forbidden: "
            'error looking up service account skywatch/observer: serviceaccount "observer" not found'
        ),
    },
    "scheduled at the second try": {
        **base(),
        **events(f"40m | Warning | FailedScheduling | pod/{POD} | 0/2 nodes are available: 2 Insufficient cpu."),
    },
    "events of pods that are gone": {
        **base(),
        **events(
            "3m | Warning | BackOff | pod/star-catalog-5c5c5c5c5c-b2c4d | Back-off restarting failed container main"
        ),
    },
    "a cordoned control plane": {**base(), "kubectl get nodes": NODES},
    "a restart long ago": {**base(), **pods(pod_row(POD, restarts="3 (9d ago)"))},
    "services without selector": {
        **base(),
        f"kubectl describe service plates -n {NAMESPACE}": HEADLESS,
        f"kubectl describe service mail -n {NAMESPACE}": EXTERNAL,
    },
    "scaled to zero on purpose": {**base(), **deployment("old-survey", ready="0/0")},
    "a named target port": base(target="api/TCP"),
    "a container without declared ports": {
        **base(target="9999/TCP"),
        **describe(POD, app="star-catalog", port="<none>"),
    },
    "a finished job": {
        **base(),
        f"kubectl get jobs -n {NAMESPACE}": table(
            "NAME | STATUS | COMPLETIONS | DURATION | AGE", "nightly | Complete | 1/1 | 9s | 3h"
        ),
        **pods(pod_row(POD), pod_row("nightly-x2x4z", ready="0/1", status="Completed")),
    },
    "a quota with room": {
        **base(),
        f"kubectl get quota -n {NAMESPACE}": table("NAME | AGE | REQUEST | LIMIT", "night | 9d | pods: 3/10 | "),
    },
    "a cut off list": {f"kubectl get pods -n {NAMESPACE} | head -2": pods(pod_row(POD)).popitem()[1]},
}


@pytest.mark.parametrize("name", sorted(CLUSTERS))
def test_nothing_is_accused(name: str) -> None:
    found = facts_of(CLUSTERS[name])
    assert [(item.reason, item.text) for item in current(found)] == []
    assert any(not item.abnormal for item in found), "what is normal must be said"
