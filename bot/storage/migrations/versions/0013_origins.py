"""Folders whose files are sources, what each document was last read from, and when."""

from alembic import op
from sqlalchemy import Column, ForeignKeyConstraint, PrimaryKeyConstraint, Text

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables and a column; folders and originals are noted with the next import.

    What was removed before the column existed counts as removed by a person.
    """
    _table("folders", "id", "root", "prefix", "read_by")
    _table(
        "originals",
        "source",
        "digest",
        "snapshot",
        belongs=ForeignKeyConstraint(
            ["tenant", "source"],
            ["sources.tenant", "sources.id"],
            name="fk_originals_tenant_sources",
            ondelete="CASCADE",
        ),
    )
    _table("refreshes", "what", "at")
    op.add_column("tombstones", Column("because", Text, nullable=False, server_default=""))


def _table(name: str, *columns: str, belongs: ForeignKeyConstraint | None = None) -> None:
    op.create_table(
        name,
        *(Column(column, Text, nullable=False) for column in ("tenant", *columns)),
        PrimaryKeyConstraint("tenant", columns[0], name=f"pk_{name}"),
        ForeignKeyConstraint(
            ["tenant"],
            ["tenants.tenant"],
            name=f"fk_{name}_tenant_tenants",
            ondelete="CASCADE",
        ),
        *([] if belongs is None else [belongs]),
    )
