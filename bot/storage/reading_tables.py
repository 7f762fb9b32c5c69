"""The tables of what asking models costs, and of providers that fail; also in `tables`."""

from sqlalchemy import Column, Float, Index, Integer, PrimaryKeyConstraint, Table, Text

from bot.storage.schema import belongs, metadata, tenant_table, text, texts

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

paid_replies = tenant_table(
    "paid_replies",
    ["task", "stage", "digest"],
    *texts("task", "stage", "digest", "document", "sha256", "at"),
    belongs(["tenant", "task"], "tasks", ["tenant", "id"]),
)

provider_failures = Table(
    "provider_failures",
    metadata,
    text("provider"),
    Column("failures", Integer, nullable=False),
    Column("opened_at", Text),
    PrimaryKeyConstraint("provider"),
)
