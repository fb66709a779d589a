"""What ended badly and was made up for since: pods that others replaced, runs of jobs that a later run repeated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rootproof.cluster.model import Pod, Workload
from rootproof.cluster.names import cron_stem
from rootproof.cluster.rules.health import GOOD, Health

_ENDED = frozenset(
    {"Error", "Evicted", "ContainerStatusUnknown", "NodeLost", "NodeAffinity", "NodeShutdown", "Terminated",
     "OOMKilled", "DeadlineExceeded", "Shutdown", "Preempting", "UnexpectedAdmissionError"}
)  # fmt: skip
_REPLACED = ("deployment", "statefulset", "daemonset")


def repeated_jobs(workloads: Iterable[Workload]) -> dict[tuple[str, str], str]:
    """Failed jobs (namespace, name) of which a later run is complete, and that run's name.

    A later run has the same stem, or the stem in its name.
    """
    jobs = [item for item in workloads if item.kind == "job" and item.age_s is not None]
    done = [item for item in jobs if is_complete(item)]
    return {
        (one.namespace, one.name): later.name
        for one in jobs
        if not is_complete(one) and not one.active
        for later in done
        if _repeats(later, one)
    }


def completed_jobs(workloads: Iterable[Workload]) -> frozenset[tuple[str, str]]:
    """Jobs (namespace, name) that have all their completions: pods of theirs that failed were tried again."""
    return frozenset((item.namespace, item.name) for item in workloads if item.kind == "job" and is_complete(item))


def is_complete(job: Workload) -> bool:
    """Whether a Job has all its completions."""
    if job.status == "Complete" or any(c.type == "Complete" and c.status == "True" for c in job.conditions):
        return True
    return bool(job.desired) and (job.succeeded or 0) >= (job.desired or 0)


def _repeats(later: Workload, one: Workload) -> bool:
    stem = cron_stem(one.name)
    same = cron_stem(later.name) == stem or (stem != one.name and later.name.startswith(f"{stem}-"))
    return same and later.namespace == one.namespace and (later.age_s or 0.0) < (one.age_s or 0.0)


def left_over(
    pods: Sequence[Pod],
    health: Mapping[tuple[str, str], Health],
    controller: Workload | None,
    repeated: frozenset[tuple[str, str]],
) -> list[Pod]:
    """Of an app's pods those that ended and no longer matter."""
    ended = [pod for pod in pods if health[pod.namespace, pod.name] is Health.FAILED and _has_ended(pod)]
    if not ended:
        return []
    again = [pod for pod in ended if any(_of_job(pod, namespace, job) for namespace, job in repeated)]
    if controller is not None and controller.kind not in _REPLACED:
        return again
    others = [health[pod.namespace, pod.name] for pod in pods if pod not in ended]
    well = sum(1 for one in others if one is Health.HEALTHY)
    wanted = controller.desired if controller is not None and controller.desired is not None else 1
    enough = well >= max(1, wanted) and all(one in GOOD for one in others)
    replaced = [pod for pod in ended if _is_replaceable(pod)] if enough else []
    return [pod for pod in ended if pod in again or pod in replaced]


def _has_ended(pod: Pod) -> bool:
    """Whether the pod runs nothing and will run nothing again."""
    return pod.phase == "Failed" or (pod.status in _ENDED and not pod.restarts)


def _is_replaceable(pod: Pod) -> bool:
    return pod.owner_kind != "job" and cron_stem(pod.name.rpartition("-")[0]) == pod.name.rpartition("-")[0]


def _of_job(pod: Pod, namespace: str, job: str) -> bool:
    return pod.namespace == namespace and (pod.owner_name == job or pod.name.startswith(f"{job}-"))
