"""The figures of `rootproof baseline diff`, added up by the database."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from rootproof.adapters.sql import schema
from rootproof.adapters.sql.database import Database
from rootproof.ports.baseline import RunFigures

_RUN = schema.diagnosis_run.c
_STEP = schema.agent_step.c
_CALL = schema.tool_invocation.c
_OTHER = schema.diagnosis_run.alias("other_run")

_FIRST_STEP = sa.case((_STEP.step_index == 0, 1), else_=0)
_STEPS = (
    sa.select(
        _STEP.run_id,
        sa.func.count().label("steps"),
        sa.func.coalesce(sa.func.sum(_STEP.token_count), 0).label("tokens"),
        sa.func.coalesce(sa.func.sum(_STEP.duration_ms), 0).label("step_ms"),
        sa.func.sum(_FIRST_STEP).label("rounds"),
    )
    .group_by(_STEP.run_id)
    .subquery("steps")
)
_CALLS = sa.select(_CALL.run_id, sa.func.count().label("calls")).group_by(_CALL.run_id).subquery("calls")


def _has(*, compatibility: bool) -> sa.Exists:
    kind = _OTHER.c.compatibility if compatibility else ~_OTHER.c.compatibility
    return sa.select(sa.literal(1)).where(_OTHER.c.session_id == _RUN.session_id, kind).exists()


_FIGURES = (
    sa.select(
        _RUN.session_id,
        _RUN.run_id,
        _RUN.compatibility,
        sa.func.coalesce(_CALLS.c.calls, 0).label("calls"),
        *(sa.func.coalesce(_STEPS.c[name], 0).label(name) for name in ("steps", "tokens", "step_ms", "rounds")),
    )
    .outerjoin_from(schema.diagnosis_run, _STEPS, _STEPS.c.run_id == _RUN.run_id)
    .outerjoin(_CALLS, _CALLS.c.run_id == _RUN.run_id)
    .where(_has(compatibility=True), _has(compatibility=False))
    .order_by(_RUN.session_id, _RUN.created_at, _RUN.id)
)
_MIXED = (
    sa.select(sa.func.count())
    .select_from(schema.diagnosis_run)
    .join(_STEPS, _STEPS.c.run_id == _RUN.run_id)
    .where(_RUN.compatibility, _STEPS.c.rounds > 1)
)


class SqlBaselineFigures:
    """The BaselineFigures over a `Database`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def beside_compatibility(self) -> Sequence[RunFigures]:
        """Runs of every session that has a compatibility run and newer ones, by session and then oldest first."""

        def read(connection: sa.Connection) -> Sequence[RunFigures]:
            return tuple(
                RunFigures(
                    row.session_id,
                    row.run_id,
                    bool(row.compatibility),
                    int(row.calls),
                    int(row.steps),
                    int(row.tokens),
                    int(row.step_ms),
                    int(row.rounds),
                )
                for row in connection.execute(_FIGURES)
            )

        return await self._database.read("add up sessions and runs", lambda connection: connection.run_sync(read))

    async def mixed_sessions(self) -> int:
        """How many compatibility runs hold more than one round."""

        def read(connection: sa.Connection) -> int:
            return connection.scalar(_MIXED) or 0

        return await self._database.read("count mixed rounds", lambda connection: connection.run_sync(read))
