"""The tables of the service, as revision 0006 creates them."""

from __future__ import annotations

from rootproof.adapters.sql.migrations.frozen.words import (
    index,
    instant,
    key,
    named,
    number,
    small,
    table,
    text,
    unique,
    words,
)

_METADATA = named()

api_key = table(
    _METADATA,
    "api_key",
    key("key_id", 64),
    key("owner", 255),
    words("name", 255),
    text("scopes"),
    key("secret_hash", 64),
    instant("created_at"),
    instant("expires_at", nullable=True),
    instant("revoked_at", nullable=True),
    instant("last_used_at", nullable=True),
    unique("key_id"),
)

run_feedback = table(
    _METADATA,
    "run_feedback",
    key("feedback_id", 64),
    key("session_id", 64),
    key("run_id", 64),
    key("owner", 255),
    key("idempotency_key", 64),
    key("request_hash", 64),
    key("verdict", 32),
    text("comment"),
    text("corrected_cause", nullable=True),
    text("claim_marks"),
    key("resolved_by", 32),
    instant("created_at"),
    unique("feedback_id"),
    unique("run_id", "idempotency_key"),
    index("run_id", "id"),
    index("session_id", "idempotency_key"),
)

case_use = table(
    _METADATA,
    "case_use",
    key("case_id", 64),
    key("run_id", 64),
    key("session_id", 64),
    instant("used_at"),
    unique("case_id", "run_id"),
    index("run_id"),
)

incident = table(
    _METADATA,
    "incident",
    key("incident_id", 64),
    key("owner", 255),
    key("group_hash", 64),
    text("group_key"),
    key("vendor", 32),
    text("title"),
    key("severity", 16, nullable=True),
    key("status", 16),
    text("status_reason", nullable=True),
    key("session_id", 64),
    key("run_id", 64, nullable=True),
    number("alert_count"),
    small("run_count"),
    small("reopen_count"),
    instant("opened_at"),
    instant("last_alert_at"),
    instant("next_run_at", nullable=True),
    instant("resolved_at", nullable=True),
    unique("incident_id"),
    unique("owner", "group_hash"),
    index("owner", "last_alert_at", "id"),
    index("status", "next_run_at"),
)

incident_alert = table(
    _METADATA,
    "incident_alert",
    key("incident_id", 64),
    key("fingerprint", 64),
    key("status", 16),
    text("alert"),
    number("count"),
    instant("first_at"),
    instant("last_at"),
    unique("incident_id", "fingerprint"),
)

webhook_delivery = table(
    _METADATA,
    "webhook_delivery",
    key("owner", 255),
    key("delivery_key", 64),
    key("incident_id", 64, nullable=True),
    instant("received_at"),
    unique("owner", "delivery_key"),
    index("received_at"),
)

outbox = table(
    _METADATA,
    "outbox",
    key("run_id", 64),
    key("target", 64),
    key("status", 16),
    small("attempts"),
    instant("next_attempt_at"),
    text("last_error", nullable=True),
    instant("created_at"),
    instant("sent_at", nullable=True),
    unique("run_id", "target"),
    index("status", "next_attempt_at"),
)

TABLES = (api_key, run_feedback, case_use, incident, incident_alert, webhook_delivery, outbox)
