"""Changes of tables that look before they act, so that a revision can run again from wherever it was killed.

MySQL commits every DDL statement by itself; there one statement a table does all of a change, on SQLite the table is
built anew beside the old one, and PostgreSQL takes back what was not committed. Names here are those of our own
revisions: plain words that no database needs quoted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.schema import CreateColumn, CreateTable

from rootproof.errors import StoreError

_NEW = "rootproof_new_"
_Key = sa.UniqueConstraint | sa.ForeignKeyConstraint | sa.CheckConstraint


def tables(connection: sa.Connection) -> set[str]:
    """Names of the tables that are there."""
    return set(sa.inspect(connection).get_table_names())


def columns(connection: sa.Connection, table: str) -> set[str]:
    """Names of the table's columns; none where there is no table."""
    inspector = sa.inspect(connection)
    return {column["name"] for column in inspector.get_columns(table)} if inspector.has_table(table) else set()


def create(connection: sa.Connection, table: sa.Table) -> None:
    """Create the table and its indexes where they are missing."""
    if not sa.inspect(connection).has_table(table.name):
        connection.execute(CreateTable(table))
    create_indexes(connection, table)


def create_indexes(connection: sa.Connection, table: sa.Table) -> None:
    """Create the table's indexes where they are missing and the columns are there."""
    present, there = index_names(connection, table.name), columns(connection, table.name)
    for index in sorted(table.indexes, key=lambda index: str(index.name)):
        if index.name not in present and {column.name for column in index.columns} <= there:
            index.create(connection)


def drop_indexes(connection: sa.Connection, table: str, names: Iterable[str]) -> None:
    """Drop the table's indexes of these names where they are there."""
    for name in sorted(set(names) & index_names(connection, table)):
        on = f" ON {table}" if _is_mysql(connection) else ""
        connection.execute(sa.text(f"DROP INDEX {name}{on}"))


def add_columns(connection: sa.Connection, table: sa.Table) -> None:
    """Add the columns of `table` that are missing: at once and without a copy of the table where the database can."""
    there = columns(connection, table.name)
    _alter(
        connection, table.name, [_adding(connection, column) for column in table.columns if column.name not in there]
    )


def drop_columns(connection: sa.Connection, table: str, names: Sequence[str]) -> None:
    """Drop the columns of these names where they are there."""
    there = columns(connection, table)
    _alter(connection, table, [f"DROP COLUMN {name}" for name in names if name in there])


def reshape(connection: sa.Connection, target: sa.Table) -> None:
    """Make the table that is there equal to `target`, in one statement where the database can; other columns go."""
    match connection.dialect.name:
        case "sqlite":
            _rebuild(connection, target)
        case "postgresql":
            _alter_together(connection, target, _postgres_changes(connection, target))
            _replace_indexes(connection, target)
        case _:
            _alter_together(connection, target, _mysql_changes(connection, target))


def _is_mysql(connection: sa.Connection) -> bool:
    return connection.dialect.name in ("mysql", "mariadb")


def index_names(connection: sa.Connection, table: str) -> set[str]:
    """Names of the table's indexes; MySQL counts its unique keys among them."""
    return {str(index["name"]) for index in sa.inspect(connection).get_indexes(table)}


def _alter(connection: sa.Connection, table: str, changes: Sequence[str]) -> None:
    if connection.dialect.name == "sqlite":
        for change in changes:
            connection.execute(sa.text(f"ALTER TABLE {table} {change}"))
    elif changes:
        connection.execute(sa.text(f"ALTER TABLE {table} {', '.join(changes)}"))


def _alter_together(connection: sa.Connection, target: sa.Table, changes: Sequence[str]) -> None:
    if changes:
        connection.exec_driver_sql(f"ALTER TABLE {target.name} {', '.join(changes)}")


def _definition(connection: sa.Connection, column: sa.Column[Any]) -> str:
    return str(CreateColumn(column).compile(dialect=connection.dialect)).strip()


def _adding(connection: sa.Connection, column: sa.Column[Any]) -> str:
    return f"ADD COLUMN {_definition(connection, column)}"


def _listed(columns: Iterable[Any]) -> str:
    return ", ".join(column.name for column in columns)


def _rebuild(connection: sa.Connection, target: sa.Table) -> None:
    """SQLite: the table anew beside the old one, filled, and put in its place; all of it in one transaction."""
    name, new = target.name, f"{_NEW}{target.name}"
    shared = _listed(column for column in target.columns if column.name in columns(connection, name))
    statement = str(CreateTable(target).compile(dialect=connection.dialect))
    connection.exec_driver_sql(statement.replace(f"CREATE TABLE {name} ", f"CREATE TABLE {new} ", 1))
    connection.exec_driver_sql(f"INSERT INTO {new} ({shared}) SELECT {shared} FROM {name} ORDER BY id")  # noqa: S608 - names of ours
    before, after = (connection.scalar(sa.select(sa.func.count()).select_from(sa.table(each))) for each in (name, new))
    if before != after:
        raise StoreError(f"{name} has {before} rows and its copy {after}: nothing was changed")
    connection.exec_driver_sql(f"DROP TABLE {name}")
    connection.exec_driver_sql(f"ALTER TABLE {new} RENAME TO {name}")
    create_indexes(connection, target)


def _keys(target: sa.Table) -> dict[str, _Key]:
    kinds = (sa.UniqueConstraint, sa.ForeignKeyConstraint, sa.CheckConstraint)
    return {str(item.name): item for item in target.constraints if isinstance(item, kinds)}


def _added_key(name: str, constraint: _Key) -> str:
    match constraint:
        case sa.UniqueConstraint():
            return f"ADD CONSTRAINT {name} UNIQUE ({_listed(constraint.columns)})"
        case sa.ForeignKeyConstraint():
            parent, _, column = constraint.elements[0].target_fullname.partition(".")
            return f"ADD CONSTRAINT {name} FOREIGN KEY ({_listed(constraint.columns)}) REFERENCES {parent} ({column})"
        case _:
            return f"ADD CONSTRAINT {name} CHECK ({constraint.sqltext})"


def _mysql_changes(connection: sa.Connection, target: sa.Table) -> list[str]:
    inspector, name = sa.inspect(connection), target.name
    there, keys = columns(connection, name), _keys(target)
    indexes = {str(index.name): index for index in target.indexes}
    foreign = {str(key["name"]) for key in inspector.get_foreign_keys(name)}
    checks = {str(check["name"]) for check in inspector.get_check_constraints(name)} & _ours("ck", name, inspector)
    plain = index_names(connection, name)
    changes = [f"DROP FOREIGN KEY {key}" for key in sorted(foreign - set(keys))]
    changes += [f"DROP CONSTRAINT {check}" for check in sorted(checks - set(keys))]
    changes += [f"DROP INDEX {index}" for index in sorted(plain - set(keys) - set(indexes) - (foreign - set(keys)))]
    changes += [f"DROP COLUMN {column}" for column in sorted(there - set(target.columns.keys()))]
    for column in target.columns:
        if column.name not in there:
            changes.append(_adding(connection, column))
        elif not column.primary_key:
            changes.append(f"MODIFY COLUMN {_definition(connection, column)}")
    changes += [f"ADD INDEX {key} ({_listed(indexes[key].columns)})" for key in sorted(set(indexes) - plain)]
    missing = sorted(set(keys) - plain - foreign - checks)
    return changes + [_added_key(key, keys[key]) for key in missing]


def _ours(kind: str, table: str, inspector: sa.Inspector) -> set[str]:
    """Names of the table's checks that we gave; MariaDB also lists those that belong to its JSON columns."""
    return {str(c["name"]) for c in inspector.get_check_constraints(table) if str(c["name"]).startswith(f"{kind}_")}


def _postgres_changes(connection: sa.Connection, target: sa.Table) -> list[str]:
    inspector, name = sa.inspect(connection), target.name
    known, keys = {column["name"]: column for column in inspector.get_columns(name)}, _keys(target)
    present = {str(item["name"]) for item in inspector.get_unique_constraints(name)}
    present |= {str(item["name"]) for item in inspector.get_foreign_keys(name)} | _ours("ck", name, inspector)
    changes = [f"DROP CONSTRAINT {key}" for key in sorted(present - set(keys))]
    changes += [f"DROP COLUMN {column}" for column in sorted(set(known) - set(target.columns.keys()))]
    for column in target.columns:
        if column.name not in known:
            changes.append(_adding(connection, column))
        elif not column.primary_key:
            changes += _postgres_column(connection, column, known[column.name])
    return changes + [_added_key(key, keys[key]) for key in sorted(set(keys) - present)]


def _postgres_column(connection: sa.Connection, column: sa.Column[Any], known: Any) -> list[str]:
    changes = []
    wanted, found = (str(kind.compile(dialect=connection.dialect)) for kind in (column.type, known["type"]))
    if wanted != found:
        zoned = " AT TIME ZONE 'UTC'" if "WITH TIME ZONE" in found else ""
        changes.append(f"ALTER COLUMN {column.name} TYPE {wanted} USING ({column.name}{zoned})::{wanted}")
    if bool(column.nullable) is not bool(known["nullable"]):
        changes.append(f"ALTER COLUMN {column.name} {'DROP' if column.nullable else 'SET'} NOT NULL")
    return changes


def _replace_indexes(connection: sa.Connection, target: sa.Table) -> None:
    """PostgreSQL: drop indexes that `target` does not have, create those that are missing."""
    unique = {str(item["name"]) for item in sa.inspect(connection).get_unique_constraints(target.name)}
    other = index_names(connection, target.name) - {str(index.name) for index in target.indexes} - unique
    drop_indexes(connection, target.name, other)
    create_indexes(connection, target)
