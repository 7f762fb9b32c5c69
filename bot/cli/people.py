"""`footnote people` and `footnote tenants`: names, standing and Slack teams."""

from typing import Annotated

import typer
from cryptography.fernet import Fernet

from bot.cli.common import Tenant, existing, out, table, with_world
from bot.errors import SettingsInvalid, WrongUsage
from bot.slack.client import open_client, whoami
from bot.slack.people import Found, look_up
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
        found = [await _found(world, token, named) for token in await _tokens(world, named)]
        out.print(f"{sum([await _keep(world, named, one) for one in found])} people changed")

    with_world(work)


async def _tokens(world: World, tenant: str) -> list[str]:
    """With what we speak in the tenant's workspaces."""
    settings = world.settings
    if settings.oauth and world.installations:
        kept = [one for one in await world.installations.all() if one.tenant == tenant]
        if not any(not one.paused for one in kept):
            raise WrongUsage(f"no workspace of {tenant} has Footnote installed just now")
        return [one.bot_token.get_secret_value() for one in kept if not one.paused]
    token = settings.slack_bot_token.get_secret_value()
    if not token:
        raise SettingsInvalid("SLACK_BOT_TOKEN is not set; `footnote doctor` says where to find it")
    return [token]


async def _found(world: World, token: str, tenant: str) -> Found:
    async with open_client(token=token, base_url=world.settings.slack_api_url) as client:
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
        kept = await world.installations.all() if world.installations else ()
        how = {one.installation.home: one.paused or "installed" for one in kept}
        rows = [
            (tenant, ", ".join(teams), ", ".join(how[team] for team in teams if team in how))
            for tenant in await world.tenants.list()
            for teams in [await world.tenants.teams(tenant=tenant)]
        ]
        table("tenant", "teams", "by OAuth", rows=rows)

    with_world(work)


@tenants.command("new-key")
def new_key() -> None:
    """Print a new key for FOOTNOTE_TOKEN_KEYS."""
    out.print(Fernet.generate_key().decode())


@tenants.command("re-encrypt")
def re_encrypt() -> None:
    """Encrypt every workspace's token with the first of FOOTNOTE_TOKEN_KEYS."""

    async def work(world: World) -> None:
        if world.installations is None:
            raise SettingsInvalid("FOOTNOTE_TOKEN_KEYS is not set")
        renewed, lost = await world.installations.renew()
        out.print(f"{renewed} tokens are encrypted with the first key")
        if lost:
            raise WrongUsage(f"{lost} tokens can be opened with none of the keys; nothing was lost")

    with_world(work)
