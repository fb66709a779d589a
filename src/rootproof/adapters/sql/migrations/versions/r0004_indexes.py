"""Indexes by run, and the proof that the backfill is whole: a database of the MVP goes no further without it."""

from __future__ import annotations

from alembic import context, op

from rootproof.adapters.sql.legacy_backfill import finish
from rootproof.adapters.sql.legacy_figures import verify
from rootproof.adapters.sql.migrations import ddl
from rootproof.adapters.sql.migrations.frozen import core_0005

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_BY_RUN = {
    table: [index for index in table.indexes if "run_id" in index.columns]
    for table in (core_0005.agent_step, core_0005.tool_invocation)
}


def upgrade() -> None:
    """Create the indexes, link what was written meanwhile, verify."""
    connection = op.get_bind()
    for table, indexes in _BY_RUN.items():
        present = ddl.index_names(connection, table.name)
        for index in indexes:
            if index.name not in present:
                index.create(connection)
    finish(connection, context.config.attributes.get("owner"))
    verify(connection)


def downgrade() -> None:
    """Drop the indexes on a database of the MVP; elsewhere revision 0001 has made them."""
    connection = op.get_bind()
    if "diagnosis_session" in ddl.tables(connection):
        for table, indexes in _BY_RUN.items():
            ddl.drop_indexes(connection, table.name, {str(index.name) for index in indexes})
