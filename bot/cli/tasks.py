"""`footnote show`, `export` and `purge`: what became of a question."""

import asyncio
import json
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated

import typer

from bot.answer_json import as_json
from bot.cli.answers import answer_lines
from bot.cli.common import err, out, with_world
from bot.errors import ExportRefused, WrongUsage
from bot.wiring import World
from rag.errors import UnknownTask
from rag.ports import Snapshots, Sure
from rag.stages.publish import publish
from rag.values import Published, Report, Request

Task = Annotated[str, typer.Argument(help="The task's id.")]


async def saved_report(world: World, task: str) -> tuple[Request, Report]:
    """A finished task's request and report. Raises `UnknownTask`."""
    request = await world.checkpoints.request(task)
    document = await world.checkpoints.load(task, "report")
    if document is None:
        raise UnknownTask(
            f"task {task} has no report yet; `footnote resume {task}` goes on with it"
        )
    return request, Report.model_validate_json(document)


def show(
    task: Task,
    trace: Annotated[bool, typer.Option("--trace", help="How it came about, as JSON.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="The report as Markdown.")] = False,
) -> None:
    """Show a finished task's answer."""
    if trace and markdown:
        raise WrongUsage("choose one of --trace and --markdown")

    async def work(world: World) -> None:
        _, report = await saved_report(world, task)
        if trace:
            out.print(json.dumps(as_json(report)["trace"], ensure_ascii=False, indent=2))
        elif markdown:
            out.print(report.markdown)
        else:
            out.print("\n".join(answer_lines(report)))

    with_world(work)


def export(
    task: Task, folder: Annotated[Path, typer.Argument(help="Where to write; made when new.")]
) -> None:
    """Write answer.json, answer.md and the cited snapshots, after every check was made again."""

    async def work(world: World) -> None:
        request, report = await saved_report(world, task)
        published = await publish(
            request,
            report,
            catalogue=world.catalogue,
            intake=world.intake,
            snapshots=world.snapshots,
            publisher=ToFolder(folder, world.snapshots),
            stopwatch=time.monotonic,
        )
        if published.refused or published.withdrawn:
            raise ExportRefused(f"task {task} may not be exported any more")
        out.print(f"the answer is in {folder}")

    with_world(work)


class ToFolder:
    """A publisher that writes files, and takes them back."""

    def __init__(self, folder: Path, snapshots: Snapshots) -> None:
        self._folder = folder
        self._snapshots = snapshots
        self._written: tuple[str, ...] = ()

    async def publish(self, request: Request, report: Report, *, sure: Sure) -> Published:
        """Write answer.json, answer.md and the cited snapshots; again, it changes nothing."""
        cited = {c.snapshot for claim in report.answer.claims for c in claim.citations}
        texts = {sha: await self._snapshots.get(sha) for sha in sorted(cited)}
        await sure()
        self._written = ("answer.json", "answer.md", *(f"snapshots/{sha}.txt" for sha in texts))
        await asyncio.to_thread(_write, self._folder, report, texts)
        return Published(where=str(self._folder))

    async def withdraw(self, request: Request, published: Published) -> None:
        """Delete what was written, and nothing else that may lie there."""
        await asyncio.to_thread(_unwrite, self._folder, self._written)


def _write(folder: Path, report: Report, texts: dict[str, str]) -> None:
    (folder / "snapshots").mkdir(parents=True, exist_ok=True)
    document = json.dumps(as_json(report), ensure_ascii=False, indent=2)
    (folder / "answer.json").write_text(document + "\n", encoding="utf-8")
    (folder / "answer.md").write_text(report.markdown, encoding="utf-8")
    for sha, text in texts.items():
        (folder / "snapshots" / f"{sha}.txt").write_text(text, encoding="utf-8", newline="")


def _unwrite(folder: Path, names: Sequence[str]) -> None:
    for name in names:
        (folder / name).unlink(missing_ok=True)


def purge(
    yes: Annotated[bool, typer.Option("--yes", help="Delete without asking.")] = False,
) -> None:
    """Show, then delete, the tasks that are past their keeping time."""

    async def work(world: World) -> None:
        # A day is longer than anything takes that stores a text and then what belongs to it.
        await world.sweep(datetime.now(UTC) - timedelta(days=1))
        before = datetime.now(UTC) - timedelta(days=world.settings.keep_days)
        found = 0
        old = datetime.now(UTC) - timedelta(days=world.settings.audit_keep_days)
        for tenant in await world.tenants.list():
            await world.audit.purge(tenant=tenant, before=old)
            await world.spending.clean(tenant=tenant, before=before)
            await world.uses.clean(tenant=tenant, before=datetime.now(UTC) - timedelta(days=1))
            expired = await world.tasks.expired(tenant=tenant, before=before)
            found += len(expired)
            for task in expired:
                out.print(f"{tenant}  {task}")
        err.print(f"{found} tasks are older than {world.settings.keep_days} days")
        if not found or not (yes or typer.confirm("Delete them?")):
            return
        for tenant in await world.tenants.list():
            await world.tasks.purge(tenant=tenant, before=before)
            await world.chunks.purge_superseded(tenant=tenant, before=before)
        err.print("deleted")

    with_world(work)
