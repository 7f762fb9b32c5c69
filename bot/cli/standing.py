"""What is wrong with sources, each in one line under a list or a run."""

from collections.abc import Collection, Iterable, Mapping

from bot.cli.common import err, out
from bot.sources.told import replaces_none
from bot.wiring import World


async def tell_wrong(world: World, tenant: str, shown: Collection[str] | None) -> None:
    """Print why files could not be read, and which sources replace none that there is.

    Of the sources ``shown`` alone; None is all, with files that have not become sources.
    """
    reasons = await world.failures.reasons(tenant=tenant)
    for line in _lines("unreadable", reasons, shown):
        out.print(line)
    for line in _lines("warning", await _replacing_none(world, tenant), shown):
        out.print(line)


async def warn(world: World, tenants: Iterable[str]) -> None:
    """Print, beside what a run has done, which sources replace none that there is."""
    for tenant in tenants:
        for line in _lines("warning", await _replacing_none(world, tenant), None):
            err.print(line)


async def _replacing_none(world: World, tenant: str) -> dict[str, str]:
    every = await world.catalogue.list(tenant=tenant)
    return replaces_none(every, await world.catalogue.removed(tenant=tenant))


def _lines(kind: str, said: Mapping[str, str], shown: Collection[str] | None) -> list[str]:
    """In the order of the ids, a sentence of several lines as one."""
    return [
        f"{kind}: {ident}: {' '.join(sentence.split())}"
        for ident, sentence in sorted(said.items())
        if shown is None or ident in shown
    ]
