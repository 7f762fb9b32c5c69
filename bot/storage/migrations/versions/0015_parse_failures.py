"""Files that could not be read, so that no process tries them again and again."""

from alembic import op
from sqlalchemy import Column, ForeignKeyConstraint, Integer, PrimaryKeyConstraint, Text

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table; what failed before is tried anew."""
    op.create_table(
        "parse_failures",
        *(Column(name, Text, nullable=False) for name in ("tenant", "source", "digest")),
        Column("tries", Integer, nullable=False),
        Column("reason", Text, nullable=False),
        PrimaryKeyConstraint("tenant", "source", name="pk_parse_failures"),
        ForeignKeyConstraint(
            ["tenant"],
            ["tenants.tenant"],
            name="fk_parse_failures_tenant_tenants",
            ondelete="CASCADE",
        ),
    )
