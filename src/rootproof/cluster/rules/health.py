"""Whether a pod is healthy now. Start-up noise, finished jobs and pods that are going away are no failures."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from rootproof.cluster.ages import before
from rootproof.cluster.model import Container, Pod, Workload

STARTUP_GRACE_S = 20.0
"""A container may take this long to become ready before anything is said about it."""
RECENT_RESTART_S = 900.0
STUCK_TERMINATING_S = 3_600.0
WAITING_OK = frozenset({"ContainerCreating", "PodInitializing"})


class Health(StrEnum):
    """The state of a pod now."""

    HEALTHY = "healthy"
    UNREADY = "unready"
    """Running, but a container is not ready."""
    PENDING = "pending"
    STARTING = "starting"
    """Not ready yet, too young to be judged."""
    FAILED = "failed"
    """Crashing, in back-off, in error, or lost."""
    RESTARTING = "restarting"
    """Ready at the moment, but restarted again and again until just now."""
    COMPLETED = "completed"
    LEFT_OVER = "left over"
    """Ended badly, but its workload has all the pods it wants, or a later run of its job succeeded."""
    TERMINATING = "terminating"
    UNKNOWN = "unknown"


GOOD = frozenset(
    {Health.HEALTHY, Health.COMPLETED, Health.LEFT_OVER, Health.STARTING, Health.TERMINATING, Health.UNKNOWN}
)


def created_at(item: Pod | Workload, now: datetime) -> datetime | None:
    """When the object was created, by its time or its age."""
    return item.created_at if item.created_at is not None else before(now, item.age_s)


def age_s(item: Pod | Workload, now: datetime) -> float | None:
    """Seconds since the object was created."""
    created = created_at(item, now)
    if item.age_s is not None:
        return item.age_s
    return None if created is None else max(0.0, (now - created).total_seconds())


def waiting_reason(pod: Pod) -> str | None:
    """Why the pod waits: the reason of its first waiting container that is not merely starting, or its status word."""
    for container in pod.spec.containers:
        state = container.state
        if state is not None and state.kind == "waiting" and state.reason and state.reason not in WAITING_OK:
            return state.reason
    word = (pod.status or "").rpartition(":")[2]
    if word in _FAILED_WORDS or word.startswith(("Err", "Create", "Invalid", "Image")):
        return word
    return None


_FAILED_WORDS = frozenset(
    {
        "CrashLoopBackOff",
        "Error",
        "OOMKilled",
        "RunContainerError",
        "StartError",
        "ContainerCannotRun",
        "DeadlineExceeded",
        "Evicted",
        "PostStartHookError",
        "PreCreateHookError",
        "NodeLost",
        "NodeAffinity",
        "OutOfcpu",
        "OutOfmemory",
        "OutOfpods",
        "UnexpectedAdmissionError",
        "ContainerStatusUnknown",
    }
)


def pod_health(pod: Pod, now: datetime) -> Health:
    """The pod's state now, from whatever was recorded about it."""
    if pod.terminating:
        return Health.TERMINATING
    word = pod.status or ""
    phase = pod.phase or (word if word in {"Pending", "Running", "Succeeded", "Failed", "Unknown"} else None)
    if word == "Completed" or phase == "Succeeded":
        return Health.COMPLETED
    if phase in {"Failed", "Unknown"} or waiting_reason(pod) is not None or _terminated_badly(pod):
        return Health.FAILED
    age = age_s(pod, now)
    young = age is not None and age < STARTUP_GRACE_S
    if word in WAITING_OK and _all_ready(pod):
        # The table is older than the description: a container that is ready is past being created.
        return Health.HEALTHY
    if phase == "Pending" or word in WAITING_OK or word.startswith(("Init:", "PodInitializing")):
        return Health.STARTING if young and not _unschedulable(pod) else Health.PENDING
    ready, total = pod.ready_containers, pod.total_containers
    if ready is None or not total:
        return Health.UNKNOWN if phase != "Running" else _by_conditions(pod)
    if ready < total:
        return Health.STARTING if young or _just_started(pod, now) else Health.UNREADY
    return Health.RESTARTING if keeps_restarting(pod, now) else Health.HEALTHY


def _all_ready(pod: Pod) -> bool:
    main = [item for item in pod.spec.containers if not item.init]
    return pod.phase == "Running" and bool(main) and all(item.ready and not item.restarts for item in main)


def _by_conditions(pod: Pod) -> Health:
    ready = next((item.status for item in pod.conditions if item.type == "Ready"), None)
    return {"True": Health.HEALTHY, "False": Health.UNREADY}.get(ready or "", Health.UNKNOWN)


def _unschedulable(pod: Pod) -> bool:
    return any(item.type == "PodScheduled" and item.status == "False" for item in pod.conditions)


def _terminated_badly(pod: Pod) -> bool:
    return any(
        not item.init
        and item.state is not None
        and item.state.kind == "terminated"
        and item.state.exit_code not in {0, None}
        for item in pod.spec.containers
    )


def _just_started(pod: Pod, now: datetime) -> bool:
    waiting = [item for item in pod.spec.containers if not item.init and item.ready is False]
    if not waiting or any(item.restarts for item in waiting):
        return False
    return all((started := _running_since_s(item, now)) is not None and started < STARTUP_GRACE_S for item in waiting)


def _running_since_s(container: Container, now: datetime) -> float | None:
    state = container.state
    if state is None or state.kind != "running" or state.started_at is None:
        return None
    return (now - state.started_at).total_seconds()


def last_restart_s(pod: Pod, now: datetime) -> float | None:
    """Seconds since the last restart; None when there was none or nobody knows when."""
    if not pod.restarts:
        return None
    if pod.last_restart_age_s is not None:
        return pod.last_restart_age_s
    running = [
        since for item in pod.spec.containers if item.restarts and (since := _running_since_s(item, now)) is not None
    ]
    return max(0.0, min(running)) if running else None


def keeps_restarting(pod: Pod, now: datetime) -> bool:
    """Whether the pod restarted at least twice, the last time a moment ago, and not merely since long ago.

    The mean time between restarts counts: twice in a minute is a loop, twice in a month is not.
    """
    restarts = pod.restarts or 0
    since = last_restart_s(pod, now)
    age = age_s(pod, now)
    if restarts < 2 or since is None or since > RECENT_RESTART_S:
        return False
    return age is None or age / restarts < RECENT_RESTART_S
