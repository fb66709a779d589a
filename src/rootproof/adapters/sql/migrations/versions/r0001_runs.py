"""Sessions, runs, steps, invocations, cases and raw outputs.

On a database of the MVP this is the expansion: its tables get our columns, all of them nullable, which needs no copy of
a table; everything else of `diagnosis_session` and of the old columns stays as it is.
"""

from __future__ import annotations

from alembic import op

from rootproof.adapters.sql.migrations import ddl
from rootproof.adapters.sql.migrations.frozen import core_0001, core_0005, legacy

revision = "0001"
down_revision = "legacy"
branch_labels = None
depends_on = None

_CHANGED = {
    table.name: legacy.expanded(table, new) for table, new in zip(legacy.CHANGED, core_0005.TABLES, strict=True)
}


def upgrade() -> None:
    """Create what is missing; add columns where the MVP's table is there."""
    connection = op.get_bind()
    adopted = "diagnosis_session" in ddl.tables(connection)
    for table in core_0001.TABLES:
        if adopted and table.name in _CHANGED:
            ddl.add_columns(connection, _CHANGED[table.name])
        else:
            ddl.create(connection, table)


def downgrade() -> None:
    """Give the MVP its tables back; where there is no MVP, drop all that this revision created."""
    connection = op.get_bind()
    there = ddl.tables(connection)
    adopted = "diagnosis_session" in there
    for table in reversed(core_0001.TABLES):
        if adopted and table.name in _CHANGED:
            old = legacy.METADATA.tables[table.name]
            if ddl.columns(connection, table.name) != set(old.columns.keys()):
                ddl.reshape(connection, old)
        elif table.name in there:
            op.drop_table(table.name)
