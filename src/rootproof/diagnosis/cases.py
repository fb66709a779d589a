"""Make a case of a run that people confirmed or corrected, list and revoke cases, and load what runs may find.

A case keeps what is worth knowing in another incident: workloads, causes, words. What belongs to that one run (pod
hashes, addresses, nodes, credentials) stays out of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from rootproof.aci.identifiers import IdentifierMap
from rootproof.aci.projection.fit import clip
from rootproof.agent.state import RunState, fold
from rootproof.diagnosis.finish import REPORT
from rootproof.diagnosis.give_feedback import NotNow
from rootproof.domain.case import (
    MAX_OBJECTS,
    MAX_PART_CHARS,
    MAX_REASON_CHARS,
    MAX_REMEMBERED,
    MAX_TITLE_CHARS,
    Case,
    new_case_id,
)
from rootproof.domain.claim import ClaimKind, Verdict
from rootproof.domain.feedback import Feedback
from rootproof.domain.report import Report
from rootproof.domain.run import Run, is_terminal
from rootproof.errors import UsageError
from rootproof.ports.cases import CaseStore
from rootproof.ports.clock import Clock
from rootproof.ports.feedback import FeedbackStore
from rootproof.ports.run_store import RunRows
from rootproof.redaction.credentials import without_credentials

_PLACEHOLDER = re.compile(r"<(?P<kind>[a-z]{2,12}):(?P<name>[^<>\s]{1,120})>")
_POD_STEM = re.compile(r"(?P<stem>[^:]+)-\d+")
_IN_WORDS = {"ip": "[IP address]", "mac": "[MAC address]", "email": "[e-mail address]", "secret": "[credential]"}
_CAUSE_ID = re.compile(r"[a-z][a-z0-9_]{0,63}")
_OF_THIS_RUN = ("Read the runbook", "A next step was withheld", "A past case", "To be sure of it")
"""Next steps that mean nothing outside their run."""
_MAX_SENTENCES = 4
_TITLE_CAUSE_CHARS = 150


@dataclass(frozen=True, slots=True)
class CaseWords:
    """What a caller adds to what the run says; None: as the run says."""

    title: str | None = None
    solution: str | None = None
    cause_id: str | None = None


async def make_case(cases: CaseStore, feedback: FeedbackStore, rows: RunRows, words: CaseWords | None = None) -> Case:
    """The run's case; where it has one that is not revoked, that one, unchanged.

    Raises: NotNow where feedback that confirms or corrects the cause is missing; UsageError for words that are too
    long; StoreError.
    """
    run = rows.run
    words = words or CaseWords()
    _check(words)
    confirmed, feedback_id, corrected = await _confirmation(feedback, run)
    if not confirmed:
        raise NotNow(
            f"run {run.run_id} is not confirmed: give it the feedback HELPFUL, or WRONG_CAUSE or MISSING_CAUSE with "
            "the corrected cause; its latest feedback counts"
        )
    draft = _legacy_case(run, feedback_id, corrected) if run.compatibility else _case(rows, feedback_id, corrected)
    if not draft.root_cause:
        raise NotNow(
            f"the report of run {run.run_id} names no supported root cause, so there is nothing to remember: give "
            "feedback with the corrected cause"
        )
    return await cases.add(_worded(draft, words))


async def known_cases(cases: CaseStore, owner: str) -> tuple[Case, ...]:
    """The cases that runs of this owner may find: the newest ones that are not revoked."""
    return tuple(await cases.page(owner=owner, limit=MAX_REMEMBERED))


async def cases_of_run(cases: CaseStore, run: Run) -> Sequence[Case]:
    """Cases made from this run, newest first; rows of the MVP are found by its session id."""
    return await cases.of_diagnosis(run.run_id, run.session_id, owner=run.owner)


async def revoke_case(cases: CaseStore, clock: Clock, case_id: str, reason: str, *, owner: str) -> Case | None:
    """The revoked case, which no run is shown from now on; None when there is none of this owner.

    Raises: UsageError without a reason, or for one that is too long.
    """
    reason = reason.strip()
    if not reason:
        raise UsageError("a case is revoked with a reason: say why it is wrong or no longer true")
    if len(reason) > MAX_REASON_CHARS:
        raise UsageError(f"the reason has {len(reason)} characters; at most {MAX_REASON_CHARS} are kept: shorten it")
    return await cases.revoke(case_id, owner=owner, reason=without_credentials(reason), at=clock.now())


def _check(words: CaseWords) -> None:
    for name, text, most in (
        ("title", words.title or "", MAX_TITLE_CHARS),
        ("solution", words.solution or "", MAX_PART_CHARS),
    ):
        if len(text) > most:
            raise UsageError(f"the {name} has {len(text)} characters; at most {most} are kept: shorten it")
    if words.cause_id is not None and not _CAUSE_ID.fullmatch(words.cause_id):
        raise UsageError(
            f"cause id {words.cause_id!r:.80} is not 1-64 characters of a-z 0-9 _ starting with a letter, such as "
            "oom_killed"
        )


async def _confirmation(feedback: FeedbackStore, run: Run) -> tuple[bool, str | None, str | None]:
    """Whether the run's cause is confirmed or corrected; the feedback that says so; the corrected cause."""
    if not is_terminal(run.status):
        return False, None, None
    said: Sequence[Feedback] = await feedback.history(run.run_id, owner=run.owner, limit=1)
    if said:
        return said[-1].names_a_cause, said[-1].feedback_id, said[-1].corrected_cause
    # Runs made from the MVP's rows may hold its feedback, which has no row of history.
    return (run.feedback or {}).get("helpful") is True, None, None


def _case(rows: RunRows, feedback_id: str | None, corrected: str | None) -> Case:
    run = rows.run
    state = fold(run, rows.steps, rows.invocations)
    stored = state.end.output.get("report") if state.end else None
    report = REPORT.validate_python(stored) if stored is not None else Report(summary="", healthy=False)
    plain = _Plain(state.identifiers)
    causes = report.root_causes
    root_cause = plain.own(corrected) if corrected else " ".join(plain(cause.text) for cause in causes[:3])
    alert = state.briefing.alerts[0] if state.briefing and state.briefing.alerts else None
    service = run.service or (alert.service if alert else None)
    return Case(
        case_id=new_case_id(),
        diagnosis_id=run.run_id,
        owner=run.owner,
        title="",
        symptom=clip(_symptom(report, state, plain), MAX_PART_CHARS),
        root_cause=clip(root_cause, MAX_PART_CHARS),
        solution=clip("\n".join(_steps(report, plain)), MAX_PART_CHARS) if not corrected else "",
        cause_id=causes[0].cause_id if causes and not corrected else None,
        objects=tuple(_objects((name for cause in causes for name in cause.objects), plain)),
        service=_short(plain(service)) if service else None,
        alert_name=_short(plain(alert.name)) if alert else None,
        feedback_id=feedback_id,
    )


def _legacy_case(run: Run, feedback_id: str | None, corrected: str | None) -> Case:
    """Of a run that the MVP wrote: its answer is text, its steps may be those of several rounds."""
    plain = _Plain({})
    report = run.report or {}
    told = next((report[key] for key in ("summary", "answer", "text") if isinstance(report.get(key), str)), "")
    return Case(
        case_id=new_case_id(),
        diagnosis_id=run.run_id,
        owner=run.owner,
        title="",
        symptom=clip(plain.own(run.question), MAX_PART_CHARS),
        root_cause=clip(plain.own(corrected or told), MAX_PART_CHARS),
        service=_short(run.service) if run.service else None,
        feedback_id=feedback_id,
    )


def _worded(case: Case, words: CaseWords) -> Case:
    plain = _Plain({})
    about = case.alert_name or case.service or (case.cause_id or "incident").replace("_", " ")
    # Figures and quotes stand behind the first colon; a title needs the statement alone.
    title = plain.own(words.title or "") or f"{about}: {clip(case.root_cause.partition(': ')[0], _TITLE_CAUSE_CHARS)}"
    return replace(
        case,
        title=clip(" ".join(title.split()), MAX_TITLE_CHARS),
        solution=clip(plain.own(words.solution), MAX_PART_CHARS) if words.solution else case.solution,
        cause_id=words.cause_id or case.cause_id,
    )


def _symptom(report: Report, state: RunState, plain: _Plain) -> str:
    told = [
        plain(item.claim.text)
        for item in report.claims
        if item.claim.kind is ClaimKind.SYMPTOM and item.verdict is Verdict.SUPPORTED
    ]
    asked = plain(state.briefing.question) if state.briefing else ""
    return "\n".join(dict.fromkeys([*([asked] if asked else []), *(told or [plain(report.summary)])][:_MAX_SENTENCES]))


def _steps(report: Report, plain: _Plain) -> Iterable[str]:
    kept = [step.text for step in report.next_steps if not step.text.startswith(_OF_THIS_RUN)]
    return dict.fromkeys(plain(text) for text in kept[:_MAX_SENTENCES])


def _objects(names: Iterable[str], plain: _Plain) -> list[str]:
    told = [plain(name) for name in names]
    return [name for name in dict.fromkeys(told) if "[" not in name][:MAX_OBJECTS]


def _short(text: str) -> str:
    return clip(text, MAX_TITLE_CHARS)


class _Plain:
    """Texts without what belongs to one run: `<pod:cart-1>` becomes `cart`, addresses and nodes their kind."""

    def __init__(self, identifiers: Mapping[str, str]) -> None:
        self._identifiers = identifiers

    def __call__(self, text: str) -> str:
        """The text of a report, which has placeholders."""
        return _in_words(text, self._identifiers)

    def own(self, text: str) -> str:
        """The owner's own words: identifiers that the run knows, or that show by their form, are told so too."""
        known = IdentifierMap(self._identifiers)
        redacted = known.redact(text)
        return _in_words(redacted, {**self._identifiers, **known.take_fresh()})


def _in_words(text: str, identifiers: Mapping[str, str]) -> str:
    def word(found: re.Match[str]) -> str:
        kind = found["kind"]
        if kind == "pod":
            stem = _POD_STEM.fullmatch(found["name"])
            return stem["stem"] if stem else "[pod]"
        if kind == "host":
            return identifiers.get(found.group()) or "[host]"
        return _IN_WORDS.get(kind, f"[{kind}]")

    return _PLACEHOLDER.sub(word, text).strip()
