"""Who asked how often."""

from alembic import op
from sqlalchemy import Boolean, Column, ForeignKeyConstraint, PrimaryKeyConstraint, Text

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table; what was asked before it existed counts for nothing."""
    op.create_table(
        "uses",
        Column("tenant", Text, nullable=False),
        Column("task", Text, nullable=False),
        Column("principal", Text, nullable=False),
        Column("at", Text, nullable=False),
        Column("over", Text, nullable=False),
        Column("again_at", Text),
        Column("notice", Boolean, nullable=False),
        PrimaryKeyConstraint("tenant", "task", name="pk_uses"),
        ForeignKeyConstraint(
            ["tenant"], ["tenants.tenant"], name="fk_uses_tenant_tenants", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_uses_tenant_principal_at", "uses", ["tenant", "principal", "at"])
    op.create_index("ix_uses_tenant_at", "uses", ["tenant", "at"])
