"""The built-in skills: valid, complete, choosable by their metadata, and asking only what our tools can answer."""

from __future__ import annotations

import ast
import re

import pytest

from rootproof.skills.builtin import builtin_texts
from rootproof.skills.catalog import Catalog

CATALOG = Catalog(builtin_texts())
NAMES = [info.name for info in CATALOG.infos()]
SECTIONS = ["When to use", "Evidence in order", "What confirms", "What rules out", "Next actions"]
ARGUMENTS = {
    "query_logs": {"topic", "services", "level", "contains", "lookback_minutes"},
    "query_metrics": {"contains", "lookback_minutes"},
    "query_alerts": {"state", "contains"},
    "query_cluster": {"view", "kind", "name", "namespace"},
    "lookup_knowledge": {"query", "top_k"},
}
VALUES = {
    "topic": {"APPLICATION", "DATABASE_SLOW_QUERY", "SYSTEM_EVENTS"},
    "level": {"TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"},
    "state": {"firing", "pending", "inactive"},
    "view": {
        *("overview", "list", "describe", "events", "yaml", "node_services", "connectivity", "changes", "topology"),
        "manifests",
    },
}
REQUIRED = {"query_logs": {"topic"}, "query_cluster": {"view"}, "lookup_knowledge": {"query"}}
_CALL = re.compile(r"`(\w+\([^`]*\))`")


def calls(body: str) -> list[ast.Call]:
    flat = " ".join(body.split())
    parsed = [ast.parse(text, mode="eval").body for text in _CALL.findall(flat)]
    return [call for call in parsed if isinstance(call, ast.Call)]


def test_they_load_without_a_problem() -> None:
    assert CATALOG.problems == ()
    assert CATALOG.notices == ()
    assert "diagnose-mysql-connection-pool" in NAMES
    assert len(NAMES) >= 29


@pytest.mark.parametrize("name", NAMES)
def test_each_has_its_sections_in_order(name: str) -> None:
    headings = re.findall(r"^## (.+)$", CATALOG.read(name).body, re.MULTILINE)

    assert headings[: len(SECTIONS)] == SECTIONS


@pytest.mark.parametrize("name", NAMES)
def test_each_asks_what_the_tools_can_answer(name: str) -> None:
    found = calls(CATALOG.read(name).body)

    assert len(found) >= 5
    for call in found:
        tool = call.func.id if isinstance(call.func, ast.Name) else ""
        given = {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords}
        assert set(given) <= ARGUMENTS[tool], (name, tool, given)
        assert set(given) >= REQUIRED.get(tool, set()), (name, tool, given)
        for key, value in given.items():
            assert value in VALUES.get(str(key), {value} if not isinstance(value, list) else [value]), (
                name,
                key,
                value,
            )
        assert 1 <= given.get("lookback_minutes", 60) <= 10_080
        assert 1 <= given.get("top_k", 5) <= 8


@pytest.mark.parametrize("name", NAMES)
def test_each_action_states_its_risk(name: str) -> None:
    section = CATALOG.read(name).body.split("## Next actions")[1].split("\n## ")[0]
    actions = [" ".join(item.split()) for item in re.split(r"^- ", section, flags=re.MULTILINE)[1:]]

    assert actions
    assert all("Risk: " in action for action in actions)


@pytest.mark.parametrize("name", NAMES)
def test_each_refers_to_skills_that_exist(name: str) -> None:
    skill = CATALOG.read(name)

    assert set(re.findall(r"diagnose-[a-z-]+[a-z]", " ".join(skill.body.split()))) <= set(NAMES)


SITUATIONS = {
    "HikariPool-1 - Connection is not available; MySQL Threads_connected": "diagnose-mysql-connection-pool",
    "PostgreSQL remaining connection slots are reserved, DatabaseConnections high": "diagnose-database-connections",
    "RDS CPUUtilization near 100, DB load above vCPU": "diagnose-database-cpu",
    "Lock wait timeout exceeded, deadlock detected, slow query log": "diagnose-slow-queries-and-locks",
    "429 Too Many Requests, rate limit exceeded, ThrottlingException": "diagnose-rate-limiting",
    "retry storm, max retries exceeded, thundering herd": "diagnose-retry-storm",
    "FreeStorageSpace falling, pg_wal size, storage full": "diagnose-database-storage",
    "ReplicaLag rising, Seconds_Behind_Master, stale reads": "diagnose-replication-lag",
    "checkpoints are occurring too frequently, autovacuum, dead tuples": "diagnose-checkpoint-vacuum-pressure",
    "Multi-AZ failover started, the database system is starting up": "diagnose-database-failover",
    "container OOMKilled exit code 137": "diagnose-oom-memory",
    "CPUThrottlingHigh container_cpu_cfs_throttled_periods": "diagnose-cpu-throttling",
    "CrashLoopBackOff configmap not found": "diagnose-crash-loop-configuration",
    "ImagePullBackOff manifest unknown": "diagnose-image-pull",
    "FailedScheduling 0/5 nodes are available: Insufficient cpu": "diagnose-scheduling-capacity",
    "PVC Pending storageclass not found FailedMount": "diagnose-volume-storage-class",
    "Readiness probe failed with statuscode 503": "diagnose-probes",
    "NodeNotReady kubelet stopped posting node status DiskPressure": "diagnose-node-pressure",
    "UnknownHostException no such host CoreDNS SERVFAIL": "diagnose-dns-network",
    "504 upstream request timeout deadline exceeded circuit breaker": "diagnose-dependency-timeouts",
    "x509: certificate has expired": "diagnose-certificate-expiry",
    "KubeJobFailed BackoffLimitExceeded cron job": "diagnose-job-failure",
    "p99 latency high, slow responses, http_request_duration_seconds": "diagnose-latency",
    "Watchdog heartbeat alert, everything healthy, resolved": "diagnose-false-alarm",
}


@pytest.mark.parametrize(("situation", "name"), SITUATIONS.items())
def test_the_metadata_alone_leads_to_the_skill(situation: str, name: str) -> None:
    """By plain word overlap, each word weighed by how few descriptions have it: the least a planner can do."""
    words = {info.name: set(re.findall(r"\w+", f"{info.name} {info.description}".lower())) for info in CATALOG.infos()}
    wanted = set(re.findall(r"\w+", situation.lower()))
    scores = {
        skill: sum(1 / sum(word in other for other in words.values()) for word in wanted & own)
        for skill, own in words.items()
    }

    assert max(scores, key=lambda skill: scores[skill]) == name
