"""Payload shapes of cloud providers' monitoring.

Source: Azure Monitor "Common alert schema"; Google Cloud Monitoring "Webhook notification schema".
"""

from __future__ import annotations

from rootproof.domain.alert import AlertStatus, Severity
from rootproof.intake.shape import Shape

_AZURE_LEVELS = {
    "sev0": Severity.CRITICAL,
    "sev1": Severity.CRITICAL,  # "Error"
    "sev2": Severity.WARNING,
    "sev3": Severity.INFO,
    "sev4": Severity.INFO,
    "0": Severity.CRITICAL,
    "1": Severity.CRITICAL,
    "2": Severity.WARNING,
    "3": Severity.INFO,
    "4": Severity.INFO,
}

AZURE_COMMON = Shape(
    vendor="azure-monitor",
    requires=("data.essentials.monitorCondition",),
    name=("data.essentials.alertRule", "data.essentials.alertId"),
    status=("data.essentials.monitorCondition",),
    severity=("data.essentials.severity",),
    severity_words=_AZURE_LEVELS,
    summary=("data.alertContext.properties.title", "data.essentials.description"),
    description=("data.essentials.description",),
    started=("data.essentials.firedDateTime",),
    ended=("data.essentials.resolvedDateTime",),
    labels={
        "resource": "data.essentials.configurationItems.0",
        "target": "data.essentials.alertTargetIDs.0",
        "signal_type": "data.essentials.signalType",
        "monitoring_service": "data.essentials.monitoringService",
        "metric": "data.alertContext.condition.allOf.0.metricName",
    },
    label_maps=("data.alertContext.condition.allOf.0.dimensions", "customProperties", "data.customProperties"),
    annotations={
        "metric_value": "data.alertContext.condition.allOf.0.metricValue",
        "threshold": "data.alertContext.condition.allOf.0.threshold",
    },
    identity=("data.essentials.originAlertId", "data.essentials.alertId"),
)

_AZURE_CONTEXT = "data.context"


def _azure_metric(at: str, status: str) -> Shape:
    """The older metric alert, bare (`context`) or inside `data`."""
    return Shape(
        vendor="azure-monitor",
        requires=(f"{at}.name", status),
        any_of=(f"{at}.resourceId", f"{at}.resourceName", f"{at}.conditionType"),
        name=(f"{at}.name",),
        status=(status,),
        severity=(f"{at}.severity",),
        severity_words=_AZURE_LEVELS,
        summary=(f"{at}.description",),
        description=(f"{at}.description",),
        changed=(f"{at}.timestamp",),
        labels={"resource": f"{at}.resourceName", "region": f"{at}.resourceRegion"},
        identity=(f"{at}.id",),
    )


GCP_INCIDENT = Shape(
    vendor="gcp-monitoring",
    requires=("incident.state",),
    any_of=("incident.policy_name", "incident.condition_name", "incident.incident_id"),
    name=("incident.condition_name", "incident.policy_name"),
    status=("incident.state",),
    severity=("incident.severity", "incident.policy_user_labels.severity"),
    summary=("incident.summary",),
    description=("incident.documentation.content", "incident.documentation"),
    started=("incident.started_at",),
    ended=("incident.ended_at",),
    label_maps=(
        "incident.resource.labels",
        "incident.metric.labels",
        "incident.policy_user_labels",
    ),
    labels={
        "resource": "incident.resource_name",
        "resource_type": "incident.resource_type_display_name",
        "metric": "incident.metric.type",
        "policy": "incident.policy_name",
        "project": "incident.scoping_project_id",
    },
    annotations={"observed_value": "incident.observed_value", "threshold_value": "incident.threshold_value"},
    identity=("incident.incident_id",),
)

_AZURE_LOG_FIELDS = ("SearchQuery", "AlertType", "LinkToSearchResults", "SearchIntervalStartTimeUtc")


def _azure_log(prefix: str) -> Shape:
    """The older log alert, bare or inside `data`."""
    return Shape(
        vendor="azure-monitor",
        requires=(f"{prefix}AlertRuleName",),
        any_of=tuple(f"{prefix}{name}" for name in _AZURE_LOG_FIELDS),
        name=(f"{prefix}AlertRuleName",),
        implied_status=AlertStatus.FIRING,  # it is sent when the search has found something, and has no end
        severity=(f"{prefix}Severity",),
        severity_words=_AZURE_LEVELS,
        summary=(f"{prefix}Description", f"{prefix}AlertRuleName"),
        description=(f"{prefix}Description",),
        started=(f"{prefix}SearchIntervalEndtimeUtc", f"{prefix}SearchIntervalEndTimeUtc"),
        labels={"workspace": f"{prefix}WorkspaceId"},
    )


CLOUD_SHAPES = (
    AZURE_COMMON,
    _azure_log("data."),
    _azure_log(""),
    _azure_metric(_AZURE_CONTEXT, "data.status"),
    _azure_metric("context", "status"),
    GCP_INCIDENT,
)
