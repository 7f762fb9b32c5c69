"""Footnote on several processes that share nothing but PostgreSQL, Redis and object storage."""
