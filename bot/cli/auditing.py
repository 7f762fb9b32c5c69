"""`footnote audit`: who changed what may be seen."""

from typing import Annotated

import typer

from bot.cli.common import Tenant, existing, table, with_world
from bot.wiring import World


def audit(
    tenant: Tenant,
    limit: Annotated[int, typer.Option(min=1, help="How many entries.")] = 50,
) -> None:
    """Show the newest entries: when, who, what, and the ids it was about."""

    async def work(world: World) -> None:
        entries = await world.audit.list(tenant=await existing(world, tenant), limit=limit)
        rows = [(f"{e.at:%Y-%m-%d %H:%M:%S}", e.who, e.what, " ".join(e.about)) for e in entries]
        table("when", "who", "what", "about", rows=rows)

    with_world(work)
