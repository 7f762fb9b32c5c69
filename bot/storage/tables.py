"""Every table of the record.

A *tenant table* has ``tenant`` first in its primary key, and every statement on
it binds a tenant. The exceptions are named: `workspaces`, `installations` and `task_tenants`
are how a tenant is found, `oauth_states` are installations that have none yet, `workers` and
`slots` are processes, `provider_failures` are services all tenants use, `snapshots` are texts
known by their own hash, which only a tenant's rows lead to.

Instants are ISO 8601 texts in UTC of one width, so that they sort by time on
every database; `rows.stamp` writes them. JSON is text, so that its hash holds.
"""

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
    Table,
    Text,
    UniqueConstraint,
    text,
)

from bot.storage.audience_tables import audience_changes as audience_changes  # noqa: PLC0414 - one place
from bot.storage.audience_tables import audit as audit  # noqa: PLC0414
from bot.storage.audience_tables import shown as shown  # noqa: PLC0414
from bot.storage.handoff_tables import handoff_askers as handoff_askers  # noqa: PLC0414 - one place
from bot.storage.handoff_tables import handoff_replies as handoff_replies  # noqa: PLC0414
from bot.storage.handoff_tables import handoffs as handoffs  # noqa: PLC0414
from bot.storage.install_tables import installations as installations  # noqa: PLC0414 - one place
from bot.storage.install_tables import oauth_states as oauth_states  # noqa: PLC0414
from bot.storage.origin_tables import enrichments as enrichments  # noqa: PLC0414 - one place
from bot.storage.origin_tables import folders as folders  # noqa: PLC0414
from bot.storage.origin_tables import originals as originals  # noqa: PLC0414
from bot.storage.origin_tables import parse_failures as parse_failures  # noqa: PLC0414
from bot.storage.origin_tables import refreshes as refreshes  # noqa: PLC0414
from bot.storage.origin_tables import staged as staged  # noqa: PLC0414
from bot.storage.reading_tables import model_calls as model_calls  # noqa: PLC0414 - one place
from bot.storage.reading_tables import paid_replies as paid_replies  # noqa: PLC0414
from bot.storage.reading_tables import provider_failures as provider_failures  # noqa: PLC0414
from bot.storage.schema import belongs as _belongs
from bot.storage.schema import metadata as metadata  # noqa: PLC0414
from bot.storage.schema import tenant_table as _tenant_table
from bot.storage.schema import text as _text
from bot.storage.schema import texts as _texts

tenants = _tenant_table("tenants", [], _text("name"), _text("created_at"), parent=False)

workspaces = Table(
    "workspaces",
    metadata,
    _text("team"),
    _text("tenant"),
    Column("enterprise", Boolean, nullable=False),
    Column("mention_only", Boolean, nullable=False),
    _text("bound_at"),
    PrimaryKeyConstraint("team"),
    _belongs(["tenant"], "tenants", ["tenant"]),
    Index(None, "tenant"),
)

people = _tenant_table(
    "people",
    ["principal"],
    _text("principal"),
    _text("name"),
    Column("name_key", Text),
    _text("standing"),
    Column("active", Boolean, nullable=False),
    UniqueConstraint("tenant", "name_key"),
)

rooms = _tenant_table(
    "rooms",
    ["channel"],
    _text("channel"),
    _text("name"),
    Column("outsiders", Boolean, nullable=False),
)

room_members = _tenant_table(
    "room_members",
    ["channel", "principal"],
    _text("channel"),
    _text("principal"),
    _belongs(["tenant", "channel"], "rooms", ["tenant", "channel"]),
)

groups = _tenant_table("groups", ["group_id"], _text("group_id"), _text("name"))

group_members = _tenant_table(
    "group_members",
    ["group_id", "principal"],
    _text("group_id"),
    _text("principal"),
    _belongs(["tenant", "group_id"], "groups", ["tenant", "group_id"]),
)

snapshots = Table(
    "snapshots",
    metadata,
    _text("sha256"),
    Column("body", LargeBinary, nullable=False),
    PrimaryKeyConstraint("sha256"),
)

sources = _tenant_table(
    "sources",
    ["id"],
    *_texts("id", "title", "kind", "ref", "owner", "status"),
    Column("effective_from", Date),
    Column("effective_until", Date),
    Column("supersedes", Text),
    Column("review_by", Date),
    _text("collection"),
    Column("importance", Float, nullable=False),
    *_texts("tags", "metadata", "language"),
    Column("snapshot", Text),
    Column("updated_at", Text),
)

readers = _tenant_table(
    "readers",
    ["source", "reader"],
    _text("source"),
    _text("reader"),
    Column("position", Integer, nullable=False),
    _belongs(["tenant", "source"], "sources", ["tenant", "id"]),
    Index(None, "tenant", "reader"),
)

versions = _tenant_table(
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

chunks = _tenant_table(
    "chunks",
    ["source", "snapshot", "ordinal"],
    _text("source"),
    _text("snapshot"),
    Column("ordinal", Integer, nullable=False),
    _text("document"),
    _belongs(["tenant", "source", "snapshot"], "versions", ["tenant", "source", "snapshot"]),
)

tombstones = _tenant_table(
    "tombstones",
    ["source"],
    *_texts("source", "removed_at"),
    Column("because", Text, nullable=False, server_default=""),
)

deletions = _tenant_table("deletions", ["id"], _text("id"), _text("at"), _text("document"))

task_tenants = Table(
    "task_tenants",
    metadata,
    _text("task"),
    _text("tenant"),
    PrimaryKeyConstraint("task"),
    _belongs(["tenant"], "tenants", ["tenant"]),
)

tasks = _tenant_table(
    "tasks",
    ["id"],
    _text("id"),
    _text("principal"),
    Column("channel", Text),
    Column("conversation", Text),
    Column("parent_id", Text),
    *_texts("request", "sha256", "state"),
    Column("status", Text),
    Column("reason", Text),
    _text("created_at"),
    Column("finished_at", Text),
    Column("lease", Integer, nullable=False, server_default=text("0")),
    CheckConstraint(
        "state IN ('queued', 'running', 'waiting', 'done', 'failed', 'cancelled')", name="state"
    ),
    Index(None, "tenant", "conversation", "created_at"),
    Index(None, "tenant", "principal", "created_at"),
)

checkpoints = _tenant_table(
    "checkpoints",
    ["task", "stage"],
    *_texts("task", "stage", "document"),
    Column("schema_version", Integer, nullable=False),
    _text("sha256"),
    _text("saved_at"),
    _belongs(["tenant", "task"], "tasks", ["tenant", "id"]),
)

workers = Table(
    "workers", metadata, Column("slot", Text, primary_key=True), Column("beats", Integer)
)

slots = Table(
    "slots",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("taken", Integer, nullable=False),
)

knowledge = _tenant_table(
    "knowledge",
    ["key", "version"],
    _text("key"),
    Column("version", Integer, nullable=False),
    *_texts("title", "text", "writer", "written_at"),
    Column("approver", Text),
    Column("approved_at", Text),
    _text("state"),
    CheckConstraint("state IN ('pending', 'approved', 'replaced')", name="state"),
    CheckConstraint("approver IS NULL OR approver <> writer", name="two_people"),
)

deliveries = _tenant_table(
    "deliveries",
    ["task", "kind"],
    *_texts("task", "kind", "channel", "thread"),
    Column("ts", Text),
    _text("state"),
    _text("at"),
    _belongs(["tenant", "task"], "tasks", ["tenant", "id"]),
    CheckConstraint("state IN ('intent', 'placed', 'updated')", name="state"),
    Index(None, "tenant", "channel", "ts"),
    Index(None, "tenant", "state"),
)

handles = _tenant_table(
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

feedback = _tenant_table(
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

uses = _tenant_table(
    "uses",
    ["task"],
    *_texts("task", "principal", "at", "over"),
    Column("again_at", Text),
    Column("notice", Boolean, nullable=False),
    Index(None, "tenant", "principal", "at"),
    Index(None, "tenant", "at"),
)

retrieval_invocations = _tenant_table(
    "retrieval_invocations",
    ["id"],
    *_texts("id", "task", "at"),
    Column("failed", Boolean, nullable=False),
    Column("hits", Integer, nullable=False),
    _text("fallback_reason"),
    _text("details"),
    _belongs(["tenant", "task"], "tasks", ["tenant", "id"]),
    Index(None, "tenant", "task"),
)

_NOT_OF_A_TENANT = ("tenants", "workspaces", "installations", "oauth_states", "task_tenants")
_OF_ALL_TENANTS = ("snapshots", "workers", "slots", "provider_failures")

TENANT_TABLES = frozenset(
    table.name
    for table in metadata.sorted_tables
    if table.name not in (*_NOT_OF_A_TENANT, *_OF_ALL_TENANTS)
)
"""The tables on which every statement must bind a tenant."""
