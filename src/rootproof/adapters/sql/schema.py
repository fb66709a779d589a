"""The tables. Names of the MVP's columns are kept, so that its database can be adopted and its queries still read.

`migrations/` creates the same tables; a test compares the two on every database. Change both together.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    UniqueConstraint,
)

from rootproof.adapters.sql import service_schema as _service  # noqa: F401 - its tables join the metadata
from rootproof.adapters.sql import tables
from rootproof.adapters.sql.column_types import JSON_TEXT, LONG_BYTES, LONG_TEXT, ROW_ID, UtcDateTime, key_text
from rootproof.adapters.sql.tables import INNODB
from rootproof.domain.storable import ID_LENGTH, OWNER_LENGTH, WORKER_LENGTH

HEAD = "0006"
"""The newest revision: what these tables are."""

metadata = tables.metadata
"""Of all tables, the service's among them."""


def _old_or_whole(old: tuple[str, ...], new: tuple[str, ...]) -> str:
    """A row is one of the MVP's code, which knows none of `old`, or it holds all of `old` and `new`."""
    neither = " AND ".join(f"{name} IS NULL" for name in old)
    every = " AND ".join(f"{name} IS NOT NULL" for name in (*old, *new))
    return f"({neither}) OR ({every})"


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
    **INNODB,
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
    Column("headline", JSON_TEXT),
    Column("service", String(255)),
    Column("severity", key_text(16)),
    Column("incident_id", key_text(ID_LENGTH)),
    Column("compatibility", Boolean, nullable=False, server_default="0"),
    Column("lease_epoch", BigInteger, nullable=False, server_default="0"),
    Column("worker", key_text(WORKER_LENGTH)),
    Column("leased_until", UtcDateTime),
    Column("cancel_requested_at", UtcDateTime),
    Column("created_at", UtcDateTime, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
    UniqueConstraint("run_id"),
    Index(None, "session_id", "created_at", "id"),
    Index(None, "owner", "created_at", "id"),
    Index(None, "status", "created_at", "id"),
    Index(None, "created_at", "id"),
    Index(None, "incident_id"),
    **INNODB,
)
"""`seq` is the run row's own last change, `last_seq` the counter that every row of the run takes its `seq` from.

`lease_epoch` is the fencing number: every claim takes the next one, and a write that carries an older one is stale.
`headline` repeats for lists what the report says, identifiers shown. `compatibility` marks a run that was made from a
row of `diagnosis_session`: its steps may be those of several rounds."""

agent_step = Table(
    "agent_step",
    metadata,
    Column("id", ROW_ID, primary_key=True, autoincrement=True),
    Column("session_id", key_text(ID_LENGTH), nullable=False),
    Column("run_id", key_text(ID_LENGTH), ForeignKey("diagnosis_run.run_id")),
    Column("step_no", Integer),
    Column("step_index", Integer, nullable=False),
    Column("agent_name", key_text(64), nullable=False),
    Column("kind", key_text(32)),
    Column("input_hash", key_text(64)),
    Column("input_summary", LONG_TEXT),
    Column("output_summary", LONG_TEXT),
    Column("output", JSON_TEXT),
    Column("status", key_text(32), nullable=False),
    Column("token_count", BigInteger),
    Column("input_tokens", BigInteger),
    Column("output_tokens", BigInteger),
    Column("duration_ms", BigInteger),
    Column("seq", BigInteger),
    Column("created_at", UtcDateTime, nullable=False),
    CheckConstraint(
        _old_or_whole(
            old=("kind", "step_no"),
            new=(
                "run_id",
                "input_hash",
                "output",
                "token_count",
                "input_tokens",
                "output_tokens",
                "duration_ms",
                "seq",
            ),
        ),
        name="ck_agent_step_whole",
    ),
    UniqueConstraint("run_id", "step_no"),
    Index(None, "run_id", "seq"),
    Index(None, "session_id"),
    **INNODB,
)
"""`step_index` and `output_summary` repeat `step_no` and the start of `output` for readers of the MVP's columns.

What the MVP's code does not write is nullable: its INSERTs go on working. The check holds new rows to all of it."""

tool_invocation = Table(
    "tool_invocation",
    metadata,
    Column("id", ROW_ID, primary_key=True, autoincrement=True),
    Column("session_id", key_text(ID_LENGTH), nullable=False),
    Column("run_id", key_text(ID_LENGTH), ForeignKey("diagnosis_run.run_id")),
    Column("agent_step_id", BigInteger),
    Column("step_no", Integer),
    Column("call_index", Integer),
    Column("tool_call_id", LONG_TEXT),
    Column("tool_name", LONG_TEXT, nullable=False),
    Column("request_key", LONG_TEXT),
    Column("input_json", JSON_TEXT),
    Column("output_preview", LONG_TEXT),
    Column("output_summary", LONG_TEXT),
    Column("evidence", JSON_TEXT),
    Column("retrieval_details", JSON_TEXT),
    Column("identifiers", JSON_TEXT),
    Column("source", LONG_TEXT),
    Column("status", key_text(32), nullable=False),
    Column("error_message", LONG_TEXT),
    Column("scanned", BigInteger),
    Column("shown", BigInteger),
    Column("truncated", Boolean),
    Column("raw_sha256", key_text(64)),
    Column("raw_bytes", BigInteger),
    Column("agent_visible_bytes", BigInteger),
    Column("duration_ms", BigInteger),
    Column("seq", BigInteger),
    Column("created_at", UtcDateTime, nullable=False),
    Column("finished_at", UtcDateTime),
    CheckConstraint(
        _old_or_whole(
            old=("step_no", "call_index"),
            new=(
                *("run_id", "tool_call_id", "request_key", "evidence", "identifiers", "source", "truncated"),
                *("raw_sha256", "raw_bytes", "agent_visible_bytes", "duration_ms", "seq"),
            ),
        ),
        name="ck_tool_invocation_whole",
    ),
    UniqueConstraint("run_id", "step_no", "call_index"),
    Index(None, "run_id", "seq"),
    Index(None, "session_id"),
    **INNODB,
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
    Column("case_id", key_text(ID_LENGTH)),
    Column("owner", key_text(OWNER_LENGTH)),
    Column("cause_id", String(255)),
    Column("objects", JSON_TEXT),
    Column("service", String(255)),
    Column("alert_name", String(255)),
    Column("feedback_id", key_text(ID_LENGTH)),
    Column("revoked_at", UtcDateTime),
    Column("revoke_reason", LONG_TEXT),
    UniqueConstraint("case_id"),
    Index(None, "diagnosis_id"),
    Index(None, "owner", "created_at", "id"),
    **INNODB,
)
"""`diagnosis_id` is a run id; rows of the MVP hold a session id, and neither case id nor owner until adopted."""

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
    **INNODB,
)
"""No foreign key to the run: a canonical store may live in another database, and outlives nothing."""
