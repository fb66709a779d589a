"""A cluster's state as facts: what is wrong now, what was, and what is as it should be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime

from rootproof.cluster.fact import ClusterFact, Focus, Weight
from rootproof.cluster.rules.configuration import configuration_facts
from rootproof.cluster.rules.history import history_facts
from rootproof.cluster.rules.images import image_facts
from rootproof.cluster.rules.nodes import node_facts
from rootproof.cluster.rules.pods import pod_facts
from rootproof.cluster.rules.probes import probe_facts
from rootproof.cluster.rules.quotas import quota_facts
from rootproof.cluster.rules.resources import resource_facts
from rootproof.cluster.rules.scheduling import scheduling_facts
from rootproof.cluster.rules.services import service_facts
from rootproof.cluster.rules.storage import storage_facts
from rootproof.cluster.rules.view import View
from rootproof.cluster.rules.workloads import workload_facts
from rootproof.cluster.state import ClusterState

__all__ = ["ClusterFact", "Focus", "Weight", "facts"]

Rule = Callable[[View], Iterator[ClusterFact]]
RULES: tuple[Rule, ...] = (
    pod_facts,
    image_facts,
    probe_facts,
    scheduling_facts,
    workload_facts,
    quota_facts,
    configuration_facts,
    resource_facts,
    storage_facts,
    service_facts,
    node_facts,
    history_facts,
)


def facts(state: ClusterState, *, now: datetime, focus: Focus | None = None) -> list[ClusterFact]:
    """Every fact that the rules derive from the state as it is at `now`.

    Shape: abnormal and current facts first, then by relevance to `focus`, by nearness to a cause, by name. Equal facts
    appear once. Identifiers are raw: the caller redacts.
    """
    if now.tzinfo is None:
        raise ValueError("facts need an aware `now`")
    view = View.of(state, now.astimezone(UTC))
    found = _joined(_unique(item for rule in RULES for item in rule(view)))
    chosen = focus or Focus()
    return sorted(found, key=lambda item: _order(item, chosen))


def _unique(items: Iterable[ClusterFact]) -> list[ClusterFact]:
    found: dict[tuple[str, str | None, str, str], ClusterFact] = {}
    for item in items:
        found.setdefault((item.object, item.namespace, item.reason, item.text), item)
    return list(found.values())


def _joined(items: list[ClusterFact]) -> list[ClusterFact]:
    """Pods of one app with the same trouble as one fact: the first in full, the others by name."""
    groups: dict[tuple[object, ...], list[ClusterFact]] = {}
    for item in items:
        alike = item.kind == "pod" and item.app is not None and item.abnormal
        key = (item.namespace, item.app, item.aspect, item.reason, item.current, item.values.get("container"))
        groups.setdefault(key if alike else (id(item),), []).append(item)
    return [_first_of(group) for group in groups.values()]


def _first_of(group: list[ClusterFact]) -> ClusterFact:
    first = group[0]
    others = sorted({item.name for item in group} - {first.name})
    if not others:
        return first
    named = ", ".join(others[:3]) + (", ..." if len(others) > 3 else "")
    lasts = [item.last_at for item in group if item.last_at is not None]
    return replace(
        first,
        text=f"{first.text}; the same for {len(others)} more pod{'' if len(others) == 1 else 's'} of it: {named}",
        values={**first.values, "pods": len(others) + 1},
        last_at=max(lasts) if lasts else None,
    )


def _order(item: ClusterFact, focus: Focus) -> tuple[int, int, int, str, str]:
    alive = 0 if item.abnormal and item.current else 1 if item.abnormal else 2
    return alive, -focus.relevance(item), int(item.weight), item.object, item.reason
