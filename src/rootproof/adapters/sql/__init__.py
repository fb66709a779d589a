"""Runs, steps, invocations and raw outputs in SQLite, MySQL/MariaDB or PostgreSQL through one SQLAlchemy schema."""
