"""The tables. Names of the MVP's columns are kept, so that its database can be adopted and its queries still read.

`migrations/` creates the same tables; a test compares the two on every database. Change both together.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    UniqueConstraint,
)

from rootproof.adapters.sql.column_types import JSON_TEXT, LONG_BYTES, LONG_TEXT, ROW_ID, UtcDateTime, key_text
from rootproof.domain.storable import ID_LENGTH, OWNER_LENGTH

HEAD = "0001"
"""The newest revision: what these tables are."""


metadata = MetaData(
    naming_convention={
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
    }
)

_INNODB: dict[str, Any] = {
    f"{name}_{option}": value
    for name in ("mysql", "mariadb")
    for option, value in (("engine", "InnoDB"), ("charset", "utf8mb4"))
}

chat_session = Table(
    "chat_session",
    metadata,
    Column("id", ROW_ID, primary_key=True, autoincrement=True),
    Column("session_id", key_text(ID_LENGTH), nullable=False),
    Column("owner", key_text(OWNER_LENGTH), nullable=False),
    Column("status", key_text(32), nullable=False),
    Column("message_pair_count", Integer, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("last_active_at", UtcDateTime, nullable=False),
    Column("expires_at", UtcDateTime),
    UniqueConstraint("session_id"),
    Index(None, "owner", "last_active_at", "id"),
    **_INNODB,
)

diagnosis_run = Table(
    "diagnosis_run",
    metadata,
    Column("id", ROW_ID, primary_key=True, autoincrement=True),
    Column("run_id", key_text(ID_LENGTH), nullable=False),
    Column("session_id", key_text(ID_LENGTH), ForeignKey("chat_session.session_id"), nullable=False),
    Column("owner", key_text(OWNER_LENGTH), nullable=False),
    Column("mode", key_text(32), nullable=False),
    Column("query", LONG_TEXT, nullable=False),
    Column("reasoner", LONG_TEXT, nullable=False),
    Column("sources", JSON_TEXT, nullable=False),
    Column("now", UtcDateTime, nullable=False),
    Column("status", key_text(32), nullable=False),
    Column("status_reason", key_text(32)),
    Column("agent_flow", String(255)),
    Column("answer", JSON_TEXT),
    Column("self_evaluation", JSON_TEXT),
    Column("feedback", JSON_TEXT),
    Column("total_duration_ms", BigInteger, nullable=False),
    Column("total_token_count", BigInteger, nullable=False),
    Column("step_count", Integer, nullable=False),
    Column("tool_call_count", Integer, nullable=False),
    Column("seq", BigInteger, nullable=False),
    Column("last_seq", BigInteger, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
    UniqueConstraint("run_id"),
    Index(None, "session_id", "created_at", "id"),
    Index(None, "owner", "created_at", "id"),
    Index(None, "status", "created_at", "id"),
    Index(None, "created_at", "id"),
    **_INNODB,
)
"""`seq` is the run row's own last change, `last_seq` the counter that every row of the run takes its `seq` from."""

agent_step = Table(
    "agent_step",
    metadata,
    Column("id", ROW_ID, primary_key=True, autoincrement=True),
    Column("session_id", key_text(ID_LENGTH), nullable=False),
    Column("run_id", key_text(ID_LENGTH), ForeignKey("diagnosis_run.run_id"), nullable=False),
    Column("step_no", Integer, nullable=False),
    Column("step_index", Integer, nullable=False),
    Column("agent_name", key_text(64), nullable=False),
    Column("kind", key_text(32), nullable=False),
    Column("input_hash", key_text(64), nullable=False),
    Column("input_summary", LONG_TEXT),
    Column("output_summary", LONG_TEXT),
    Column("output", JSON_TEXT, nullable=False),
    Column("status", key_text(32), nullable=False),
    Column("token_count", BigInteger, nullable=False),
    Column("input_tokens", BigInteger, nullable=False),
    Column("output_tokens", BigInteger, nullable=False),
    Column("duration_ms", BigInteger, nullable=False),
    Column("seq", BigInteger, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    UniqueConstraint("run_id", "step_no"),
    Index(None, "run_id", "seq"),
    Index(None, "session_id"),
    **_INNODB,
)
"""`step_index` and `output_summary` repeat `step_no` and the start of `output` for readers of the MVP's columns."""

tool_invocation = Table(
    "tool_invocation",
    metadata,
    Column("id", ROW_ID, primary_key=True, autoincrement=True),
    Column("session_id", key_text(ID_LENGTH), nullable=False),
    Column("run_id", key_text(ID_LENGTH), ForeignKey("diagnosis_run.run_id"), nullable=False),
    Column("agent_step_id", BigInteger),
    Column("step_no", Integer, nullable=False),
    Column("call_index", Integer, nullable=False),
    Column("tool_call_id", LONG_TEXT, nullable=False),
    Column("tool_name", LONG_TEXT, nullable=False),
    Column("request_key", LONG_TEXT, nullable=False),
    Column("input_json", JSON_TEXT),
    Column("output_preview", LONG_TEXT),
    Column("output_summary", LONG_TEXT),
    Column("evidence", JSON_TEXT, nullable=False),
    Column("retrieval_details", JSON_TEXT),
    Column("identifiers", JSON_TEXT, nullable=False),
    Column("source", LONG_TEXT, nullable=False),
    Column("status", key_text(32), nullable=False),
    Column("error_message", LONG_TEXT),
    Column("scanned", BigInteger),
    Column("shown", BigInteger),
    Column("truncated", Boolean, nullable=False),
    Column("raw_sha256", key_text(64), nullable=False),
    Column("raw_bytes", BigInteger, nullable=False),
    Column("agent_visible_bytes", BigInteger, nullable=False),
    Column("duration_ms", BigInteger, nullable=False),
    Column("seq", BigInteger, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("finished_at", UtcDateTime),
    UniqueConstraint("run_id", "step_no", "call_index"),
    Index(None, "run_id", "seq"),
    Index(None, "session_id"),
    **_INNODB,
)
"""Tool names and call ids are a model's words until they are checked, so nothing bounds their length here."""

case_library = Table(
    "case_library",
    metadata,
    Column("id", ROW_ID, primary_key=True, autoincrement=True),
    Column("diagnosis_id", key_text(ID_LENGTH), nullable=False),
    Column("title", String(255), nullable=False),
    Column("symptom", LONG_TEXT),
    Column("root_cause", LONG_TEXT),
    Column("solution", LONG_TEXT),
    Column("source", key_text(32), nullable=False, server_default="FEEDBACK"),
    Column("created_at", UtcDateTime, nullable=False),
    Index(None, "diagnosis_id"),
    **_INNODB,
)
"""`diagnosis_id` is a run id; rows of the MVP hold a session id."""

canonical_invocation = Table(
    "canonical_invocation",
    metadata,
    Column("id", ROW_ID, primary_key=True, autoincrement=True),
    Column("session_id", key_text(ID_LENGTH), nullable=False),
    Column("run_id", key_text(ID_LENGTH), nullable=False),
    Column("owner", key_text(OWNER_LENGTH), nullable=False),
    Column("call_key", key_text(ID_LENGTH), nullable=False),
    Column("raw", LONG_BYTES, nullable=False),
    Column("raw_bytes", BigInteger, nullable=False),
    Column("sha256", key_text(64), nullable=False),
    Column("bounded", LONG_TEXT, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("expires_at", UtcDateTime, nullable=False),
    UniqueConstraint("run_id", "call_key"),
    Index(None, "expires_at"),
    **_INNODB,
)
"""No foreign key to the run: a canonical store may live in another database, and outlives nothing."""
