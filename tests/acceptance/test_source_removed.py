"""A removed source leaves nothing of its text: not on disk, not in Redis, not in a task's run."""

from datetime import UTC, datetime
from pathlib import Path

from bot.bringing import importer
from bot.settings import Settings
from bot.wiring import World, open_world, working_context
from rag.pipeline import run, run_until
from rag.ports import WorkingContext
from rag.testing.telling import ListPublisher
from rag.values import Report, Request, Status

TENANT = "removing"
CANARY = "quorxal"
TEXT = f"# Lending\n\nA {CANARY} device may be kept for seven days.\n"


def _request(task: str) -> Request:
    return Request(
        task=task,
        tenant=TENANT,
        principal="alice",
        question=f"For how many days may a {CANARY} device be kept?",
        asked_at=datetime.now(UTC),
    )


def _holding(folder: Path) -> list[str]:
    """The files below ``folder`` that hold the canary."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path.name for path in files if CANARY.encode() in path.read_bytes().lower()]


async def _answered(world: World, context: WorkingContext, task: str) -> Report:
    ports = world.ports(context=context, publisher=ListPublisher())
    return await run(_request(task), ports, limits=world.settings.limits)


async def test_nothing_stays_of_a_removed_source(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.md").write_text(TEXT, "utf-8")
    (docs / "b.md").write_text("# Travel\n\nTrains are booked by the office.\n", "utf-8")
    settings = Settings(data=tmp_path / "data")
    async with open_world(settings) as world, working_context(settings) as context:
        await world.tenants.create(TENANT)
        bringing = importer(world)
        steps = bringing.add_folder(docs, tenant=TENANT, readers=["everyone"])
        assert {step.outcome async for step in steps} == {"added"}
        assert (await _answered(world, context, "t1")).answer.status is Status.ANSWERED
        ports = world.ports(context=context, publisher=ListPublisher())
        limits = world.settings.limits
        await run_until(_request("t2"), ports, limits=limits, stop="selected")
        assert await context.load("t1")
        assert _holding(settings.home)

        assert await bringing.remove(tenant=TENANT, source_id="a.md")
        await world.index.shred(tenant=TENANT)

        assert await context.load("t1") is None
        assert await world.checkpoints.load("t1", "report") is None
        resumed = await _answered(world, context, "t2")
        assert (resumed.answer.status, resumed.answer.claims) == (Status.INSUFFICIENT, ())
    # The questions themselves name it, and stay with their tasks.
    assert [name for name in _holding(settings.home) if not name.startswith("footnote.db")] == []


async def test_a_text_that_another_source_holds_stays_for_it(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    for name in ("a.md", "b.md"):
        (docs / name).write_text(TEXT, "utf-8")
    settings = Settings(data=tmp_path / "data")
    async with open_world(settings) as world, working_context(settings) as context:
        await world.tenants.create(TENANT)
        bringing = importer(world)
        async for _ in bringing.add_folder(docs, tenant=TENANT, readers=["everyone"]):
            pass
        assert await bringing.remove(tenant=TENANT, source_id="a.md")
        report = await _answered(world, context, "t1")
    cited = {c.source_id for claim in report.answer.claims for c in claim.citations}
    assert (report.answer.status, cited) == (Status.ANSWERED, {"b.md"})
