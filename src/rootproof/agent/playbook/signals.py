"""Signals: what an observation means, whatever its source calls it. Hypotheses are written in signals only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any


class Kind(StrEnum):
    """The vocabulary of evidence. One word per meaning; values are stable because skill files will name them."""

    # metrics: what a series of some role does now
    CPU_SATURATED = "metric.cpu.saturated"
    CPU_ELEVATED = "metric.cpu.elevated"
    CPU_NORMAL = "metric.cpu.normal"
    CONNECTIONS_AT_LIMIT = "metric.connections.at_limit"
    CONNECTIONS_RISING = "metric.connections.rising"
    CONNECTIONS_STEADY = "metric.connections.steady"
    POOL_FULL = "metric.client_pool.full"
    SLOW_SERVICE = "metric.slow_service"
    CONNECTIONS_DROPPED = "metric.connections.dropped"
    LAG_HIGH = "metric.replication_lag.high"
    LAG_NORMAL = "metric.replication_lag.normal"
    STORAGE_EXHAUSTED = "metric.free_storage.exhausted"
    STORAGE_FALLING = "metric.free_storage.falling"
    STORAGE_STEADY = "metric.free_storage.steady"
    STORAGE_RECOVERED = "metric.free_storage.recovered"
    MEMORY_LOW = "metric.free_memory.low"
    MEMORY_GROWING = "metric.memory.growing"
    MEMORY_NORMAL = "metric.memory.normal"
    WAL_SURGE = "metric.transaction_log.surge"
    WRITE_SURGE = "metric.writes.surge"
    READ_SURGE = "metric.reads.surge"
    READS_HEAVY = "metric.reads.heavy"
    LATENCY_SURGE = "metric.latency.surge"
    QUEUE_SURGE = "metric.disk_queue.surge"
    ERRORS_SURGE = "metric.errors.surge"
    TRAFFIC_SURGE = "metric.traffic.surge"
    BACKLOG_GROWING = "metric.backlog.growing"
    THROTTLED = "metric.cpu.throttled"
    METRIC_QUIET = "metric.quiet"
    # database activity lines
    SQL_CPU = "sql.cpu_bound"
    SQL_WRITE = "sql.write_bound"
    SQL_CLIENT_WAIT = "sql.client_wait"
    SQL_LOCK_WAIT = "sql.lock_wait"
    SQL_IO_READ = "sql.read_bound"
    SQL_MAINTENANCE = "sql.maintenance"
    SQL_CHECKPOINT = "sql.checkpointer"
    SQL_SLOW = "sql.slow_statement"
    # logs
    OOM = "log.out_of_memory"
    OOM_ABORT = "log.aborted_out_of_memory"
    HEAP_EXHAUSTED = "log.heap_exhausted"
    CONN_REFUSED = "log.connection_refused"
    CALL_TIMEOUT = "log.call_timeout"
    POOL_EXHAUSTED = "log.pool_exhausted"
    CONNECTION_LEAK = "log.connection_leak"
    SESSIONS_IDLE = "log.sessions_idle"
    TOO_MANY_CONNECTIONS = "log.too_many_connections"
    DNS_FAILURE = "log.dns_failure"
    CERT_FAILURE = "log.certificate"
    AUTH_FAILURE = "log.authentication"
    PERMISSION_DENIED = "log.permission_denied"
    ENV_MISSING = "log.environment_variable_missing"
    COMMAND_MISSING = "log.command_not_found"
    FILE_MISSING = "log.file_missing"
    SCRIPT_SYNTAX = "log.script_syntax"
    SQL_SYNTAX = "log.sql_syntax"
    UNIQUE_VIOLATION = "log.unique_violation"
    SCHEMA_MISSING = "log.schema_missing"
    DEADLOCK = "log.deadlock"
    DISK_FULL = "log.disk_full"
    DISK_LOW = "log.disk_low"
    READ_ONLY = "log.read_only"
    REPLICATION_BEHIND = "log.replication_behind"
    VACUUM = "log.vacuum"
    CHECKPOINT_FREQUENT = "log.checkpoint_frequent"
    FAILOVER = "log.failover"
    DB_RESTART = "log.database_restart"
    HOST_FAILED = "log.host_failed"
    DB_UNREACHABLE = "log.database_unreachable"
    SLOW_CALL = "log.slow_call"
    CALL_STEP = "log.call_step"
    HTTP_5XX = "log.http_5xx"
    CRASH = "log.crash"
    RATE_LIMITED = "log.rate_limited"
    BAD_CONFIG = "log.bad_configuration"
    CACHE_FAILURE = "log.cache_failure"
    QUEUE_LAG = "log.queue_lag"
    TERMINATED = "log.terminated"
    AUTOSCALER_LIMIT = "cluster.autoscaler_at_maximum"
    ROLLOUT = "log.rollout"
    RECOVERED = "log.recovered"
    OTHER_ERROR = "log.other_error"
    # cluster state and events (facts, or the same words in event logs)
    PROBE_LIVENESS = "cluster.liveness_probe_failed"
    PROBE_READINESS = "cluster.readiness_probe_failed"
    CRASH_LOOP = "cluster.crash_loop"
    OOM_KILLED = "cluster.oom_killed"
    IMAGE_PULL = "cluster.image_pull_failed"
    UNSCHEDULABLE = "cluster.unschedulable"
    UNSCHEDULABLE_CPU = "cluster.insufficient_cpu"
    UNSCHEDULABLE_MEMORY = "cluster.insufficient_memory"
    START_ERROR = "cluster.start_error"
    CONFIG_ERROR = "cluster.container_config_error"
    MOUNT_FAILED = "cluster.mount_failed"
    STORAGE_CLASS = "cluster.storage_class_missing"
    VOLUME_PENDING = "cluster.volume_pending"
    NODE_NOT_READY = "cluster.node_not_ready"
    NODE_PRESSURE = "cluster.node_pressure"
    NODE_POD_LIMIT = "cluster.node_pod_limit"
    EVICTED = "cluster.evicted"
    JOB_FAILED = "cluster.job_failed"
    QUOTA = "cluster.quota_exceeded"
    REPLICAS_MISSING = "cluster.replicas_missing"
    NO_ENDPOINTS = "cluster.no_endpoints"
    EXIT_ERROR = "cluster.exit_error"
    CPU_LIMIT = "cluster.cpu_limit"
    TERMINATING = "cluster.terminating_old_pod"
    PLACED = "cluster.placed"
    OBJECT_HEALTHY = "cluster.healthy"
    DIAGNOSED = "cluster.diagnosed"
    CLUSTER_OTHER = "cluster.other_abnormal"
    # the monitoring system
    ALERT_FIRING = "alert.firing"
    ALERT_QUIET = "alert.quiet"


class Topic(StrEnum):
    """What an alert or question complains about. A cause must explain it to be reported as its root cause."""

    CPU = "cpu"
    CONNECTIONS = "connections"
    REPLICATION = "replication"
    STORAGE = "storage"
    MEMORY = "memory"
    LATENCY = "latency"
    ERRORS = "errors"
    RESTARTS = "restarts"
    SCHEDULING = "scheduling"
    NODE = "node"
    JOB = "job"
    PROBE = "probe"
    IMAGE = "image"
    NETWORK = "network"
    AVAILABILITY = "availability"
    TRAFFIC = "traffic"
    QUEUE = "queue"
    CERTIFICATE = "certificate"
    IO = "io"
    THROTTLING = "throttling"


@dataclass(frozen=True, slots=True)
class Signal:
    """One meaning found in one evidence item."""

    kind: Kind
    evidence_id: str
    subject: str
    """The series' instance, the log's service, or the object (`pod/x`); empty where the item names none."""
    quote: str
    """Words that stand in the evidence's text."""
    app: str = ""
    """The workload, where it is known."""
    current: bool = True
    """Whether it holds at the time of the diagnosis, or belongs to the past."""
    at: datetime | None = None
    """Onset."""
    last: datetime | None = None
    count: int = 1
    weight: float = 1.0
    values: Mapping[str, Any] = field(default_factory=dict)
    """What the words say in parts: `value`, `limit`, `peer`, `statement`, ..."""


@dataclass(frozen=True, slots=True)
class SignalSet:
    """All signals of a run."""

    items: tuple[Signal, ...] = ()
    mentioned: frozenset[str] = frozenset()
    """Words that were searched for in the logs and found: a bounded result may cut the line before the word."""

    def __iter__(self) -> Iterator[Signal]:
        return iter(self.items)

    def of(self, *kinds: Kind, current: bool | None = True) -> tuple[Signal, ...]:
        """The signals of these kinds; `current=None` for past ones too."""
        wanted = frozenset(kinds)
        return tuple(s for s in self.items if s.kind in wanted and (current is None or s.current == current))

    def where(self, keep: Iterable[Signal]) -> SignalSet:
        """A set of only these."""
        return SignalSet(tuple(keep))
