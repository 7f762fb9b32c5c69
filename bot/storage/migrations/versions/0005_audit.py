"""Who changed what may be seen: entries that nobody can change afterwards."""

from alembic import op
from sqlalchemy import Column, ForeignKeyConstraint, PrimaryKeyConstraint, Text

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_SQLITE = """
CREATE TRIGGER audit_is_kept BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'an entry is never changed'); END
"""
_POSTGRESQL = """
CREATE FUNCTION footnote_audit_is_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'an entry is never changed'; END $$;
CREATE TRIGGER audit_is_kept BEFORE UPDATE ON audit
FOR EACH ROW EXECUTE FUNCTION footnote_audit_is_kept()
"""


def upgrade() -> None:
    """Add the table, and what refuses a change of its rows."""
    op.create_table(
        "audit",
        Column("tenant", Text, nullable=False),
        Column("id", Text, nullable=False),
        Column("at", Text, nullable=False),
        Column("who", Text, nullable=False),
        Column("what", Text, nullable=False),
        Column("about", Text, nullable=False),
        PrimaryKeyConstraint("tenant", "id", name="pk_audit"),
        ForeignKeyConstraint(
            ["tenant"], ["tenants.tenant"], name="fk_audit_tenant_tenants", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_audit_tenant_at", "audit", ["tenant", "at"])
    op.execute(_SQLITE if op.get_bind().dialect.name == "sqlite" else _POSTGRESQL)
