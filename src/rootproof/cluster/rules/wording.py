"""Words that several rules share: resources, states, machine words made of Kubernetes' reasons."""

from __future__ import annotations

import re
from collections.abc import Mapping

from rootproof.cluster.ages import span_text
from rootproof.cluster.fact import sentence
from rootproof.cluster.model import Container, Probe
from rootproof.cluster.quantities import bytes_text, cores_text

_CAPITALS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def machine_word(reason: str) -> str:
    """`CrashLoopBackOff` as `crash_loop_back_off`, `OOMKilled` as `oom_killed`."""
    joined = _CAPITALS.sub("_", reason.rpartition(":")[2].strip())
    return re.sub(r"[^a-z0-9]+", "_", joined.lower()).strip("_") or "unknown"


def limits_text(container: Container) -> str | None:
    """`memory limit 64Mi, CPU limit 200m`; None where no limit was seen."""
    limits = container.limits or {}
    parts = []
    if "memory" in limits:
        parts.append(f"memory limit {bytes_text(limits['memory'])}")
    if "cpu" in limits:
        parts.append(f"CPU limit {cores_text(limits['cpu'])}")
    return ", ".join(parts) or None


def limit_values(container: Container) -> dict[str, str | float]:
    """The limits with their unit in the key."""
    limits = container.limits or {}
    values: dict[str, str | float] = {}
    if "memory" in limits:
        values["memory_limit_bytes"] = limits["memory"]
    if "cpu" in limits:
        values["cpu_limit_cores"] = limits["cpu"]
    return values


def restarts_text(restarts: int | None, last_s: float | None = None) -> str | None:
    """`6 restarts, the last 9s ago`."""
    if restarts is None:
        return None
    words = f"{restarts} restart{'' if restarts == 1 else 's'}"
    return f"{words}, the last {span_text(last_s)} ago" if last_s is not None and restarts else words


def probe_text(probe: Probe) -> str:
    """`liveness probe http-get on port 8080 path /healthz (delay 5s, period 10s, timeout 1s, 3 failures)`."""
    where = sentence(
        f"on port {probe.port}" if probe.port is not None else None,
    )
    target = " ".join(part for part in (probe.action, where, f"path {probe.path}" if probe.path else "") if part)
    return (
        f"{probe.role} probe {target} (delay {probe.delay_s:g}s, period {probe.period_s:g}s, "
        f"timeout {probe.timeout_s:g}s, {probe.failure_threshold} failures)"
    )


def pairs_text(pairs: Mapping[str, str] | None) -> str:
    """`app=web, tier=front`; `none` for an empty mapping."""
    return ", ".join(f"{key}={value}" for key, value in (pairs or {}).items()) or "none"
