"""Where the people of an installation open their workspace, for links to it."""

from alembic import op
from sqlalchemy import Column, Text

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the address; it is empty until the workspace installs again."""
    op.add_column("installations", Column("url", Text, nullable=False, server_default=""))
