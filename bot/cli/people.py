"""`footnote people` and `footnote tenants`: names, standing and Slack teams."""

from typing import Annotated

import typer

from bot.cli.common import Tenant, existing, out, table, with_world
from bot.errors import SettingsInvalid
from bot.slack_client import open_client, whoami
from bot.slack_people import Found, look_up
from bot.wiring import Person, World

people = typer.Typer(no_args_is_help=True)
tenants = typer.Typer(no_args_is_help=True)


@people.command("list")
def list_people(tenant: Tenant) -> None:
    """Show every known person with id, name and standing."""

    async def work(world: World) -> None:
        known = await world.people.list(tenant=await existing(world, tenant))
        table(
            "name",
            "principal",
            "standing",
            rows=[
                (p.name, p.principal, p.standing if p.active else f"{p.standing} (inactive)")
                for p in known
            ],
        )

    with_world(work)


@people.command()
def name(
    tenant: Tenant,
    principal: Annotated[str, typer.Argument(help="The principal's id.")],
    short: Annotated[str, typer.Argument(help="The short name to give.")],
) -> None:
    """Give a principal a short name, accepted wherever a principal is named."""

    async def work(world: World) -> None:
        await world.people.name(
            tenant=await existing(world, tenant), principal=principal, name=short
        )
        out.print(f"{principal} is now also called {short}")

    with_world(work)


@people.command()
def sync(tenant: Tenant) -> None:
    """Take people, channels and user groups over from Slack."""

    async def work(world: World) -> None:
        named = await existing(world, tenant)
        found = await _found(world, named)
        out.print(f"{await _keep(world, named, found)} people changed")

    with_world(work)


async def _found(world: World, tenant: str) -> Found:
    settings = world.settings
    token = settings.slack_bot_token.get_secret_value()
    if not token:
        raise SettingsInvalid("SLACK_BOT_TOKEN is not set; `footnote doctor` says where to find it")
    async with open_client(token=token, base_url=settings.slack_api_url) as client:
        return await look_up(client, await whoami(client), tenant=tenant)


async def _keep(world: World, tenant: str, found: Found) -> int:
    """Record people first, since a room's unknown members count as outsiders."""
    people = [Person(tenant=tenant, **person.model_dump()) for person in found.people]
    changed = await world.people.sync(tenant=tenant, people=people)
    for room in found.rooms:
        await world.rooms.put_room(
            tenant=tenant,
            channel=room.id,
            name=room.name,
            members=room.members,
            outsiders=room.outsiders,
        )
    for group in found.groups:
        await world.rooms.put_group(
            tenant=tenant, group=group.id, name=group.name, members=group.members
        )
    return changed


@tenants.command()
def bind(
    tenant: Annotated[str, typer.Argument(help="The tenant; made when it is new.")],
    team: Annotated[str, typer.Argument(help="The Slack team id (T…) or enterprise id (E…).")],
) -> None:
    """Bind a Slack workspace, or a whole Enterprise Grid, to a tenant."""

    async def work(world: World) -> None:
        await world.tenants.create(tenant)
        await world.tenants.bind(tenant=tenant, team=team, enterprise=team.startswith("E"))
        out.print(f"{team} belongs to {tenant}")

    with_world(work)


@tenants.command("list")
def list_tenants() -> None:
    """Show the tenants and the teams bound to them."""

    async def work(world: World) -> None:
        rows = [
            (tenant, ", ".join(await world.tenants.teams(tenant=tenant)))
            for tenant in await world.tenants.list()
        ]
        table("tenant", "teams", rows=rows)

    with_world(work)
