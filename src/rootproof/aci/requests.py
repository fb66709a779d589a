"""Typed requests: what a model may send to a tool. Unknown fields are refused, so a typo is an error and not a guess.

The field descriptions go into the JSON Schemas that models read; they say what a value does to the answer.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

Word = Annotated[str, Field(min_length=1, max_length=200)]
Lookback = Annotated[
    int,
    Field(
        ge=1,
        le=10_080,
        description="How many minutes back from the investigation's clock to search, 1 to 10080 (7 days). "
        "Widen it when the alert started earlier or when a first search finds nothing.",
    ),
]
_HANDLES = frozenset({"pattern_id", "after", "before"})


class ToolRequest(BaseModel):
    """A request of any tool."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=False, str_strip_whitespace=True)


class LogTopic(StrEnum):
    """Which stream of logs."""

    APPLICATION = "APPLICATION"
    DATABASE_SLOW_QUERY = "DATABASE_SLOW_QUERY"
    SYSTEM_EVENTS = "SYSTEM_EVENTS"


class RagToolRequest(ToolRequest):
    """Arguments of `lookup_knowledge`."""

    query: str = Field(
        min_length=1,
        max_length=800,
        description="What to look for: alert name, service, symptom words, error codes. Concrete terms find more "
        "than broad categories.",
    )
    top_k: int = Field(5, ge=1, le=8, description="How many documents to return at most.")


class QueryLogsRequest(ToolRequest):
    """Arguments of `query_logs`."""

    topic: LogTopic = Field(
        description="APPLICATION: what services and pods print. DATABASE_SLOW_QUERY: slow statements and load by "
        "statement. SYSTEM_EVENTS: cluster, node, database and platform events."
    )
    services: tuple[Word, ...] = Field(
        (), max_length=20, description="Only these services (or pods, by placeholder). Leave empty for all."
    )
    level: Literal["TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"] | None = Field(
        None, description="Lowest level wanted: ERROR also gives FATAL. Leave out for all levels."
    )
    contains: str | None = Field(
        None, min_length=1, max_length=200, description="Only messages that contain these words (case ignored)."
    )
    lookback_minutes: Lookback = 60
    pattern_id: str | None = Field(
        None,
        pattern=r"^p-[0-9a-f]{12}$",
        description="Only records of this pattern, as raw examples with its rate: an `id` of an earlier answer. Repeat "
        "that call's topic, services, level, contains and lookback_minutes.",
    )
    after: AwareDatetime | None = Field(
        None, description="Only records at or after this time with zone, such as 2026-05-04T10:00:00Z."
    )
    before: AwareDatetime | None = Field(
        None, description="Only records before this time. With after: one window; tells what is new in it."
    )

    @model_validator(mode="after")
    def _window_is_not_empty(self) -> Self:
        if any(time is not None and not 1970 < time.year < 9999 for time in (self.after, self.before)):
            raise ValueError("after and before must be times of the years 1971 to 9998")
        if self.after is not None and self.before is not None and self.before <= self.after:
            raise ValueError("before must be later than after")
        return self

    @model_serializer(mode="wrap")
    def _without_unused_handles(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """A call that uses no handle has the same key and row as it had before there were handles."""
        fields: dict[str, Any] = handler(self)
        return {name: value for name, value in fields.items() if value is not None or name not in _HANDLES}


class QueryMetricsRequest(ToolRequest):
    """Arguments of `query_metrics`."""

    contains: tuple[Word, ...] = Field(
        (),
        max_length=20,
        description="Words of which at least one must occur in a series' name or labels. Leave empty for all series.",
    )
    lookback_minutes: Lookback = 60


class QueryAlertsRequest(ToolRequest):
    """Arguments of `query_alerts`."""

    state: Literal["firing", "pending", "inactive"] | None = Field(
        None, description="Only alerts in this state. Leave out for all: inactive ones tell what is *not* wrong."
    )
    contains: tuple[Word, ...] = Field(
        (), max_length=20, description="Words of which at least one must occur in an alert's name, labels or text."
    )


class QueryClusterRequest(ToolRequest):
    """Arguments of `query_cluster`."""

    view: Literal[
        "overview",
        "list",
        "describe",
        "events",
        "yaml",
        "node_services",
        "connectivity",
        "changes",
        "topology",
        "manifests",
    ] = Field(
        description="overview: everything that is or looks wrong now, and what is normal (start here). describe, "
        "events, yaml: one object. node_services: kubelet and runtime of a node. connectivity: port checks. "
        "changes: deploys and config changes. topology: who calls whom."
    )
    kind: Word | None = Field(None, description="Object kind such as pod, node, deployment, service, pvc.")
    name: Word | None = Field(None, description="Object name or placeholder.")
    namespace: Word | None = Field(None, description="Namespace.")


class ReadSkillRequest(ToolRequest):
    """Arguments of `read_skill`."""

    name: Word = Field(description="Name of a skill from the list in the briefing. Read each skill once.")
