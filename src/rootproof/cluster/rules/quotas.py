"""Namespace quotas: what was refused, and objects that were declared, are missing, and would not fit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Unpack

from rootproof.cluster.fact import ClusterFact, Weight, one_line, sentence
from rootproof.cluster.model import Claim, Quota, Service, Workload
from rootproof.cluster.observations import Event
from rootproof.cluster.quantities import amount_text, quantity
from rootproof.cluster.rules.view import Extra, View, app_of_object, claim_app, fact
from rootproof.cluster.rules.workloads import short_of_replicas

_EXCEEDED = re.compile(
    r"exceeded quota: (?P<quota>[a-z0-9.-]{1,253}), requested: (?P<asked>[^ ]{1,500}), used: (?P<used>[^ ]{1,500}), "
    r"limited: (?P<limit>[^ ]{1,500})"
)
_FULL = 0.98


def resource_word(resource: str) -> str:
    """The kind of a quota's resource: `cpu`, `memory`, `pod`, `service`, `storage`, or `object`."""
    if resource.endswith("cpu"):
        return "cpu"
    if resource.endswith("storage") or "persistentvolumeclaims" in resource:
        return "storage"
    if resource.endswith("memory"):
        return "memory"
    if "pods" in resource:
        return "pod"
    return "service" if "services" in resource else "object"


def quota_facts(view: View) -> Iterator[ClusterFact]:
    """Refusals that still hurt, missing objects that a quota keeps out, and how full every quota is."""
    blamed: set[tuple[str, str]] = set()
    for event in _refusals(view):
        found = _refusal(view, event)
        if found is not None and (event.namespace, found.reason) not in blamed:
            blamed.add((event.namespace, found.reason))
            yield found
    for found in _kept_out(view):
        if (found.namespace or "", found.reason) not in blamed:
            blamed.add((found.namespace or "", found.reason))
            yield found
    for quota in view.state.quotas.values():
        yield from _levels(quota)


def _refusals(view: View) -> list[Event]:
    found = [event for event in view.state.events if "exceeded quota" in event.message]
    return sorted(found, key=lambda event: event.last_age_s if event.last_age_s is not None else 0.0)


def _refusal(view: View, event: Event) -> ClusterFact | None:
    match = _EXCEEDED.search(event.message)
    app = app_of_object(view, event.kind, event.namespace, event.name)
    workload = view.workload(event.namespace, app)
    current = workload is None or short_of_replicas(view, workload)
    if not current:
        return None
    if match is None:
        words = f"a quota was exceeded: {one_line(event.message, 300)}"
        return _namespace_fact(event.namespace, "quota_exceeded", words, app=app)
    resource = _first_over(match)
    values: dict[str, str | float] = {"quota": match["quota"], "resource": resource}
    for key in ("asked", "used", "limit"):
        amount = quantity(_pairs(match[key]).get(resource))
        if amount is not None:
            values[key] = amount
    first, last = view.times(event)
    words = sentence(
        f"quota {match['quota']} is exceeded by {event.kind} {event.name}",
        f"requested {match['asked']}",
        f"used {match['used']}",
        f"limited to {match['limit']}",
    )
    return _namespace_fact(
        event.namespace, f"{resource_word(resource)}_quota_exceeded", words, app=app, values=values,
        first_at=first, last_at=last, count=event.count,
    )  # fmt: skip


def _pairs(text: str) -> dict[str, str]:
    return {key: value for key, _, value in (part.partition("=") for part in text.split(","))}


def _first_over(match: re.Match[str]) -> str:
    asked, used, limit = (_pairs(match[key]) for key in ("asked", "used", "limit"))
    for resource in asked:
        parts = (quantity(asked[resource]), quantity(used.get(resource)), quantity(limit.get(resource)))
        if all(part is not None for part in parts) and (parts[0] or 0) + (parts[1] or 0) > (parts[2] or 0):
            return resource
    return next(iter(asked), "")


def _namespace_fact(namespace: str, reason: str, words: str, *, app: str | None, **extra: Unpack[Extra]) -> ClusterFact:
    extra.setdefault("weight", Weight.CAUSE)
    return fact("namespace", namespace, "quota", reason, words, namespace=namespace, app=app, **extra)


def _kept_out(view: View) -> Iterator[ClusterFact]:
    """Declared objects that do not exist, in a namespace whose quota has no room for them."""
    for item, kind, demand, app in _missing(view):
        namespace = item.namespace
        found = None
        for quota in view.state.quotas.values():
            resource = _no_room(quota, demand) if quota.namespace == namespace else None
            if resource is not None:
                found = (quota, resource)
                break
        if found is None:
            words = "is declared in a manifest and does not exist"
            yield fact(kind, item.name, "replicas", "declared_not_found", words, namespace=namespace, app=app)
            continue
        quota, resource = found
        used, hard = (quota.used or {}).get(resource, 0.0), (quota.hard or {})[resource]
        words = (
            f"{kind} {item.name} is declared and does not exist, and quota {quota.name} has no room for it: {resource} "
            f"used {amount_text(resource, used)} of {amount_text(resource, hard)}, it asks for "
            f"{amount_text(resource, demand[resource])}"
        )
        values: dict[str, str | float] = {"quota": quota.name, "resource": resource, "used": used, "limit": hard}
        yield _namespace_fact(namespace, f"{resource_word(resource)}_quota_exceeded", words, app=app, values=values)


def _no_room(quota: Quota, demand: Mapping[str, float]) -> str | None:
    for resource, hard in (quota.hard or {}).items():
        if resource in demand and (quota.used or {}).get(resource, 0.0) + demand[resource] > hard:
            return resource
    return None


def _missing(view: View) -> Iterator[tuple[Service | Claim | Workload, str, dict[str, float], str | None]]:
    for item in view.state.declared:
        match item:
            case Service() if view.state.exists("service", item.namespace, item.name) is False:
                demand = {"services": 1.0, "count/services": 1.0}
                if item.type == "LoadBalancer":
                    demand["services.loadbalancers"] = 1.0
                if item.type in {"NodePort", "LoadBalancer"}:
                    demand["services.nodeports"] = float(len(item.ports))
                yield item, "service", demand, _app_of_declared(view, item)
            case Claim() if view.state.exists("pvc", item.namespace, item.name) is False:
                demand = {"persistentvolumeclaims": 1.0, "requests.storage": item.requested_bytes or 0.0}
                yield item, "pvc", demand, claim_app(view, item.namespace, item.name)
            case Workload() if view.state.exists(item.kind, item.namespace, item.name) is False:
                yield item, item.kind, {f"count/{item.kind}s.apps": 1.0}, item.name


def _app_of_declared(view: View, service: Service) -> str | None:
    return view.app_of_service(service) or service.name


def _levels(quota: Quota) -> Iterator[ClusterFact]:
    for resource, hard in (quota.hard or {}).items():
        used = (quota.used or {}).get(resource)
        if used is None:
            continue
        full = hard > 0 and used >= hard * _FULL
        text = f"{resource} used {amount_text(resource, used)} of {amount_text(resource, hard)}"
        values: dict[str, str | float] = {"resource": resource, "used": used, "limit": hard}
        yield fact(
            "quota", quota.name, "quota", "quota_full" if full else "quota_has_room", text, namespace=quota.namespace,
            abnormal=full, weight=Weight.LEAD if full else Weight.NORMAL, values=values,
        )  # fmt: skip
