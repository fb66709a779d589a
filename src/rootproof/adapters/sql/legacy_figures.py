"""What an adopted database holds, in figures, and the proof that its backfill is whole."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from rootproof.errors import StoreError

_SESSION = sa.table("diagnosis_session", sa.column("id"), sa.column("session_id"))
_RUN = sa.table("diagnosis_run", sa.column("run_id"), sa.column("session_id"), sa.column("compatibility", sa.Boolean))


@dataclass(frozen=True, slots=True)
class Linked:
    """The rows of one table, by what became of them."""

    table: str
    rows: int
    linked: int
    orphans: int
    """Rows of a session that `diagnosis_session` does not have: kept, and given no run."""
    missed: int
    """Rows that have no run although their session has one."""
    wrong: int
    """Rows whose run is not of their session."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Counts after a backfill."""

    sessions: int
    compatibility_runs: int
    sessions_without_run: int
    sessions_with_several: int
    tables: tuple[Linked, ...]

    @property
    def problems(self) -> tuple[str, ...]:
        """What keeps the upgrade from going on, in words; empty when it may."""
        found = [
            (self.sessions_without_run, "sessions without a compatibility run"),
            (self.sessions_with_several, "sessions with several"),
            *((table.missed, f"rows of {table.table} not linked to their session's run") for table in self.tables),
            *((table.wrong, f"rows of {table.table} linked to another session's run") for table in self.tables),
        ]
        return tuple(f"{count} {what}" for count, what in found if count)

    def lines(self) -> tuple[str, ...]:
        """The figures for people."""
        return (
            f"diagnosis_session: {self.sessions} rows, {self.compatibility_runs} compatibility runs",
            *(
                f"{each.table}: {each.rows} rows, {each.linked} with a run, {each.orphans} orphans"
                for each in self.tables
            ),
        )


def is_adopted(connection: sa.Connection) -> bool:
    """Whether the MVP's table of sessions is there."""
    return sa.inspect(connection).has_table(_SESSION.name)


def figures(connection: sa.Connection) -> Figures:
    """The counts of an adopted database whose backfill has been done."""
    of_session = sa.select(sa.literal(1)).where(_RUN.c.session_id == _SESSION.c.session_id, _RUN.c.compatibility)
    several = (
        sa.select(_RUN.c.session_id)
        .where(_RUN.c.compatibility)
        .group_by(_RUN.c.session_id)
        .having(sa.func.count() > 1)
        .subquery()
    )
    return Figures(
        sessions=_count(connection, sa.select(sa.func.count()).select_from(_SESSION)),
        compatibility_runs=_count(connection, sa.select(sa.func.count()).select_from(_RUN).where(_RUN.c.compatibility)),
        sessions_without_run=_count(
            connection, sa.select(sa.func.count()).select_from(_SESSION).where(~of_session.exists())
        ),
        sessions_with_several=_count(connection, sa.select(sa.func.count()).select_from(several)),
        tables=tuple(_linked(connection, name) for name in ("agent_step", "tool_invocation")),
    )


def verify(connection: sa.Connection) -> Figures | None:
    """The figures; None where nothing was adopted. Raises: StoreError with the figures where the backfill is not
    whole."""
    if not is_adopted(connection):
        return None
    found = figures(connection)
    if found.problems:
        raise StoreError(
            f"the backfill is not whole: {'; '.join(found.problems)} ({'; '.join(found.lines())}). Nothing was "
            "tightened. Old code may have written meanwhile: run `rootproof db upgrade` again; it goes on from here"
        )
    return found


def _linked(connection: sa.Connection, name: str) -> Linked:
    table = sa.table(name, sa.column("run_id"), sa.column("session_id"))
    total = sa.select(sa.func.count()).select_from(table)
    run = sa.select(sa.literal(1)).where(_RUN.c.session_id == table.c.session_id, _RUN.c.compatibility)
    other = sa.select(sa.literal(1)).where(_RUN.c.run_id == table.c.run_id, _RUN.c.session_id == table.c.session_id)
    open_rows = total.where(table.c.run_id.is_(None))
    without, missed = _count(connection, open_rows), _count(connection, open_rows.where(run.exists()))
    rows = _count(connection, total)
    wrong = _count(connection, total.where(table.c.run_id.is_not(None), ~other.exists()))
    return Linked(name, rows, rows - without, without - missed, missed, wrong)


def _count(connection: sa.Connection, statement: sa.Select[int]) -> int:
    return connection.scalar(statement) or 0
