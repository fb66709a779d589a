"""Keys, feedback, uses of cases, incidents and their alerts, messages to send."""

from __future__ import annotations

from alembic import op

from rootproof.adapters.sql.migrations import ddl
from rootproof.adapters.sql.migrations.frozen import service_0006

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create what is missing."""
    for table in service_0006.TABLES:
        ddl.create(op.get_bind(), table)


def downgrade() -> None:
    """Drop the tables and all that is in them."""
    there = ddl.tables(op.get_bind())
    for table in reversed(service_0006.TABLES):
        if table.name in there:
            op.drop_table(table.name)
