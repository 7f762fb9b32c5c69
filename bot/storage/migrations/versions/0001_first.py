"""The first schema."""

from alembic import op
from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Date,
    Float,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    Text,
    UniqueConstraint,
)
from sqlalchemy.sql.schema import SchemaItem

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create every table of the first schema."""
    _tenants()
    _people()
    _sources()
    _tasks()
    _replies()
    _knowledge()


def _text(name: str) -> Column[str]:
    return Column(name, Text, nullable=False)


def _belongs(names: list[str], parent: str, parent_names: list[str]) -> ForeignKeyConstraint:
    targets = [f"{parent}.{name}" for name in parent_names]
    return ForeignKeyConstraint(names, targets, ondelete="CASCADE")


def _tenant_table(name: str, key: list[str], *items: SchemaItem, parent: bool = True) -> None:
    owner = [_belongs(["tenant"], "tenants", ["tenant"])] if parent else []
    key_constraint = PrimaryKeyConstraint("tenant", *key)
    op.create_table(name, _text("tenant"), *items, key_constraint, *owner)


def _tenants() -> None:
    _tenant_table("tenants", [], _text("name"), _text("created_at"), parent=False)
    op.create_table(
        "workspaces",
        _text("team"),
        _text("tenant"),
        Column("enterprise", Boolean, nullable=False),
        Column("mention_only", Boolean, nullable=False),
        _text("bound_at"),
        PrimaryKeyConstraint("team"),
        _belongs(["tenant"], "tenants", ["tenant"]),
        Index(None, "tenant"),
    )


def _people() -> None:
    _tenant_table(
        "people",
        ["principal"],
        _text("principal"),
        _text("name"),
        Column("name_key", Text),
        _text("standing"),
        Column("active", Boolean, nullable=False),
        UniqueConstraint("tenant", "name_key"),
    )
    _tenant_table(
        "rooms",
        ["channel"],
        _text("channel"),
        _text("name"),
        Column("outsiders", Boolean, nullable=False),
    )
    _tenant_table(
        "room_members",
        ["channel", "principal"],
        _text("channel"),
        _text("principal"),
        _belongs(["tenant", "channel"], "rooms", ["tenant", "channel"]),
    )
    _tenant_table("groups", ["group_id"], _text("group_id"), _text("name"))
    _tenant_table(
        "group_members",
        ["group_id", "principal"],
        _text("group_id"),
        _text("principal"),
        _belongs(["tenant", "group_id"], "groups", ["tenant", "group_id"]),
    )


def _sources() -> None:
    op.create_table(
        "snapshots",
        _text("sha256"),
        Column("body", LargeBinary, nullable=False),
        PrimaryKeyConstraint("sha256"),
    )
    _tenant_table(
        "sources",
        ["id"],
        _text("id"),
        _text("title"),
        _text("kind"),
        _text("ref"),
        _text("owner"),
        _text("status"),
        Column("effective_from", Date),
        Column("effective_until", Date),
        Column("supersedes", Text),
        Column("review_by", Date),
        _text("collection"),
        Column("importance", Float, nullable=False),
        _text("tags"),
        _text("metadata"),
        _text("language"),
        Column("snapshot", Text),
        Column("updated_at", Text),
    )
    _tenant_table(
        "readers",
        ["source", "reader"],
        _text("source"),
        _text("reader"),
        Column("position", Integer, nullable=False),
        _belongs(["tenant", "source"], "sources", ["tenant", "id"]),
        Index(None, "tenant", "reader"),
    )
    _tenant_table(
        "versions",
        ["source", "snapshot"],
        _text("source"),
        _text("snapshot"),
        Column("chunks", Integer, nullable=False),
        _text("ingested_at"),
        _belongs(["tenant", "source"], "sources", ["tenant", "id"]),
        ForeignKeyConstraint(["snapshot"], ["snapshots.sha256"]),
        Index(None, "snapshot"),
    )
    _tenant_table(
        "chunks",
        ["source", "snapshot", "ordinal"],
        _text("source"),
        _text("snapshot"),
        Column("ordinal", Integer, nullable=False),
        _text("document"),
        _belongs(["tenant", "source", "snapshot"], "versions", ["tenant", "source", "snapshot"]),
    )
    _tenant_table("tombstones", ["source"], _text("source"), _text("removed_at"))


def _tasks() -> None:
    op.create_table(
        "task_tenants",
        _text("task"),
        _text("tenant"),
        PrimaryKeyConstraint("task"),
        _belongs(["tenant"], "tenants", ["tenant"]),
    )
    _tenant_table(
        "tasks",
        ["id"],
        _text("id"),
        _text("principal"),
        Column("channel", Text),
        Column("conversation", Text),
        Column("parent_id", Text),
        _text("request"),
        _text("sha256"),
        _text("state"),
        Column("status", Text),
        Column("reason", Text),
        _text("created_at"),
        Column("finished_at", Text),
        CheckConstraint(
            "state IN ('queued', 'running', 'waiting', 'done', 'failed', 'cancelled')", name="state"
        ),
        Index(None, "tenant", "conversation", "created_at"),
        Index(None, "tenant", "principal", "created_at"),
    )
    _tenant_table(
        "checkpoints",
        ["task", "stage"],
        _text("task"),
        _text("stage"),
        _text("document"),
        Column("schema_version", Integer, nullable=False),
        _text("sha256"),
        _text("saved_at"),
        _belongs(["tenant", "task"], "tasks", ["tenant", "id"]),
    )
    _tenant_table(
        "retrieval_invocations",
        ["id"],
        _text("id"),
        _text("task"),
        _text("at"),
        Column("failed", Boolean, nullable=False),
        Column("hits", Integer, nullable=False),
        _text("fallback_reason"),
        _text("details"),
        _belongs(["tenant", "task"], "tasks", ["tenant", "id"]),
        Index(None, "tenant", "task"),
    )


def _replies() -> None:
    _tenant_table(
        "deliveries",
        ["task", "kind"],
        _text("task"),
        _text("kind"),
        _text("channel"),
        _text("thread"),
        Column("ts", Text),
        _text("state"),
        _text("at"),
        _belongs(["tenant", "task"], "tasks", ["tenant", "id"]),
        CheckConstraint("state IN ('intent', 'placed', 'updated')", name="state"),
        Index(None, "tenant", "channel", "ts"),
    )
    _tenant_table(
        "handles",
        ["id"],
        _text("id"),
        _text("task"),
        Column("claim", Integer, nullable=False),
        Column("citation", Integer, nullable=False),
        _text("option"),
        _belongs(["tenant", "task"], "tasks", ["tenant", "id"]),
        UniqueConstraint("tenant", "task", "claim", "citation", "option"),
    )
    _tenant_table(
        "feedback",
        ["task", "claim", "principal"],
        _text("task"),
        Column("claim", Integer, nullable=False),
        _text("principal"),
        Column("up", Boolean, nullable=False),
        _text("note"),
        _text("at"),
        _belongs(["tenant", "task"], "tasks", ["tenant", "id"]),
    )


def _knowledge() -> None:
    _tenant_table(
        "knowledge",
        ["key", "version"],
        _text("key"),
        Column("version", Integer, nullable=False),
        _text("title"),
        _text("text"),
        _text("writer"),
        _text("written_at"),
        Column("approver", Text),
        Column("approved_at", Text),
        _text("state"),
        CheckConstraint("state IN ('pending', 'approved', 'replaced')", name="state"),
        CheckConstraint("approver IS NULL OR approver <> writer", name="two_people"),
    )
