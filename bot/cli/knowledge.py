"""`footnote knowledge`: written by one person, approved by another."""

import sys
from typing import Annotated

import typer

from bot.cli.common import As, Tenant, existing, out, table, with_world
from bot.errors import WrongUsage
from bot.wiring import Knowledge, World, knowledge_ref
from rag.values import Kind, Source

app = typer.Typer(no_args_is_help=True)


@app.command()
def write(
    tenant: Tenant,
    principal: As,
    key: Annotated[str, typer.Argument(help="The record's key, e.g. maintenance.")],
    title: Annotated[str, typer.Option(help="The record's title.")],
    text: Annotated[str, typer.Option(help="The text; - reads standard input.")] = "-",
) -> None:
    """Propose a record. It is readable only once a second person has approved it."""

    async def work(world: World) -> None:
        body = sys.stdin.read() if text == "-" else text
        if not body.strip():
            raise WrongUsage("a knowledge record needs a text")
        named = await existing(world, tenant)
        version = await world.knowledge.write(
            tenant=named,
            key=key,
            title=title,
            text=body,
            writer=await world.people.resolve(tenant=named, text=principal),
        )
        out.print(f"{key} version {version} is proposed; a second person approves it")

    with_world(work)


@app.command()
def approve(
    tenant: Tenant,
    principal: As,
    key: Annotated[str, typer.Argument(help="The record's key.")],
    version: Annotated[int, typer.Option(help="The version to approve.")],
    readers: Annotated[str, typer.Option(help="People, #channels, @groups or everyone.")] = "",
) -> None:
    """Approve a version written by somebody else; with readers it becomes a source."""

    async def work(world: World) -> None:
        named = await existing(world, tenant)
        approver = await world.people.resolve(tenant=named, text=principal)
        record = await world.knowledge.approve(
            tenant=named, key=key, version=version, approver=approver
        )
        if readers:
            await _readable(world, record, readers)
        out.print(f"{key} version {record.version} is approved")

    with_world(work)


async def _readable(world: World, record: Knowledge, readers: str) -> None:
    """Make an approved record a source for ``readers``."""
    named = [name.strip() for name in readers.split(",") if name.strip()]
    source = Source(
        id=f"knowledge-{record.key}",
        tenant=record.tenant,
        title=record.title,
        kind=Kind.INTERNAL,
        ref=knowledge_ref(record.tenant, record.key),
        readers=tuple(
            [await world.rooms.reader(tenant=record.tenant, text=name) for name in named]
        ),
        owner=record.writer,
    )
    await world.catalogue.put(source)
    (recorded,) = await world.catalogue.get(tenant=record.tenant, source_ids=[source.id])
    await world.intake.pin(recorded)


@app.command("list")
def list_records(tenant: Tenant) -> None:
    """Show every record with its writer and approver."""

    async def work(world: World) -> None:
        records = await world.knowledge.list(tenant=await existing(world, tenant))
        table(
            "key",
            "version",
            "state",
            "title",
            "writer",
            "approver",
            whole=("key", "version", "state"),
            rows=[
                (r.key, str(r.version), r.state, r.title, r.writer, r.approver or "")
                for r in records
            ],
        )

    with_world(work)
