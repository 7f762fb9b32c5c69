"""Which sources an owner who was asked was shown, so that they can be taken back."""

from alembic import op
from sqlalchemy import Column, Text

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; what was shown before it existed is not looked at again."""
    op.add_column("handoffs", Column("quoted", Text, nullable=False, server_default="[]"))
