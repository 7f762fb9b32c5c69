"""`footnote people` and `footnote tenants`: names, standing and Slack teams."""

from typing import Annotated

import typer

from bot.cli.common import Tenant, existing, out, table, with_world
from bot.wiring import World, slack_people

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
        changed = await slack_people(world, await existing(world, tenant))
        out.print(f"{changed} people changed")

    with_world(work)


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
