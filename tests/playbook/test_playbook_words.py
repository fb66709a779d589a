"""What lines of widely used servers and drivers mean, in their own words, and what only looks like it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from rootproof.agent.playbook.log_signals import log_signals
from rootproof.agent.playbook.observations import LogItem
from rootproof.agent.playbook.signals import Kind

NOW = datetime(2031, 5, 4, 12, tzinfo=UTC)


def kinds(text: str, level: str = "ERROR", topic: str = "APPLICATION") -> set[str]:
    item = LogItem("E1", topic, level, "heron", text, 1, NOW, NOW, is_pattern=True)
    return {str(signal.kind.value) for signal in log_signals([item], NOW)}


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (Kind.TOO_MANY_CONNECTIONS, "ORA-00020: maximum number of processes (300) exceeded"),
        (Kind.TOO_MANY_CONNECTIONS, "ERR max number of clients reached"),
        (Kind.TOO_MANY_CONNECTIONS, "User 'w' has exceeded the 'max_user_connections' resource (current value: 50)"),
        (Kind.TOO_MANY_CONNECTIONS, "no more connections allowed (max_client_conn)"),
        (Kind.POOL_EXHAUSTED, "The timeout period elapsed prior to obtaining a connection from the pool."),
        (Kind.POOL_EXHAUSTED, "jdbc.pool.PoolExhaustedException: Timeout: Pool empty. Unable to fetch a connection"),
        (Kind.POOL_EXHAUSTED, "could not obtain a connection from the pool within 5.000 seconds (waited)"),
        (Kind.CONNECTION_LEAK, "Connection has been abandoned PooledConnection[com.example.Connection@1]"),
        (Kind.LOCK_WAIT, "process 81 still waiting for ShareLock on transaction 771 after 1000.091 ms"),
        (Kind.LOCK_WAIT, "Waiting for table metadata lock"),
        (Kind.LOCK_WAIT, "SPID 61 blocked by SPID 55 for 120 s"),
        (Kind.DEADLOCK, "Transaction (Process ID 62) was deadlocked on lock resources with another process"),
        (Kind.DEADLOCK, "ORA-00060: deadlock detected while waiting for resource"),
        (Kind.DISK_FULL, "Error 1114 (HY000): The table 'parcels' is full"),
        (Kind.DISK_FULL, "ORA-01653: unable to extend table HERON.PARCELS by 128 in tablespace USERS"),
        (Kind.READ_ONLY, "READONLY You can't write against a read only replica."),
        (Kind.READ_ONLY, "The MySQL server is running with the --super-read-only option"),
        (Kind.FAILOVER, "received promote request"),
        (Kind.FAILOVER, "+switch-master mymaster 10.0.0.1 6379 10.0.0.2 6379"),
        (Kind.FAILOVER, "Election succeeded, assuming primary role in term 7"),
        (Kind.FAILOVER, "A new writer was promoted. Restarting database as a result."),
        (Kind.DISK_STALLED, "INFO: task mysqld:2119 blocked for more than 120 seconds."),
        (Kind.DISK_STALLED, "Asynchronous AOF fsync is taking too long (disk is busy?)"),
        (Kind.CACHE_FAILURE, "SET k failed: OOM command not allowed when used memory > 'maxmemory'."),
        (Kind.CACHE_FAILURE, "CLUSTERDOWN The cluster is down"),
        (Kind.CACHE_FAILURE, "RedisTimeoutException: Unable to send command!"),
        (Kind.QUEUE_LAG, "Offset commit failed: the consumer is not part of an active group"),
        (Kind.BAD_MESSAGE, "RecordDeserializationException: Error deserializing value at offset 77"),
        (Kind.BAD_MESSAGE, "Failed to parse message at offset 1288"),
        (Kind.RATE_LIMITED, "HTTP 429 Too Many Requests from https://api.partner.test/v1/labels"),
        (Kind.RATE_LIMITED, "SlowDown: Please reduce your request rate."),
        (Kind.CALLERS_LIMITED, "GET /v1/journey 429 too many requests"),
        (Kind.CALLERS_LIMITED, '"POST /v1/orders HTTP/1.1" 429 118'),
    ],
)  # fmt: skip
def test_a_line_means(kind: Kind, text: str) -> None:
    assert kind.value in kinds(text)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (Kind.DEADLOCK, "health check ok, no deadlock detected"),
        (Kind.CALL_TIMEOUT, "canceling statement due to statement timeout"),
        (Kind.CALL_TIMEOUT, "Lock wait timeout exceeded; try restarting transaction"),
        (Kind.AUTH_FAILURE, "login failed: remaining connection slots are reserved for superusers"),
        (Kind.QUEUE_LAG, "worker queue full (512), request shed"),
        (Kind.RATE_LIMITED, "GET /v1/journey 429 too many requests"),
        (Kind.SLOW_CALL, "duration: 9012.118 ms  statement: SELECT * FROM parcels"),
        (Kind.SLOW_CALL, 'automatic vacuum of table "heron.public.parcels": elapsed: 12.3 s'),
    ],
)
def test_a_line_does_not_mean(kind: Kind, text: str) -> None:
    assert kind.value not in kinds(text)


@pytest.mark.parametrize(
    "text",
    [
        "duration: 9012.118 ms  statement: SELECT * FROM parcels WHERE box = 3",
        "duration: 4120.808 ms  execute <unnamed>: SELECT * FROM parcels WHERE box = $1",
        "slow query: 61022 ms SELECT id FROM parcels WHERE depot = $1",
    ],
)
def test_a_statement_with_its_time_is_a_slow_statement_in_any_log(text: str) -> None:
    assert kinds(text, "INFO") == {"sql.slow_statement"}


def test_a_fast_statement_is_none() -> None:
    assert kinds("duration: 12.1 ms  statement: SELECT * FROM parcels", "INFO") == set()
