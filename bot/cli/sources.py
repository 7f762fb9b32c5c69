"""`footnote sources`: what there is to read."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from bot.catalogue_file import read_catalogue
from bot.cli.common import Tenant, ensured, err, existing, out, table, with_world
from bot.errors import WrongUsage
from bot.importing import Importer, Outcome, Step
from bot.wiring import World
from rag.values import Place, Source

app = typer.Typer(no_args_is_help=True)

Readers = Annotated[
    str, typer.Option(help="People, #channels, @groups, comma-separated, or everyone.")
]


@app.command("list")
def list_sources(
    tenant: Tenant,
    principal: Annotated[str, typer.Option("--as", help="Only what this person may read.")] = "",
    channel: Annotated[str, typer.Option("--in", help="And may use in this channel.")] = "",
) -> None:
    """Show the sources, all of them or those that a person may read."""

    async def work(world: World) -> None:
        named = await existing(world, tenant)
        found = await _listed(world, named, principal, channel)
        rows = [
            (s.id, s.title, s.kind, s.status, (s.snapshot or "")[:8], ", ".join(s.readers))
            for s in found
        ]
        table("id", "title", "kind", "status", "version", "readers", rows=rows)

    with_world(work)


async def _listed(world: World, tenant: str, person: str, channel: str) -> tuple[Source, ...]:
    if not person:
        return await world.catalogue.list(tenant=tenant)
    place = await world.rooms.channel(tenant=tenant, text=channel) if channel else None
    permitted = await world.catalogue.permitted(
        tenant=tenant,
        principal=await world.people.resolve(tenant=tenant, text=person),
        place=Place(channel=place),
    )
    return permitted.sources


@app.command()
def add(
    folder: Annotated[Path, typer.Argument(help="Every .md and .txt file below it.")],
    tenant: Tenant,
    readers: Readers,
    prefix: Annotated[str, typer.Option(help="Put before each id.")] = "",
) -> None:
    """Make every supported file of a folder a source; again, it takes over what changed."""
    named = tuple(name.strip() for name in readers.split(",") if name.strip())
    if not named:
        raise WrongUsage("--readers wants people, #channels, @groups or everyone")

    async def work(world: World) -> list[Step]:
        into = await ensured(world, tenant)
        steps = importer(world).add_folder(folder, tenant=into, readers=named, prefix=prefix)
        return await _drawn(steps)

    _tell(with_world(work))


@app.command("import")
def import_file(
    file: Annotated[Path, typer.Argument(help="A sources.json.")],
) -> None:
    """Take a catalogue file's entries over."""

    async def work(world: World) -> list[Step]:
        entries = await asyncio.to_thread(read_catalogue, file, limits=world.settings.limits)
        for tenant in sorted({entry.tenant for entry in entries}):
            await ensured(world, tenant)
        return await _drawn(importer(world).add_rows(entries))

    _tell(with_world(work))


@app.command()
def refresh(tenant: Tenant) -> None:
    """Look at every source again; a document whose file is gone goes too."""

    async def work(world: World) -> list[Step]:
        return await _drawn(importer(world).refresh(tenant=await existing(world, tenant)))

    _tell(with_world(work))


@app.command()
def remove(tenant: Tenant, source: Annotated[str, typer.Argument(help="The source's id.")]) -> None:
    """Delete a source with its snapshots, chunks and search rows."""

    async def work(world: World) -> None:
        named = await existing(world, tenant)
        if not await importer(world).remove(tenant=named, source_id=source):
            raise WrongUsage(f"there is no source {source!r} in {tenant}")
        out.print(f"{source} is gone")

    with_world(work)


def importer(world: World) -> Importer:
    """Brings sources into this world's record and search."""

    async def resolve(tenant: str, reader: str) -> str:
        return await world.rooms.reader(tenant=tenant, text=reader)

    return Importer(
        catalogue=world.catalogue,
        intake=world.intake,
        files=world.files,
        search=world.index,
        resolve=resolve,
        limits=world.settings.limits,
    )


async def _drawn(steps: AsyncIterator[Step]) -> list[Step]:
    """All steps, drawn as a bar while they come."""
    bar = Progress(
        TextColumn("Reading"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
    )
    taken = []
    with bar:
        line = bar.add_task("", total=None)
        async for step in steps:
            bar.update(line, completed=step.done, total=step.total)
            taken.append(step)
    return taken


def _tell(steps: Sequence[Step]) -> None:
    """Each source that needs a look, then the counts; a failed one makes the status 1."""
    for step in steps:
        if step.reason:
            err.print(f"{step.outcome}: {step.source_id}: {step.reason}")
    counted = Counter(step.outcome for step in steps)
    out.print(", ".join(f"{counted[outcome]} {outcome}" for outcome in Outcome))
    if counted[Outcome.FAILED]:
        raise typer.Exit(1)
