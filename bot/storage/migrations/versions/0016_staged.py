"""Files that an admin has brought and has not put live yet."""

from alembic import op
from sqlalchemy import (
    Column,
    ForeignKeyConstraint,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    Text,
)

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "staged",
        *(Column(name, Text, nullable=False) for name in ("tenant", "id", "name", "at")),
        Column("size", Integer, nullable=False),
        Column("document", LargeBinary, nullable=False),
        PrimaryKeyConstraint("tenant", "id", name="pk_staged"),
        ForeignKeyConstraint(
            ["tenant"],
            ["tenants.tenant"],
            name="fk_staged_tenant_tenants",
            ondelete="CASCADE",
        ),
    )
