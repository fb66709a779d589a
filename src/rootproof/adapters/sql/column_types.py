"""Column types that mean the same on SQLite, MySQL/MariaDB and PostgreSQL.

Left to themselves the databases differ where it hurts: MySQL's DATETIME drops microseconds, its default collations make
unique ids case-insensitive, its TEXT ends at 64 KiB and its JSON type reorders keys and rounds big integers.
"""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import BigInteger, DateTime, Dialect, Integer, LargeBinary, String, Text, TypeDecorator
from sqlalchemy.dialects import mysql

_MYSQL = ("mysql", "mariadb")


class UtcDateTime(TypeDecorator[datetime]):
    """An instant with microseconds: stored as naive UTC, returned aware."""

    impl = DateTime
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> object:  # type: ignore[override]
        """DATETIME(6) where a plain one would drop the fraction."""
        if dialect.name in _MYSQL:
            return dialect.type_descriptor(mysql.DATETIME(fsp=6))
        return dialect.type_descriptor(DateTime())

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """Naive UTC for the driver."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"an aware datetime is needed, got {value.isoformat()}")
        return value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """Aware UTC for us."""
        return None if value is None else value.replace(tzinfo=UTC)


def key_text(length: int) -> String:
    """Text that is compared by code point everywhere: ids, owners, statuses."""
    return String(length).with_variant(mysql.VARCHAR(length, charset="utf8mb4", collation="utf8mb4_bin"), *_MYSQL)


LONG_TEXT = Text().with_variant(mysql.LONGTEXT(charset="utf8mb4"), *_MYSQL)
"""Text without a practical limit."""

JSON_TEXT = LONG_TEXT
"""JSON as text: key order, big integers and the exact bytes survive on every database, which replay depends on.
Each database's JSON functions still read it."""

LONG_BYTES = LargeBinary().with_variant(mysql.LONGBLOB(), *_MYSQL)
"""Bytes without a practical limit."""

ROW_ID = BigInteger().with_variant(Integer(), "sqlite")
"""The autoincrement key; SQLite numbers rows only for INTEGER."""
