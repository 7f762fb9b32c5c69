"""`footnote sources`: what there is to read."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from bot.bringing import enricher, importer, refresher
from bot.cli import enrichments, previews
from bot.cli.common import Tenant, ensured, err, existing, out, table, with_world
from bot.cli.standing import tell_wrong, warn
from bot.errors import WrongUsage
from bot.sources.catalogue_file import read_catalogue
from bot.sources.steps import Outcome, Step
from bot.sources.told import refuse_circles, refuse_unknown_before, set_by_hand
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
        columns = ("id", "title", "kind", "status", "version", "readers")
        table(*columns, rows=rows, whole=("id", "kind", "status", "version"))
        await tell_wrong(world, named, {source.id for source in found} if principal else None)

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
    folder: Annotated[Path, typer.Argument(help="Every file below it that can be read.")],
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
        taken = await _drawn(steps)
        await warn(world, [into])
        return taken

    _tell(with_world(work))


@app.command("import")
def import_file(
    file: Annotated[Path, typer.Argument(help="A sources.json.")],
) -> None:
    """Take a catalogue file's entries over."""

    async def work(world: World) -> list[Step]:
        entries = await asyncio.to_thread(read_catalogue, file, limits=world.settings.limits)
        tenants = sorted({entry.tenant for entry in entries})
        for tenant in tenants:
            await ensured(world, tenant)
        taken = await _drawn(importer(world).add_rows(entries))
        await warn(world, tenants)
        return taken

    _tell(with_world(work))


@app.command()
def refresh(
    tenant: Annotated[str, typer.Option("--tenant", help="One tenant; else all of them.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a tenant.")] = False,
) -> None:
    """Look at every source again: what is new, changed or gone in folders and databases."""

    async def work(world: World) -> dict[str, list[Step]]:
        named = [await existing(world, tenant)] if tenant else await world.tenants.list()
        looking = refresher(world)
        taken = {name: await _drawn(looking.refresh(tenant=name)) for name in named}
        await warn(world, named)
        return taken

    looked = with_world(work)
    tell = _tell_json if as_json else _tell_table
    for name, steps in looked.items():
        tell(name, steps)
    _end([step for steps in looked.values() for step in steps])


@app.command()
def enrich(
    tenant: Annotated[str, typer.Option("--tenant", help="One tenant; else all of them.")] = "",
) -> None:
    """Look for facts and questions in each source, with a model where one is switched on."""

    async def work(world: World) -> dict[str, list[Step]]:
        named = [await existing(world, tenant)] if tenant else await world.tenants.list()
        async with enricher(world) as enriching:
            return {name: await _drawn(enriching.run(tenant=name)) for name in named}

    done = with_world(work)
    for name, steps in done.items():
        _tell_table(name, steps)
    _end([step for steps in done.values() for step in steps])


@app.command()
def unwatch(
    folder: Annotated[Path, typer.Argument(help="As it was added.")], tenant: Tenant
) -> None:
    """Look for new files in a folder no more; those that are sources stay."""

    async def work(world: World) -> None:
        named = await existing(world, tenant)
        root = str(await asyncio.to_thread(folder.resolve))
        if not await world.origins.leave(tenant=named, root=root):
            raise WrongUsage(f"{root} is not watched for {tenant}")
        out.print(f"{root} is not watched any more")

    with_world(work)


@app.command("set")
def set_fields(
    tenant: Tenant,
    source: Annotated[str, typer.Argument(help="The source's id.")],
    fields: Annotated[list[str], typer.Argument(help="NAME=VALUE; NAME= asks the file again.")],
) -> None:
    """Say of a source what its file does not, or says wrongly: status, dates, owner, tags…"""

    async def work(world: World) -> None:
        named = await existing(world, tenant)
        everything = {each.id: each for each in await world.catalogue.list(tenant=named)}
        if source not in everything:
            raise WrongUsage(f"there is no source {source!r} in {tenant}")
        after = set_by_hand(everything[source], fields)
        refuse_unknown_before(everything[source], after, everything)
        refuse_circles([after], {each.id: each.supersedes for each in everything.values()})
        if after.title != everything[source].title:
            await world.index.remove(tenant=named, source_id=source)
        await world.catalogue.put(after)
        await world.origins.read_anew(tenant=named, source_id=source)
        out.print(f"{source} is set")

    with_world(work)


@app.command()
def remove(tenant: Tenant, source: Annotated[str, typer.Argument(help="The source's id.")]) -> None:
    """Delete a source with its snapshots, chunks and search rows."""

    async def work(world: World) -> None:
        named = await existing(world, tenant)
        removed = await importer(world).remove(tenant=named, source_id=source)
        await world.index.shred(tenant=named)
        if not removed:
            raise WrongUsage(f"there is no source {source!r} in {tenant}")
        out.print(f"{source} is gone")

    with_world(work)


app.command("preview")(previews.preview)
app.command("show")(enrichments.show)


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
    out.print(_counts(steps))
    _end(steps)


def _tell_table(tenant: str, steps: Sequence[Step]) -> None:
    """What is not as it was, the most of a kind together, then the counts."""
    order = list(Outcome)
    told = [step for step in steps if step.outcome is not Outcome.UNCHANGED]
    told.sort(key=lambda step: (order.index(step.outcome), step.source_id))
    if told:
        rows = [(step.outcome.value, step.source_id, step.reason) for step in told]
        table("outcome", "source", "why", rows=rows, whole=("outcome", "source"))
    out.print(f"{tenant}: {_counts(steps)}")


def _tell_json(tenant: str, steps: Sequence[Step]) -> None:
    listed = {
        outcome.value: [
            {"source": step.source_id, "reason": step.reason}
            for step in steps
            if step.outcome is outcome
        ]
        for outcome in Outcome
        if outcome is not Outcome.UNCHANGED
    }
    unchanged = sum(step.outcome is Outcome.UNCHANGED for step in steps)
    found = {"tenant": tenant, **listed, "unchanged": unchanged}
    out.print(json.dumps(found, ensure_ascii=False))


def _counts(steps: Sequence[Step]) -> str:
    counted = Counter(step.outcome for step in steps)
    return ", ".join(f"{counted[outcome]} {outcome}" for outcome in Outcome)


def _end(steps: Sequence[Step]) -> None:
    if any(step.outcome is Outcome.FAILED for step in steps):
        raise typer.Exit(1)
