"""Sessions, runs, steps, invocations, cases and raw outputs.

MySQL commits each DDL statement by itself, so a killed migration leaves some tables behind: every statement here first
looks whether its table or index is already there, and the revision can simply be run again.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_MYSQL = ("mysql", "mariadb")
_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_TEXT = sa.Text().with_variant(mysql.LONGTEXT(charset="utf8mb4"), *_MYSQL)
_BYTES = sa.LargeBinary().with_variant(mysql.LONGBLOB(), *_MYSQL)
_INSTANT = sa.DateTime().with_variant(mysql.DATETIME(fsp=6), *_MYSQL)
_INNODB: dict[str, Any] = {
    f"{name}_{key}": value for name in _MYSQL for key, value in (("engine", "InnoDB"), ("charset", "utf8mb4"))
}

_TABLES = (
    "canonical_invocation",
    "case_library",
    "tool_invocation",
    "agent_step",
    "diagnosis_run",
    "chat_session",
)


def upgrade() -> None:
    """Create what is missing."""
    _create_sessions_and_runs()
    _create_steps()
    _create_invocations()
    _create_cases()
    _create_canonical()


def downgrade() -> None:
    """Drop the tables and all that is in them."""
    for table in _TABLES:
        op.drop_table(table, if_exists=True)


def _create_sessions_and_runs() -> None:
    _table(
        "chat_session",
        _key("session_id", 64),
        _key("owner", 255),
        _key("status", 32),
        _number("message_pair_count", sa.Integer()),
        _instant("created_at"),
        _instant("last_active_at"),
        _instant("expires_at", nullable=True),
        unique=("session_id",),
        indexes=(("owner", "last_active_at", "id"),),
    )
    _table(
        "diagnosis_run",
        _key("run_id", 64),
        _key("session_id", 64),
        _key("owner", 255),
        _key("mode", 32),
        _text("query"),
        _text("reasoner"),
        _text("sources"),
        _instant("now"),
        _key("status", 32),
        _key("status_reason", 32, nullable=True),
        sa.Column("agent_flow", sa.String(255)),
        _text("answer", nullable=True),
        _text("self_evaluation", nullable=True),
        _text("feedback", nullable=True),
        _number("total_duration_ms"),
        _number("total_token_count"),
        _number("step_count", sa.Integer()),
        _number("tool_call_count", sa.Integer()),
        _number("seq"),
        _number("last_seq"),
        _instant("created_at"),
        _instant("updated_at"),
        unique=("run_id",),
        indexes=(
            ("session_id", "created_at", "id"),
            ("owner", "created_at", "id"),
            ("status", "created_at", "id"),
            ("created_at", "id"),
        ),
        parent=("session_id", "chat_session.session_id"),
    )


def _create_steps() -> None:
    _table(
        "agent_step",
        _key("session_id", 64),
        _key("run_id", 64),
        _number("step_no", sa.Integer()),
        _number("step_index", sa.Integer()),
        _key("agent_name", 64),
        _key("kind", 32),
        _key("input_hash", 64),
        _text("input_summary", nullable=True),
        _text("output_summary", nullable=True),
        _text("output"),
        _key("status", 32),
        _number("token_count"),
        _number("input_tokens"),
        _number("output_tokens"),
        _number("duration_ms"),
        _number("seq"),
        _instant("created_at"),
        unique=("run_id", "step_no"),
        indexes=(("run_id", "seq"), ("session_id",)),
        parent=("run_id", "diagnosis_run.run_id"),
    )


def _create_invocations() -> None:
    _table(
        "tool_invocation",
        _key("session_id", 64),
        _key("run_id", 64),
        sa.Column("agent_step_id", sa.BigInteger()),
        _number("step_no", sa.Integer()),
        _number("call_index", sa.Integer()),
        _text("tool_call_id"),
        _text("tool_name"),
        _text("request_key"),
        _text("input_json", nullable=True),
        _text("output_preview", nullable=True),
        _text("output_summary", nullable=True),
        _text("evidence"),
        _text("retrieval_details", nullable=True),
        _text("identifiers"),
        _text("source"),
        _key("status", 32),
        _text("error_message", nullable=True),
        sa.Column("scanned", sa.BigInteger()),
        sa.Column("shown", sa.BigInteger()),
        sa.Column("truncated", sa.Boolean(), nullable=False),
        _key("raw_sha256", 64),
        _number("raw_bytes"),
        _number("agent_visible_bytes"),
        _number("duration_ms"),
        _number("seq"),
        _instant("created_at"),
        _instant("finished_at", nullable=True),
        unique=("run_id", "step_no", "call_index"),
        indexes=(("run_id", "seq"), ("session_id",)),
        parent=("run_id", "diagnosis_run.run_id"),
    )


def _create_cases() -> None:
    _table(
        "case_library",
        _key("diagnosis_id", 64),
        sa.Column("title", sa.String(255), nullable=False),
        _text("symptom", nullable=True),
        _text("root_cause", nullable=True),
        _text("solution", nullable=True),
        sa.Column("source", _key_type(32), nullable=False, server_default="FEEDBACK"),
        _instant("created_at"),
        indexes=(("diagnosis_id",),),
    )


def _create_canonical() -> None:
    _table(
        "canonical_invocation",
        _key("session_id", 64),
        _key("run_id", 64),
        _key("owner", 255),
        _key("call_key", 64),
        sa.Column("raw", _BYTES, nullable=False),
        _number("raw_bytes"),
        _key("sha256", 64),
        _text("bounded"),
        _instant("created_at"),
        _instant("expires_at"),
        unique=("run_id", "call_key"),
        indexes=(("expires_at",),),
    )


def _table(
    name: str,
    *columns: sa.Column[Any],
    unique: tuple[str, ...] = (),
    indexes: tuple[tuple[str, ...], ...] = (),
    parent: tuple[str, str] | None = None,
) -> None:
    inspector = sa.inspect(op.get_bind())
    constraints: list[sa.Constraint] = [sa.PrimaryKeyConstraint("id")]
    if unique:
        constraints.append(sa.UniqueConstraint(*unique, name=f"uq_{name}_{'_'.join(unique)}"))
    if parent is not None:
        constraints.append(sa.ForeignKeyConstraint([parent[0]], [parent[1]], name=f"fk_{name}_{parent[0]}"))
    present: set[str | None] = set()
    if inspector.has_table(name):
        present = {index["name"] for index in inspector.get_indexes(name)}
    else:
        row_id = sa.Column("id", _ID, autoincrement=True, nullable=False)
        op.create_table(name, row_id, *columns, *constraints, **_INNODB)
    for index in indexes:
        index_name = f"ix_{name}_{'_'.join(index)}"
        if index_name not in present:
            op.create_index(index_name, name, list(index))


def _key_type(length: int) -> sa.String:
    return sa.String(length).with_variant(mysql.VARCHAR(length, charset="utf8mb4", collation="utf8mb4_bin"), *_MYSQL)


def _key(name: str, length: int, *, nullable: bool = False) -> sa.Column[Any]:
    return sa.Column(name, _key_type(length), nullable=nullable)


def _text(name: str, *, nullable: bool = False) -> sa.Column[Any]:
    return sa.Column(name, _TEXT, nullable=nullable)


def _number(name: str, kind: sa.Integer | None = None) -> sa.Column[Any]:
    return sa.Column(name, kind or sa.BigInteger(), nullable=False)


def _instant(name: str, *, nullable: bool = False) -> sa.Column[Any]:
    return sa.Column(name, _INSTANT, nullable=nullable)
