"""What a question names and the records do not hold: a time of the day, a service."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from rootproof.agent.playbook.clauses import listed
from rootproof.agent.playbook.draft import DraftBuilder
from rootproof.agent.playbook.observations import Observations

_TIME = re.compile(
    r"(?:(?<![\w:.\-])|(?<=\dT))(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(?::[0-5]\d)?(?![\w:]*\d)"
    r"(?: ?(?P<half>[ap])\.?m\b\.?)?"
    r"|(?<![\w:.\-])(?P<full>1[0-2]|0?[1-9]) ?(?P<part>[ap])\.?m\b\.?",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"^\W*(?:why|how come)?\W*(?:is|does|did|was|has)\s+(?:the\s+)?(?:service\s+)?"
    r"(?P<name>[A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)*)\s+(?:service\s+)?(?:so |not |still |always |often )?"
    r"(?:fail\w*|slow\w*|down|broken|unhealthy|healthy|crash\w*|restart\w*|stuck|hang\w*|unavailable|unreachable"
    r"|timing|time|throw\w*|answer\w*|respond\w*|degraded|ok|okay)\b",
    re.IGNORECASE,
)
_NO_NAME = re.compile(
    r"anything|application|backend|build|checking|cluster|code|connection|container|customer|database|deploy"
    r"|deployment|disk|environment|error|everybody|everyone|everything|frontend|health|host|infrastructure"
    r"|instance|latency|load|login|machine|memory|metric|monitoring|network|node|nothing|page|platform|prod"
    r"|production|query|queue|request|server|service|shop|site|software|something|somebody|someone|staging"
    r"|storage|stuff|system|test|that|there|these|they|thing|this|traffic|user|website|what|which|world",
    re.IGNORECASE,
)
"""What stands there and is no service's name."""
_LEAST_NAME = 4
_MAX_TIMES = 2


def write_asked(draft: DraftBuilder, question: str, seen: Observations) -> None:
    """Add to the summary what the question names and nothing that was read is of, and that a time chose nothing."""
    name = unknown_subject(question, seen)
    if name:
        draft.summary = f'{draft.summary} Nothing that was read names "{name}".'.strip()
        draft.step(f'Check the name "{name}", or add a source that holds it.', "none: it only reads")
    times = list(dict.fromkeys(found.group().strip() for found in _TIME.finditer(question)))[:_MAX_TIMES]
    if not times:
        return
    # In quotation marks, and without the times of the records: the check takes a bare time for one of the evidence.
    named = f'The question names "{listed(times)}"'
    span = _span(seen)
    if span is not None and all(_within(found, *span) for found in _TIME.finditer(question)):
        draft.summary += f" {named}; this report is about all that was read, not about that time alone."
        return
    draft.summary += f" {named}; what was read is of other times, so this is not about that time."
    draft.step(f'Give the run records of "{listed(times)}" in UTC.', "none: it only reads")


def unknown_subject(question: str, seen: Observations) -> str:
    """The one name that the question is about, where no word of what was read is it; empty where that is not sure."""
    found = _SUBJECT.match(question)
    name = found["name"] if found is not None else ""
    if len(name) < _LEAST_NAME or _NO_NAME.fullmatch(name) or not seen.answered():
        return ""
    core = re.sub(r"[-_]", "", name.lower()).removesuffix("s")
    return "" if any(core in re.sub(r"[-_ ]", "", text.lower()) for text in _texts(seen)) else name


def _texts(seen: Observations) -> Iterator[str]:
    for log in seen.logs:
        yield f"{log.service} {log.text} {log.example}"
    for series in seen.series:
        yield f"{series.name} {' '.join(series.labels.values())}"
    for alert in seen.alerts:
        yield f"{alert.name} {alert.summary} {' '.join(alert.labels.values())}"
    for fact in seen.facts:
        yield f"{fact.object} {fact.app} {fact.namespace} {fact.text}"
    for item in seen.knowledge:
        yield f"{item.title} {item.excerpt}"
    for call in seen.calls:
        # Services whose records were counted and left out.
        yield str(call.result.get("services") or "")


def _span(seen: Observations) -> tuple[datetime, datetime] | None:
    """The first and the last instant of dated records and series."""
    times = [at for log in seen.logs for at in (log.first, log.last)]
    times += [at for series in seen.series for at in (series.first_at, series.last_at)]
    dated = [at.astimezone(UTC) for at in times if at is not None]
    return (min(dated), max(dated)) if dated else None


def _within(found: re.Match[str], begun: datetime, ended: datetime) -> bool:
    """Whether the time of the day lies between the two on one of their days."""
    hour, minute = int(found["hour"] or found["full"]), int(found["minute"] or 0)
    half = (found["half"] or found["part"] or "").lower()
    if half and hour <= 12:
        hour = hour % 12 + (12 if half == "p" else 0)
    if ended - begun >= timedelta(days=1):
        return True
    at = begun.replace(hour=hour, minute=minute, second=0, microsecond=0)
    slack = timedelta(minutes=1)
    return any(begun - slack <= day <= ended + slack for day in (at, at + timedelta(days=1)))
