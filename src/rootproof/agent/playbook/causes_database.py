"""Root causes inside and around database servers."""

from __future__ import annotations

from rootproof.agent.playbook.hypothesis import Action, CauseSpec, Scope, need
from rootproof.agent.playbook.signals import Kind, Topic
from rootproof.domain.claim import CauseCategory

_SYMPTOMS = frozenset({Topic.LATENCY, Topic.ERRORS, Topic.AVAILABILITY})

DATABASE_CAUSES: tuple[CauseSpec, ...] = (
    CauseSpec(
        "checkpoint_vacuum_pressure",
        CauseCategory.RESOURCE_EXHAUSTION,
        "vacuum and checkpoint I/O pressure",
        "Maintenance work ({statement}) saturates the checkpoint and WAL I/O of {subject}",
        "Checkpoints on {subject} follow each other so fast that their I/O saturates it",
        (
            need(Kind.SQL_MAINTENANCE, Kind.CHECKPOINT_FREQUENT),
            need(Kind.WRITE_SURGE, Kind.WAL_SURGE, Kind.QUEUE_SURGE, Kind.CHECKPOINT_FREQUENT, Kind.LATENCY_SURGE),
        ),
        _SYMPTOMS | {Topic.CPU, Topic.IO, Topic.CONNECTIONS, Topic.STORAGE, Topic.REPLICATION, Topic.MEMORY},
        Scope.DATABASE,
        confirming={
            Kind.CHECKPOINT_FREQUENT: 1.5,
            Kind.SQL_CHECKPOINT: 1.0,
            Kind.VACUUM: 0.5,
            Kind.WAL_SURGE: 0.7,
            Kind.WRITE_SURGE: 0.7,
            Kind.QUEUE_SURGE: 0.7,
            Kind.LATENCY_SURGE: 0.5,
        },
        actions=(
            Action(
                "Slow the maintenance down: raise its cost delay or lower its cost limit, and split it into "
                "smaller runs.",
                "medium: a vacuum that is stopped before a transaction-id limit must be run again soon",
            ),
            Action(
                "Give checkpoints more room: a larger max_wal_size and a longer checkpoint interval.",
                "low: recovery after a crash takes longer",
            ),
        ),
        decide="query_logs DATABASE_SLOW_QUERY: is maintenance work on top of the load?",
        ruled_out="Maintenance or checkpoint pressure is not seen",
    ),
    CauseSpec(
        "storage_exhaustion",
        CauseCategory.RESOURCE_EXHAUSTION,
        "storage filling up",
        "The storage of {subject} is filling up, mainly with what {statement} writes",
        "The storage of {subject} is nearly exhausted",
        (need(Kind.STORAGE_EXHAUSTED, Kind.DISK_FULL),),
        _SYMPTOMS | {Topic.STORAGE, Topic.IO, Topic.REPLICATION, Topic.CONNECTIONS},
        Scope.DATABASE,
        confirming={
            Kind.SQL_WRITE: 1.0,
            Kind.WRITE_SURGE: 0.5,
            Kind.DISK_LOW: 0.5,
            Kind.DISK_FULL: 0.7,
            Kind.STORAGE_EXHAUSTED: 1.0,
        },
        refuted_by=frozenset({Kind.STORAGE_STEADY, Kind.STORAGE_RECOVERED}),
        actions=(
            Action(
                "Expand the storage of the instance now.", "low: growing is online on most platforms, shrinking is not"
            ),
            Action(
                "Pause or throttle the main writer, then purge or archive what it wrote.",
                "medium: deleting data cannot be undone; keep what audits need",
            ),
        ),
        decide="query_metrics contains=['storage', 'disk']: how much space is left, and how fast does it go?",
        ruled_out="Storage is not running out",
    ),
    CauseSpec(
        "lock_contention",
        CauseCategory.RESOURCE_EXHAUSTION,
        "sessions waiting for locks",
        "Sessions on {subject} wait for locks behind {statement}",
        "Sessions on {subject} block each other on locks",
        (need(Kind.SQL_LOCK_WAIT, Kind.DEADLOCK),),
        _SYMPTOMS | {Topic.CONNECTIONS},
        Scope.DATABASE,
        confirming={Kind.LATENCY_SURGE: 0.4, Kind.CONNECTIONS_RISING: 0.4, Kind.DEADLOCK: 0.8},
        consequence_of=frozenset({"checkpoint_vacuum_pressure", "storage_exhaustion"}),
        actions=(
            Action("Find the session at the head of the lock queue and what it waits for."),
            Action(
                "End the blocking session if it is idle in a transaction.", "medium: its transaction is rolled back"
            ),
        ),
        decide="query_logs DATABASE_SLOW_QUERY contains='lock': who blocks whom?",
        ruled_out="Lock waits do not lead the load",
    ),
    CauseSpec(
        "replication_lag_write_load",
        CauseCategory.RESOURCE_EXHAUSTION,
        "replication lag from write load on the primary",
        "Replication lag on {replica} comes from write load on its primary, where {statement} generates "
        "transaction log (WAL)",
        "Replication lag on {subject} comes from write load on the primary, which generates transaction log (WAL)",
        (
            need(Kind.LAG_HIGH, Kind.REPLICATION_BEHIND),
            need(Kind.WAL_SURGE, Kind.WRITE_SURGE, Kind.SQL_WRITE),
        ),
        _SYMPTOMS | {Topic.REPLICATION},
        Scope.DATABASE,
        confirming={Kind.SQL_WRITE: 1.0, Kind.WAL_SURGE: 1.0, Kind.WRITE_SURGE: 0.7, Kind.REPLICATION_BEHIND: 0.7},
        refuted_by=frozenset({Kind.LAG_NORMAL}),
        consequence_of=frozenset({"checkpoint_vacuum_pressure", "storage_exhaustion"}),
        actions=(
            Action("Split or throttle the bulk write until the replica has caught up.", "low: the batch takes longer"),
            Action("Send reads that must be fresh to the primary meanwhile.", "medium: the primary carries more load"),
        ),
        decide="query_metrics contains=['lag', 'log', 'write']: did writes rise before the lag?",
        ruled_out="Replication keeps up",
    ),
    CauseSpec(
        "db_connection_exhaustion",
        CauseCategory.RESOURCE_EXHAUSTION,
        "database connections at their limit",
        "The connections of {subject} are nearly exhausted by client sessions that stay open in {wait}",
        "The connections of {subject} are nearly exhausted",
        (need(Kind.CONNECTIONS_AT_LIMIT, Kind.TOO_MANY_CONNECTIONS),),
        _SYMPTOMS | {Topic.CONNECTIONS, Topic.CPU},
        Scope.DATABASE,
        confirming={
            Kind.SQL_CLIENT_WAIT: 1.5,
            Kind.TOO_MANY_CONNECTIONS: 1.0,
            Kind.CONNECTIONS_AT_LIMIT: 1.0,
            Kind.SESSIONS_IDLE: 0.9,
            Kind.POOL_EXHAUSTED: 0.7,
            Kind.CONNECTIONS_RISING: 0.5,
        },
        consequence_of=frozenset(
            {
                "checkpoint_vacuum_pressure",
                "storage_exhaustion",
                "lock_contention",
                "connection_leak",
                "cpu_saturation_query",
                "slow_database_query",
            }
        ),
        actions=(
            Action(
                "Find the clients that hold idle sessions (by user, application and state) and end the oldest.",
                "medium: work in an open transaction is rolled back",
            ),
            Action(
                "Bound the client pools: maximum size, idle timeout, idle-in-transaction timeout.",
                "low: requests may wait for a connection",
            ),
        ),
        decide="query_metrics contains=['connection'] and query_logs contains='connections': used against the limit?",
        ruled_out="Connections are not exhausted",
    ),
    CauseSpec(
        "connection_leak",
        CauseCategory.RESOURCE_EXHAUSTION,
        "a database connection leak",
        "A connection leak in {subject} holds database connections until its pool is used up",
        "A connection leak in {subject} holds database connections until its pool is used up",
        (
            need(Kind.CONNECTION_LEAK),
            need(
                Kind.POOL_EXHAUSTED,
                Kind.POOL_FULL,
                Kind.CONNECTIONS_AT_LIMIT,
                Kind.CONNECTIONS_RISING,
                Kind.TOO_MANY_CONNECTIONS,
                Kind.SESSIONS_IDLE,
            ),
        ),
        _SYMPTOMS | {Topic.CONNECTIONS, Topic.CPU},
        confirming={Kind.SESSIONS_IDLE: 1.0, Kind.POOL_FULL: 0.8, Kind.POOL_EXHAUSTED: 0.7, Kind.SQL_CLIENT_WAIT: 0.7},
        actions=(
            Action(
                "Roll back the version that takes connections without giving them back; restarting the pods frees them "
                "only until the pool is full again.",
                "low: the new version is not in use meanwhile",
            ),
            Action("Read the stack trace of the leak warning: it names the place that took the connection."),
            Action("Close every connection in the code that took it, and keep leak detection on."),
        ),
        decide="query_logs APPLICATION contains='leak': does the pool warn of connections that are not given back?",
        ruled_out="No leak is logged",
    ),
    CauseSpec(
        "connection_pool_exhausted",
        CauseCategory.RESOURCE_EXHAUSTION,
        "the client's connection pool exhausted",
        "The connection pool of {subject} is exhausted, so its requests time out waiting for a connection",
        "The connection pool of {subject} is exhausted, so its requests time out waiting for a connection",
        (need(Kind.POOL_EXHAUSTED, Kind.POOL_FULL),),
        _SYMPTOMS | {Topic.CONNECTIONS},
        confirming={Kind.CONNECTIONS_RISING: 0.5, Kind.CALL_TIMEOUT: 0.3, Kind.HTTP_5XX: 0.3, Kind.SLOW_CALL: 0.3},
        consequence_of=frozenset(
            {
                "connection_leak",
                "db_connection_exhaustion",
                "storage_exhaustion",
                "lock_contention",
                "checkpoint_vacuum_pressure",
                "cpu_saturation_query",
                "slow_database_query",
                "database_failover",
            }
        ),
        actions=(
            Action("Look for connections that are taken and not given back: compare active, idle and pending."),
            Action("Restart one instance to free leaked connections.", "medium: requests in flight on it fail"),
        ),
        decide="query_logs contains='pool': does acquiring a connection time out?",
        ruled_out="The client's pool is not exhausted",
    ),
    CauseSpec(
        "cpu_saturation_query",
        CauseCategory.RESOURCE_EXHAUSTION,
        "CPU saturated by a query",
        "The CPU of {subject} is saturated by one query, {statement}",
        "The CPU of {subject} is saturated by its query load",
        (need(Kind.CPU_SATURATED), need(Kind.SQL_CPU)),
        _SYMPTOMS | {Topic.CPU, Topic.CONNECTIONS},
        Scope.DATABASE,
        confirming={Kind.READ_SURGE: 0.5, Kind.READS_HEAVY: 0.5, Kind.SQL_SLOW: 0.5},
        refuted_by=frozenset({Kind.CPU_NORMAL}),
        consequence_of=frozenset({"checkpoint_vacuum_pressure"}),
        actions=(
            Action("Explain the query: a scan without a selective index is the usual reason."),
            Action("Cancel the running copies of the query if the service is down.", "low: their callers get an error"),
            Action("Add the missing index.", "medium: building it loads the server; use an online build"),
        ),
        decide="query_logs DATABASE_SLOW_QUERY: which statement carries the CPU time?",
        ruled_out="A CPU-bound query is not the cause",
    ),
    CauseSpec(
        "slow_database_query",
        CauseCategory.RESOURCE_EXHAUSTION,
        "a slow database query",
        "A slow statement on {subject} holds its callers up, {statement}",
        "Slow statements on {subject} hold their callers up",
        (need(Kind.SQL_SLOW),),
        _SYMPTOMS | {Topic.CPU, Topic.CONNECTIONS},
        Scope.DATABASE,
        confirming={Kind.LATENCY_SURGE: 0.5, Kind.READ_SURGE: 0.5, Kind.SLOW_CALL: 0.3},
        consequence_of=frozenset(
            {"checkpoint_vacuum_pressure", "storage_exhaustion", "lock_contention", "cpu_saturation_query"}
        ),
        actions=(Action("Explain the statement and compare rows examined with rows returned."),),
        decide="query_logs DATABASE_SLOW_QUERY: which statement is slow?",
        ruled_out="No slow statement was logged",
    ),
    CauseSpec(
        "database_failover",
        CauseCategory.INFRASTRUCTURE_FAILURE,
        "a database failover",
        "{subject} went through a failover",
        "{subject} went through a failover",
        (need(Kind.FAILOVER),),
        _SYMPTOMS | {Topic.CONNECTIONS, Topic.NETWORK},
        Scope.DATABASE,
        confirming={
            Kind.CONNECTIONS_DROPPED: 1.0,
            Kind.HOST_FAILED: 0.9,
            Kind.DB_RESTART: 0.7,
            Kind.CONN_REFUSED: 0.4,
            Kind.READ_ONLY: 0.4,
        },
        actions=(
            Action(
                "Find out why the old primary was given up: its host, storage and health checks before the failover."
            ),
            Action("Check that all clients have reconnected to the new primary."),
        ),
        decide="query_logs SYSTEM_EVENTS contains='failover': did roles change, and when?",
        ruled_out="No failover is recorded",
    ),
    CauseSpec(
        "disk_io_saturation",
        CauseCategory.RESOURCE_EXHAUSTION,
        "saturated disk I/O",
        "The disk of {subject} is saturated by {statement}",
        "The disk of {subject} is saturated, so requests queue up for I/O",
        (need(Kind.QUEUE_SURGE), need(Kind.LATENCY_SURGE, Kind.WRITE_SURGE, Kind.READ_SURGE)),
        _SYMPTOMS | {Topic.IO},
        Scope.DATABASE,
        confirming={Kind.SQL_WRITE: 0.7, Kind.SQL_IO_READ: 0.7, Kind.WRITE_SURGE: 0.4, Kind.READ_SURGE: 0.4},
        consequence_of=frozenset(
            {"checkpoint_vacuum_pressure", "storage_exhaustion", "replication_lag_write_load", "cpu_saturation_query"}
        ),
        actions=(
            Action("Raise the volume's IOPS, or move the heavy statement out of peak hours.", "low: it costs more"),
        ),
        decide="query_metrics contains=['queue', 'iops', 'latency']: is the volume at its limit?",
        ruled_out="Disk I/O is not saturated",
    ),
    CauseSpec(
        "db_read_only",
        CauseCategory.DATA_OR_STORAGE,
        "a database that only accepts reads",
        "{subject} only accepts reads, so writes fail",
        "{subject} only accepts reads, so writes fail",
        (need(Kind.READ_ONLY),),
        _SYMPTOMS | {Topic.STORAGE},
        Scope.DATABASE,
        consequence_of=frozenset({"storage_exhaustion", "database_failover"}),
        actions=(Action("Check which node the clients write to, and whether it is the primary."),),
        decide="query_logs contains='read-only': which server refuses writes?",
        ruled_out="Writes are accepted",
    ),
)
