"""What every table of the record is made with."""

from sqlalchemy import Column, ForeignKeyConstraint, MetaData, PrimaryKeyConstraint, Table, Text
from sqlalchemy.sql.schema import SchemaItem

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
    }
)


def text(name: str) -> Column[str]:
    return Column(name, Text, nullable=False)


def texts(*names: str) -> list[Column[str]]:
    return [text(name) for name in names]


def belongs(names: list[str], parent: str, parent_names: list[str]) -> ForeignKeyConstraint:
    """A reference to ``parent`` whose rows go when the parent goes."""
    targets = [f"{parent}.{name}" for name in parent_names]
    return ForeignKeyConstraint(names, targets, ondelete="CASCADE")


def tenant_table(name: str, key: list[str], *items: SchemaItem, parent: bool = True) -> Table:
    """A table whose key begins with the tenant, which must exist."""
    owner = [belongs(["tenant"], "tenants", ["tenant"])] if parent else []
    return Table(
        name, metadata, text("tenant"), *items, PrimaryKeyConstraint("tenant", *key), *owner
    )
