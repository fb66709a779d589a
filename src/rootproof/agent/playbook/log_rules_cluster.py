"""The cluster's own words where they stand in event logs."""

from __future__ import annotations

from rootproof.agent.playbook.log_rule import LogRule, rule
from rootproof.agent.playbook.signals import Kind

CLUSTER_RULES: tuple[LogRule, ...] = (
    rule(
        Kind.PROBE_LIVENESS,
        r"liveness probe failed",
        r"failed liveness probe",
    ),
    rule(
        Kind.PROBE_READINESS,
        r"readiness probe failed",
        r"failed readiness probe",
    ),
    rule(
        Kind.PROBE_STARTUP,
        r"startup probe failed",
        r"failed startup probe",
    ),
    rule(
        Kind.IMAGE_PULL,
        r"imagepullbackoff",
        r"errimagepull",
        r"failed to pull image",
        r"back-off pulling image",
        r"manifest (?:for \S+ )?(?:unknown|not found)",
        r"invalidimagename",
    ),
    rule(
        Kind.UNSCHEDULABLE,
        r"failedscheduling",
        r"nodes? (?:are|is) available:",
        r"unschedulable",
    ),
    rule(
        Kind.UNSCHEDULABLE_CPU,
        r"insufficient cpu",
    ),
    rule(
        Kind.UNSCHEDULABLE_MEMORY,
        r"insufficient memory",
    ),
    rule(
        Kind.NODE_NOT_READY,
        r"nodenotready",
        r"node \S+ (?:status is now: )?not ?ready",
        r"node is not ready",
        r"kubelet stopped posting",
        unless=r"\bnodeready\b",
    ),
    rule(
        Kind.NODE_PRESSURE,
        r"nodehas(?:disk|memory|pid)pressure",
        r"(?:disk|memory|pid) ?pressure",
        r"evictionthresholdmet",
    ),
    rule(
        Kind.EVICTED,
        r"\bevicted\b",
        r"evicting pod",
    ),
    rule(
        Kind.CRASH_LOOP,
        r"back-off restarting",
        r"crashloopbackoff",
    ),
    rule(
        Kind.CONFIG_ERROR,
        r"createcontainerconfigerror",
        r"(?:configmap|secret) \"?[^\" ]+\"? not found",
        r"couldn't find key",
    ),
    rule(
        Kind.MOUNT_FAILED,
        r"failedmount",
        r"failedattachvolume",
        r"mountvolume\.setup failed",
        r"unable to (?:attach or )?mount volumes",
        unless=r"retried successfully",
    ),
    rule(
        Kind.STORAGE_CLASS,
        r"storageclass\S* \"?[^\" ]+\"? not found",
    ),
    rule(
        Kind.JOB_FAILED,
        r"backofflimitexceeded",
        r"job has reached the specified backoff limit",
        r"deadlineexceeded",
    ),
    rule(
        Kind.QUOTA,
        r"exceeded quota",
        r"forbidden: \w+ quota",
    ),
    rule(
        Kind.AUTOSCALER_LIMIT,
        r"maxreplicas",
        r"toomanyreplicas",
        r"scalinglimited",
        r"desired replica count is more than the maximum",
        r"(?:hpa|autoscal\w+)\W+(?:\S+\W+){0,6}(?:at|reached|hit)\W+(?:\w+\W+){0,2}max",
    ),
    rule(
        Kind.TERMINATED,
        r"received sigterm",
        r"graceful shutdown",
        r"signal terminated",
    ),
    rule(
        Kind.ROLLOUT,
        r"rollout",
        r"replica ?set \S+ (?:scaled|has)",
        r"scaled (?:up|down) replica set",
        r"scaled \S+ from \d+ to \d+",
        r"deployed version",
        r"new revision",
    ),
)
