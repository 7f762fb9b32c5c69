"""Which owners were asked about a question, who wants to know, and what they replied."""

from alembic import op
from sqlalchemy import Column, ForeignKeyConstraint, Integer, PrimaryKeyConstraint, Text

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def _texts(*names: str) -> list[Column[str]]:
    return [Column(name, Text, nullable=False) for name in names]


def _of_task(table: str) -> list[ForeignKeyConstraint]:
    """The references of a table whose rows go with their task."""
    return [
        ForeignKeyConstraint(
            ["tenant"], ["tenants.tenant"], name=f"fk_{table}_tenant_tenants", ondelete="CASCADE"
        ),
        ForeignKeyConstraint(
            ["tenant", "task"],
            ["tasks.tenant", "tasks.id"],
            name=f"fk_{table}_tenant_tasks",
            ondelete="CASCADE",
        ),
    ]


def upgrade() -> None:
    """Add the tables; what owners were asked before they existed was kept as feedback alone."""
    op.create_table(
        "handoffs",
        *_texts("tenant", "task", "owner", "name", "key", "at"),
        PrimaryKeyConstraint("tenant", "task", "owner", name="pk_handoffs"),
        *_of_task("handoffs"),
    )
    op.create_table(
        "handoff_askers",
        *_texts("tenant", "task", "asker", "at"),
        PrimaryKeyConstraint("tenant", "task", "asker", name="pk_handoff_askers"),
        *_of_task("handoff_askers"),
    )
    op.create_table(
        "handoff_replies",
        *_texts("tenant", "id", "task", "owner", "key"),
        Column("version", Integer, nullable=False),
        *_texts("at", "decision", "decider"),
        PrimaryKeyConstraint("tenant", "id", name="pk_handoff_replies"),
        ForeignKeyConstraint(
            ["tenant"],
            ["tenants.tenant"],
            name="fk_handoff_replies_tenant_tenants",
            ondelete="CASCADE",
        ),
        ForeignKeyConstraint(
            ["tenant", "task", "owner"],
            ["handoffs.tenant", "handoffs.task", "handoffs.owner"],
            name="fk_handoff_replies_tenant_handoffs",
            ondelete="CASCADE",
        ),
    )
    op.create_index(op.f("ix_handoff_replies_tenant_task"), "handoff_replies", ["tenant", "task"])
