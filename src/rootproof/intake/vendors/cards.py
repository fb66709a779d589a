"""Chat cards that relays of alerts send to Microsoft Teams and Slack: the alert is prose and facts by then.

Source: Microsoft "Legacy actionable message card reference", "Adaptive Cards schema"; Slack "Secondary attachments".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from rootproof.domain.alert import Alert, AlertStatus, NormalizedPayload, PayloadKind
from rootproof.intake.fields import first_text, first_time, items, labels_of, make_alert, mapping, text
from rootproof.intake.words import service_of, status_of, word

_STATE = re.compile(r"[\[(]\s*([A-Za-z]+)(?::\d+)?\s*[\])]")
_LINK = re.compile(r"\[([^\]\n]{1,400})\]\([^)\n]{0,2000}\)")
_ANNOTATIONS = frozenset({"summary", "description", "message", "runbook", "runbookurl", "dashboard", "dashboardurl"})


def read(body: Any) -> NormalizedPayload | None:
    """The alerts of a MessageCard (one a section with facts) or of an Adaptive Card (one a card)."""
    if not isinstance(body, Mapping):
        return None
    if word(text(body.get("@type")) or "") == "messagecard":
        return _found(list(_message_card(body)))
    cards = [item["content"] for item in items(body.get("attachments")) if _is_adaptive(mapping(item).get("content"))]
    if _is_adaptive(body):
        cards.append(body)
    if cards:
        return _found([_adaptive_card(card) for card in cards])
    slack = [item for item in items(body.get("attachments")) if _is_slack(item)]
    return _found([_slack_attachment(item) for item in slack], vendor="slack")


def _found(alerts: list[Alert], vendor: str = "msteams") -> NormalizedPayload | None:
    if not alerts:
        return None
    return NormalizedPayload(vendor=vendor, kind=PayloadKind.ALERT, alerts=tuple(alerts))


def _is_slack(item: Any) -> bool:
    """An attachment that says it is an alert: a state in brackets in its title, or fields that name one."""
    found = mapping(item)
    title = first_text(found, ("title", "fallback"))
    return title is not None and ("color" in found or "fields" in found) and bool(_status({}, title) or _named(found))


def _named(attachment: Mapping[str, Any]) -> bool:
    return any(word(key) in ("alertname", "severity") for key in _facts(attachment.get("fields")))


def _slack_attachment(item: Mapping[str, Any]) -> Alert:
    title = first_text(item, ("title", "fallback")) or ""
    name = _STATE.sub("", title, count=1).strip() or title
    alert = _alert(title, name, _facts(item.get("fields")))
    return replace(alert, description=alert.description or first_text(item, ("text",)))


def _is_adaptive(card: Any) -> bool:
    return isinstance(card, Mapping) and card.get("type") == "AdaptiveCard" and isinstance(card.get("body"), list)


def _message_card(card: Mapping[str, Any]) -> Iterator[Alert]:
    title = first_text(card, ("title", "summary"))
    sections = [section for section in items(card.get("sections")) if isinstance(section, Mapping)]
    with_facts = [section for section in sections if labels_of(section.get("facts"))]
    for section in with_facts or sections[:1] or [{}]:
        heading = first_text(section, ("activityTitle", "title", "activitySubtitle", "text")) or first_text(
            card, ("text",)
        )
        yield _alert(title, heading, labels_of(section.get("facts")))


def _adaptive_card(card: Mapping[str, Any]) -> Alert:
    texts: list[str] = []
    facts: dict[str, str] = {}
    for element in _elements(card["body"]):
        if element.get("type") == "TextBlock" and (found := text(element.get("text"))):
            texts.append(found)
        facts |= _facts(element.get("facts"))
    title = texts[0] if texts else None
    return _alert(title, texts[1] if len(texts) > 1 else None, facts)


def _facts(listed: Any) -> dict[str, str]:
    """`[{title, value}]` as a mapping."""
    found: dict[str, str] = {}
    for fact in items(listed):
        key, value = text(mapping(fact).get("title")), text(mapping(fact).get("value"))
        if key and value:
            found[key.rstrip(":")] = value
    return found


def _elements(listed: list[Any]) -> Iterator[Mapping[str, Any]]:
    """All elements, those in containers and columns included; the body's depth is bounded when it is parsed."""
    for element in listed:
        if isinstance(element, Mapping):
            yield element
            for key in ("items", "columns", "body"):
                yield from _elements(items(element.get(key)))


def _alert(title: str | None, heading: str | None, facts: dict[str, str]) -> Alert:
    heading = _LINK.sub(r"\1", heading) if heading else None
    labels = {key: value for key, value in facts.items() if word(key) not in _ANNOTATIONS}
    annotations = {key: value for key, value in facts.items() if word(key) in _ANNOTATIONS}
    by_word = {word(key): value for key, value in facts.items()}
    return make_alert(
        name=first_text(by_word, ("alertname", "alert")) or heading or title,
        status=_status(by_word, title, heading),
        raw_severity=first_text(by_word, ("severity", "priority")),
        service=service_of(labels),
        summary=first_text(by_word, ("summary",)) or heading or title,
        description=first_text(by_word, ("description", "message")),
        started_at=first_time(by_word, ("startsat", "started", "startedat")),
        ended_at=first_time(by_word, ("endsat", "ended", "endedat", "resolvedat")),
        labels=labels,
        annotations=annotations,
    )


def _status(by_word: Mapping[str, str], *titles: str | None) -> AlertStatus | None:
    """From a fact, else from the state in brackets that the relays' templates put in the title."""
    found = status_of(first_text(by_word, ("status", "state")))
    for title in titles:
        for match in _STATE.finditer(title or ""):
            found = found or status_of(match[1])
    return found
