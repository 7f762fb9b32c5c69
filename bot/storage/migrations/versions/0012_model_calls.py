"""What models were asked and what that cost, and which providers fail."""

from alembic import op
from sqlalchemy import Column, Float, ForeignKeyConstraint, Integer, PrimaryKeyConstraint, Text

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables; nothing was spent before they existed."""
    texts = ("tenant", "id", "at", "task", "role", "model", "outcome")
    op.create_table(
        "model_calls",
        *(Column(name, Text, nullable=False) for name in texts),
        Column("attempt", Integer, nullable=False),
        Column("tokens_in", Integer, nullable=False),
        Column("tokens_out", Integer, nullable=False),
        Column("seconds", Float, nullable=False),
        Column("price", Float),
        PrimaryKeyConstraint("tenant", "id", name="pk_model_calls"),
        ForeignKeyConstraint(
            ["tenant"],
            ["tenants.tenant"],
            name="fk_model_calls_tenant_tenants",
            ondelete="CASCADE",
        ),
    )
    op.create_index(op.f("ix_model_calls_tenant_at"), "model_calls", ["tenant", "at"])
    op.create_index(op.f("ix_model_calls_tenant_task"), "model_calls", ["tenant", "task"])
    op.create_table(
        "provider_failures",
        Column("provider", Text, nullable=False),
        Column("failures", Integer, nullable=False),
        Column("opened_at", Text),
        PrimaryKeyConstraint("provider", name="pk_provider_failures"),
    )
