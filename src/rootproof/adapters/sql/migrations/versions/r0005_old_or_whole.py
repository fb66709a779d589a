"""Steps, calls and cases get their final shape: what the MVP's code does not write is nullable, and a check holds the
rows of new code to all of it. One statement a table."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from rootproof.adapters.sql.migrations import ddl
from rootproof.adapters.sql.migrations.frozen import core_0001, core_0005, legacy
from rootproof.adapters.sql.migrations.frozen.words import named

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_MARKS = {"agent_step": "ck_agent_step_whole", "tool_invocation": "ck_tool_invocation_whole"}
_MARKS |= {"case_library": "uq_case_library_case_id"}
_BY_RUN = {"agent_step", "tool_invocation"}


def upgrade() -> None:
    """Reshape the tables that are not in this shape yet."""
    connection = op.get_bind()
    for table in core_0005.TABLES:
        if not _is_done(connection, table.name):
            ddl.reshape(connection, table)


def downgrade() -> None:
    """The MVP's types with our columns beside them; elsewhere the shape of revision 0001."""
    connection = op.get_bind()
    adopted = "diagnosis_session" in ddl.tables(connection)
    for table in core_0005.TABLES:
        if _is_done(connection, table.name):
            ddl.reshape(connection, _before(table, adopted=adopted))


def _is_done(connection: sa.Connection, table: str) -> bool:
    inspector = sa.inspect(connection)
    keys = (*inspector.get_check_constraints(table), *inspector.get_unique_constraints(table))
    return _MARKS[table] in {key["name"] for key in keys}


def _before(table: sa.Table, *, adopted: bool) -> sa.Table:
    if adopted:
        grown = legacy.expanded(legacy.METADATA.tables[table.name], table)
        if table.name in _BY_RUN:
            sa.Index(None, grown.c.run_id, grown.c.seq)
        return grown
    if table.name in _BY_RUN:
        return {known.name: known for known in core_0001.TABLES}[table.name]
    cases = core_0001.case_library.to_metadata(named())
    for column in table.columns:
        if column.name not in cases.columns:
            cases.append_column(sa.Column(column.name, column.type, nullable=True))
    return cases
