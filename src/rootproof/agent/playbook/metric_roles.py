"""Which quantity a series measures, from the words of its name and its unit; vendors' spellings do not matter."""

from __future__ import annotations

import re
from collections.abc import Mapping
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
    LOCKS = "locks"
    TRANSACTION_AGE = "transaction_age"
    ACTIVE_SESSIONS = "active_sessions"
    ROWS_SCANNED = "rows_scanned"
    DISK_LATENCY = "disk_latency"
    DISK_BUSY = "disk_busy"
    IO_WAIT = "io_wait"
    BURST_CREDITS = "burst_credits"
    CACHE_HITS = "cache_hits"
    CACHE_MISSES = "cache_misses"
    CACHE_EVICTIONS = "cache_evictions"
    CHECKPOINTS = "checkpoints"
    MEMORY_LIMIT = "memory_limit"
    SLOT_RETAINED = "slot_retained"
    LOG_ON_DISK = "log_on_disk"
    TRANSACTION_IDS = "transaction_ids"
    OTHER = "other"


_POOL = (
    "pool pools hikaricp hikari datasource dbcp c3p0 tomcat jdbc pgbouncer pgxpool pgpool r2dbc agroal druid sqlalchemy"
)
_DEVICE = "disk volume io device ebs nvme"
_WAITED = "wait waits waiting waiters time current count deadlocks deadlock sessions queries timeouts seconds"
_ERROR = "error errors failed failing failures failure exceptions 5xx rejected rejections refused denied aborted"
_QUEUED = "depth length size messages age oldest ready visible waiting"
_RATE = frozenset(
    [
        "per", "rate", "published", "publish", "acked", "ack", "delivered", "deliver", "consumed", "processed", "in",
        "out", "sent", "received", "incoming", "produced", "redelivered",
    ]
)  # fmt: skip
"""Words that make a count of messages a flow of messages."""
_WORD = re.compile(r"(?<![A-Za-z])[pP]\d{2,4}(?!\d)|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")

# The first rule whose word groups are all met gives the role. A group is met by any of its words.
_RULES: tuple[tuple[Role, tuple[frozenset[str], ...]], ...] = tuple(
    (role, tuple(frozenset(group.split()) for group in groups))
    for role, groups in (
        (Role.ERRORS, ("throttled throttle throttles", "requests request api calls")),
        (Role.CPU_THROTTLING, ("throttled throttling throttle",)),
        (Role.SLOT_RETAINED, ("slot slots", "retained retains lag bytes behind diff size disk usage")),
        (Role.REPLICATION_LAG, ("replica replication slave standby replay secondary follower", "lag delay behind")),
        (Role.REPLICATION_LAG, ("behind", "master source primary")),
        (Role.TRANSACTION_IDS, ("xid xids txid datfrozenxid relfrozenxid wraparound multixact",)),
        (Role.TRANSACTION_IDS, ("transaction transactions", "ids id i ds", "used max maximum age remaining")),
        (Role.CACHE_HITS, ("hit hits", "ratio rate percent pct")),
        (Role.CACHE_EVICTIONS, ("cache keyspace redis memcached valkey keys items", "evicted evictions")),
        (Role.CACHE_MISSES, ("cache keyspace redis memcached", "misses miss")),
        (Role.OTHER, ("keyspace cache redis memcached", "hits hit")),
        (Role.CHECKPOINTS, ("checkpoint checkpoints", "req requested rate per count total")),
        (Role.LOCKS, ("lock locks deadlock deadlocks blocked", _WAITED)),
        (Role.TRANSACTION_AGE, ("transaction transactions tx trx xact", "duration age longest oldest")),
        (Role.ACTIVE_SESSIONS, ("threads sessions backends db", "running active load")),
        (Role.ROWS_SCANNED, ("rows row tuples tup handler", "examined scanned scan rnd returned")),
        (Role.ROWS_SCANNED, ("seq sequential full table select", "scan scans join")),
        (Role.ROWS_SCANNED, ("seq", "tup tuples")),
        (Role.BURST_CREDITS, ("burst credit credits ebsio ebsbyte", "balance credits remaining")),
        (Role.ERRORS, (_ERROR,)),
        (Role.BACKLOG, ("lag backlog unprocessed undelivered unconsumed unacked unacknowledged",)),
        (Role.POOL_PENDING, (_POOL, "pending waiting wait waiters queued awaiting timeout timeouts")),
        (Role.POOL_LIMIT, (_POOL, "connections connection size", "max maximum limit")),
        (Role.POOL_ACTIVE, (_POOL, "active used busy inuse borrowed use checked")),
        (Role.POOL_OTHER, (_POOL, "connections connection idle size")),
        (Role.CONNECTION_LIMIT, ("connections connection clients pool", "max maximum limit size")),
        (Role.CONNECTION_LIMIT, ("maxclients",)),
        (Role.CONNECTIONS, ("connections connection backends sessions clients numbackends connected",)),
        (Role.CONNECTIONS, ("activity", "count")),
        (Role.RESTARTS, ("restarts restart",)),
        (Role.QUEUE_DEPTH, (_DEVICE, "queue aqu avgqu")),
        (Role.BACKLOG, ("queue queues messages message", _QUEUED)),
        (Role.LOG_ON_DISK, ("transaction wal redo binlog bin", "log logs wal binlog", "disk size directory")),
        (Role.TRANSACTION_LOG, ("transaction wal redo binlog journal", "log logs generation wal bytes redo binlog")),
        (Role.FREE_STORAGE, ("free avail available", "storage disk filesystem fs volume space")),
        (Role.DISK_LATENCY, (f"{_DEVICE} write writes read reads fsync", "await latency svctm wait")),
        (Role.IO_WAIT, ("iowait",)),
        (Role.DISK_BUSY, (_DEVICE, "util utilization utilisation busy")),
        (Role.DISK_BUSY, ("disk device", "io", "time")),
        (Role.STORAGE_USED, ("storage disk filesystem fs volume", "used usage utilization percent")),
        (Role.FREE_MEMORY, ("free freeable avail available", "memory mem ram")),
        (Role.MEMORY_LIMIT, ("memory mem maxmemory", "max limit limits maximum maxmemory")),
        (Role.MEMORY_USED, ("memory mem heap rss", "used usage working utilization percent bytes")),
        (Role.LATENCY, ("rq response request", "time")),
        (Role.LATENCY, ("p50 p75 p90 p95 p98 p99 p999",)),
        (Role.LATENCY, ("latency duration seconds ms time response", "latency duration response request")),
        (Role.CPU, ("cpu processor", "utilization utilisation usage percent used load cpu")),
        (Role.WRITES, ("write writes written inserted inserts updated updates deleted",
                       "iops throughput ops bytes total writes rows tup tuples")),
        (Role.READS, ("read reads", "iops throughput ops bytes total reads")),
        (Role.TRAFFIC, ("requests request rps qps hits throughput rq", "rate total count requests request rps qps")),
        (Role.TRAFFIC, ("messages message queries", "in incoming received published publish produced per rate")),
    )
)  # fmt: skip
_NOT: Mapping[Role, frozenset[str]] = {
    Role.CACHE_HITS: frozenset({"buffer", "innodb", "blks", "pg", "postgres", "mysql", "plan"}),
    Role.ERRORS: frozenset({"packets", "packet", "ratelimit"}),
    Role.CONNECTION_LIMIT: frozenset({"used"}),
    Role.CONNECTIONS: frozenset({"slaves", "replicas"}),
    Role.POOL_ACTIVE: frozenset({"threads", "memory"}),
    Role.ACTIVE_SESSIONS: frozenset({"jvm", "cpu", "connections", "balancer", "pool", "executor", "time"}),
    Role.LATENCY: frozenset({"total", "count", "bucket"}),
    Role.CPU: frozenset({"idle", "user", "iowait", "credit", "surplus", "limit", "limits", "request", "requests"}),
    Role.BACKLOG: _RATE | {"checkpoint"},
    Role.READS: frozenset({"latency"}),
    Role.TRANSACTION_LOG: frozenset({"latency", "p50", "p95", "p99"}),
    Role.TRANSACTION_AGE: frozenset({"xid", "frozen", "log", "logs"}),
    Role.DISK_BUSY: frozenset({"used", "space", "full"}),
    Role.ROWS_SCANNED: frozenset({"ratio", "efficiency"}),
    Role.TRANSACTION_IDS: frozenset({"rate", "per", "log", "logs", "duration", "seconds"}),
    Role.LOG_ON_DISK: frozenset({"rate", "per", "generation", "latency", "max", "limit"}),
}
"""Words that a series of that role does not have in its name."""


def words(name: str) -> tuple[str, ...]:
    """The lower-case words of a series name: `WriteIOPS` and `write_iops` give the same."""
    return tuple(w.lower() for w in _WORD.findall(name))


def role_of_name(name: str) -> Role:
    """The role of a series with this name and no labels."""
    return role(SeriesItem("", name, {}, "", 0, 0, 0, 0, 0, 0, "", None, None, None, None))


def role(series: SeriesItem) -> Role:
    """The role of a series, OTHER where its name says nothing we can judge."""
    found = frozenset(words(series.name)) | ({"5xx"} if "5xx" in series.name.lower() else frozenset())
    for candidate, groups in _RULES:
        if not all(found & group for group in groups) or found & _NOT.get(candidate, frozenset()):
            continue
        if candidate is Role.CPU and "system" in found and "usage" not in found:
            continue
        if candidate is Role.DISK_BUSY and not _is_device(series, found):
            continue
        return candidate
    return Role.OTHER


def _is_device(series: SeriesItem, found: frozenset[str]) -> bool:
    """Whether a use of a disk is how busy the device is; else it is how full the file system is."""
    labels = {label.lower() for label in series.labels}
    if labels & {"mountpoint", "mount", "fstype", "path"}:
        return False
    return bool(found & {"io", "busy"}) or "device" in labels or series.name.startswith("node_disk")


_SUBJECT_KEYS = (
    "instance", "identifier", "pod", "container", "node", "host", "deployment", "service", "server", "app", "db",
    "group", "queue", "topic", "cache", "pool",
)  # fmt: skip
_OF_CLIENTS = frozenset(
    {"application_name", "usename", "user", "username", "client", "client_addr", "state", "datname"}
)


def subject(series: SeriesItem) -> str:
    """Whom the series is about: the label that names an instance, workload or host."""
    for key in _SUBJECT_KEYS:
        for label, value in series.labels.items():
            if key in label.lower() and label.lower() not in _OF_CLIENTS and value:
                return value
    return ""


def client(series: SeriesItem) -> str:
    """The client (application, user, state) whose part of its server's sessions a series counts; empty for all."""
    return next((value for label, value in series.labels.items() if label.lower() in _OF_CLIENTS and value), "")


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
