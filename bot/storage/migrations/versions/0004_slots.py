"""How often each worker slot was taken."""

from alembic import op
from sqlalchemy import Column, Integer, PrimaryKeyConstraint

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add what tells a worker whose session broke that another had its slot meanwhile."""
    op.create_table(
        "slots",
        Column("number", Integer, nullable=False, autoincrement=False),
        Column("taken", Integer, nullable=False),
        PrimaryKeyConstraint("number", name="pk_slots"),
    )
