"""Which workload an object belongs to: by its owner, its labels, or the stem of its generated name."""

from __future__ import annotations

import re
from collections.abc import Mapping

_REPLICA_SET_POD = re.compile(r"(?P<stem>.+)-(?P<hash>[a-z0-9]{5,10})-[a-z0-9]{4,5}")
_HASH = re.compile(r"[bcdf0-9][a-f0-9]{4,9}|[bcdfghjklmnpqrstvwxz0-9]{5,10}|(?=[a-z]*[0-9])[a-z0-9]{6,10}")
# Kubernetes draws suffixes from an alphabet without vowels, 0, 1 and 3, so that no words come out by chance.
_RANDOM_SUFFIX = re.compile(r"(?P<stem>.+)-[bcdfghjklmnpqrstvwxz2456789]{5}")
_ORDINAL = re.compile(r"(?P<stem>.+)-\d{1,4}")
_CRON_RUN = re.compile(r"(?P<stem>.+)-\d{7,10}")
NAME_LABELS = ("app.kubernetes.io/name", "app", "k8s-app", "name", "component", "run")


def workload_of(
    pod_name: str,
    *,
    owner_kind: str | None = None,
    owner_name: str | None = None,
    labels: Mapping[str, str] | None = None,
) -> str | None:
    """The name of the workload that a pod belongs to; None for a bare pod whose labels name nothing.

    An owner wins over labels, labels over the name's stem. A ReplicaSet's owner is its name without the hash, a
    CronJob's run is named without its time.
    """
    if owner_name:
        match owner_kind:
            case "replicaset":
                return replica_set_stem(owner_name)
            case "job":
                return cron_stem(owner_name)
            case "node":
                return stem_of(pod_name)
            case _:
                return owner_name
    stem = stem_of(pod_name)
    label = name_label(labels or {})
    if label is not None and (stem is None or label not in stem):
        return label if stem is None else stem
    return stem or label


def name_label(labels: Mapping[str, str]) -> str | None:
    """The value of the first label that names an application."""
    return next((labels[key] for key in NAME_LABELS if labels.get(key)), None)


def stem_of(pod_name: str) -> str | None:
    """The workload's part of a generated pod name (`web-7d9f8c6b5d-x2x4z`: `web`); None when nothing was generated."""
    match = _REPLICA_SET_POD.fullmatch(pod_name)
    if match is not None and _HASH.fullmatch(match["hash"]):
        return match["stem"]
    match = _RANDOM_SUFFIX.fullmatch(pod_name)
    if match is not None:
        return cron_stem(match["stem"])
    match = _ORDINAL.fullmatch(pod_name)
    return match["stem"] if match is not None else None


def replica_set_stem(name: str) -> str:
    """A ReplicaSet's name without the template hash; the name itself when it has none."""
    stem, _, last = name.rpartition("-")
    return stem if stem and _HASH.fullmatch(last) else name


def cron_stem(name: str) -> str:
    """A Job's name without the scheduled time that a CronJob appends."""
    match = _CRON_RUN.fullmatch(name)
    return match["stem"] if match is not None else name
