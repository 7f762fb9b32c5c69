"""A task's fenced lease, and the heartbeats of workers."""

from alembic import op
from sqlalchemy import Column, Integer, PrimaryKeyConstraint, Text, text

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add what tells a worker that its task was taken up by another.

    A version that knows nothing of leases may go on working beside this one: its rows
    get the lease 0, which the next worker's is above.
    """
    lease = Column("lease", Integer, nullable=False, server_default=text("0"))
    op.add_column("tasks", lease)
    op.create_index(op.f("ix_deliveries_tenant_state"), "deliveries", ["tenant", "state"])
    op.create_table(
        "workers",
        Column("slot", Text, nullable=False),
        Column("beats", Integer),
        PrimaryKeyConstraint("slot", name="pk_workers"),
    )
