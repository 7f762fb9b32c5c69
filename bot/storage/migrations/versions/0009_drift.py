"""Which messages show which sources, and what changed in who reads."""

from alembic import op
from sqlalchemy import Column, ForeignKeyConstraint, PrimaryKeyConstraint, Text

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables; what was published before is in neither, and is not looked at again."""
    op.create_table(
        "audience_changes",
        Column("tenant", Text, nullable=False),
        Column("id", Text, nullable=False),
        Column("kind", Text, nullable=False),
        Column("about", Text, nullable=False),
        Column("at", Text, nullable=False),
        Column("home", Text, nullable=False),
        Column("taken_at", Text),
        Column("looked_at", Text),
        PrimaryKeyConstraint("tenant", "id", name="pk_audience_changes"),
        _owned("audience_changes"),
    )
    op.create_index("ix_audience_changes_tenant_at", "audience_changes", ["tenant", "at"])
    op.create_table(
        "shown",
        Column("tenant", Text, nullable=False),
        Column("task", Text, nullable=False),
        Column("source", Text, nullable=False),
        Column("home", Text, nullable=False),
        Column("hidden_at", Text),
        PrimaryKeyConstraint("tenant", "task", "source", name="pk_shown"),
        _owned("shown"),
        ForeignKeyConstraint(
            ["tenant", "task"],
            ["tasks.tenant", "tasks.id"],
            name="fk_shown_tenant_tasks",
            ondelete="CASCADE",
        ),
    )
    op.create_index("ix_shown_tenant_source", "shown", ["tenant", "source"])


def _owned(table: str) -> ForeignKeyConstraint:
    return ForeignKeyConstraint(
        ["tenant"], ["tenants.tenant"], name=f"fk_{table}_tenant_tenants", ondelete="CASCADE"
    )
