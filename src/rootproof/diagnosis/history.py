"""The session that a run belongs to: what was asked and answered before, and evidence of runs that it names.

A pair of messages is made from the run's stored row alone, so the session's store and the rows give the same text, and
a lost store is made up for.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, timedelta
from typing import Any, Protocol

from pydantic import ValidationError

from rootproof.aci.identifiers import restore
from rootproof.agent.briefing import HistoryRef
from rootproof.agent.state import fold
from rootproof.diagnosis.backend import Backend
from rootproof.diagnosis.finish import REPORT
from rootproof.diagnosis.session_history import SessionHistory, digest
from rootproof.domain.claim import CheckedClaim, ClaimKind, Verdict
from rootproof.domain.earlier_evidence import earlier_id, run_of
from rootproof.domain.evidence import Evidence
from rootproof.domain.run import Run, RunMode, is_terminal
from rootproof.errors import StoreError
from rootproof.ports.run_store import RunRows, RunStore
from rootproof.ports.session_context import MessagePair, SessionContextStore, kept_form
from rootproof.redaction.credentials import structure_without_credentials

MAX_SHOWN = 6
"""Earlier questions that a run is given."""
MAX_NAMED_RUNS = 3
MAX_EARLIER_ITEMS = 12
"""Of all the runs that a question names."""
_LOOKED_AT = 100
"""Latest runs of the session among which a short id is looked for."""
_STORE_S = 3.0
_ANY_TTL = timedelta(days=1)
_NAMED = re.compile(r"(?<![\w-])run-[0-9a-f]{8}(?:-[0-9a-f]{1,12}){0,4}(?![0-9A-Za-z])", re.IGNORECASE)
_NO_ANSWER = "(no report)"


class Recall(Protocol):
    """What a run's driver asks about its session."""

    async def before(self, run: Run) -> SessionHistory:
        """What the run, which begins now, is given. Raises: StoreError for the stored runs, never for the messages."""
        ...

    async def again(self, run: Run, refs: Sequence[HistoryRef]) -> tuple[MessagePair, ...]:
        """The words of what it was given, as far as they can still be told. Raises: StoreError."""
        ...


@dataclass(frozen=True, slots=True)
class SessionRecall:
    """The session's history from its messages and its stored runs."""

    runs: RunStore
    sessions: SessionContextStore | None = None
    """None: there is no store of messages, the stored runs say it all."""

    async def before(self, run: Run) -> SessionHistory:
        """Of runs that were asked for before this one and have ended, the latest; and what the question names."""
        names = list(dict.fromkeys(name.lower() for name in _NAMED.findall(run.question)))
        earlier = await self._earlier(run, _LOOKED_AT if names else 2 * MAX_SHOWN)
        shown = [each for each in earlier if is_terminal(each.status)][:MAX_SHOWN][::-1]
        told = await self._told(run) if shown else {}
        pairs = tuple(told.get(each.run_id) or pair_of(each) for each in shown)
        lost = sum(each.run_id not in told for each in shown) if self.sessions is not None else 0
        evidence, notes = await self._named(run, names, earlier)
        expired = f"the message history of this session expired: continued from {lost} stored runs"
        return SessionHistory(pairs, evidence, ((expired,) if lost else ()) + notes)

    async def again(self, run: Run, refs: Sequence[HistoryRef]) -> tuple[MessagePair, ...]:
        """The pairs of the references, from the messages or from the run's row, whichever is what was given."""
        told = await self._told(run)
        return await told_again(self.runs, run, refs, told)

    async def _earlier(self, run: Run, limit: int) -> Sequence[Run]:
        before = (run.created_at, run.run_id) if run.created_at is not None else None
        found = await self.runs.list_runs(owner=run.owner, session_id=run.session_id, limit=limit, before=before)
        return [each for each in found if each.run_id != run.run_id]

    async def _told(self, run: Run) -> Mapping[str, MessagePair]:
        """The session's messages by run; empty where they are gone or cannot be reached."""
        if self.sessions is None:
            return {}
        try:
            async with asyncio.timeout(_STORE_S):
                history = await self.sessions.history(run.session_id, run.owner)
        except (StoreError, TimeoutError):
            return {}
        return {pair.run_id: pair for pair in history.pairs}

    async def _named(
        self, run: Run, names: Sequence[str], earlier: Sequence[Run]
    ) -> tuple[tuple[Evidence, ...], tuple[str, ...]]:
        """The evidence of the runs that the question names, and what is to be said about those that have none."""
        items: list[Evidence] = []
        notes: list[str] = []
        for name in names[:MAX_NAMED_RUNS]:
            rows, note = await self._run_named(run, name, earlier)
            found = list(supporting(rows)) if rows is not None else []
            if rows is not None and not found:
                note = f"run {rows.run.run_id} of this session has no supported claim whose evidence could be cited"
            room = MAX_EARLIER_ITEMS - len(items)
            if len(found) > room:
                note = f"of the evidence of {name}, {len(found) - room} items were left out"
            known = {item.id for item in items}
            items += [item for item in found[:room] if item.id not in known]
            notes += [note] if note else []
        if len(names) > MAX_NAMED_RUNS:
            notes.append(f"only the first {MAX_NAMED_RUNS} of the {len(names)} runs that the question names were read")
        return tuple(items), tuple(notes)

    async def _run_named(self, run: Run, name: str, earlier: Sequence[Run]) -> tuple[RunRows | None, str]:
        """The rows of the run, or why there are none; another session's or owner's run is as if it were not there."""
        found = [each.run_id for each in earlier if each.run_id.startswith(name)]
        absent = f"there is no run {name} in this session"
        if name in found or not found:
            found = [name]
        if len(found) > 1:
            return None, f"{len(found)} runs of this session begin with {name}: give the whole id of one"
        rows = await self.runs.load(found[0], owner=run.owner)
        if rows is None or rows.run.session_id != run.session_id or rows.run.run_id == run.run_id:
            return None, absent
        if not is_terminal(rows.run.status):
            return None, f"run {name} of this session has not ended: nothing of it can be cited yet"
        return rows, ""


@dataclass(frozen=True, slots=True)
class RecordedRecall:
    """What a run that is played again had been given."""

    pairs: tuple[MessagePair, ...] = ()
    given: SessionHistory = field(default_factory=SessionHistory)

    async def before(self, run: Run) -> SessionHistory:  # noqa: ARG002 - one run's recording
        """What it was given."""
        return self.given

    async def again(self, run: Run, refs: Sequence[HistoryRef]) -> tuple[MessagePair, ...]:  # noqa: ARG002
        """The words."""
        return self.pairs


async def told_again(
    runs: RunStore, run: Run, refs: Sequence[HistoryRef], told: Mapping[str, MessagePair]
) -> tuple[MessagePair, ...]:
    """For each reference the pair with just those words, among `told` and the stored rows. Raises: StoreError."""
    found: list[MessagePair] = []
    for ref in refs:
        pair = told.get(ref.run_id)
        if pair is None or digest(pair) != ref.sha256:
            rows = await runs.load(ref.run_id, owner=run.owner)
            pair = pair_of(rows.run) if rows is not None and rows.run.session_id == run.session_id else None
        if pair is not None and digest(pair) == ref.sha256:
            found.append(pair)
    return tuple(found)


async def remember_run(backend: Backend, rows: RunRows) -> None:
    """Put the run's question and answer into its session's history. Idempotent. Raises: StoreError."""
    await remember(backend.sessions, rows, ttl=backend.services.session_ttl)


async def remember(sessions: SessionContextStore, rows: RunRows, *, ttl: timedelta) -> None:
    """The same where there is no backend."""
    run = rows.run
    await sessions.append(run.session_id, run.owner, pair_of(run), ttl=ttl)


def pair_of(run: Run) -> MessagePair:
    """The run's question and its answer in short, from its row alone, bounded and without credentials."""
    words = structure_without_credentials({"question": _question(run), "answer": "\n".join(_answer(run))})
    asked_at = run.created_at or run.now
    asked_at = asked_at if asked_at.tzinfo is not None else asked_at.replace(tzinfo=UTC)
    return kept_form(MessagePair(run.run_id, words["question"], words["answer"], asked_at), _ANY_TTL)


def _question(run: Run) -> str:
    if run.mode is RunMode.AUTO_DISCOVERY:
        return run.question or "(what is wrong?)"
    subject = f"The alerts are about {run.service}" if run.service else "(an alert)"
    if run.mode is RunMode.PAYLOAD_TARGETED:
        return "\n".join(part for part in (subject, run.question) if part)
    return run.question


def _answer(run: Run) -> Iterator[str]:
    """Summary, and causes with their verdict: only causes that the checks let stand are root causes."""
    told: Mapping[str, Any] = run.headline or run.report or {}
    yield str(told.get("summary") or _NO_ANSWER)
    if run.status_reason is not None and str(run.status_reason) != "REPORTED":
        yield f"The run ended {run.status}: {run.status_reason}."
    causes = (run.headline or {}).get("rootCauses") or []
    for cause in causes:
        yield f"Root cause (SUPPORTED, confidence {cause.get('confidence')}): {cause.get('text')}"
        if cause.get("objects"):
            yield "At fault: " + ", ".join(str(name) for name in cause["objects"])
    if run.headline and not causes:
        yield "Nothing is wrong." if run.headline.get("healthy") else "No root cause was supported."


def supporting(rows: RunRows) -> Iterator[Evidence]:
    """What the run's supported claims rest on, causes first, named for use in other runs; identifiers as they are.

    Not the words of its user, and nothing that it took from other runs itself.
    """
    state = fold(rows.run, rows.steps, rows.invocations)
    names: dict[str, None] = {}
    for each in sorted(_claims(rows.run), key=lambda one: one.claim.kind is not ClaimKind.CAUSE):
        if each.verdict is Verdict.SUPPORTED:
            names.update((citation.evidence_id, None) for citation in each.claim.citations)
    for name in names:
        item = state.evidence.get(name)
        if item is None or item.tool == "question" or run_of(name) is not None:
            continue
        text, source, subject = restore((item.text, item.source, item.subject), state.identifiers)
        yield replace(item, id=earlier_id(rows.run.run_id, name), text=text, source=source, subject=subject)


def _claims(run: Run) -> tuple[CheckedClaim, ...]:
    """The claims of the stored report; none where it is of another shape, as old ones are."""
    try:
        return tuple(REPORT.validate_python(run.report).claims)
    except ValidationError:
        return ()
