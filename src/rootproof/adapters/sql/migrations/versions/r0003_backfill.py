"""One compatibility run for each row of `diagnosis_session`, its steps and calls linked to it.

`migrate.upgrade` has done this in short transactions before it comes here; what was written since is done here.
"""

from __future__ import annotations

from alembic import context, op

from rootproof.adapters.sql.legacy_backfill import finish

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make and link what is still missing."""
    finish(op.get_bind(), context.config.attributes.get("owner"))


def downgrade() -> None:
    """Leave the runs: they go with their table, and going up again makes the same ones."""
