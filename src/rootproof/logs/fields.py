"""Records that come as fields: JSON objects of many loggers, and logfmt.

One table of key names for all of them, tried in order; a key counts wherever it stands, dotted when it is nested.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from rootproof.logs.beside import Calls, beside
from rootproof.logs.draft import Draft
from rootproof.logs.formats_first import may_be_line
from rootproof.logs.levels import level_field, level_token, otel_level, syslog_level
from rootproof.logs.metrics import metric_names, numbers_at
from rootproof.logs.record import Level
from rootproof.logs.timestamps import Clock, epoch_instant, time_field
from rootproof.logs.wordlists import word_list

Inner = Callable[[str], Draft]

_TIME = word_list(
    "timestamp time ts @timestamp @t t.$date datetime date asctime eventtime event_time time_iso8601 "
    "timegenerated logged_at created_at __realtime_timestamp _source_realtime_timestamp timeunixnano "
    "observedtimeunixnano start_time timemillis epoch t record.time.timestamp msec date_and_time startutc "
    "requestreceivedtimestamp lasttimestamp stagetimestamp jsonpayload.timestamp receivetimestamp time_local"
)
_LEVEL = word_list(
    "level severity lvl loglevel log_level levelname level_name log.level severitytext severity_text @l @level "
    "record.level.name jsonpayload.level error_severity properties.level fields.level event.level event.severity "
    "priority_name s l severitylevel tags label type status"
)
_MESSAGE = word_list(
    "message msg @m @message record.message log short_message fields.message textpayload jsonpayload.message "
    "jsonpayload.msg body body.stringvalue event.original event.message nested.message renderedmessage logmessage "
    "text line @mt full_message event resultdescription alert.signature description m request eventname"
)
_SERVICE = word_list(
    "service service.name service_name servicename app application app_name appname resource.service.name "
    "cloud_rolename kubernetes.labels.app labels.app labels.service_name jsonpayload.service servicecontext.service "
    "eventsource"
)
_POD = word_list("pod pod_name podname kubernetes.pod_name kubernetes.pod.name k8s.pod.name resource.labels.pod_name")
_PROGRAM = word_list(
    "kubernetes.container_name container_name container containername resource.labels.container_name "
    "syslog_identifier component_name program ident tag_name _comm _systemd_unit source.component"
)
_LOGGER = word_list(
    "logger logger_name loggername log.logger logname name channel category sourcecontext properties.sourcecontext "
    "record.name jsonpayload.logger @module module metadata.module subsystem subsys scope cl class target component "
    "n c source_class source"
)
_INSTANCE = word_list(
    "instance pod pod_name podname kubernetes.pod_name host.name host hostname _hostname node nodename "
    "kubernetes.host computer machine"
)
_DETAIL = word_list(
    "error err error.message err.message exception.message context.exception.message error_message errormessage "
    "exception thrown.message cause reason"
)
_METHOD = word_list("method http.method request.method http.request.method verb request_method requestmethod")
_TARGET = word_list(
    "path uri url request_uri http.url http.path request.uri request.url url.path http.target requestpath requesturi"
)
_STATUS = word_list(
    "status status_code http.status_code response.status response_code downstreamstatus responsestatus.code code"
)
_WEAK = frozenset({"type", "status", "label", "tags"})
"""Fields that hold a level only where the word is nothing else."""
LINE_KEYS = frozenset(_TIME + _LEVEL + _MESSAGE) - _WEAK - {"request", "m", "n", "line", "s", "l"}
"""Names that make a line of pairs a log line."""
MAX_FIELDS, _MAX_DEPTH, _MAX_DETAIL = 256, 4, 1_000
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


@dataclass(frozen=True, slots=True)
class _Shape:
    """What the names of a record's fields are good for: worked out once for all records of one shape."""

    roles: Mapping[str, tuple[str, ...]]
    """Role -> the names that can play it, the likeliest first."""
    metrics: tuple[tuple[str, str], ...]
    calls: Calls


class Fields:
    """The fields of one record, flat, by lower-case dotted name, and which of them play which role."""

    __slots__ = ("_roles", "flat", "shape")

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.flat = _flat(data)
        names = tuple(self.flat)
        self.shape = _shape(names) if sum(map(len, names)) < _MAX_CACHED_CHARS else _shape.__wrapped__(names)
        self._roles = self.shape.roles

    def names(self, role: str) -> Sequence[str]:
        """The fields that can play `role`, the likeliest first."""
        return self._roles.get(role, ())

    def text(self, role: str) -> str | None:
        """The first of those that holds a text or a whole number."""
        for name in self._roles.get(role, ()):
            value = self.flat[name]
            if isinstance(value, str) and (text := value.strip()):
                return text
        return None


@lru_cache(maxsize=512)
def _shape(names: tuple[str, ...]) -> _Shape:
    found: dict[str, list[tuple[int, str]]] = {}
    for name in names:
        for role, rank in _RANKED.get(name, ()):
            found.setdefault(role, []).append((rank, name))
    roles = {role: tuple(name for _, name in sorted(ranked)) for role, ranked in found.items()}
    return _Shape(roles, metric_names(names), Calls.of(names))


def _flat(data: Mapping[str, Any]) -> dict[str, Any]:
    """The fields by lower-case dotted name, those of the outer objects first, at most `MAX_FIELDS`."""
    if len(data) <= MAX_FIELDS and dict not in map(type, data.values()):
        flat = {key.lower(): value for key, value in data.items()}
        if len(flat) == len(data):
            return flat
    flat = {}
    for key, value in _flatten(data, "", _MAX_DEPTH):
        if len(flat) >= MAX_FIELDS:
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
    flat, shape = fields.flat, fields.shape
    name, message = message_of(fields, whole)
    draft = Draft(
        message,
        instant_of(fields, clock),
        level_of(fields),
        _service(fields),
        _logger(fields),
        fields.text("instance"),
        numbers_at(flat, shape.metrics),
        form,
        open=False,
        named=bool(name),
    )
    if name == "log" and (stream := flat.get("stream")) in ("stdout", "stderr"):
        return _of_runtime(draft, stream, inner)
    if name in _HOLDS_LINE and may_be_line(message):
        found = inner(message)
        if found.says_more():
            found.open = False
            return found.inside(draft)
    draft.message = _with_detail(message, fields)
    draft.beside = beside(flat, draft.message, shape.calls)
    return draft


def _of_runtime(draft: Draft, stream: str, inner: Inner) -> Draft:
    """A line in the envelope of Docker's json-file driver; lines of 16 KiB without an end go on in the next one."""
    draft.stream, draft.open, draft.bare = stream, True, True
    draft.partial = len(draft.message) >= _RUNTIME_CHUNK and not draft.message.endswith("\n")
    draft.message = draft.message.removesuffix("\n")
    if draft.partial or draft.message[:1] in (" ", "\t") or not may_be_line(draft.message):
        return draft
    found = inner(draft.message)
    if found.says_more():
        return found.inside(draft)
    draft.level = draft.level or found.level
    return draft


_RUNTIME_CHUNK = 16_000
_HOLDS_LINE = frozenset({"log", "message", "msg", "textpayload", "line", "logmessage"})
"""Messages that may be whole lines of another program."""
_REQUEST = re.compile(r"[A-Z]{3,10} \S+ HTTP/[\d.]+")


def message_of(fields: Fields, whole: str) -> tuple[str, str]:
    flat = fields.flat
    for name in fields.names("message"):
        value = flat[name]
        if isinstance(value, str):
            if value and not value.isspace() and (name != "request" or _REQUEST.match(value)):
                return name, value if name == "log" else value.strip("\r\n")
        elif isinstance(value, list) and (text := _text_of_bytes(value)):
            return name, text
    method, target = fields.text("method"), fields.text("target")
    if method and target:
        status = [str(flat[name]) for name in fields.names("status") if str(flat[name]).isdecimal()][:1]
        return "", " ".join([method, target, *status])
    detail = fields.text("detail")
    return "", detail or whole


def _text_of_bytes(value: list[Any]) -> str | None:
    """The text that journald writes as a list of bytes because it is not plain UTF-8."""
    if not value or not all(type(byte) is int and 0 <= byte <= 255 for byte in value):
        return None
    return bytes(value).decode("utf-8", "replace").strip("\r\n")


def _with_detail(message: str, fields: Fields) -> str:
    """The message with the error beside it, without which "request failed" says nothing."""
    detail = fields.text("detail")
    if detail is None or detail in message or "\n" in message:
        return message
    return f"{message}: {detail.splitlines()[0][:_MAX_DETAIL]}"


_POD_SUFFIX = re.compile(r"(?:-[a-z0-9]{6,10})?-[bcdfghjklmnpqrstvwxz2456789]{5}$|-\d{1,4}$")


def workload_of(pod: str) -> str:
    """The name of a pod without what its controller appended."""
    return _POD_SUFFIX.sub("", pod)


def _service(fields: Fields) -> str | None:
    """The service that is named, else the workload of the pod, else the program or container."""
    named = fields.text("service")
    if named is not None:
        return named
    pod = fields.text("pod")
    program = workload_of(pod) if pod else fields.text("program")
    return program.removesuffix(".service") if program else None


def _logger(fields: Fields) -> str | None:
    named = fields.text("logger")
    return named if named is None or (named[0] != "/" and level_field(named) is None) else None


def instant_of(fields: Fields, clock: Clock) -> datetime | None:
    flat = fields.flat
    for name in fields.names("time"):
        value = flat[name]
        if isinstance(value, str) and value.isdecimal() and 10 <= len(value) <= 19:
            value = int(value)
        instant = time_field(value, clock)
        if instant is not None:
            return instant
    return _instant_of_parts(flat, clock)


_SPLIT_TIMES = (
    ("instant.epochsecond", "instant.nanoofsecond"),
    ("timestamp.seconds", "timestamp.nanos"),
    ("timestampseconds", "timestampnanos"),
)


def _instant_of_parts(flat: Mapping[str, Any], clock: Clock) -> datetime | None:
    """The instant whose seconds and nanoseconds, or whose date and time of day, are fields of their own."""
    for whole, part in _SPLIT_TIMES:
        try:
            seconds, nanos = int(flat[whole]), int(flat.get(part) or 0)
        except (KeyError, TypeError, ValueError, OverflowError):
            continue
        return epoch_instant(seconds * 1_000_000_000 + nanos)
    date, time = flat.get("date"), flat.get("time")
    if isinstance(date, str) and isinstance(time, str):
        return time_field(f"{date} {time}", clock)
    return None


_APP_INSIGHTS: tuple[Level, ...] = ("DEBUG", "INFO", "WARN", "ERROR", "FATAL")


def level_of(fields: Fields) -> Level | None:
    flat = fields.flat
    priority = flat.get("priority")
    if isinstance(priority, (str, int)) and str(priority).isdecimal() and "message" in flat:
        return syslog_level(int(str(priority)[:9]))
    if "short_message" in flat and isinstance(flat.get("level"), int):
        return syslog_level(flat["level"])
    number = flat.get("severitynumber")
    if isinstance(number, int) and (level := otel_level(number)):
        return level
    for name in fields.names("level"):
        value = flat[name]
        if name in _WEAK:
            level = _weak_level(name, value)
        elif name == "severitylevel" and value in (0, 1, 2, 3, 4):
            level = _APP_INSIGHTS[value]
        else:
            level = level_field(value)
        if level is not None:
            return level
    if "@t" in flat and ("@m" in flat or "@mt" in flat):  # compact Serilog events leave Information out
        return "INFO"
    return level_field(priority) if isinstance(priority, str) else None


def _weak_level(name: str, value: object) -> Level | None:
    if name == "label":
        return level_field(value) if isinstance(value, str) else None
    words = value if isinstance(value, list) else [value]
    found = (level_token(word) for word in words[:8] if isinstance(word, str))
    return next((level for level in found if level is not None), None)
