"""Does every row belong to what it says, once? The questions of `rootproof db check`.

Each question selects what is wrong; it is counted, and a few are named. Nothing is changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from rootproof.adapters.sql import schema
from rootproof.adapters.sql.database import Database
from rootproof.adapters.sql.migrate import current_revision
from rootproof.adapters.sql.service_schema import case_use, outbox, run_feedback
from rootproof.domain.run import RunStatus, is_terminal
from rootproof.domain.step import StepKind
from rootproof.errors import StoreError

_NAMED = 5
_RUN = schema.diagnosis_run.c
_STEP = schema.agent_step.c
_CALL = schema.tool_invocation.c
_TERMINAL = [status.value for status in RunStatus if is_terminal(status)]
_COMPATIBILITY = schema.diagnosis_run.alias("compatibility_run")
_KEPT = (
    "rows of the old product whose session is not in diagnosis_session: kept as they are; delete them when no longer "
    "wanted"
)
_LATE = "old code wrote them after the upgrade: run `rootproof db upgrade`, which links them"
_DAMAGED = "the database was changed by hand or damaged: restore it, or delete these rows"


@dataclass(frozen=True, slots=True)
class Finding:
    """One question and its answer."""

    check: str
    count: int
    what: str
    action: str
    examples: tuple[str, ...] = ()
    """Some of what was found: run ids, or `table:id`."""


@dataclass(frozen=True, slots=True)
class _Question:
    check: str
    what: str
    action: str
    found: sa.Select[Any]
    """Selects one column that names what is wrong."""


async def check_database(database: Database, now: datetime | None = None) -> tuple[Finding, ...]:
    """The answer to every question, also where nothing is wrong. Raises: StoreError for another revision."""
    revision = await current_revision(database)
    if revision != schema.HEAD:
        raise StoreError(
            f"the database is at revision {revision}, this version checks {schema.HEAD}: run `rootproof db upgrade` "
            "(or `rootproof db adopt` first, for a database of the product before runs existed)"
        )
    questions = _questions(now or datetime.now(UTC))
    return await database.read("check the rows", lambda connection: connection.run_sync(_answers, questions))


def _answers(connection: sa.Connection, questions: Sequence[_Question]) -> tuple[Finding, ...]:
    return tuple(_answer(connection, question) for question in questions)


def _answer(connection: sa.Connection, question: _Question) -> Finding:
    count = connection.scalar(sa.select(sa.func.count()).select_from(question.found.subquery())) or 0
    named = connection.execute(question.found.limit(_NAMED)).scalars().all() if count else ()
    return Finding(question.check, count, question.what, question.action, tuple(str(name) for name in named))


def _questions(now: datetime) -> list[_Question]:
    return [*_without_run(), *_orphans(), *_duplicates(), *_without_end(now)]


def _without_run() -> list[_Question]:
    found = []
    for table, what in ((schema.agent_step, "steps"), (schema.tool_invocation, "invocations")):
        known = sa.select(sa.literal(1)).where(
            _COMPATIBILITY.c.session_id == table.c.session_id, _COMPATIBILITY.c.compatibility
        )
        rows = sa.select(table.c.id).where(table.c.run_id.is_(None))
        found.append(
            _Question(
                f"{what}_to_link", f"{what} without a run, of a session that has one", _LATE, rows.where(known.exists())
            )
        )
        found.append(
            _Question(
                f"{what}_without_run", f"{what} without a run, of no known session", _KEPT, rows.where(~known.exists())
            )
        )
    return found


def _orphans() -> list[_Question]:
    session = sa.select(sa.literal(1)).where(schema.chat_session.c.session_id == _RUN.session_id)
    found = [
        _Question(
            "runs_without_session", "runs of no session", _DAMAGED, sa.select(_RUN.run_id).where(~session.exists())
        )
    ]
    for table, what in (
        (schema.agent_step, "steps"),
        (schema.tool_invocation, "invocations"),
        (run_feedback, "feedback"),
        (case_use, "case_uses"),
        (outbox, "outbox"),
    ):
        run = sa.select(sa.literal(1)).where(_RUN.run_id == table.c.run_id)
        rows = sa.select(table.c.id).where(table.c.run_id.is_not(None), ~run.exists())
        words = {"feedback": "feedback rows", "case_uses": "uses of cases", "outbox": "reports to send"}.get(what, what)
        found.append(_Question(f"{what}_of_no_run", f"{words} of a run that is not there", _DAMAGED, rows))
    return found


def _duplicates() -> list[_Question]:
    steps = sa.select(_STEP.run_id).where(_STEP.step_no.is_not(None)).group_by(_STEP.run_id, _STEP.step_no)
    calls = sa.select(_CALL.run_id).where(_CALL.call_index.is_not(None))
    calls = calls.group_by(_CALL.run_id, _CALL.step_no, _CALL.call_index)
    ends = sa.select(_STEP.run_id).where(_STEP.kind == StepKind.END.value).group_by(_STEP.run_id)
    several = sa.func.count() > 1
    return [
        _Question("duplicate_steps", "step numbers that a run has twice", _DAMAGED, steps.having(several)),
        _Question("duplicate_invocations", "calls that a run has twice", _DAMAGED, calls.having(several)),
        _Question("duplicate_ends", "runs that ended twice", _DAMAGED, ends.having(several)),
    ]


def _without_end(now: datetime) -> list[_Question]:
    end = sa.select(sa.literal(1)).where(_STEP.run_id == _RUN.run_id, _STEP.kind == StepKind.END.value)
    ended = sa.select(_RUN.run_id).where(_RUN.status.in_(_TERMINAL), ~_RUN.compatibility, ~end.exists())
    stale = sa.select(_RUN.run_id).where(
        _RUN.status == RunStatus.RUNNING.value,
        sa.or_(_RUN.leased_until.is_(None), _RUN.leased_until <= now),
        sa.not_(_RUN.compatibility),
    )
    return [
        _Question(
            "runs_without_end",
            "runs that are over without an END step",
            "the process was killed between two versions or the rows were deleted: `rootproof runs trace RUN` shows "
            "what there is; diagnose again where it matters",
            ended,
        ),
        _Question(
            "runs_left_behind",
            "runs under way whose worker is gone",
            "start a worker (`rootproof serve` or `rootproof worker`), or `rootproof runs resume RUN`",
            stale,
        ),
    ]


def ok(findings: Sequence[Finding]) -> bool:
    """Whether nothing is wrong."""
    return not any(finding.count for finding in findings)
