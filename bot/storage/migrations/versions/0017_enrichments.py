"""What is found in snapshots when they are ingested, and what a model proposes of them."""

from alembic import op
from sqlalchemy import Column, ForeignKeyConstraint, Integer, PrimaryKeyConstraint, Text

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

_OF_A_VERSION = ("tenant", "source", "snapshot")


def upgrade() -> None:
    """Add the table; what was ingested before has no row until it is enriched."""
    op.create_table(
        "enrichments",
        *(Column(name, Text, nullable=False) for name in (*_OF_A_VERSION, "kind")),
        Column("part", Integer, nullable=False),
        *(Column(name, Text, nullable=False) for name in ("version", "document", "at")),
        PrimaryKeyConstraint(*_OF_A_VERSION, "kind", "part", name="pk_enrichments"),
        ForeignKeyConstraint(
            ["tenant"],
            ["tenants.tenant"],
            name="fk_enrichments_tenant_tenants",
            ondelete="CASCADE",
        ),
        ForeignKeyConstraint(
            list(_OF_A_VERSION),
            [f"versions.{name}" for name in _OF_A_VERSION],
            name="fk_enrichments_tenant_versions",
            ondelete="CASCADE",
        ),
    )
