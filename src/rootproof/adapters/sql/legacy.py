"""Recognising a database of the MVP, and what of ours would be lost by going back to it."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from rootproof.adapters.sql.migrations.frozen.legacy import TABLES

REVISION = "legacy"
MARK = "diagnosis_session"
"""The table that only the MVP has; it is never altered and never written."""

_FAMILIES: tuple[tuple[str, tuple[type[Any], ...]], ...] = (
    ("a time", (sa.DateTime, sa.TIMESTAMP)),
    ("a number", (sa.Integer,)),
    ("a text", (sa.String, sa.JSON)),
)
_OURS_ONLY = ("chat_session", "diagnosis_run", "canonical_invocation")

_LOST: tuple[tuple[str, str, str], ...] = (
    ("diagnosis_run", "NOT compatibility", "runs"),
    (
        "case_library",
        "(case_id IS NOT NULL AND case_id NOT LIKE 'case-legacy-%') OR revoked_at IS NOT NULL",
        "cases or revocations",
    ),
    ("run_feedback", "", "feedback rows"),
    ("case_use", "", "uses of cases"),
    ("incident", "", "incidents"),
    ("api_key", "", "API keys"),
    ("outbox", "", "reports to send"),
)
_KEPT_DOWN_TO = {"diagnosis_run": ("base", REVISION), "case_library": ("base", REVISION, "0001")}
"""Targets below which a table keeps its rows, but loses what makes them ours; other tables go as a whole."""


def differences(connection: sa.Connection) -> list[str]:
    """How the database differs from the MVP's, one phrase each; empty when it is the MVP's."""
    inspector = sa.inspect(connection)
    there = set(inspector.get_table_names())
    found = [f"table {name} is there, which the MVP did not have" for name in _OURS_ONLY if name in there]
    for table in TABLES:
        if table.name not in there:
            found.append(f"table {table.name} is missing")
            continue
        columns = {column["name"]: column for column in inspector.get_columns(table.name)}
        expected = dict(table.columns.items())
        found += [f"column {table.name}.{name} is missing" for name in expected if name not in columns]
        found += [f"column {table.name}.{name} is not the MVP's" for name in columns if name not in expected]
        for name in expected.keys() & columns.keys():
            found += _column_differences(connection.dialect.name, table.name, expected[name], columns[name])
    return sorted(found)


def _column_differences(dialect: str, table: str, expected: sa.Column[Any], known: Any) -> list[str]:
    wanted, seen = _family(expected.type), _family(known["type"])
    found = []
    if wanted != seen and dialect != "sqlite":  # whose types are names that bind nothing
        found.append(f"column {table}.{expected.name} is {known['type']!r}, not {wanted}")
    if known["nullable"] and not expected.nullable and not expected.primary_key:
        found.append(f"column {table}.{expected.name} can be NULL")
    return found


def _family(kind: Any) -> str:
    return next((name for name, types in _FAMILIES if isinstance(kind, types)), repr(kind))


def lost(connection: sa.Connection, target: str) -> list[str]:
    """What the database holds that is not there below: rows since it was adopted, in words; empty when nothing.

    `target` is the revision to go down to.
    """
    there = set(sa.inspect(connection).get_table_names())
    found = []
    for table, condition, what in _LOST:
        if table not in there or target not in _KEPT_DOWN_TO.get(table, (target,)):
            continue
        known = {column["name"] for column in sa.inspect(connection).get_columns(table)}
        if "case_id" in condition and "case_id" not in known:
            continue
        unknown = "compatibility" in condition and "compatibility" not in known
        where = f" WHERE {condition}" if condition and not unknown else ""
        count = connection.scalar(sa.text(f"SELECT COUNT(*) FROM {table}{where}")) or 0  # noqa: S608 - names of ours
        found += [f"{count} {what}"] if count else []
    return found


def discard(connection: sa.Connection) -> None:
    """Delete what new code wrote into the MVP's tables, so that old code does not take it for its own."""
    _delete(connection, ("tool_invocation", "step_no IS NOT NULL"), ("agent_step", "kind IS NOT NULL"))
    discard_cases(connection)


def discard_cases(connection: sa.Connection) -> None:
    """Delete the cases of new code: without owner and revocation they would be everybody's, and valid again."""
    _delete(connection, ("case_library", "case_id IS NOT NULL AND case_id NOT LIKE 'case-legacy-%'"))


def _delete(connection: sa.Connection, *rows: tuple[str, str]) -> None:
    for table, condition in rows:
        known = {column["name"] for column in sa.inspect(connection).get_columns(table)}
        if condition.split()[0] in known:
            connection.execute(sa.text(f"DELETE FROM {table} WHERE {condition}"))  # noqa: S608 - names of ours
