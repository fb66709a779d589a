"""What the run is about: the objects that the alert or question names, and what it complains about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from rootproof.agent.briefing import Briefing
from rootproof.agent.follow_up import carried
from rootproof.agent.playbook.log_parts import peer
from rootproof.agent.playbook.metric_roles import Role, role_of_name, words
from rootproof.agent.playbook.observations import Observations
from rootproof.agent.playbook.signals import Topic
from rootproof.agent.testimony import without_diagnoses
from rootproof.domain.alert import Alert

_OBJECT_LABELS = (
    "pod", "deployment", "statefulset", "daemonset", "job_name", "job", "cronjob", "service", "app", "workload",
    "workload_name", "node", "container", "instance", "db_instance", "persistentvolumeclaim", "pvc", "subject",
    "queue", "topic", "consumer_group", "cluster", "replica",
)  # fmt: skip
_EXPORTER = re.compile(r"kube-state-metrics|exporter|prometheus|blackbox|pushgateway", re.IGNORECASE)
_OF_EXPORTER = frozenset({"service", "instance", "job", "endpoint", "node"})
_FAILING = frozenset({"WARN", "ERROR", "FATAL", "CRITICAL"})
METRIC_NAME = re.compile(r"\b(?=[A-Za-z]*?[a-z][A-Z]|[A-Z]{2,}[a-z])[A-Z][A-Za-z]{5,60}\b")
_SPLIT = re.compile(r"[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])")
ALWAYS_FIRING = re.compile(
    r"(?:should|must|will|is meant to|is supposed to|is designed to|is) (?:always|permanently|constantly|continuously) "
    r"(?:be )?(?:fir|activ)\w*|always (?:be )?(?:firing|active)|dead ?man'?s? ?s(?:witch|nitch)"
    r"|\binfo ?inhibitor|^watch ?dog\b",
    re.IGNORECASE,
)
_ROUTINE = re.compile(
    r"(?:health ?check|verification|check) (?:has )?passed"
    r"|within normal (?:operating )?(?:bounds|range|parameters|limits)"
    r"|(?:scheduled|periodic|routine) (?:health ?check|verification)",
    re.IGNORECASE,
)

_TOPIC_WORDS: Mapping[Topic, str] = {
    Topic.CPU: r"\bcpu\b|\bprocessor\b|\bcompute\b",
    Topic.THROTTLING: r"throttl",
    Topic.CONNECTIONS: r"\bconnections?\b|max_connections|too many clients|\bpool\b",
    Topic.REPLICATION: r"replica(?:tion)? ?lag|\blag\b[^\n]{0,40}replica|replica[^\n]{0,40}\b(?:lag|behind)|stale read",
    Topic.STORAGE: r"storage|disk (?:space|full|usage)|\bdisk\b|\bvolume\b|\bpvc?\b|persistentvolume|filesystem",
    Topic.MEMORY: r"\bmemory\b|\boom\b|\boomkill\w*|\bheap\b|\bmem\b",
    Topic.LATENCY: r"latency|slow\w*|longer than|response times?|\bp9[059]\b|taking (?:too )?long|duration|degrad",
    Topic.ERRORS: r"error|\b5xx\b|\b50\d\b|fail(?:s|ing|ure|ed)?\b|exception",
    Topic.RESTARTS: r"restart|crash|back-?off|not ready|unhealthy",
    Topic.SCHEDULING: r"pending|unschedul|cannot be scheduled|\bschedul(?:e|ing|er)\b(?! health)",
    Topic.NODE: r"\bnodes?\b|kubelet|too many pods",
    Topic.JOB: r"\bjobs?\b|\bcronjob",
    Topic.PROBE: r"probe|liveness|readiness",
    Topic.IMAGE: r"image|errimagepull",
    Topic.NETWORK: r"\bdns\b|network|unreachable|resol(?:ve|ution)|connect(?:ivity)?\b|timeouts?",
    Topic.AVAILABILITY: r"\bdown\b|unavailable|outage|availability|fail ?over|replicas? mismatch|not available",
    Topic.TRAFFIC: r"traffic|request rate|\bqps\b|\brps\b|surge|spike in requests",
    Topic.QUEUE: r"queue|backlog|consumer|kafka|rabbit|unprocessed",
    Topic.CERTIFICATE: r"certificate|\btls\b|\bssl\b|expir",
    Topic.IO: r"\biops\b|\bio\b|i/o|disk queue",
}  # fmt: skip
_TOPICS = tuple((topic, re.compile(pattern, re.IGNORECASE)) for topic, pattern in _TOPIC_WORDS.items())


@dataclass(frozen=True, slots=True)
class Focus:
    """What to explain."""

    targets: frozenset[str] = frozenset()
    """Names (objects, workloads, series subjects) that the alert or question is about; empty means everything."""
    namespaces: frozenset[str] = frozenset()
    topics: frozenset[Topic] = frozenset()
    always_firing: bool = False
    """The alert's own text says that it always fires."""
    routine: bool = False
    """The alert's own text says that a check passed."""
    severity: str = ""
    alerts: int = 0
    since: datetime | None = None
    """When the first of the alerts began."""

    def covers(self, *names: str) -> bool:
        """Whether one of `names` is a target, or there are no targets."""
        return not self.targets or any(same_thing(name, target) for name in names if name for target in self.targets)


def focus(briefing: Briefing, seen: Observations) -> Focus:
    """What the alert or question names and complains about, given which names occur in the evidence."""
    text = complaint(briefing)
    spaced = f"{text} {' '.join(_spaced(alert.name) for alert in briefing.alerts)} {' '.join(_metrics_in(text))}"
    named = labelled(briefing)
    spaces = {fact.namespace for fact in seen.facts if fact.namespace}
    targets = _present(named, text, _entities(seen)) - (spaces - {fact.app for fact in seen.facts})
    severity = next((a.raw_severity or str(a.severity or "") for a in briefing.alerts), "")
    return Focus(
        targets=frozenset(targets),
        namespaces=frozenset(_namespaces(briefing)),
        topics=frozenset(topic for topic, pattern in _TOPICS if pattern.search(spaced)),
        always_firing=bool(briefing.alerts) and all(_fires_always(alert) for alert in briefing.alerts),
        routine=bool(briefing.alerts) and bool(_ROUTINE.search(spaced)) and severity.lower() in ("", "info", "none"),
        severity=severity.lower(),
        alerts=len(briefing.alerts),
        since=min((a.started_at for a in briefing.alerts if a.started_at is not None), default=None),
    )


def _fires_always(alert: Alert) -> bool:
    parts = (alert.name, alert.summary or "", alert.description or "", *alert.annotations.values())
    return bool(ALWAYS_FIRING.search(" ".join(parts)))


def topics_of(alert: Alert) -> frozenset[Topic]:
    """What one alert complains about."""
    text = f"{_spaced(alert.name)} {alert.summary or ''} {alert.description or ''}"
    return frozenset(topic for topic, pattern in _TOPICS if pattern.search(text))


def complaint(briefing: Briefing) -> str:
    """The words of the question and the alerts: summaries, descriptions and the values of annotations.

    Of a question that follows up, what it is about too.
    """
    parts = [briefing.question, carried(briefing)]
    for alert in briefing.alerts:
        parts += [alert.summary or "", alert.description or "", *alert.annotations.values()]
    told = (without_diagnoses(part) for part in parts if part and not part.startswith("http"))
    return "\n".join(dict.fromkeys(part for part in told if part))


def _metrics_in(text: str) -> Iterable[str]:
    """The words of the metrics that a text names, as vendors write them in one: `CPUUtilization`."""
    return (" ".join(words(name)) for name in METRIC_NAME.findall(text) if role_of_name(name) is not Role.OTHER)


def _spaced(name: str) -> str:
    return " ".join(part for part in _SPLIT.split(name) if part)


def labelled(briefing: Briefing) -> dict[str, None]:
    """Values of labels and annotations that name objects; an exporter's own identity is not the subject."""
    found: dict[str, None] = {}
    for alert in briefing.alerts:
        exporter = any(_EXPORTER.search(alert.labels.get(key, "")) for key in ("job", "service", "exported_job"))
        pairs = [*alert.labels.items(), *alert.annotations.items()]
        if alert.service and not _EXPORTER.search(alert.service):
            pairs.append(("service", alert.service))
        for key, value in pairs:
            plain = key.lower().removeprefix("kube_").removeprefix("exported_").removesuffix("_identifier")
            if plain not in _OBJECT_LABELS or not value or (exporter and plain in _OF_EXPORTER):
                continue
            if not _EXPORTER.search(value):
                found[value] = None
    return found


def _namespaces(briefing: Briefing) -> Iterable[str]:
    for alert in briefing.alerts:
        for key, value in (*alert.labels.items(), *alert.annotations.items()):
            if key.lower().endswith("namespace") and value:
                yield value


def _entities(seen: Observations) -> dict[str, None]:
    names: dict[str, None] = {}
    for fact in seen.facts:
        names[fact.object.split("/", 1)[-1]] = None
        if fact.app:
            names[fact.app] = None
    for log in seen.logs:
        if log.service and log.topic != "SYSTEM_EVENTS":
            names[log.service] = None
        if log.level in _FAILING and (called := peer(log.words)) and "<" not in called:
            names[called.split(".", 1)[0]] = None
    for series in seen.series:
        for value in series.labels.values():
            names[value] = None
    return names


def _present(named: Mapping[str, None], text: str, entities: Mapping[str, None]) -> set[str]:
    """Label values that name something, and entities that the text mentions; the longest names win."""
    lowered = text.lower()
    mentioned = {
        entity
        for entity in entities
        if len(entity) >= 4 and re.search(rf"(?<![\w.]){re.escape(entity.lower())}(?![\w])", lowered)
    }
    mentioned = {name for name in mentioned if not any(name != other and name in other for other in mentioned)}
    known = {name for name in named if any(same_thing(name, entity) for entity in entities)}
    return mentioned | known


def same_thing(a: str, b: str) -> bool:
    """Whether two names mean one object or its workload: `pod/<pod:cart-1>`, `<pod:cart-1>` and `cart` do."""
    left, right = stem(a), stem(b)
    return bool(left) and left == right


_PLACEHOLDER = re.compile(r"<(?:pod|node|host):([^>]+)>")
_LOG_FILE = re.compile(r"\.(?:error|access|err|out|stderr|stdout|previous|prev|current|log)$")
"""A log that a service keeps in several files is named after both."""
_POD_SUFFIX = re.compile(r"-(?:[a-z0-9]{8,10}-[a-z0-9]{5}|[a-f0-9]{8,10}|[bcdfghjklmnpqrstvwxz2456789]{5}|\d+)$")


def stem(name: str) -> str:
    """The workload's part of a name, in lower case: kind prefixes, placeholders' numbers and pod suffixes go."""
    plain = name.split("/", 1)[-1] if re.match(r"[a-z]+/", name) else name
    placeholder = _PLACEHOLDER.fullmatch(plain)
    if placeholder is not None:
        inner = placeholder.group(1)
        # `<node:1>` has no stem to compare by: it stays itself.
        return re.sub(r"-\d+$", "", inner).lower() if not inner.isdigit() else plain
    return _POD_SUFFIX.sub("", _LOG_FILE.sub("", plain.lower()))
