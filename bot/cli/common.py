"""What the commands share: opening the world, options, and the two output streams."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, TypeVar

import typer
from rich.console import Console
from rich.table import Table

from bot.errors import WrongUsage
from bot.logs import configure
from bot.settings import load_settings
from bot.wiring import World, open_world

T = TypeVar("T")

Tenant = Annotated[str, typer.Option("--tenant", help="The tenant, as named when it was created.")]
As = Annotated[str, typer.Option("--as", help="A principal's id or short name.")]

out = Console(highlight=False, markup=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, markup=False)


def with_world(work: Callable[[World], Awaitable[T]]) -> T:
    """Open everything the settings name, do ``work``, close it again."""

    async def go() -> T:
        settings = load_settings()
        configure("WARNING" if settings.log_level == "INFO" else settings.log_level)
        async with open_world(settings) as world:
            return await work(world)

    return asyncio.run(go())


async def existing(world: World, tenant: str) -> str:
    """The tenant's name. Raises `WrongUsage` when there is none of that name."""
    if not await world.tenants.exists(tenant):
        raise WrongUsage(
            f"there is no tenant {tenant!r}; `footnote sources add DIR --tenant {tenant} "
            "--readers everyone` makes it"
        )
    return tenant


async def ensured(world: World, tenant: str) -> str:
    """The tenant's name, made when it is new."""
    await world.tenants.create(tenant)
    return tenant


def table(*columns: str, rows: Sequence[tuple[str, ...]]) -> None:
    """Print rows below a header, wide cells folded."""
    drawn = Table(*columns, box=None, header_style="bold", pad_edge=False)
    for row in rows:
        drawn.add_row(*row)
    Console(highlight=False, markup=False).print(drawn)
