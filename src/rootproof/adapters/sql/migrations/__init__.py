"""Alembic's environment and the revisions, shipped with the package."""
