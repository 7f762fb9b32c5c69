"""Installations by OAuth, and those begun and not yet finished."""

from alembic import op
from sqlalchemy import Column, ForeignKeyConstraint, Integer, PrimaryKeyConstraint, Text

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add both tables; a record with one bot token leaves them empty."""
    op.create_table(
        "installations",
        Column("home", Text, nullable=False),
        Column("team_id", Text, nullable=False),
        Column("enterprise_id", Text, nullable=False),
        Column("bot_user_id", Text, nullable=False),
        Column("bot_id", Text, nullable=False),
        Column("team_name", Text, nullable=False),
        Column("sealed_token", Text, nullable=False),
        Column("paused", Text, nullable=False),
        Column("changed_at", Text, nullable=False),
        Column("revision", Integer, nullable=False),
        PrimaryKeyConstraint("home", name="pk_installations"),
        ForeignKeyConstraint(
            ["home"],
            ["workspaces.team"],
            name="fk_installations_home_workspaces",
            ondelete="CASCADE",
        ),
    )
    op.create_table(
        "oauth_states",
        Column("state", Text, nullable=False),
        Column("browser", Text, nullable=False),
        Column("until", Text, nullable=False),
        PrimaryKeyConstraint("state", name="pk_oauth_states"),
    )
