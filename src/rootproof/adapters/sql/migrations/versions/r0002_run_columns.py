"""Runs are leased, belong to incidents and have a headline; cases have an id and an owner; `compatibility` marks runs
that the next revision makes."""

from __future__ import annotations

from alembic import op

from rootproof.adapters.sql.migrations import ddl
from rootproof.adapters.sql.migrations.frozen.core_0005 import case_library
from rootproof.adapters.sql.migrations.frozen.words import flag, index, instant, key, named, number, table, text, words

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_RUN = table(
    named(),
    "diagnosis_run",
    text("headline", nullable=True),
    words("service", 255, nullable=True),
    key("severity", 16, nullable=True),
    key("incident_id", 64, nullable=True),
    flag("compatibility", server_default="0"),
    number("lease_epoch", server_default="0"),
    key("worker", 128, nullable=True),
    instant("leased_until", nullable=True),
    instant("cancel_requested_at", nullable=True),
    index("incident_id"),
)
_NEW = tuple(name for name in _RUN.columns.keys() if name != "id")  # noqa: SIM118 - iterating gives columns
_CASE = (
    *("case_id", "owner", "cause_id", "objects", "service", "alert_name", "feedback_id"),
    *("revoked_at", "revoke_reason"),
)


def upgrade() -> None:
    """Add what is missing."""
    connection = op.get_bind()
    ddl.add_columns(connection, _RUN)
    ddl.create_indexes(connection, _RUN)
    ddl.add_columns(connection, case_library)


def downgrade() -> None:
    """Drop the columns and what is in them; on a database of the MVP revision 0001 does that for cases."""
    connection = op.get_bind()
    ddl.drop_indexes(connection, "diagnosis_run", {str(item.name) for item in _RUN.indexes})
    ddl.drop_columns(connection, "diagnosis_run", _NEW)
    if "diagnosis_session" not in ddl.tables(connection):
        ddl.drop_columns(connection, "case_library", _CASE)
