"""The tables of the MVP, before runs existed.

`db adopt` stamps a database that has them; they are created only where this very revision is asked for. They belong
to the old code: going below this revision leaves them where they are.
"""

from __future__ import annotations

from alembic import context, op

from rootproof.adapters.sql.migrations import ddl
from rootproof.adapters.sql.migrations.frozen import legacy

revision = "legacy"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create what is missing, where the old tables are what is wanted."""
    if context.config.attributes.get("target") == revision:
        for table in legacy.TABLES:
            ddl.create(op.get_bind(), table)


def downgrade() -> None:
    """Leave the tables as they are."""
