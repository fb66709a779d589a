"""Words for matching: tokens without noise, and the synonyms that on-call English uses."""

from __future__ import annotations

import re

_TOKEN = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[a-z]+|\d+")
_STOP = frozenset(
    [
        "a",
        "an",
        "the",
        "of",
        "in",
        "on",
        "at",
        "to",
        "for",
        "from",
        "by",
        "with",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "being",
        "it",
        "its",
        "this",
        "that",
        "these",
        "those",
        "and",
        "or",
        "not",
        "no",
        "do",
        "does",
        "did",
        "how",
        "what",
        "which",
        "who",
        "why",
        "when",
        "where",
        "i",
        "we",
        "you",
        "my",
        "our",
        "your",
        "me",
        "us",
        "can",
        "could",
        "should",
        "would",
        "will",
        "may",
        "might",
        "has",
        "have",
        "had",
        "there",
        "here",
        "if",
        "then",
        "than",
        "as",
        "so",
        "about",
        "into",
        "over",
        "under",
        "up",
        "down",
        "out",
        "off",
        "just",
        "please",
        "tell",
        "show",
        "give",
        "get",
        "find",
        "use",
        "when",
    ]
)
_GROUPS = (
    "memory oom oomkilled heap ram mem",
    "cpu processor compute throttling throttled throttle",
    "connection connections pool clients sessions max_connections",
    "replication replica lag standby",
    "storage disk space volume filesystem full",
    "restart restarts restarting crash crashing crashloop crashloopbackoff backoff",
    "pending unschedulable scheduling scheduler schedule",
    "latency slow slowness timeout timeouts duration",
    "dns resolve resolution lookup enotfound",
    "image imagepullbackoff errimagepull pull registry",
    "probe liveness readiness health",
    "certificate tls ssl expired expiry",
    "job cronjob batch",
    "node kubelet notready",
    "query queries sql statement",
    "lock locks deadlock blocked blocking",
    "vacuum checkpoint autovacuum wal",
    "queue backlog consumer kafka rabbitmq",
    "error errors failing failure failed exception 5xx",
    "quota limit limits",
    "failover switchover promote promotion",
)
_CANON = {word: group.split()[0] for group in _GROUPS for word in group.split()}


def stemmed(word: str) -> str:
    """The canonical form of a word: its synonym group, else without a plural ending."""
    if word in _CANON:
        return _CANON[word]
    plain = word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
    return _CANON.get(plain, plain)


def tokens(text: str) -> frozenset[str]:
    """The telling words of a text in canonical form."""
    found = (match.group().lower() for match in _TOKEN.finditer(text))
    return frozenset(stemmed(word) for word in found if word not in _STOP and len(word) > 1)
