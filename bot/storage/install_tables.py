"""The tables of installations by OAuth. `tables` holds them with all others."""

from sqlalchemy import Column, Integer, PrimaryKeyConstraint, Table, Text

from bot.storage.schema import belongs, metadata, texts

installations = Table(
    "installations",
    metadata,
    *texts("home", "team_id", "enterprise_id", "bot_user_id", "bot_id", "team_name"),
    *texts("sealed_token", "paused", "changed_at"),
    Column("revision", Integer, nullable=False),
    Column("url", Text, nullable=False, server_default=""),
    PrimaryKeyConstraint("home"),
    belongs(["home"], "workspaces", ["team"]),
)

oauth_states = Table(
    "oauth_states", metadata, *texts("state", "browser", "until"), PrimaryKeyConstraint("state")
)
