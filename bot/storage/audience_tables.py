"""The tables of who reads along, what they were shown, and who changed it; also in `tables`."""

from sqlalchemy import Column, Index, Text

from bot.storage.schema import belongs, tenant_table, texts

audit = tenant_table(
    "audit",
    ["id"],
    *texts("id", "at", "who", "what", "about"),
    Index(None, "tenant", "at"),
)

audience_changes = tenant_table(
    "audience_changes",
    ["id"],
    *texts("id", "kind", "about", "at", "home"),
    Column("taken_at", Text),
    Column("looked_at", Text),
    Index(None, "tenant", "at"),
)

shown = tenant_table(
    "shown",
    ["task", "source"],
    *texts("task", "source", "home"),
    Column("hidden_at", Text),
    belongs(["tenant", "task"], "tasks", ["tenant", "id"]),
    Index(None, "tenant", "source"),
)
