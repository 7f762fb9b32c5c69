"""The tables of where documents come from; also in `tables`."""

from bot.storage.schema import belongs, tenant_table, text, texts

folders = tenant_table("folders", ["id"], *texts("id", "root", "prefix", "readers"))

originals = tenant_table(
    "originals",
    ["source"],
    *texts("source", "digest", "snapshot"),
    belongs(["tenant", "source"], "sources", ["tenant", "id"]),
)

refreshes = tenant_table("refreshes", ["what"], text("what"), text("at"))
