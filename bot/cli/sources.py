"""`footnote sources`: what there is to read."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from bot.catalogue_file import read_entries
from bot.cli.common import Tenant, ensured, err, existing, out, table, with_world
from bot.errors import WrongUsage
from bot.folders import Folder, Imported, Importing, add_entries, add_folder
from bot.folders import refresh as refresh_all
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
    owner: Annotated[str, typer.Option(help="Whom to ask about them.")] = "",
) -> None:
    """Make every supported file of a folder a source; again, it takes over what changed."""
    if not folder.is_dir():
        raise WrongUsage(f"{folder} is not a folder")
    named = tuple(name.strip() for name in readers.split(",") if name.strip())
    if not named:
        raise WrongUsage("--readers wants people, #channels, @groups or everyone")

    async def work(world: World) -> Imported:
        wanted = Folder(
            tenant=await ensured(world, tenant),
            root=folder,
            readers=named,
            prefix=prefix,
            owner=owner,
        )
        with _bar() as bar:
            return await add_folder(wanted, importing(world, tenant, bar))

    _tell(with_world(work))


@app.command("import")
def import_file(
    file: Annotated[Path, typer.Argument(help="A sources.json.")],
) -> None:
    """Take a catalogue file's entries over."""
    entries = read_entries(file)

    async def work(world: World) -> Imported:
        done = Imported()
        for tenant in sorted({entry.tenant for entry in entries}):
            await ensured(world, tenant)
            theirs = [entry for entry in entries if entry.tenant == tenant]
            with _bar() as bar:
                part = await add_entries(
                    theirs, file.absolute().parent, importing(world, tenant, bar)
                )
            done = _together(done, part)
        return done

    _tell(with_world(work))


@app.command()
def refresh(tenant: Tenant) -> None:
    """Look at every source again; vanished documents become withdrawn."""

    async def work(world: World) -> Imported:
        named = await existing(world, tenant)
        with _bar() as bar:
            return await refresh_all(named, importing(world, named, bar))

    _tell(with_world(work), skipped="withdrawn")


@app.command()
def remove(tenant: Tenant, source: Annotated[str, typer.Argument(help="The source's id.")]) -> None:
    """Delete a source with its snapshots, chunks and search rows."""

    async def work(world: World) -> None:
        named = await existing(world, tenant)
        if not await world.catalogue.remove(tenant=named, source_id=source):
            raise WrongUsage(f"there is no source {source!r} in {tenant}")
        await world.index.remove(tenant=named, source_id=source)
        out.print(f"{source} is gone")

    with_world(work)


def importing(world: World, tenant: str, bar: Progress) -> Importing:
    """What an import into ``tenant`` needs, its progress drawn on ``bar``."""
    line = bar.add_task("Reading", total=None)

    async def reader(text: str) -> str:
        return await world.rooms.reader(tenant=tenant, text=text)

    return Importing(
        record=world.catalogue,
        pin_all=world.intake.pin_all,
        reader=reader,
        limits=world.settings.limits,
        progress=lambda done, total: bar.update(line, completed=done, total=total),
    )


def _bar() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
    )


def _together(one: Imported, other: Imported) -> Imported:
    fields = Imported.model_fields
    return Imported(**{name: getattr(one, name) + getattr(other, name) for name in fields})


def _tell(done: Imported, *, skipped: str = "skipped") -> None:
    for name, reason in done.failed:
        err.print(f"✗ {name}: {reason}")
    for name in done.skipped:
        err.print(f"– {name}: {skipped}")
    out.print(
        f"{len(done.added)} added, {len(done.changed)} changed, {len(done.unchanged)} unchanged, "
        f"{len(done.skipped)} {skipped}, {len(done.failed)} failed"
    )
    if done.failed:
        raise typer.Exit(1)
