"""Words of the field that mean the same: a query that uses one also finds documents that use another.

Each line is a group of equals, written as people write them; they are matched by their terms, so `certificates` finds
the group of `certificate`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from rootproof.knowledge.tokens import terms

_GROUPS = (
    ("oom", "out of memory", "OOMKilled", "memory exhausted"),
    ("5xx", "server error", "500 error", "internal server error"),
    ("4xx", "client error"),
    ("tls", "ssl", "certificate", "cert", "x509"),
    ("disk", "volume", "filesystem", "storage"),
    ("pvc", "persistentvolumeclaim", "persistent volume claim", "persistent volume", "pv"),
    ("k8s", "kubernetes", "kube"),
    ("db", "database"),
    ("postgres", "postgresql", "pg", "psql"),
    ("mysql", "mariadb"),
    ("cpu", "processor"),
    ("mem", "memory"),
    ("latency", "slow", "response time", "duration", "slow response"),
    ("timeout", "time out", "timed out", "deadline exceeded"),
    ("crash loop", "crashloop", "crashloopbackoff", "restarting", "crash looping"),
    ("down", "unavailable", "unreachable", "offline", "not running", "disappeared", "absent"),
    ("replica", "standby", "follower", "secondary", "replication"),
    ("primary", "master", "leader"),
    ("lag", "delay", "behind", "lagging"),
    ("full", "out of space", "no space left", "space", "filling up", "almost full"),
    ("connection", "connections", "conn", "session"),
    ("queue", "backlog", "pending"),
    ("dns", "name resolution", "resolver", "coredns"),
    ("auth", "authentication", "authorization", "unauthorized", "permission denied"),
    ("throttle", "throttling", "rate limit", "rate limiting"),
    ("config", "configuration", "settings"),
    ("reload", "reloading"),
    ("expire", "expiry", "expiring", "expiration"),
    ("saturation", "exhausted", "saturated", "running out", "limit reached", "maxed out"),
    ("error", "failure", "failing", "fault"),
    ("deploy", "deployment", "rollout", "release"),
    ("node", "host", "machine", "instance", "server"),
    ("nic", "network interface"),
    ("fd", "file descriptor", "open files"),
    ("gc", "garbage collection"),
    ("lb", "load balancer"),
    ("ro", "read only", "readonly"),
    ("ntp", "clock", "time synchronisation", "clock skew"),
    ("traffic", "requests", "rps", "qps"),
    ("wal", "write ahead log"),
    ("apiserver", "api server", "kube-apiserver"),
)
_MAX_PHRASE_TERMS = 4


@lru_cache(maxsize=1)
def _by_phrase() -> dict[tuple[str, ...], frozenset[str]]:
    """Each member's terms -> the terms of the others that are one word (a part of a phrase alone says too little)."""
    table: dict[tuple[str, ...], frozenset[str]] = {}
    for group in _GROUPS:
        members = {tuple(terms(member)) for member in group}
        single = {member[0] for member in members if len(member) == 1}
        for member in members:
            if member and len(member) <= _MAX_PHRASE_TERMS:
                table[member] = table.get(member, frozenset()) | (single - set(member))
    return table


def expansions(query: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Phrase of the query -> the terms to add for it, sorted; phrases without a group do not appear."""
    table = _by_phrase()
    present = set(query)
    found: dict[str, tuple[str, ...]] = {}
    for start in range(len(query)):
        for length in range(1, _MAX_PHRASE_TERMS + 1):
            phrase = tuple(query[start : start + length])
            new = tuple(sorted(table.get(phrase, frozenset()) - present))
            if len(phrase) == length and new:
                found[" ".join(phrase)] = new
    return found
