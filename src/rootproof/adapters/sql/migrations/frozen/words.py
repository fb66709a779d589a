"""The words that frozen tables are written in. Types mean the same on every database, as in `column_types`."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import mysql

MYSQL = ("mysql", "mariadb")
INNODB: dict[str, Any] = {
    f"{name}_{key}": value for name in MYSQL for key, value in (("engine", "InnoDB"), ("charset", "utf8mb4"))
}
_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_TEXT = sa.Text().with_variant(mysql.LONGTEXT(charset="utf8mb4"), *MYSQL)
_BYTES = sa.LargeBinary().with_variant(mysql.LONGBLOB(), *MYSQL)
_INSTANT = sa.DateTime().with_variant(mysql.DATETIME(fsp=6), *MYSQL)
Item = sa.schema.SchemaItem


def table(metadata: sa.MetaData, name: str, *items: Item, **options: Any) -> sa.Table:
    """A table with the key `id`; its constraints and indexes are named as `schema.py` names them."""
    row_id = sa.Column("id", _ID, primary_key=True, autoincrement=True)
    return sa.Table(name, metadata, row_id, *items, **{**INNODB, **options})


def named() -> sa.MetaData:
    """Metadata with our names for constraints and indexes."""
    return sa.MetaData(
        naming_convention={
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
        }
    )


def key(name: str, length: int, *, nullable: bool = False, **options: Any) -> sa.Column[Any]:
    """An id or another word that is compared by code point."""
    kind = sa.String(length).with_variant(mysql.VARCHAR(length, charset="utf8mb4", collation="utf8mb4_bin"), *MYSQL)
    return sa.Column(name, kind, nullable=nullable, **options)


def words(name: str, length: int, *, nullable: bool = False) -> sa.Column[Any]:
    """A short text."""
    return sa.Column(name, sa.String(length), nullable=nullable)


def text(name: str, *, nullable: bool = False) -> sa.Column[Any]:
    """A text, or JSON as text, without a practical limit."""
    return sa.Column(name, _TEXT, nullable=nullable)


def blob(name: str, *, nullable: bool = False) -> sa.Column[Any]:
    """Bytes without a practical limit."""
    return sa.Column(name, _BYTES, nullable=nullable)


def number(name: str, *, nullable: bool = False, **options: Any) -> sa.Column[Any]:
    """An integer of 64 bits."""
    return sa.Column(name, sa.BigInteger(), nullable=nullable, **options)


def small(name: str, *, nullable: bool = False) -> sa.Column[Any]:
    """An integer of 32 bits."""
    return sa.Column(name, sa.Integer(), nullable=nullable)


def flag(name: str, *, nullable: bool = False, **options: Any) -> sa.Column[Any]:
    """A truth value."""
    return sa.Column(name, sa.Boolean(), nullable=nullable, **options)


def instant(name: str, *, nullable: bool = False) -> sa.Column[Any]:
    """An instant with microseconds, in UTC."""
    return sa.Column(name, _INSTANT, nullable=nullable)


def unique(*columns: str) -> Item:
    """A unique key."""
    return sa.UniqueConstraint(*columns)


def parent(column: str, target: str) -> Item:
    """A foreign key."""
    return sa.ForeignKeyConstraint([column], [target])


def index(*columns: str) -> Item:
    """An index."""
    return sa.Index(None, *columns)


def whole(name: str, old: tuple[str, ...], new: tuple[str, ...]) -> Item:
    """A row is one of the MVP's code, which knows none of `old`, or it holds all of `old` and `new`."""
    neither = " AND ".join(f"{column} IS NULL" for column in old)
    every = " AND ".join(f"{column} IS NOT NULL" for column in (*old, *new))
    return sa.CheckConstraint(f"({neither}) OR ({every})", name=name)
