"""What was deleted, so that a backup that is restored brings nothing back."""

from alembic import op
from sqlalchemy import Column, ForeignKeyConstraint, PrimaryKeyConstraint, Text

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table; what was deleted before it existed is in the tombstones alone."""
    op.create_table(
        "deletions",
        Column("tenant", Text, nullable=False),
        Column("id", Text, nullable=False),
        Column("at", Text, nullable=False),
        Column("document", Text, nullable=False),
        PrimaryKeyConstraint("tenant", "id", name="pk_deletions"),
        ForeignKeyConstraint(
            ["tenant"],
            ["tenants.tenant"],
            name="fk_deletions_tenant_tenants",
            ondelete="CASCADE",
        ),
    )
