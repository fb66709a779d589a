"""Faults that the cluster projector has already joined: facts whose reason stands for a cause of the taxonomy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rootproof.agent.playbook.catalogue import Catalogue
from rootproof.agent.playbook.focus import same_thing
from rootproof.agent.playbook.hypothesis import Action, CauseSpec, Hypothesis, Scope, need
from rootproof.agent.playbook.observations import FactItem
from rootproof.agent.playbook.signals import Kind, Signal, SignalSet, Topic
from rootproof.domain.claim import CauseCategory

_CATEGORIES: tuple[tuple[str, CauseCategory], ...] = (
    ("quota", CauseCategory.RESOURCE_EXHAUSTION),
    ("capacity", CauseCategory.RESOURCE_EXHAUSTION),
    ("overload", CauseCategory.RESOURCE_EXHAUSTION),
    ("exhaustion", CauseCategory.RESOURCE_EXHAUSTION),
    ("network", CauseCategory.NETWORK_FAILURE),
    ("dns", CauseCategory.NETWORK_FAILURE),
    ("unavailable", CauseCategory.INFRASTRUCTURE_FAILURE),
    ("credentials", CauseCategory.CERTIFICATE_OR_CREDENTIAL),
    ("pv_", CauseCategory.DATA_OR_STORAGE),
    ("volume", CauseCategory.DATA_OR_STORAGE),
)
_OWN_OBJECT = frozenset({"node", "namespace"})
_DOWN = frozenset({"service_dns_resolution_failure", "kube_proxy_unavailable", "kube_scheduler_unavailable"})
"""Causes that say that something does not run, not why."""
FOLLOWS = frozenset(
    {
        "pod_unschedulable", "liveness_probe_failing", "readiness_probe_failing", "startup_probe_failing",
        "incorrect_image_reference",
        "volume_claim_unbound", "volume_mount_failed", "missing_config_object", "quota_exceeded", "node_not_ready",
        "dependency_unreachable", "dependency_timeout", "dns_resolution_failure", "slow_dependency_call",
        "cpu_capacity_mismatch", "memory_capacity_mismatch", "application_crash", "http_errors", "bad_configuration",
    }
)  # fmt: skip
"""Generic failures that a diagnosed fault of the same object explains."""
_TOPICS = frozenset(Topic) - {Topic.THROTTLING}


def diagnosed(signals: SignalSet, catalogue: Catalogue) -> Iterator[Hypothesis]:
    """One hypothesis for each cause and object, in the order of the facts."""
    groups: dict[tuple[str, str], list[Signal]] = {}
    for signal in signals.of(Kind.DIAGNOSED):
        if not _in_use(signal, signals):
            continue
        groups.setdefault((str(signal.values["cause_id"]), _subject(signal)), []).append(signal)
    for (cause_id, subject), members in groups.items():
        supporting = _last_words(subject, signals) if cause_id in _DOWN else ()
        yield Hypothesis(_spec(cause_id, subject, catalogue), subject, tuple(members), supporting)


def _last_words(subject: str, signals: SignalSet) -> tuple[Signal, ...]:
    """What the object that is down says of why."""
    kinds = (Kind.BAD_CONFIG, Kind.CRASH, Kind.OOM, Kind.PERMISSION_DENIED, Kind.FILE_MISSING, Kind.OTHER_ERROR)
    return tuple(s for s in signals.of(*kinds) if "item" in s.values and same_thing(s.app, subject))


def _in_use(signal: Signal, signals: SignalSet) -> bool:
    """Whether a wrong address in the environment matters: only an error in the logs that names it shows its use."""
    fact = signal.values.get("fact")
    if not isinstance(fact, FactItem) or fact.aspect != "env":
        return True
    host = str(fact.values.get("host", ""))
    named = signals.of(Kind.CONN_REFUSED, Kind.DNS_FAILURE, Kind.DB_UNREACHABLE, Kind.CALL_TIMEOUT, Kind.OTHER_ERROR)
    return bool(host) and (host in signals.mentioned or any(host in s.quote for s in named))


def _subject(signal: Signal) -> str:
    fact = signal.values.get("fact")
    if not isinstance(fact, FactItem):
        return signal.subject
    kind = fact.object.split("/", 1)[0]
    return fact.object if kind in _OWN_OBJECT else (fact.app or fact.object.split("/", 1)[-1])


def _spec(cause_id: str, subject: str, catalogue: Catalogue) -> CauseSpec:
    known = catalogue.by_id.get(cause_id)
    if known is not None:
        return replace(known, needs=(need(Kind.DIAGNOSED, *known.needs[0].kinds),))
    title = cause_id.replace("_", " ")
    category = next((c for word, c in _CATEGORIES if word in cause_id), CauseCategory.CONFIGURATION_ERROR)
    return CauseSpec(
        cause_id,
        category,
        title,
        "{object}",
        "{object}",
        (need(Kind.DIAGNOSED),),
        _TOPICS,
        Scope.NODE if subject.startswith("node/") else Scope.WORKLOAD,
        actions=(
            Action("Correct what the cited fact shows, then watch the object become ready.", "low: it may restart"),
        ),
        decide="query_cluster view=describe of the object",
        ruled_out=f"No sign of {title}",
    )
