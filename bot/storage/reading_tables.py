"""The tables of what asking models costs, and of providers that fail; also in `tables`."""

from sqlalchemy import Column, Float, Index, Integer, PrimaryKeyConstraint, Table, Text

from bot.storage.schema import metadata, tenant_table, text, texts

model_calls = tenant_table(
    "model_calls",
    ["id"],
    *texts("id", "at", "task", "role", "model", "outcome"),
    Column("attempt", Integer, nullable=False),
    Column("tokens_in", Integer, nullable=False),
    Column("tokens_out", Integer, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("price", Float),
    Index(None, "tenant", "at"),
    Index(None, "tenant", "task"),
)

provider_failures = Table(
    "provider_failures",
    metadata,
    text("provider"),
    Column("failures", Integer, nullable=False),
    Column("opened_at", Text),
    PrimaryKeyConstraint("provider"),
)
