"""What ended badly and was made up for since is history; what was not is a fault."""

from __future__ import annotations

import pytest

from tests.cluster.texts import NAMESPACE, current, facts_of, named, pod_row, pods, table

DEPLOYMENTS = f"kubectl get deployments -n {NAMESPACE}"
GONE = "star-catalog-7d9f8c6b5d-x2x4z"
NEW = "star-catalog-7d9f8c6b5d-k8k2m"


def deployed(ready: str) -> dict[str, str]:
    return {
        DEPLOYMENTS: table(
            "NAME | READY | UP-TO-DATE | AVAILABLE | AGE", f"star-catalog | {ready} | 1 | {ready[0]} | 9d"
        )
    }


@pytest.mark.parametrize("status", ["Error", "Evicted", "ContainerStatusUnknown"])
def test_a_pod_that_others_replaced_is_left_over(status: str) -> None:
    found = facts_of(pods(pod_row(GONE, ready="0/1", status=status), pod_row(NEW)) | deployed("1/1"))
    assert current(found) == []
    assert "left over" in named(found, status.lower() if status != "ContainerStatusUnknown" else
                                "container_status_unknown").text  # fmt: skip


def test_one_that_is_missed_is_not() -> None:
    found = facts_of(pods(pod_row(GONE, ready="0/1", status="Evicted"), pod_row(NEW)) | deployed("1/2"))
    assert any(item.name == GONE for item in current(found))


def test_one_that_restarts_is_not() -> None:
    found = facts_of(
        pods(pod_row(GONE, ready="0/1", status="Error", restarts="6 (20s ago)"), pod_row(NEW)) | deployed("1/1")
    )
    assert any(item.name == GONE for item in current(found))


def jobs(*rows: str) -> dict[str, str]:
    return {f"kubectl get jobs -n {NAMESPACE}": table("NAME | STATUS | COMPLETIONS | DURATION | AGE", *rows)}


FAILED = "tally-29689140 | Failed | 0/1 | 7h | 7h"


def test_a_job_that_a_later_run_repeated_is_over() -> None:
    for later in ("tally-rerun-1 | Complete | 1/1 | 12m | 6h", "tally-29689500 | Complete | 1/1 | 12m | 1h"):
        assert current(facts_of(jobs(FAILED, later))) == []


@pytest.mark.parametrize(
    "other",
    [
        "tally-29687700 | Complete | 1/1 | 12m | 31h",
        "report-29689500 | Complete | 1/1 | 12m | 1h",
        "tally-29689500 | Running | 0/1 | 2m | 2m",
    ],
)
def test_an_earlier_or_another_or_an_unfinished_run_ends_nothing(other: str) -> None:
    assert [item.reason for item in current(facts_of(jobs(FAILED, other)))] == ["backoff_limit_exceeded"]


def test_failed_tries_of_a_job_that_is_complete_are_left_over() -> None:
    done = jobs("tally-29689140 | Complete | 1/1 | 7m | 1h")
    assert current(facts_of(pods(pod_row("tally-29689140-hq6tz", ready="0/1", status="Error")) | done)) == []


def claims(mode: str, *, used: bool, event: str = "") -> dict[str, str]:
    header = "NAME | STATUS | VOLUME | CAPACITY | ACCESS MODES | STORAGECLASS | AGE"
    commands = {
        f"kubectl get pvc -n {NAMESPACE}": table(header, "plates | Pending |  |  |  | slow | 6d"),
        "kubectl get storageclass": table(
            "NAME | PROVISIONER | RECLAIMPOLICY | VOLUMEBINDINGMODE | AGE",
            f"slow (default) | csi.x | Delete | {mode} | 9d",
        ),
    }
    if used:
        commands[f"kubectl describe pvc plates -n {NAMESPACE}"] = (
            f"Name: plates\nNamespace: {NAMESPACE}\nStorageClass: slow\nStatus: Pending\nUsed By: star-catalog-0\n"
        )
    return commands | ({f"kubectl get events -n {NAMESPACE}": event} if event else {})


def test_the_default_class_exists_by_its_own_name() -> None:
    found = facts_of(claims("Immediate", used=False))
    assert [item.reason for item in current(found)] == ["pvc_pending"]


def test_a_claim_that_waits_for_its_first_pod_is_as_it_should_be() -> None:
    assert current(facts_of(claims("WaitForFirstConsumer", used=False))) == []
    assert current(facts_of(claims("WaitForFirstConsumer", used=True))) != []


def test_a_late_reason_of_the_registry_is_kept() -> None:
    from rootproof.cluster.rules.messages import telling_part

    long = f'Failed to pull image "{"r" * 300}": {"x" * 200}: toomanyrequests: pull rate limit'
    assert "toomanyrequests" in telling_part(long, 300)
    assert len(telling_part(long, 300)) <= 310
    assert telling_part("short: not found", 300) == "short: not found"
