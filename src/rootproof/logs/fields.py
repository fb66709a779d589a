"""Records that come as fields: JSON objects of many loggers, and logfmt.

One table of key names for all of them, tried in order; a key counts wherever it stands, dotted when it is nested.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from rootproof.logs.beside import beside
from rootproof.logs.draft import Draft
from rootproof.logs.levels import level_field, otel_level, syslog_level
from rootproof.logs.metrics import numbers_of
from rootproof.logs.record import Level
from rootproof.logs.timestamps import Clock, epoch_instant, time_field
from rootproof.logs.wordlists import word_list

Inner = Callable[[str], Draft]

_TIME = word_list(
    "timestamp time ts @timestamp @t t.$date datetime date asctime eventtime event_time time_iso8601 "
    "timegenerated logged_at created_at __realtime_timestamp _source_realtime_timestamp timeunixnano "
    "observedtimeunixnano start_time timemillis epoch t"
)
_LEVEL = word_list(
    "level severity lvl loglevel log_level levelname level_name log.level severitytext severity_text @l priority_name s"
)
_MESSAGE = word_list(
    "message msg @m log short_message fields.message textpayload body body.stringvalue event.original text "
    "@mt full_message event description"
)
_SERVICE = word_list(
    "service service.name service_name servicename app application app_name appname resource.service.name "
    "kubernetes.labels.app"
)
_POD = word_list("pod pod_name podname kubernetes.pod_name kubernetes.pod.name k8s.pod.name")
_PROGRAM = word_list(
    "kubernetes.container_name container_name container syslog_identifier component_name program ident "
    "tag_name _comm _systemd_unit"
)
_LOGGER = word_list(
    "logger logger_name loggername log.logger logname name channel category sourcecontext "
    "properties.sourcecontext module cl class target component c source_class"
)
_INSTANCE = word_list(
    "instance pod pod_name podname kubernetes.pod_name host.name host hostname _hostname node nodename "
    "kubernetes.host computer machine"
)
_DETAIL = word_list(
    "error err error.message err.message exception.message error_message errormessage exception "
    "thrown.message cause reason"
)
_METHOD = word_list("method http.method request.method http.request.method verb request_method")
_TARGET = word_list("path uri url request_uri http.url http.path request.uri request.url url.path http.target")
_STATUS = word_list("status status_code http.status_code response.status code")
_MAX_FIELDS, _MAX_DEPTH, _MAX_DETAIL = 256, 4, 1_000
_MAX_CACHED_CHARS = 4_000
"""Names of one record together, above which its shape is not kept."""


_ROLES: dict[str, tuple[str, ...]] = {
    "time": _TIME,
    "level": _LEVEL,
    "message": _MESSAGE,
    "service": _SERVICE,
    "pod": _POD,
    "program": _PROGRAM,
    "logger": _LOGGER,
    "instance": _INSTANCE,
    "detail": _DETAIL,
    "method": _METHOD,
    "target": _TARGET,
    "status": _STATUS,
}
_RANKED: dict[str, list[tuple[str, int]]] = {}
for _role, _names in _ROLES.items():
    for _rank, _name in enumerate(_names):
        _RANKED.setdefault(_name, []).append((_role, _rank))


class Fields:
    """The fields of one record, flat, by lower-case dotted name, and which of them play which role."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.flat = _flat(data)
        names = tuple(self.flat)
        self._roles = _roles(names) if sum(map(len, names)) < _MAX_CACHED_CHARS else _roles.__wrapped__(names)

    def names(self, role: str) -> Sequence[str]:
        """The fields that can play `role`, the likeliest first."""
        return self._roles.get(role, ())

    def text(self, role: str) -> str | None:
        """The first text that is not blank among the fields of `role`, stripped."""
        for name in self.names(role):
            value = self.flat[name]
            if isinstance(value, str) and value.strip():
                return value.strip()
        return None


@lru_cache(maxsize=512)
def _roles(names: tuple[str, ...]) -> Mapping[str, tuple[str, ...]]:
    """Role -> the names that can play it, the likeliest first: the same for all records of one shape."""
    found: dict[str, list[tuple[int, str]]] = {}
    for name in names:
        for role, rank in _RANKED.get(name, ()):
            found.setdefault(role, []).append((rank, name))
    return {role: tuple(name for _, name in sorted(ranked)) for role, ranked in found.items()}


def _flat(data: Mapping[str, Any]) -> dict[str, Any]:
    """The fields by lower-case dotted name, those of the outer objects first, at most `_MAX_FIELDS`."""
    flat: dict[str, Any] = {}
    for key, value in _flatten(data, "", _MAX_DEPTH):
        if len(flat) >= _MAX_FIELDS:
            break
        flat.setdefault(key, value)
    return flat


def _flatten(data: Mapping[str, Any], prefix: str, depth: int) -> Iterator[tuple[str, Any]]:
    nested: list[tuple[str, Mapping[str, Any]]] = []
    for key, value in data.items():
        name = prefix + str(key).lower()
        if isinstance(value, dict):
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
        service=_service(fields),
        logger=_logger(fields),
        instance=fields.text("instance"),
        metrics=numbers_of(fields.flat),
        form=form,
        open=False,
        named=bool(name),
    )
    stream = fields.flat.get("stream") if name == "log" else None
    if isinstance(stream, str) and stream:
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
    draft.beside = beside(fields.flat, draft.message)
    return draft


def _message(fields: Fields, whole: str) -> tuple[str, str]:
    for name in fields.names("message"):
        value = fields.flat[name]
        if isinstance(value, str) and value.strip():
            return name, value if name == "log" else value.strip("\r\n")
    method, target = fields.text("method"), fields.text("target")
    if method and target:
        status = [str(fields.flat[name]) for name in fields.names("status")][:1]
        return "", " ".join([method, target, *status])
    detail = fields.text("detail")
    return "", detail or whole


def _with_detail(message: str, fields: Fields) -> str:
    """The message with the error beside it, without which "request failed" says nothing."""
    detail = fields.text("detail")
    if detail is None or detail in message or "\n" in message:
        return message
    return f"{message}: {detail.splitlines()[0][:_MAX_DETAIL]}"


_POD_SUFFIX = re.compile(r"(?:-[a-z0-9]{6,10})?-[bcdfghjklmnpqrstvwxz2456789]{5}$|-\d{1,4}$")


def _service(fields: Fields) -> str | None:
    """The service that is named, else the workload of the pod, else the program or container."""
    named = fields.text("service")
    if named is not None:
        return named
    pod = fields.text("pod")
    return (_POD_SUFFIX.sub("", pod) if pod else None) or fields.text("program")


def _logger(fields: Fields) -> str | None:
    named = fields.text("logger")
    return named if named is None or level_field(named) is None else None


def _instant(fields: Fields, clock: Clock) -> datetime | None:
    seconds, nanos = fields.flat.get("instant.epochsecond"), fields.flat.get("instant.nanoofsecond", 0)
    if isinstance(seconds, int) and isinstance(nanos, int):
        return epoch_instant(seconds * 1_000_000_000 + nanos)
    for name in fields.names("time"):
        value = fields.flat[name]
        if isinstance(value, str) and value.isdecimal() and 10 <= len(value) <= 19:
            value = int(value)
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
    for name in fields.names("level"):
        if (level := level_field(fields.flat[name])) is not None:
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
    if not pairs:
        return None
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
