"""What the words of Kubernetes' events and statuses stand for: one machine word a message."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rootproof.cluster.fact import Weight
from rootproof.cluster.observations import Event


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a message says: aspect and reason of a fact, and how near it is to a cause."""

    aspect: str
    reason: str
    weight: Weight = Weight.FAILURE


def _rules(*rows: tuple[str, str, str, Weight]) -> tuple[tuple[re.Pattern[str], Meaning], ...]:
    return tuple(
        (re.compile(pattern, re.IGNORECASE), Meaning(aspect, reason, weight))
        for pattern, aspect, reason, weight in rows
    )


_C, _F, _Q, _L = Weight.CAUSE, Weight.FAILURE, Weight.CONSEQUENCE, Weight.LEAD

_NOT_ALLOWED = (
    r"unauthorized|\b401\b|403 forbidden|authentication required|no basic auth|failed to authorize|denied:"
    r"|authorization failed"
)
_NOT_THERE = (
    r"not found|manifest unknown|name unknown|does not exist|no match for platform|invalid reference format"
    r"|couldn't parse image"
)
_IMAGE = _rules(
    (r"no such host|server misbehaving|temporary failure in name resolution|lookup \S{1,253}.{0,80}(?:timeout|refused)",
     "image", "image_registry_dns_failure", _C),
    (r"pull access denied|repository does not exist or may require", "image", "image_pull_access_denied", _C),
    (_NOT_ALLOWED, "image", "image_pull_unauthorized", _C),
    (_NOT_THERE, "image", "image_not_found", _C),
    (r"x509|tls:|certificate", "image", "image_registry_certificate", _C),
    (r"i/o timeout|connection refused|context deadline|no route to host|tls handshake timeout|connection reset",
     "image", "image_registry_unreachable", _C),
    (r"toomanyrequests|rate limit|\b429\b", "image", "image_pull_rate_limited", _C),
    (r"no space left on device", "image", "node_disk_full", _C),
)  # fmt: skip

_GENERAL = _rules(
    (r"oom-?killed|out of memory", "termination", "oom_killed", _C),
    (r"executable file not found|exec: \"[^\"]{1,200}\": stat|no such file or directory: unknown|exec format error",
     "command", "executable_not_found", _C),
    (r"serviceaccount \"?[^\"\s]{1,253}\"? not found|error looking up service account", "reference",
     "service_account_not_found", _C),
    (r"exceeded quota", "quota", "quota_exceeded", _C),
    (r"(?:maximum|minimum) \S{1,60} usage per|limitrange", "quota", "limit_range_violated", _C),
    (r"violates podsecurity", "admission", "pod_security_violation", _C),
    (r"admission webhook .{0,200}denied|failed calling webhook", "admission", "admission_refused", _C),
    (r"couldn't find key|references non-existent (?:config|secret) key", "reference", "missing_config_key", _C),
    (r"(?:secret|configmap)s? \"[^\"]{1,253}\" not found", "reference", "missing_config_reference", _C),
    (r"persistentvolumeclaim \"[^\"]{1,253}\" not found", "volume", "pvc_not_found", _C),
    (r"storageclass\S{0,40} \"[^\"]{1,253}\" not found", "volume", "storage_class_not_found", _C),
    (r"no persistent volumes available", "volume", "no_matching_volume", _F),
    (r"multi-attach error", "volume", "volume_multi_attach", _C),
    (r"(?:mount|setup).{0,400}(?:permission denied|access denied|operation not permitted)", "volume",
     "volume_permission_denied", _C),
    (r"hostpath type check failed", "volume", "host_path_missing", _C),
    (r"read-only file system", "volume", "volume_read_only", _C),
    (r"no space left on device", "volume", "disk_full", _C),
    (r"unbound immediate persistentvolumeclaims", "volume", "pvc_pending", _Q),
    (r"failed to (?:set ?up|setup) network for sandbox|network is not ready|cni (?:plugin|config)", "network",
     "network_setup_failed", _C),
    (r"runasnonroot|container has runasnonroot", "security", "run_as_root_refused", _C),
    (r"address already in use|port is already allocated", "port", "port_conflict", _C),
)  # fmt: skip

_BY_REASON = {
    "BackOff": Meaning("restart", "crash_loop_back_off"),
    "FailedMount": Meaning("mount", "mount_failed"),
    "FailedAttachVolume": Meaning("mount", "attach_failed"),
    "FailedCreatePodSandBox": Meaning("network", "sandbox_failed"),
    "FailedScheduling": Meaning("scheduling", "unschedulable"),
    "FailedCreate": Meaning("replicas", "create_failed"),
    "ProvisioningFailed": Meaning("volume", "provisioning_failed"),
    "FailedBinding": Meaning("volume", "no_matching_volume"),
    "Evicted": Meaning("status", "evicted"),
    "Preempted": Meaning("status", "preempted"),
    "NodeNotReady": Meaning("node", "node_not_ready"),
    "NodeNotSchedulable": Meaning("node", "node_cordoned", Weight.LEAD),
    "EvictionThresholdMet": Meaning("node", "node_eviction_threshold"),
    "SystemOOM": Meaning("node", "node_system_oom", Weight.CAUSE),
    "OOMKilling": Meaning("node", "node_oom_killing", Weight.CAUSE),
    "BackoffLimitExceeded": Meaning("replicas", "backoff_limit_exceeded"),
    "DeadlineExceeded": Meaning("status", "deadline_exceeded"),
    "FailedKillPod": Meaning("status", "kill_failed"),
    "FailedPreStopHook": Meaning("status", "pre_stop_hook_failed", Weight.LEAD),
    "FailedPostStartHook": Meaning("status", "post_start_hook_failed"),
    "InspectFailed": Meaning("image", "image_not_found", Weight.CAUSE),
    "FailedToRetrieveImagePullSecret": Meaning("image", "image_pull_secret_missing", Weight.LEAD),
    "FailedGetResourceMetric": Meaning("scaling", "metrics_unavailable", Weight.LEAD),
    "DNSConfigForming": Meaning("network", "dns_config_limits", Weight.LEAD),
    "FailedToUpdateEndpoint": Meaning("endpoints", "endpoint_update_failed", Weight.LEAD),
    "Unhealthy": Meaning("probe", "probe_failed"),
    "FailedDaemonPod": Meaning("status", "daemon_pod_failed"),
    "NetworkNotReady": Meaning("network", "network_setup_failed", Weight.CAUSE),
}
_PROBE_ROLE = re.compile(r"(liveness|readiness|startup) probe (?:failed|errored|warning)", re.IGNORECASE)
_PULL = re.compile(
    r"failed to pull|pulling image|pull and unpack|errimagepull|imagepullbackoff|invalid ?image", re.IGNORECASE
)


def image_meaning(message: str) -> Meaning | None:
    """Why an image could not be had; None when the words do not say."""
    return next((meaning for pattern, meaning in _IMAGE if pattern.search(message[:4000])), None)


def telling_part(message: str, limit: int) -> str:
    """The message within `limit`: where its decisive words stand late, its head and the part around them."""
    found = next((match for pattern, _ in _IMAGE if (match := pattern.search(message[:4000]))), None)
    if len(message) <= limit or found is None or found.end() <= limit:
        return message
    head = limit // 3
    start = max(head, found.start() - head)
    return f"{message[:head].rstrip()} ... {message[start : start + limit - head]}"


def general_meaning(message: str) -> Meaning | None:
    """What a message says whatever event carries it; None when it is none of the known kinds."""
    return next((meaning for pattern, meaning in _GENERAL if pattern.search(message[:4000])), None)


def meaning_of(event: Event) -> Meaning | None:
    """What an event says; None for events that report nothing wrong."""
    if event.type == "Normal" and event.reason not in {"FailedBinding", "NodeNotReady", "Killing", "Preempted"}:
        return None
    if event.reason == "Killing":
        return Meaning("probe", "liveness_kill") if "liveness" in event.message.lower() else None
    if is_pull(event):
        return image_meaning(event.message) or Meaning("image", "image_pull_back_off")
    role = probe_role(event)
    if role is not None:
        return Meaning("probe", f"{role}_probe_failed")
    found = general_meaning(event.message)
    if found is not None:
        return found
    return _BY_REASON.get(event.reason) or (Meaning("event", _word(event.reason)) if event.type == "Warning" else None)


def _word(reason: str) -> str:
    from rootproof.cluster.rules.wording import machine_word

    return machine_word(reason)


def is_pull(event: Event) -> bool:
    """Whether an event is about pulling an image."""
    return event.reason in {"Failed", "BackOff", "ErrImagePull", "InspectFailed"} and bool(_PULL.search(event.message))


def probe_role(event: Event) -> str | None:
    """`liveness`, `readiness` or `startup` for an event about a failed probe."""
    match = _PROBE_ROLE.search(event.message) if event.reason in {"Unhealthy", "ProbeWarning"} else None
    return match[1].lower() if match is not None else None
