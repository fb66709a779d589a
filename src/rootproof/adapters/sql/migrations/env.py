"""Alembic's entry: runs the revisions on the connection that `migrate` puts into the configuration."""

from __future__ import annotations

from alembic import context
from sqlalchemy import Connection

from rootproof.adapters.sql.schema import metadata


def run() -> None:
    """Run the migrations inside the transaction that the connection already has."""
    connection: Connection | None = context.config.attributes.get("connection")
    if connection is None:
        raise RuntimeError("migrations run through rootproof.adapters.sql.migrate, which brings the connection")
    context.configure(connection=connection, target_metadata=metadata, compare_type=True, compare_server_default=True)
    with context.begin_transaction():
        context.run_migrations()


run()
