"""One compatibility run for each row of `diagnosis_session`, its steps and calls linked to it.

`migrate.upgrade` has done this in short transactions before it comes here; what was written since is done here.
"""

from __future__ import annotations

from alembic import context, op

from rootproof.adapters.sql.legacy_backfill import finish
from rootproof.adapters.sql.migrations import ddl

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make and link what is still missing."""
    finish(op.get_bind(), context.config.attributes.get("owner"))


def downgrade() -> None:
    """Delete the compatibility runs; going up again makes the same ones, so links to them may stay."""
    if "diagnosis_session" in ddl.tables(op.get_bind()):
        op.execute("DELETE FROM diagnosis_run WHERE compatibility")
