"""`script/bench paid-once`: processes killed around calls of a model, counted at the provider.

A row is a place to die; each is met ``--times`` times for each role of a model by
`footnote ask` and `resume`, and ``--workers`` times by the worker of a bot in Slack. All
places are met once before any is met again, so an interrupt (Ctrl-C) costs the rest alone.
"""

import argparse
import asyncio
import random
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, suppress
from itertools import product
from pathlib import Path

from rag.ports import Role
from tests.faults.askers import MODULES, terminal, worker
from tests.faults.keeping import warm_up
from tests.faults.lane import forget_environment
from tests.faults.paying import WAYS, Asker, Paid
from tests.faults.provider import Provider

_LEGEND = (
    "finished: replies written whole to the socket; received: those that reached our code",
    "twice: whole replies to a request that had a whole one before; at most `may` a death",
    "again: requests made before, whether a reply was sent or the asker was gone",
)

Opened = AbstractAsyncContextManager[Asker]


async def deaths(
    provider: Provider, opening: Opened, times: int, chance: random.Random
) -> AsyncIterator[Paid]:
    """Die everywhere, so many times for each role."""
    async with opening as asker:
        for _, way, role in product(range(times), WAYS, Role):
            paid = await way.met(role, provider, asker, chance)
            if not paid.good:
                sys.stderr.write(f"{paid}\n")
            yield paid


async def measure(found: dict[str, list[Paid]], times: int, workers: int, seed: int) -> None:
    """Put into ``found`` what each of the two askers meets."""
    chance = random.Random(seed)  # noqa: S311 - places to die
    for name, opening, count in (("terminal", terminal, times), ("worker", worker, workers)):
        if not count:
            continue
        with tempfile.TemporaryDirectory(prefix="paid-") as folder:
            provider = Provider()
            found[name] = []
            async for paid in deaths(provider, opening(Path(folder), provider), count, chance):
                found[name].append(paid)


def table(done: list[Paid]) -> Iterator[str]:
    """One line a place, and the sum."""
    names = ("n", "finished", "received", "again", "twice", "may", "answered")
    yield f"{'died':<34}{''.join(f'{name:>10}' for name in names)}"
    for way in WAYS:
        yield f"{way.where:<34}{_sums([paid for paid in done if paid.where == way.where])}"
    yield f"{'all':<34}{_sums(done)}"


def _sums(found: list[Paid]) -> str:
    sums = (
        len(found),
        sum(paid.whole for paid in found),
        sum(paid.received for paid in found),
        sum(paid.again for paid in found),
        sum(paid.twice for paid in found),
        sum(paid.most for paid in found),
        sum(paid.answered for paid in found),
    )
    return "".join(f"{each:>10}" for each in sums)


def window(done: list[Paid]) -> str:
    """How long a reply is nowhere but in the memory of its process."""
    found = sorted(1000 * each for paid in done for each in paid.windows)
    if len(found) < 2:
        return "no reply was kept"
    parts = statistics.quantiles(found, n=100, method="inclusive")
    told = f"p50 {parts[49]:.1f} ms, p99 {parts[98]:.1f} ms, longest {found[-1]:.1f} ms"
    return f"from a reply's last byte to its being kept: {told} (n {len(found)})"


def main() -> None:
    parser = argparse.ArgumentParser(prog="script/bench paid-once", description=__doc__)
    parser.add_argument("--times", type=int, default=8)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    forget_environment()
    warm_up(*MODULES)
    began = time.monotonic()
    found: dict[str, list[Paid]] = {}
    with suppress(KeyboardInterrupt):
        asyncio.run(measure(found, given.times, given.workers, given.seed))
    for name, done in found.items():
        lines = [f"-- {name}", *table(done), window(done)]
        sys.stdout.write("\n".join(lines) + "\n")
    took = time.monotonic() - began
    sys.stdout.write("\n".join([*_LEGEND, f"{took:.0f} s", ""]))
    if not all(paid.good for done in found.values() for paid in done):
        sys.exit(1)


if __name__ == "__main__":
    main()
