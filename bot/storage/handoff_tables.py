"""The tables of questions handed to owners; `tables` names them with all others."""

from sqlalchemy import Column, Index, Integer, Text

from bot.storage.schema import belongs, tenant_table, texts

handoffs = tenant_table(
    "handoffs",
    ["task", "owner"],
    *texts("task", "owner", "name", "key", "at"),
    Column("quoted", Text, nullable=False, server_default="[]"),
    belongs(["tenant", "task"], "tasks", ["tenant", "id"]),
)

handoff_askers = tenant_table(
    "handoff_askers",
    ["task", "asker"],
    *texts("task", "asker", "at"),
    belongs(["tenant", "task"], "tasks", ["tenant", "id"]),
)

handoff_replies = tenant_table(
    "handoff_replies",
    ["id"],
    *texts("id", "task", "owner", "key"),
    Column("version", Integer, nullable=False),
    *texts("at", "decision", "decider"),
    belongs(["tenant", "task", "owner"], "handoffs", ["tenant", "task", "owner"]),
    Index(None, "tenant", "task"),
)
