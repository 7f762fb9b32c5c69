"""What the commands share: opening the world, options, and the two output streams."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Annotated, TypeVar

import typer
from rich.cells import cell_len
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
err = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)


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


_OWN_LINE = "\ue000"  # a character that no id has: its row's first cell stands above it
_SHARE = 4  # of a window's width, what the first column has at most


def table(*columns: str, rows: Sequence[tuple[str, ...]], whole: Collection[str] = ()) -> None:
    """Print rows below a header, wide cells folded; those of the columns ``whole`` never are.

    Where the first column is one of these, so that an id can be copied, a wide cell of it
    stands on a line of its own, above the rest of its row.
    """
    console = Console(highlight=False, markup=False)
    above = [row[0] for row in rows if columns[0] in whole and _is_wide(row[0], console)]
    drawn = Table(box=None, header_style="bold", pad_edge=False)
    for name in columns:
        drawn.add_column(name, overflow="fold", no_wrap=name in whole)
    for first, *rest in rows:
        drawn.add_row(_OWN_LINE if first in above else first, *rest)
    with console.capture() as captured:
        console.print(drawn)
    for line in captured.get().splitlines():
        if line.startswith(_OWN_LINE):
            out.print(above.pop(0))
        out.print(line.replace(_OWN_LINE, " ", 1).rstrip())


def _is_wide(cell: str, console: Console) -> bool:
    return cell_len(cell) > console.width // _SHARE
