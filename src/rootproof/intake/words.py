"""The words vendors use for states and severities, and the labels that name a service."""

from __future__ import annotations

import re
from collections.abc import Mapping

from rootproof.domain.alert import AlertStatus, Severity


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FIRING = _words(
    "firing fired alerting alert alarm triggered trigger retriggered open opened reopened active activated created "
    "create new problem down acknowledged acknowledge ack unresolved failing failed anomalous violated violating "
    "breached incident started ongoing unhealthy escalated nodata regression"
)
_RESOLVED = _words(
    "resolved resolve ok closed close recovered recovery recover up cleared clear deactivated ended fixed healthy "
    "completed autoresolved manuallyresolved stopped success"
)
_CRITICAL = _words(
    "critical crit disaster fatal emergency emerg panic alert page blocker high urgent error err major severe p0 p1 p2 "
    "sev0 sev1 sev2 s0 s1 s2"
)
_WARNING = _words("warning warn average medium moderate minor degraded p3 sev3 s3")
_INFO = _words("info information informational notice debug verbose low trivial p4 p5 sev4 sev5 s4 s5")

_NOT_WORD = re.compile(r"[^a-z0-9]+")

_SERVICE_LABELS = (
    "service", "servicename", "exportedservice", "destinationservicename", "app", "appname", "application",
    "applicationname", "appkubernetesioname", "labelapp", "workload", "workloadname", "destinationworkload",
    "deployment", "deploymentname", "kubedeployment", "k8sdeploymentname", "statefulset", "statefulsetname",
    "kubestatefulset", "k8sstatefulsetname", "daemonset", "daemonsetname", "kubedaemonset", "k8sdaemonsetname",
    "cronjob", "kubecronjob", "functionname", "jobname", "kubejob", "job",
)  # fmt: skip
_OBSERVER = re.compile(r"(?:^|[-_])(?:kube-state-metrics|kubelet|cadvisor|[a-z0-9]*[-_]?exporter|apiserver-probe)$")
"""Labels of the component that measured, not of the one that is measured."""


def word(text: str) -> str:
    """`text` in lower case, letters and digits only: `Re-Triggered` and `retriggered` are one word."""
    return _NOT_WORD.sub("", text.lower())


def status_of(text: str | None) -> AlertStatus | None:
    """The status that a vendor's state word stands for; None for a word that is neither."""
    if not text:
        return None
    key = word(text)
    if key in _FIRING:
        return AlertStatus.FIRING
    return AlertStatus.RESOLVED if key in _RESOLVED else None


def severity_of(text: str | None) -> Severity | None:
    """The severity that a vendor's word stands for; None for `none`, `unknown` and words that are no severity.

    Levels follow the vendors' own wording: P1-P2 are critical and high, P3 moderate, P4-P5 low and informational.
    `error` and `high` page a person in PagerDuty's default rules, so they count as critical.
    """
    if not text:
        return None
    key = word(text)
    if key in _CRITICAL:
        return Severity.CRITICAL
    if key in _WARNING:
        return Severity.WARNING
    return Severity.INFO if key in _INFO else None


def service_of(labels: Mapping[str, str]) -> str | None:
    """The service that the labels name, or None. An exporter or kubelet that only did the measuring is passed over."""
    by_word = {word(key): value for key, value in reversed(list(labels.items()))}
    for key in _SERVICE_LABELS:
        value: str = by_word.get(key, "").strip()
        if value and not _OBSERVER.search(value.lower()):
            return value
    return None
