"""Which workload a pod, or a file named after one, belongs to."""

from __future__ import annotations

import re

_REPLICASET_POD = re.compile(r"(?P<workload>[a-z0-9][a-z0-9.-]*?)-(?=[a-z]*[0-9])[a-z0-9]{8,10}-[a-z0-9]{5}")
_OWNED_POD = re.compile(r"(?P<workload>[a-z0-9][a-z0-9.-]*?)-[bcdfghjklmnpqrstvwxz2456789]{5}")
"""Pods of daemon sets and jobs: five characters of the alphabet without vowels that Kubernetes uses for suffixes."""
_ORDINAL_POD = re.compile(r"(?P<workload>[a-z][a-z0-9.-]*?)-[0-9]{1,2}")
_CONTAINER_LOG = re.compile(r"(?P<pod>[a-z0-9][a-z0-9.-]*)_(?P<namespace>[a-z0-9-]+)_[a-z0-9-]+-[0-9a-f]{64}")
_ENDINGS = re.compile(
    r"(?:\.(?:log|logs|txt|out|err|json|jsonl|ndjson|csv|gz|bz2|xz|zst|zstd)|[.-]\d{4}-?\d{2}-?\d{2}(?:[T_-]\d{2,6})?|\.\d{1,3})+$",
    re.IGNORECASE,
)


def workload_of(name: str) -> str | None:
    """The workload whose pod has this name, or None where the name has no pod's shape."""
    for shape in (_REPLICASET_POD, _OWNED_POD, _ORDINAL_POD):
        if match := shape.fullmatch(name):
            return match["workload"]
    return None


def stem_of(file_name: str) -> str:
    """A log file's name without its endings: `orders.log.2.gz` and `orders-2026-01-01.log` are both `orders`.

    The container runtime's `POD_NAMESPACE_CONTAINER-ID.log` gives the pod.
    """
    stem = _ENDINGS.sub("", file_name) or file_name
    match = _CONTAINER_LOG.fullmatch(stem)
    return match["pod"] if match else stem
