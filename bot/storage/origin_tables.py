"""The tables of where documents come from; also in `tables`."""

from sqlalchemy import Column, Integer, LargeBinary

from bot.storage.schema import belongs, tenant_table, text, texts

folders = tenant_table("folders", ["id"], *texts("id", "root", "prefix", "read_by"))

originals = tenant_table(
    "originals",
    ["source"],
    *texts("source", "digest", "snapshot"),
    belongs(["tenant", "source"], "sources", ["tenant", "id"]),
)

parse_failures = tenant_table(
    "parse_failures",
    ["source"],
    *texts("source", "digest"),
    Column("tries", Integer, nullable=False),
    text("reason"),
)

refreshes = tenant_table("refreshes", ["what"], text("what"), text("at"))

staged = tenant_table(
    "staged",
    ["id"],
    *texts("id", "name", "at"),
    Column("size", Integer, nullable=False),
    Column("document", LargeBinary, nullable=False),
)

enrichments = tenant_table(
    "enrichments",
    ["source", "snapshot", "kind", "part"],
    *texts("source", "snapshot", "kind"),
    Column("part", Integer, nullable=False),
    *texts("version", "document", "at"),
    belongs(["tenant", "source", "snapshot"], "versions", ["tenant", "source", "snapshot"]),
)
