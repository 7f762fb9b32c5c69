"""The whole bot looks at its sources again by itself, as often as the settings say."""

import asyncio
from pathlib import Path

from bot.bringing import importer
from bot.playground import Running
from bot.wiring import open_world
from rag.values import Source
from tests.bot.slack.conftest import TENANT
from tests.faults.redis_server import redis_server
from tests.faults.whole_bot import settings_of, whole_bot
from tests.playground.conftest import until


async def test_a_worker_brings_in_what_is_new_by_itself_until_it_ends(
    tmp_path: Path, running: Running
) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.md").write_text("# Bikes\n\nBikes stand in the yard.\n", "utf-8")
    async with redis_server() as server:
        settings = settings_of(
            tmp_path / "data", api_url=running.api_url, redis_url=server.url, refresh_seconds=1
        )
        async with open_world(settings) as world:
            await world.tenants.create(TENANT)
            added = importer(world).add_folder(docs, tenant=TENANT, readers=["everyone"])
            assert [step.source_id async for step in added] == ["a.md"]
        async with whole_bot(settings) as world:
            (docs / "b.md").write_text("# Cars\n\nCars stand below.\n", "utf-8")

            async def ingested() -> Source | None:
                found = await world.catalogue.get(tenant=TENANT, source_ids=["b.md"])
                return found[0] if found and found[0].snapshot else None

            source: Source = await until(ingested)
            assert "Cars" in await world.snapshots.get(str(source.snapshot))
        left = [task for task in asyncio.all_tasks() if "keep" in repr(task.get_coro())]
        assert left == []
