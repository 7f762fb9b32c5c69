"""Alembic scripts, in order below `versions`; each is written once and never changed."""
