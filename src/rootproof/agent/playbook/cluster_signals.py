"""Signals from cluster facts and from the monitoring system's own alerts.

A fact's `reason` word is the cluster's or our projector's; both vocabularies are mapped here by their letters, so that
`FailedScheduling`, `failed_scheduling` and `Unschedulable` mean the same. A reason that is itself a cause id (the join
of what is declared with what is, made by the projector) is taken over as a diagnosed fault.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from rootproof.agent.playbook.focus import ALWAYS_FIRING
from rootproof.agent.playbook.log_parts import COMMAND, ENV_NAME
from rootproof.agent.playbook.observations import AlertItem, FactItem
from rootproof.agent.playbook.signals import AnyKind, Kind, Signal
from rootproof.cluster.taxonomy import CAUSE_OF_REASON

_NOT_LETTERS = re.compile(r"[^a-z]")

# reason (letters only) contains -> kind; the first match wins.
_BY_REASON: tuple[tuple[str, Kind], ...] = (
    ("oomkill", Kind.OOM_KILLED),
    ("scalinglimited", Kind.AUTOSCALER_LIMIT),
    ("hpaatmax", Kind.AUTOSCALER_LIMIT),
    ("maxreplicas", Kind.AUTOSCALER_LIMIT),
    ("systemoom", Kind.OOM_KILLED),
    ("killedsigkill", Kind.EXIT_ERROR),
    ("liveness", Kind.PROBE_LIVENESS),
    ("startupprobe", Kind.PROBE_STARTUP),
    ("readiness", Kind.PROBE_READINESS),
    ("image", Kind.IMAGE_PULL),
    ("insufficientcpu", Kind.UNSCHEDULABLE_CPU),
    ("insufficientmemory", Kind.UNSCHEDULABLE_MEMORY),
    ("storageclass", Kind.STORAGE_CLASS),
    ("toomanypods", Kind.NODE_POD_LIMIT),
    ("podcapacity", Kind.NODE_POD_LIMIT),
    ("nearcapacity", Kind.NODE_POD_LIMIT),
    ("neverscheduled", Kind.UNSCHEDULABLE),
    ("scheduling", Kind.UNSCHEDULABLE),
    ("unschedulable", Kind.UNSCHEDULABLE),
    ("executablenotfound", Kind.START_ERROR),
    ("command", Kind.START_ERROR),
    ("starterror", Kind.START_ERROR),
    ("runcontainererror", Kind.START_ERROR),
    ("cannotrun", Kind.START_ERROR),
    ("createcontainererror", Kind.START_ERROR),
    ("missingconfig", Kind.CONFIG_ERROR),
    ("missingsecret", Kind.CONFIG_ERROR),
    ("configerror", Kind.CONFIG_ERROR),
    ("quotahasroom", Kind.OBJECT_HEALTHY),
    ("quota", Kind.QUOTA),
    ("evict", Kind.EVICTED),
    ("pressure", Kind.NODE_PRESSURE),
    ("diskfull", Kind.NODE_PRESSURE),
    ("nodenotready", Kind.NODE_NOT_READY),
    ("kubeletdown", Kind.NODE_NOT_READY),
    ("mount", Kind.MOUNT_FAILED),
    ("attach", Kind.MOUNT_FAILED),
    ("volumepermission", Kind.MOUNT_FAILED),
    ("backofflimit", Kind.JOB_FAILED),
    ("jobfailed", Kind.JOB_FAILED),
    ("jobretrying", Kind.JOB_FAILED),
    ("deadlineexceeded", Kind.JOB_FAILED),
    ("pvcpending", Kind.VOLUME_PENDING),
    ("pvcnotfound", Kind.VOLUME_PENDING),
    ("nomatchingvolume", Kind.VOLUME_PENDING),
    ("provisioning", Kind.VOLUME_PENDING),
    ("unbound", Kind.VOLUME_PENDING),
    ("endpoints", Kind.NO_ENDPOINTS),
    ("terminating", Kind.TERMINATING),
    ("cpulimit", Kind.CPU_LIMIT),
    ("crashloop", Kind.CRASH_LOOP),
    ("backoff", Kind.CRASH_LOOP),
    ("keepsrestarting", Kind.CRASH_LOOP),
    ("exitzeroloop", Kind.CRASH_LOOP),
    ("replicas", Kind.REPLICAS_MISSING),
    ("unavailable", Kind.REPLICAS_MISSING),
    ("pending", Kind.UNSCHEDULABLE),
    ("exit", Kind.EXIT_ERROR),
    ("error", Kind.EXIT_ERROR),
)
_READY_WORDS = re.compile(r"\bready\b|\brunning\b|\bavailable\b|\bno (?:warning|pressure)", re.IGNORECASE)
_CLASS = re.compile(r"storage ?class\S* \"([^\" ]{1,80})\"", re.IGNORECASE)
_CPU_LIMIT = re.compile(
    r"\bcpu(?: limit)?[ =:]+(?:limit[ =:]+)?(\d+(?:\.\d+)?m?)\b|\blimits?\b[^;.]{0,40}?\bcpu[ =:]+(\d+(?:\.\d+)?m?)\b",
    re.IGNORECASE,
)
_NO_ROOM = frozenset({Kind.UNSCHEDULABLE_CPU, Kind.UNSCHEDULABLE_MEMORY})
_SETTLED = re.compile(r"left over: |its later run \S+ is complete|Pending until a pod uses it")
"""What a view of more objects knows better than a view of this one alone."""
_CPU_CHANGE = re.compile(r"\bcpu limits?\b[^;,.]{0,40}?(?:->|=>|\u2192|\bto\b) ?(\d+(?:\.\d+)?m?)\b", re.IGNORECASE)
"""What a change set the limit to."""
_TEXT_KINDS: tuple[tuple[re.Pattern[str], Kind], ...] = (
    (re.compile(r"oomkilled|out of memory", re.IGNORECASE), Kind.OOM_KILLED),
    (re.compile(r"insufficient cpu", re.IGNORECASE), Kind.UNSCHEDULABLE_CPU),
    (re.compile(r"insufficient memory", re.IGNORECASE), Kind.UNSCHEDULABLE_MEMORY),
    (
        re.compile(
            r"storageclass\S* \"?[^\" ]+\"? (?:was )?not found|storage class \S+ .{0,30}(?:not exist|not found)",
            re.IGNORECASE,
        ),
        Kind.STORAGE_CLASS,
    ),
    (re.compile(r"too many pods|pod (?:limit|capacity)|pods? of its capacity", re.IGNORECASE), Kind.NODE_POD_LIMIT),
    (
        re.compile(r"liveness probe failed|failed liveness probe|fail\w* its liveness probe", re.IGNORECASE),
        Kind.PROBE_LIVENESS,
    ),
    (re.compile(r"readiness probe failed|failed readiness probe", re.IGNORECASE), Kind.PROBE_READINESS),
    (re.compile(r"startup probe (?:failed|fails)|failed startup probe", re.IGNORECASE), Kind.PROBE_STARTUP),
    (re.compile(r"executable file not found|command not found", re.IGNORECASE), Kind.COMMAND_MISSING),
)


def fact_signals(facts: Sequence[FactItem]) -> Iterator[Signal]:
    """The signals of cluster facts; a fact may carry more than one meaning."""
    settled = {(fact.object, fact.aspect) for fact in facts if _SETTLED.search(fact.text)}
    for fact in facts:
        reason = _NOT_LETTERS.sub("", fact.reason.lower())
        if fact.abnormal and fact.current and (fact.object, fact.aspect) in settled:
            continue
        if not fact.abnormal:
            yield from _calm(fact, reason)
            continue
        cause_id = CAUSE_OF_REASON.get(fact.reason)
        if cause_id is not None:
            yield fact_signal(fact, Kind.DIAGNOSED, 3.0, cause_id=_of_config_map(cause_id, fact.text))
        for kind in sorted(_kinds(fact, reason) or {Kind.CLUSTER_OTHER}):
            yield fact_signal(fact, kind, 1.5, **_parts(kind, fact.text))
    for fact in facts:
        limit = _limit(fact)
        if limit:
            yield fact_signal(fact, Kind.CPU_LIMIT, 1.0 + fact.abnormal, limit=limit)


def _of_config_map(cause_id: str, text: str) -> str:
    """The cause with its own name where what is missing is a ConfigMap or its key: that is no Secret."""
    lowered = text.lower()
    of_map = cause_id == "missing_secret_binding" and "configmap" in lowered and "secret" not in lowered
    return "missing_config_object" if of_map else cause_id


def _kinds(fact: FactItem, reason: str) -> set[Kind]:
    """What an abnormal fact means, by its words and its reason."""
    kinds = {kind for pattern, kind in _TEXT_KINDS if pattern.search(fact.text)}
    kinds |= set([kind for word, kind in _BY_REASON if word in reason][:1])
    if fact.object.startswith("node/"):
        # A kubelet's "insufficient memory" is its own, no scheduler's.
        return {Kind.NODE_NOT_READY} if "notready" in reason else kinds - _NO_ROOM
    if "notready" in reason and not kinds:
        return {Kind.REPLICAS_MISSING}
    # Whatever keeps the scheduler from placing a pod, it is not placed.
    return kinds | {Kind.UNSCHEDULABLE} if kinds & _NO_ROOM or fact.aspect == "scheduling" else kinds


def _calm(fact: FactItem, reason: str) -> Iterator[Signal]:
    if "terminating" in reason or "deletion" in fact.text.lower() or "terminating" in fact.text.lower():
        yield fact_signal(fact, Kind.TERMINATING, 1.0)
    elif fact.current and _READY_WORDS.search(fact.text):
        yield fact_signal(fact, Kind.OBJECT_HEALTHY, 1.0)


def fact_signal(fact: FactItem, kind: AnyKind, weight: float = 1.0, **values: Any) -> Signal:
    """The signal of one meaning that a fact has."""
    return Signal(
        kind,
        fact.evidence_id,
        fact.object,
        quote=fact.text,
        app=fact.app or "",
        current=fact.current,
        at=fact.first,
        last=fact.last,
        count=fact.count,
        weight=weight,
        values={"fact": fact, **values},
    )


def _parts(kind: Kind, text: str) -> dict[str, Any]:
    if kind in (Kind.COMMAND_MISSING, Kind.START_ERROR):
        command = COMMAND.search(text)
        return {"command": (command.group(1) or command.group(2)).rsplit("/", 1)[-1]} if command else {}
    if kind is Kind.STORAGE_CLASS:
        name = _CLASS.search(text)
        return {"storage_class": f'"{name.group(1)}"'} if name else {}
    if kind is Kind.CPU_LIMIT:
        limit = _CPU_LIMIT.search(text)
        return {"limit": limit.group(1) or limit.group(2)} if limit else {}
    if kind is Kind.CONFIG_ERROR:
        name = ENV_NAME.search(text)
        return {"variable": name.group(1)} if name else {}
    return {}


def _limit(fact: FactItem) -> str:
    """The CPU limit as the fact's text writes it, for facts that are about limits."""
    if not fact.object.startswith(("pod/", "deployment/", "app/")):
        return ""
    if fact.aspect == "change":
        changed = _CPU_CHANGE.search(fact.text)
        return changed.group(1) if changed else ""
    found = _CPU_LIMIT.search(fact.text)
    return (found.group(1) or found.group(2) or "") if found else ""


def alert_signals(alerts: Sequence[AlertItem]) -> Iterator[Signal]:
    """What the monitoring system says now: firing alerts are symptoms, inactive ones are quiet."""
    for alert in alerts:
        if ALWAYS_FIRING.search(f"{alert.name} {alert.summary}"):
            continue
        firing = alert.state in ("firing", "alerting", "pending", "alarm", "triggered")
        yield Signal(
            Kind.ALERT_FIRING if firing else Kind.ALERT_QUIET,
            alert.evidence_id,
            alert.labels.get("service") or alert.labels.get("app") or "",
            quote=f'alert "{alert.name}" is {alert.state}',
            at=alert.since,
            values={"alert": alert},
        )
