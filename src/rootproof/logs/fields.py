"""Records that come as fields: JSON objects of many loggers, and logfmt.

One table of key names for all of them, tried in order; a key counts wherever it stands, dotted when it is nested.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any

from rootproof.logs.draft import Draft
from rootproof.logs.levels import level_field, otel_level, syslog_level
from rootproof.logs.metrics import numbers_of
from rootproof.logs.record import Level
from rootproof.logs.timestamps import Clock, epoch_instant, time_field

Inner = Callable[[str], Draft]

_TIME = "timestamp time ts @timestamp @t t.$date datetime date asctime eventtime event_time time_iso8601 timegenerated logged_at created_at __realtime_timestamp _source_realtime_timestamp timeunixnano observedtimeunixnano start_time timemillis epoch t".split()  # fmt: skip
_LEVEL = "level severity lvl loglevel log_level levelname level_name log.level severitytext severity_text @l priority_name s".split()  # fmt: skip
_MESSAGE = "message msg @m log short_message fields.message textpayload body body.stringvalue event.original text @mt full_message event description".split()  # fmt: skip
_SERVICE = "service service.name service_name servicename app application app_name appname resource.service.name kubernetes.labels.app kubernetes.container_name container_name container syslog_identifier component_name program ident tag_name _comm _systemd_unit".split()  # fmt: skip
_LOGGER = "logger logger_name loggername log.logger logname name channel category sourcecontext properties.sourcecontext module cl class target component c source_class".split()  # fmt: skip
_INSTANCE = "instance pod pod_name podname kubernetes.pod_name host.name host hostname _hostname node nodename kubernetes.host computer machine".split()  # fmt: skip
_DETAIL = "error err error.message err.message exception.message error_message errormessage exception thrown.message cause reason".split()  # fmt: skip
_METHOD = "method http.method request.method http.request.method verb request_method".split()
_TARGET = "path uri url request_uri http.url http.path request.uri request.url url.path http.target".split()
_MAX_FIELDS, _MAX_DEPTH, _MAX_DETAIL = 256, 4, 1_000


class Fields:
    """The fields of one record, flat, found by lower-case dotted name."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.flat: dict[str, Any] = {}
        for key, value in _flatten(data, "", _MAX_DEPTH):
            if len(self.flat) >= _MAX_FIELDS:
                break
            self.flat.setdefault(key, value)

    def first(self, names: list[str]) -> tuple[str, Any] | None:
        """The first of `names` that is there with a value, and the value."""
        for name in names:
            value = self.flat.get(name)
            if value is not None and value != "":
                return name, value
        return None

    def text(self, names: list[str]) -> str | None:
        """The first of `names` whose value is a text, stripped."""
        for name in names:
            value = self.flat.get(name)
            if isinstance(value, str) and value.strip():
                return value.strip()
        return None


def _flatten(data: Mapping[str, Any], prefix: str, depth: int) -> Iterator[tuple[str, Any]]:
    nested: list[tuple[str, Mapping[str, Any]]] = []
    for key, value in data.items():
        name = prefix + str(key).lower()
        if isinstance(value, Mapping):
            nested.append((name, value))
        else:
            yield name, value
    for name, value in nested:
        if depth > 0:
            yield from _flatten(value, name + ".", depth - 1)


def from_fields(data: Mapping[str, Any], clock: Clock, inner: Inner, *, whole: str, form: str) -> Draft:
    """The draft of one object; `whole` is its text, for when no field holds a message."""
    fields = Fields(data)
    name, message = _message(fields, whole)
    draft = Draft(
        message,
        instant=_instant(fields, clock),
        level=_level(fields),
        service=fields.text(_SERVICE),
        logger=_logger(fields),
        instance=fields.text(_INSTANCE),
        metrics=numbers_of(fields.flat),
        form=form,
        open=False,
    )
    stream = fields.text(["stream"]) if name == "log" else None
    if stream:
        draft.stream, draft.open = stream, True
        draft.partial = len(message) >= 16_000 and not message.endswith("\n")
        draft.message = message.removesuffix("\n")
    if name in ("log", "message", "msg", "textpayload"):
        found = inner(draft.message)
        if found.says_more():
            found.open = found.open and draft.open
            return found.inside(draft)
        if stream:
            draft.level = draft.level or found.level
    draft.message = _with_detail(draft.message, fields)
    return draft


def _message(fields: Fields, whole: str) -> tuple[str, str]:
    for name in _MESSAGE:
        value = fields.flat.get(name)
        if isinstance(value, str) and value.strip():
            return name, value if name == "log" else value.strip("\r\n")
    method, target = fields.text(_METHOD), fields.text(_TARGET)
    if method and target:
        status = fields.first(["status", "status_code", "http.status_code", "response.status", "code"])
        return "", f"{method} {target}" + (f" {status[1]}" if status else "")
    detail = fields.text(_DETAIL)
    return "", detail or whole


def _with_detail(message: str, fields: Fields) -> str:
    """The message with the error beside it, without which "request failed" says nothing."""
    detail = fields.text(_DETAIL)
    if detail is None or detail in message or "\n" in message:
        return message
    return f"{message}: {detail.splitlines()[0][:_MAX_DETAIL]}"


def _logger(fields: Fields) -> str | None:
    named = fields.text(_LOGGER)
    return named if named is None or level_field(named) is None else None


def _instant(fields: Fields, clock: Clock) -> datetime | None:
    seconds, nanos = fields.flat.get("instant.epochsecond"), fields.flat.get("instant.nanoofsecond", 0)
    if isinstance(seconds, int) and isinstance(nanos, int):
        return epoch_instant(seconds * 1_000_000_000 + nanos)
    for name in _TIME:
        value = fields.flat.get(name)
        if isinstance(value, str) and value.isdecimal() and 10 <= len(value) <= 19:
            value = int(value)
        if value is None:
            continue
        instant = time_field(value, clock)
        if instant is not None:
            return instant
    return None


def _level(fields: Fields) -> Level | None:
    priority = fields.flat.get("priority")
    if isinstance(priority, (str, int)) and str(priority).isdecimal() and "message" in fields.flat:
        return syslog_level(int(priority))
    if "short_message" in fields.flat and isinstance(fields.flat.get("level"), int):
        return syslog_level(fields.flat["level"])
    number = fields.flat.get("severitynumber")
    if isinstance(number, int) and (level := otel_level(number)):
        return level
    for name in _LEVEL:
        if (level := level_field(fields.flat.get(name))) is not None:
            return level
    return level_field(priority) if isinstance(priority, str) else None


_PAIR = re.compile(r"""([A-Za-z_@][\w.@/\-]{0,63})=("(?:[^"\\]|\\.)*"|'[^']*'|[^\s"]*)(?=\s|$)\s*""")
_KNOWN_KEYS = frozenset(_TIME + _LEVEL + _MESSAGE)


def logfmt(text: str) -> dict[str, str] | None:
    """The pairs of a line that is logfmt from its first character on and holds a level, a time or a message."""
    pairs: dict[str, str] = {}
    position = 0
    while position < len(text) and len(pairs) < _MAX_FIELDS:
        match = _PAIR.match(text, position)
        if match is None:
            break
        pairs.setdefault(match[1], _unquoted(match[2]))
        position = match.end()
    known = sum(1 for key in pairs if key.lower() in _KNOWN_KEYS)
    if known == 0 or (known < 2 and len(pairs) < 2) or (position < len(text) and len(pairs) < 2):
        return None
    if position < len(text):
        pairs.setdefault("msg", text[position:])
    return pairs


def _unquoted(value: str) -> str:
    if len(value) >= 2 and value[0] == value[-1] == '"':
        return value[1:-1].replace('\\"', '"').replace("\\n", "\n").replace("\\t", "\t").replace("\\\\", "\\")
    if len(value) >= 2 and value[0] == value[-1] == "'":
        return value[1:-1]
    return value


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
    fields = Fields(record)
    attributes = _attributes(record.get("attributes"))
    return Draft(
        "" if message is None else str(message),
        instant=_instant(fields, clock),
        level=_level(fields),
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
    return next(iter(value.values()), None)


def _dict(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _dicts(value: object) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []
