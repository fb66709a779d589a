"""Which quantity a series measures, from the words of its name and its unit; vendors' spellings do not matter."""

from __future__ import annotations

import re
from enum import StrEnum

from rootproof.agent.playbook.observations import SeriesItem


class Role(StrEnum):
    """The quantities the reasoner knows how to judge."""

    CPU = "cpu"
    CPU_THROTTLING = "cpu_throttling"
    CONNECTIONS = "connections"
    CONNECTION_LIMIT = "connection_limit"
    POOL_PENDING = "pool_pending"
    POOL_LIMIT = "pool_limit"
    POOL_ACTIVE = "pool_active"
    POOL_OTHER = "pool_other"
    REPLICATION_LAG = "replication_lag"
    FREE_STORAGE = "free_storage"
    STORAGE_USED = "storage_used"
    FREE_MEMORY = "free_memory"
    MEMORY_USED = "memory_used"
    WRITES = "writes"
    READS = "reads"
    LATENCY = "latency"
    QUEUE_DEPTH = "queue_depth"
    TRANSACTION_LOG = "transaction_log"
    ERRORS = "errors"
    TRAFFIC = "traffic"
    BACKLOG = "backlog"
    RESTARTS = "restarts"
    OTHER = "other"


_POOL = "pool pools hikaricp hikari datasource dbcp c3p0 tomcat jdbc pgbouncer"
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")

# The first rule whose word groups are all met gives the role. A group is met by any of its words.
_RULES: tuple[tuple[Role, tuple[frozenset[str], ...]], ...] = tuple(
    (role, tuple(frozenset(group.split()) for group in groups))
    for role, groups in (
        (Role.CPU_THROTTLING, ("throttled throttling throttle",)),
        (Role.REPLICATION_LAG, ("replica replication slave standby replay secondary", "lag delay behind")),
        (Role.BACKLOG, ("lag backlog consumer unprocessed undelivered", "consumer lag backlog messages depth")),
        (Role.POOL_PENDING, (_POOL, "pending waiting wait queued awaiting timeout timeouts")),
        (Role.POOL_LIMIT, (_POOL, "connections connection size", "max maximum limit")),
        (Role.POOL_ACTIVE, (_POOL, "active used busy inuse borrowed use checked")),
        (Role.POOL_OTHER, (_POOL, "connections connection idle size")),
        (Role.CONNECTION_LIMIT, ("connections connection clients pool", "max maximum limit size")),
        (Role.CONNECTIONS, ("connections connection backends sessions clients numbackends connected",)),
        (Role.RESTARTS, ("restarts restart",)),
        (Role.QUEUE_DEPTH, ("disk volume io", "queue")),
        (Role.BACKLOG, ("queue", "depth length size messages age oldest")),
        (Role.TRANSACTION_LOG, ("transaction wal redo binlog journal", "log logs generation wal bytes redo binlog")),
        (Role.FREE_STORAGE, ("free avail available", "storage disk filesystem fs volume space")),
        (Role.STORAGE_USED, ("storage disk filesystem fs volume", "used usage utilization percent")),
        (Role.FREE_MEMORY, ("free freeable avail available", "memory mem ram")),
        (Role.MEMORY_USED, ("memory mem heap rss", "used usage working utilization percent bytes")),
        (
            Role.LATENCY,
            ("latency duration seconds ms time response p95 p99", "latency duration response request p95 p99"),
        ),
        (Role.CPU, ("cpu processor", "utilization utilisation usage percent used load cpu")),
        (Role.WRITES, ("write writes", "iops throughput ops bytes total writes")),
        (Role.READS, ("read reads", "iops throughput ops bytes total reads")),
        (Role.ERRORS, ("error errors failed failures failure exceptions 5xx",)),
        (Role.TRAFFIC, ("requests request rps qps hits throughput", "rate total count requests rps qps hits")),
    )
)

_IDLE = frozenset({"idle", "user", "system", "iowait", "credit", "surplus", "limit", "limits"})


def words(name: str) -> tuple[str, ...]:
    """The lower-case words of a series name: `WriteIOPS` and `write_iops` give the same."""
    return tuple(w.lower() for w in _WORD.findall(name))


def role(series: SeriesItem) -> Role:
    """The role of a series, OTHER where its name says nothing we can judge."""
    found = frozenset(words(series.name)) | ({"5xx"} if "5xx" in series.name.lower() else frozenset())
    for candidate, groups in _RULES:
        if not all(found & group for group in groups):
            continue
        if candidate is Role.CPU and found & _IDLE:
            continue
        if candidate is Role.LATENCY and found & {"total", "count", "bucket"}:
            continue
        return candidate
    return Role.OTHER


_SUBJECT_KEYS = ("instance", "identifier", "pod", "container", "node", "host", "deployment", "service", "app", "db")


def subject(series: SeriesItem) -> str:
    """Whom the series is about: the label that names an instance, workload or host."""
    for key in _SUBJECT_KEYS:
        for label, value in series.labels.items():
            if key in label.lower() and value:
                return value
    return ""


def percent(series: SeriesItem, value: float) -> float | None:
    """`value` of a utilisation series in percent, None where its unit is not a share of something."""
    unit = series.unit.lower()
    if unit in ("percent", "%", "pct"):
        return value
    if unit in ("ratio", "1", "fraction") or (not unit and 0 <= series.high <= 1.0):
        return value * 100
    if not unit and series.high <= 100 and {"percent", "utilization", "utilisation", "usage"} & set(words(series.name)):
        return value
    return None


def seconds(series: SeriesItem, value: float) -> float:
    """`value` of a duration series in seconds; without a unit, seconds are assumed unless the name says otherwise."""
    unit = series.unit.lower()
    if (
        unit.startswith("milli")
        or unit == "ms"
        or (not unit and {"ms", "millis", "milliseconds"} & set(words(series.name)))
    ):
        return value / 1000
    if unit.startswith("micro") or unit == "us":
        return value / 1_000_000
    return value
