"""Take what people say of a run: bound to one finished run, credentials removed, kept as data, once per key.

Feedback changes no verdict and no report. Its words reach an agent only when the run becomes a case, as MEMORY.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rootproof.domain.feedback import (
    MAX_CAUSE_CHARS,
    MAX_CLAIM_MARKS,
    MAX_COMMENT_CHARS,
    MAX_KEY_CHARS,
    ClaimMark,
    Feedback,
    FeedbackVerdict,
    ResolvedBy,
    new_feedback_id,
)
from rootproof.domain.run import Run, is_terminal
from rootproof.errors import StaleWrite, UsageError
from rootproof.ports.feedback import FeedbackStore
from rootproof.ports.run_store import RunRows, RunStore
from rootproof.redaction.credentials import without_credentials

_NAMED = 10


class NotNow(UsageError):
    """The request is well formed, and the state of the run (or what was said before) does not allow it."""


@dataclass(frozen=True, slots=True)
class Said:
    """What a caller says of a run."""

    verdict: FeedbackVerdict
    comment: str = ""
    corrected_cause: str | None = None
    claim_marks: Mapping[str, ClaimMark] = field(default_factory=dict)
    idempotency_key: str | None = None


@dataclass(frozen=True, slots=True)
class BoundRun:
    """A run, and how the request came to it."""

    rows: RunRows
    resolved_by: ResolvedBy


async def bound_run(runs: RunStore, session_id: str, run_id: str | None, *, owner: str) -> BoundRun | None:
    """The run that was named, or the session's latest one; None when there is none of this owner in this session."""
    if run_id is None:
        latest = await runs.latest_run(session_id, owner=owner)
        rows = await runs.load(latest.run_id, owner=owner) if latest is not None else None
        return None if rows is None else BoundRun(rows, ResolvedBy.LATEST_RUN)
    rows = await runs.load(run_id, owner=owner)
    if rows is None or rows.run.session_id != session_id:
        return None
    return BoundRun(rows, ResolvedBy.RUN_ID)


async def repeated(
    runs: RunStore, feedback: FeedbackStore, session_id: str, said: Said, *, owner: str
) -> BoundRun | None:
    """For a request with a key and without a run id: the run of the first request with that key, if there was one.

    Another run may be the latest by now, and a repeat must not be counted there again.
    """
    if said.idempotency_key is None:
        return None
    known = await feedback.with_key(session_id, _given(said.idempotency_key), owner=owner)
    if known is None:
        return None
    rows = await runs.load(known.run_id, owner=owner)
    return None if rows is None else BoundRun(rows, known.resolved_by)


async def give_feedback(store: FeedbackStore, bound: BoundRun, said: Said) -> Feedback:
    """The stored feedback; for a repeat (same key, same words) the row of the first time.

    Without a key, saying the same again right after it was said is a repeat.
    Raises: NotNow for a run that is not over, or a key that was used with other words; UsageError for claims that the
    report does not have or a text that is too long; StoreError.
    """
    run = bound.rows.run
    if not is_terminal(run.status):
        raise NotNow(
            f"run {run.run_id} is {run.status}: it takes feedback when it is over; wait for its end, or name the run "
            "that is meant"
        )
    _check(said, bound.rows)
    comment = without_credentials(said.comment.strip())
    cause = without_credentials((said.corrected_cause or "").strip()) or None
    content = _content_hash(said, comment, cause)
    latest = await store.history(run.run_id, owner=run.owner, limit=1)
    feedback = Feedback(
        feedback_id=new_feedback_id(),
        session_id=run.session_id,
        run_id=run.run_id,
        owner=run.owner,
        idempotency_key=_given(said.idempotency_key) if said.idempotency_key else _derived(content, latest),
        request_hash=content,
        verdict=said.verdict,
        comment=comment,
        corrected_cause=cause,
        claim_marks=dict(said.claim_marks),
        resolved_by=bound.resolved_by,
    )
    try:
        stored, _ = await store.append(feedback)
    except StaleWrite as error:
        raise NotNow(str(error)) from error
    if stored.request_hash != content:
        raise NotNow(
            f"the idempotency key {said.idempotency_key!r:.80} was used for other feedback on run {run.run_id}; "
            "send this one with a key of its own"
        )
    return stored


def claim_ids(run: Run) -> tuple[str, ...]:
    """The ids of the claims in the run's report, in its order; none where there is no report of this version."""
    claims = (run.report or {}).get("claims")
    inner = [item.get("claim") for item in claims if isinstance(item, dict)] if isinstance(claims, list) else []
    return tuple(str(claim["id"]) for claim in inner if isinstance(claim, dict) and "id" in claim)


def _check(said: Said, rows: RunRows) -> None:
    for name, text, most in (
        ("comment", said.comment, MAX_COMMENT_CHARS),
        ("corrected cause", said.corrected_cause or "", MAX_CAUSE_CHARS),
        ("idempotency key", said.idempotency_key or "", MAX_KEY_CHARS),
    ):
        if len(text) > most:
            raise UsageError(f"the {name} has {len(text)} characters; at most {most} are kept: shorten it")
    if len(said.claim_marks) > MAX_CLAIM_MARKS:
        raise UsageError(f"{len(said.claim_marks)} claims are marked; at most {MAX_CLAIM_MARKS} are kept")
    known = claim_ids(rows.run) if said.claim_marks else ()
    unknown = [claim for claim in said.claim_marks if claim not in known]
    if unknown:
        named = ", ".join(repr(claim)[:80] for claim in unknown[:_NAMED])
        has = f"its claims are {', '.join(known)}" if known else "it has no claims"
        raise UsageError(f"the report of run {rows.run.run_id} has no claim {named}; {has}")


def _content_hash(said: Said, comment: str, cause: str | None) -> str:
    """SHA-256 of what was said, credentials removed: a hash of a password would be a way to guess it."""
    marks = {claim: mark.value for claim, mark in sorted(said.claim_marks.items())}
    content = json.dumps([said.verdict.value, comment, cause, marks])
    return hashlib.sha256(content.encode()).hexdigest()


def _given(key: str) -> str:
    """The stored form of a caller's key: of one length, and never that of a derived one."""
    return "key-" + hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:56]


def _derived(content: str, latest: Sequence[Feedback]) -> str:
    """The key of a request without one: the latest row's when it says the same, else one that follows from that row.

    So two posts of the same click meet in one row, and going back to an earlier verdict is news.
    """
    if not latest:
        return "say-" + content[:56]
    before = latest[-1]
    if before.request_hash == content:
        return before.idempotency_key
    return "say-" + hashlib.sha256(f"{content} after {before.feedback_id}".encode()).hexdigest()[:56]
