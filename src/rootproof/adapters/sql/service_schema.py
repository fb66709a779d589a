"""The tables of the service: keys, feedback, uses of cases, incidents and their alerts, messages to send.

`schema.py` holds sessions, runs and what they did; both share one metadata.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, Integer, String, Table, UniqueConstraint

from rootproof.adapters.sql.column_types import JSON_TEXT, LONG_TEXT, ROW_ID, UtcDateTime, key_text
from rootproof.adapters.sql.tables import INNODB, metadata
from rootproof.domain.storable import ID_LENGTH, OWNER_LENGTH

api_key = Table(
    "api_key",
    metadata,
    Column("id", ROW_ID, primary_key=True, autoincrement=True),
    Column("key_id", key_text(ID_LENGTH), nullable=False),
    Column("owner", key_text(OWNER_LENGTH), nullable=False),
    Column("name", String(255), nullable=False),
    Column("scopes", JSON_TEXT, nullable=False),
    Column("secret_hash", key_text(ID_LENGTH), nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("expires_at", UtcDateTime),
    Column("revoked_at", UtcDateTime),
    Column("last_used_at", UtcDateTime),
    UniqueConstraint("key_id"),
    **INNODB,
)
"""`secret_hash` is SHA-256 (hex) of a secret of 256 random bits: nothing to guess, so no salt and no slow hash."""

run_feedback = Table(
    "run_feedback",
    metadata,
    Column("id", ROW_ID, primary_key=True, autoincrement=True),
    Column("feedback_id", key_text(ID_LENGTH), nullable=False),
    Column("session_id", key_text(ID_LENGTH), nullable=False),
    Column("run_id", key_text(ID_LENGTH), nullable=False),
    Column("owner", key_text(OWNER_LENGTH), nullable=False),
    Column("idempotency_key", key_text(ID_LENGTH), nullable=False),
    Column("request_hash", key_text(ID_LENGTH), nullable=False),
    Column("verdict", key_text(32), nullable=False),
    Column("comment", LONG_TEXT, nullable=False),
    Column("corrected_cause", LONG_TEXT),
    Column("claim_marks", JSON_TEXT, nullable=False),
    Column("resolved_by", key_text(32), nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    UniqueConstraint("feedback_id"),
    UniqueConstraint("run_id", "idempotency_key"),
    Index(None, "run_id", "id"),
    Index(None, "session_id", "idempotency_key"),
    **INNODB,
)
"""The history of what people said of a run; `diagnosis_run.feedback` repeats the latest."""

case_use = Table(
    "case_use",
    metadata,
    Column("id", ROW_ID, primary_key=True, autoincrement=True),
    Column("case_id", key_text(ID_LENGTH), nullable=False),
    Column("run_id", key_text(ID_LENGTH), nullable=False),
    Column("session_id", key_text(ID_LENGTH), nullable=False),
    Column("used_at", UtcDateTime, nullable=False),
    UniqueConstraint("case_id", "run_id"),
    Index(None, "run_id"),
    **INNODB,
)
"""Which later runs were shown a case."""

incident = Table(
    "incident",
    metadata,
    Column("id", ROW_ID, primary_key=True, autoincrement=True),
    Column("incident_id", key_text(ID_LENGTH), nullable=False),
    Column("owner", key_text(OWNER_LENGTH), nullable=False),
    Column("group_hash", key_text(ID_LENGTH), nullable=False),
    Column("group_key", LONG_TEXT, nullable=False),
    Column("vendor", key_text(32), nullable=False),
    Column("title", LONG_TEXT, nullable=False),
    Column("severity", key_text(16)),
    Column("status", key_text(16), nullable=False),
    Column("status_reason", LONG_TEXT),
    Column("session_id", key_text(ID_LENGTH), nullable=False),
    Column("run_id", key_text(ID_LENGTH)),
    Column("alert_count", BigInteger, nullable=False),
    Column("run_count", Integer, nullable=False),
    Column("reopen_count", Integer, nullable=False),
    Column("opened_at", UtcDateTime, nullable=False),
    Column("last_alert_at", UtcDateTime, nullable=False),
    Column("next_run_at", UtcDateTime),
    Column("resolved_at", UtcDateTime),
    UniqueConstraint("incident_id"),
    UniqueConstraint("owner", "group_hash"),
    Index(None, "owner", "last_alert_at", "id"),
    Index(None, "status", "next_run_at"),
    **INNODB,
)
"""Alerts that belong together, one row a group and owner: it is reopened, never doubled. `next_run_at` is set while a
run is due: the intake loop makes it when the cool-down, the budget and the concurrency cap allow."""

incident_alert = Table(
    "incident_alert",
    metadata,
    Column("id", ROW_ID, primary_key=True, autoincrement=True),
    Column("incident_id", key_text(ID_LENGTH), nullable=False),
    Column("fingerprint", key_text(ID_LENGTH), nullable=False),
    Column("status", key_text(16), nullable=False),
    Column("alert", JSON_TEXT, nullable=False),
    Column("count", BigInteger, nullable=False),
    Column("first_at", UtcDateTime, nullable=False),
    Column("last_at", UtcDateTime, nullable=False),
    UniqueConstraint("incident_id", "fingerprint"),
    **INNODB,
)
"""One alert of an incident, credentials removed, however often it was delivered."""

webhook_delivery = Table(
    "webhook_delivery",
    metadata,
    Column("id", ROW_ID, primary_key=True, autoincrement=True),
    Column("owner", key_text(OWNER_LENGTH), nullable=False),
    Column("delivery_key", key_text(ID_LENGTH), nullable=False),
    Column("incident_id", key_text(ID_LENGTH)),
    Column("received_at", UtcDateTime, nullable=False),
    UniqueConstraint("owner", "delivery_key"),
    Index(None, "received_at"),
    **INNODB,
)
"""Deliveries of the last days by their key, so that one that is sent again is answered and not counted."""

outbox = Table(
    "outbox",
    metadata,
    Column("id", ROW_ID, primary_key=True, autoincrement=True),
    Column("run_id", key_text(ID_LENGTH), nullable=False),
    Column("target", key_text(ID_LENGTH), nullable=False),
    Column("status", key_text(16), nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("next_attempt_at", UtcDateTime, nullable=False),
    Column("last_error", LONG_TEXT),
    Column("created_at", UtcDateTime, nullable=False),
    Column("sent_at", UtcDateTime),
    UniqueConstraint("run_id", "target"),
    Index(None, "status", "next_attempt_at"),
    **INNODB,
)
"""Reports to send: one row a run and configured target; `target` is its name in the settings."""
