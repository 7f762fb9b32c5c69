"""`footnote spent`: what models cost a tenant, day by day."""

from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer

from bot.cli.common import Tenant, existing, out, table, with_world
from bot.models.spending import SpentDay
from bot.wiring import World


def spent(
    tenant: Tenant,
    days: Annotated[int, typer.Option(min=1, help="How many days, today included.")] = 7,
) -> None:
    """Show requests, tokens and price by day (UTC) and model, and what today's bound is."""

    async def work(world: World) -> None:
        today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        since = today - timedelta(days=days - 1)
        found = await world.spending.days(tenant=await existing(world, tenant), since=since)
        columns = ("day", "model", "requests", "failed", "tokens in", "tokens out", "price")
        table(*columns, rows=[_row(one) for one in found])
        bound = world.settings.reader_daily_tokens
        out.print(f"a day may cost {bound:,} tokens" if bound else "a day has no bound")

    with_world(work)


def _row(one: SpentDay) -> tuple[str, ...]:
    numbers = (one.calls, one.failed, one.tokens_in, one.tokens_out)
    price = "not known" if one.price is None else f"{one.price:.4f}"
    return (one.day, one.model, *(f"{number:,}" for number in numbers), price)
