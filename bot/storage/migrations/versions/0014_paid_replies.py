"""Replies of models as they came, for a task that goes on after its worker died."""

from alembic import op
from sqlalchemy import Column, ForeignKeyConstraint, PrimaryKeyConstraint, Text

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table; what was replied before it existed is in a checkpoint or lost."""
    texts = ("tenant", "task", "stage", "digest", "document", "sha256", "at")
    op.create_table(
        "paid_replies",
        *(Column(name, Text, nullable=False) for name in texts),
        PrimaryKeyConstraint("tenant", "task", "stage", "digest", name="pk_paid_replies"),
        ForeignKeyConstraint(
            ["tenant"],
            ["tenants.tenant"],
            name="fk_paid_replies_tenant_tenants",
            ondelete="CASCADE",
        ),
        ForeignKeyConstraint(
            ["tenant", "task"],
            ["tasks.tenant", "tasks.id"],
            name="fk_paid_replies_tenant_tasks",
            ondelete="CASCADE",
        ),
    )
