"""Make the briefing of a run: redact the question and the alerts under the run's map, list skills and tools."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from rootproof.aci.identifiers import IdentifierMap
from rootproof.aci.projection.fit import clip
from rootproof.aci.toolset import evidence_tool_names
from rootproof.agent.briefing import Briefing, EarlierAnswer, HistoryRef
from rootproof.agent.follow_up import carried
from rootproof.agent.retrieval_query import recommended_query
from rootproof.diagnosis.session_history import SessionHistory, digest
from rootproof.domain.alert import Alert
from rootproof.domain.evidence import Evidence, EvidenceClass
from rootproof.domain.run import Run, RunMode
from rootproof.domain.window import iso
from rootproof.ports.session_context import MessagePair
from rootproof.ports.skills import SkillCatalog
from rootproof.ports.sources import Sources
from rootproof.redaction import Policy, hidden_tags, visible

MAX_ALERTS = 20
MAX_HISTORY_CHARS = 6_000
"""Of all earlier questions and answers in one prompt."""
_QUESTION_CHARS = 700
_ANSWER_CHARS = 1_400
_ITEM_CHARS = 1_200
_CUT = " […]"
_FIELD_CHARS = 2_000
_POD_LABELS = {"pod": "pod", "pod_name": "pod", "kube_pod": "pod", "node": "node", "kube_node": "node"}


def make_briefing(
    run: Run, sources: Sources, skills: SkillCatalog, identifiers: IdentifierMap, history: SessionHistory
) -> Briefing:
    """The briefing, without the history's words; placeholders that it gives out are in `identifiers` afterwards."""
    learn_names(sources.payload, identifiers)
    alerts = tuple(_redacted(alert, identifiers) for alert in sources.payload[:MAX_ALERTS])
    question = clip(identifiers.redact(run.question), _FIELD_CHARS * 4)
    targeted = run.mode is RunMode.PAYLOAD_TARGETED
    for pair in history.pairs:
        identifiers.redact_structure([pair.question, pair.answer])
    return Briefing(
        mode=run.mode,
        now=run.now,
        question=question,
        alerts=alerts,
        recommended_query=recommended_query(alerts[0]) if targeted and alerts else "",
        reported=tuple(_reported(alerts, question)),
        skills=tuple(replace(each, description=identifiers.redact(each.description)) for each in skills.infos()),
        tools=evidence_tool_names(sources),
        history_refs=tuple(HistoryRef(pair.run_id, digest(pair)) for pair in history.pairs),
        history_notes=history.notes,
        earlier=tuple(_earlier(item, identifiers) for item in history.evidence),
        shown_identifiers=tuple(sorted(identifiers.policy.shown)),
    )


def with_history(briefing: Briefing, pairs: Iterable[MessagePair], identifiers: Mapping[str, str]) -> Briefing:
    """The briefing with the words of its history; `identifiers` are the placeholders that the briefing gave out.

    Made from those alone, so that it is the same in every process that goes on with the run and in its replay.
    """
    known = IdentifierMap(identifiers, Policy(frozenset(briefing.shown_identifiers)))
    learn_names(briefing.alerts, known)
    found = {(pair.run_id, digest(pair)): pair for pair in pairs}
    shown: list[EarlierAnswer] = []
    left = MAX_HISTORY_CHARS
    for ref in reversed(briefing.history_refs):
        pair = found.get((ref.run_id, ref.sha256))
        if pair is None:
            continue
        question, answer = _shortened(known.redact(pair.question), _QUESTION_CHARS), known.redact(pair.answer)
        answer = _shortened(answer, _ANSWER_CHARS)
        left -= len(question) + len(answer)
        if left < 0:
            break
        shown.append(EarlierAnswer(pair.run_id, question, answer))
    return replace(briefing, history=tuple(reversed(shown)))


def _shortened(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - len(_CUT)] + _CUT


def _earlier(item: Evidence, identifiers: IdentifierMap) -> Evidence:
    """An earlier run's item under this run's placeholders."""
    return replace(
        item,
        text=clip(identifiers.redact(item.text), _ITEM_CHARS),
        source=identifiers.redact(item.source),
        subject=identifiers.redact(item.subject) if item.subject is not None else None,
    )


def notes_of(sources: Sources) -> tuple[str, ...]:
    """What was given and not used, for the coverage."""
    more = len(sources.payload) - MAX_ALERTS
    left_out = (f"{more} of {len(sources.payload)} alerts of the payload were left out",) if more > 0 else ()
    return (*sources.notes, *left_out, *_hidden(sources.payload))


def _hidden(payload: Iterable[Alert]) -> tuple[str, ...]:
    """A note where the payload holds text that only a model would read."""
    texts = [text for alert in payload for text in (*alert.labels.items(), *alert.annotations.items())]
    found = sum(hidden_tags(visible(part)) for pair in texts for part in pair)
    return (f"alert payload: text hidden in tag characters was taken out in {found} places",) if found else ()


def focus_text(briefing: Briefing) -> str:
    """The question, what it follows up on, and the alerts' values in one text: what the user cares about."""
    texts = [briefing.question, carried(briefing)]
    for alert in briefing.alerts:
        texts += [alert.name, alert.service or "", alert.summary or "", alert.description or "", *alert.labels.values()]
        texts += [value for value in alert.annotations.values() if " " not in value]
    return " ".join(text for text in texts if text)


def learn_names(alerts: Iterable[Alert], identifiers: IdentifierMap) -> None:
    """Learn the pods and nodes that the alerts' labels name; a worker that takes over learns them from the briefing."""
    for alert in alerts:
        for key, value in {**alert.labels, **alert.annotations}.items():
            kind = _POD_LABELS.get(key.lower())
            if kind and value and " " not in value:
                identifiers.learn(identifiers.resolve(value), kind)


def _redacted(alert: Alert, identifiers: IdentifierMap) -> Alert:
    def clean(text: str | None) -> str | None:
        return clip(identifiers.redact(text), _FIELD_CHARS) if text is not None else None

    def clean_map(values: dict[str, str]) -> dict[str, str]:
        redacted = identifiers.redact_structure(dict(list(values.items())[:60]))
        return {key: clip(value, _FIELD_CHARS) for key, value in redacted.items()}

    return replace(
        alert,
        name=clip(identifiers.redact(alert.name), 300),
        raw_severity=clean(alert.raw_severity),
        service=clean(alert.service),
        summary=clean(alert.summary),
        description=clean(alert.description),
        labels=clean_map(dict(alert.labels)),
        annotations=clean_map(dict(alert.annotations)),
        fingerprint=clean(alert.fingerprint),
    )


def _reported(alerts: tuple[Alert, ...], question: str) -> list[Evidence]:
    items = [
        Evidence(
            id=f"E{number}",
            cls=EvidenceClass.REPORTED,
            tool="payload",
            tool_call_id="",
            text=_alert_line(alert),
            source="alert payload",
            subject=alert.service,
            first_at=alert.started_at,
            last_at=alert.ended_at,
        )
        for number, alert in enumerate(alerts, start=1)
    ]
    if question:
        number = len(items) + 1
        text = f"the user asks: {question}"
        items.append(Evidence(f"E{number}", EvidenceClass.REPORTED, "question", "", text, "question"))
    return items


def _alert_line(alert: Alert) -> str:
    parts = [f'alert payload "{alert.name}"']
    if alert.severity or alert.raw_severity:
        parts.append(f"severity {alert.severity or alert.raw_severity}")
    if alert.status:
        parts.append(str(alert.status))
    if alert.started_at:
        parts.append(f"since {iso(alert.started_at)}")
    if alert.service:
        parts.append(f"service {alert.service}")
    told = [text for text in (alert.summary, alert.description) if text]
    return ", ".join(parts) + (": " + " ".join(dict.fromkeys(told)) if told else "")
