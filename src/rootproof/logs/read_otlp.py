"""Log records of OpenTelemetry in their JSON encoding: one line may hold several."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from rootproof.logs.draft import Draft
from rootproof.logs.fields import Fields, instant_of, level_of, message_of
from rootproof.logs.metrics import numbers_of
from rootproof.logs.timestamps import Clock


def otlp_records(data: Mapping[str, Any], clock: Clock) -> list[Draft]:
    """The records of one line of OTLP JSON (`resourceLogs`), in order; empty when it holds none.

    Source: OpenTelemetry protocol, JSON encoding of ExportLogsServiceRequest.
    """
    drafts: list[Draft] = []
    for resource in _dicts(data.get("resourceLogs")):
        about = _attributes(_dict(resource.get("resource")).get("attributes"))
        for scope in _dicts(resource.get("scopeLogs")):
            name = _dict(scope.get("scope")).get("name")
            drafts += [_otlp(record, about, name, clock) for record in _dicts(scope.get("logRecords"))]
    return drafts


def _otlp(record: Mapping[str, Any], about: dict[str, Any], logger: object, clock: Clock) -> Draft:
    body = record.get("body")
    message = _any_value(body) if isinstance(body, Mapping) else body
    if isinstance(message, Mapping):
        message = message_of(Fields(message), json.dumps(message, ensure_ascii=False, default=str))[1]
    fields = Fields(record)
    attributes = _attributes(record.get("attributes"))
    return Draft(
        "" if message is None else str(message),
        instant=instant_of(fields, clock),
        level=level_of(fields),
        service=_optional(about.get("service.name")),
        logger=_optional(logger),
        instance=_optional(about.get("k8s.pod.name") or about.get("host.name")),
        metrics=numbers_of({str(key).lower(): value for key, value in attributes.items()}),
        form="otlp",
        open=False,
    )


def _optional(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _attributes(listed: object) -> dict[str, Any]:
    return {str(item.get("key")): _any_value(_dict(item.get("value"))) for item in _dicts(listed)}


def _any_value(value: Mapping[str, Any]) -> Any:
    """The plain value of an OTLP `AnyValue`; a map becomes an object, what is no such value becomes None."""
    held = next(iter(value.values()), None)
    if isinstance(held, Mapping) and "values" in held:
        return _attributes(held["values"]) if "kvlistValue" in value else held["values"]
    return held


def _dict(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _dicts(value: object) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []
