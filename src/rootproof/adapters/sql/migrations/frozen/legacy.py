"""The tables of the MVP before runs existed: on MySQL exactly its own, elsewhere in the nearest types."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import mysql

from rootproof.adapters.sql.migrations.frozen.words import MYSQL, named, table

METADATA = named()
_LONG = sa.Text().with_variant(mysql.LONGTEXT(), *MYSQL)


def _words(name: str, length: int, **options: Any) -> sa.Column[Any]:
    return sa.Column(name, sa.String(length), nullable=False, **options)


def _count(name: str) -> sa.Column[Any]:
    return sa.Column(name, sa.Integer(), nullable=False, server_default=sa.text("0"))


def _instant(name: str) -> sa.Column[Any]:
    return sa.Column(name, sa.DateTime(), nullable=False)


agent_step = table(
    METADATA,
    "agent_step",
    _words("session_id", 64),
    sa.Column("step_index", sa.Integer(), nullable=False),
    _words("agent_name", 64),
    sa.Column("input_summary", sa.Text()),
    sa.Column("output_summary", sa.Text()),
    _words("status", 32),
    sa.Column("token_count", sa.Integer()),
    sa.Column("duration_ms", sa.BigInteger()),
    _instant("created_at"),
    sa.Index("idx_agent_step_session", "session_id"),
)

tool_invocation = table(
    METADATA,
    "tool_invocation",
    _words("session_id", 64),
    sa.Column("agent_step_id", sa.BigInteger()),
    _words("tool_name", 64),
    sa.Column("input_json", sa.JSON()),
    sa.Column("output_preview", sa.Text()),
    sa.Column("output_summary", sa.Text()),
    sa.Column("retrieval_details", sa.JSON()),
    _words("status", 32),
    sa.Column("error_message", sa.Text()),
    sa.Column("duration_ms", sa.BigInteger()),
    _instant("created_at"),
    sa.Index("idx_tool_invocation_session", "session_id"),
)

case_library = table(
    METADATA,
    "case_library",
    _words("diagnosis_id", 64),
    _words("title", 255),
    sa.Column("symptom", sa.Text()),
    sa.Column("root_cause", sa.Text()),
    sa.Column("solution", sa.Text()),
    _words("source", 32, server_default="FEEDBACK"),
    _instant("created_at"),
    sa.Index("idx_case_diagnosis", "diagnosis_id"),
)

diagnosis_session = table(
    METADATA,
    "diagnosis_session",
    _words("session_id", 64),
    sa.Column("query", sa.Text(), nullable=False),
    _words("status", 32),
    sa.Column("agent_flow", sa.String(255)),
    sa.Column("answer", _LONG),
    sa.Column("self_evaluation", sa.JSON()),
    sa.Column("feedback", sa.JSON()),
    sa.Column("total_duration_ms", sa.BigInteger()),
    sa.Column("total_token_count", sa.Integer()),
    _count("step_count"),
    _count("tool_call_count"),
    _instant("created_at"),
    _instant("updated_at"),
    sa.UniqueConstraint("session_id", name="uk_diagnosis_session"),
)

CHANGED = (agent_step, tool_invocation, case_library)
"""Tables that the revisions add columns to."""

TABLES = (*CHANGED, diagnosis_session)
"""In the order of their creation: `diagnosis_session`, which others are recognised by, last."""


def expanded(old: sa.Table, new: sa.Table) -> sa.Table:
    """The old table with the columns of the new one that it lacks, all of them nullable."""
    metadata = named()
    grown = old.to_metadata(metadata)
    for column in new.columns:
        if column.name not in old.columns:
            grown.append_column(sa.Column(column.name, column.type, nullable=True))
    return grown
