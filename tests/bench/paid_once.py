"""`script/bench paid-once`: workers killed around calls of a model, counted at the provider.

A row is a place to die and a role; each is met `--times` times.
"""

import argparse
import asyncio
import random
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

from rag.ports import Role
from tests.faults.keeping import warm_up
from tests.faults.lane import forget_environment
from tests.faults.paying import Paid, Shop, shop

_LEGEND = (
    "paid twice: requests for a stage that was saved before the worker died; must be 0",
    "made again: requests whose reply nobody had saved when it died; one a death at most",
)

Kill = Callable[[Role], Awaitable[Paid]]


def ways(opened: Shop, chance: random.Random) -> Iterator[Kill]:
    """Every place to die around one call."""

    async def anywhere(role: Role) -> Paid:
        return await opened.anywhere(role, chance)

    yield from (opened.before, opened.during, opened.saved, anywhere)


async def measure(times: int, seed: int) -> list[Paid]:
    """Kill everywhere, so many times each."""
    done: list[Paid] = []
    with tempfile.TemporaryDirectory(prefix="paid-") as folder:
        async with shop(Path(folder)) as opened:
            for kill in ways(opened, random.Random(seed)):  # noqa: S311 - places to die
                for role in Role:
                    for _ in range(times):
                        done.append(await kill(role))
                        if not done[-1].good:
                            sys.stderr.write(f"{done[-1]}\n")
    return done


def table(done: list[Paid]) -> Iterator[str]:
    """One line a place, and the sum."""
    yield f"{'died':<28}{'role':<10}{'n':>4}{'paid twice':>12}{'made again':>12}{'answered':>10}"
    rows: dict[tuple[str, str], list[Paid]] = {}
    for paid in done:
        rows.setdefault((paid.where, paid.role.value), []).append(paid)
    for (where, role), found in rows.items():
        yield f"{where:<28}{role:<10}{_sums(found)}"
    yield f"{'all':<38}{_sums(done)}"


def _sums(found: list[Paid]) -> str:
    again, lost = sum(paid.again for paid in found), sum(paid.lost for paid in found)
    return f"{len(found):>4}{again:>12}{lost:>12}{sum(paid.answered for paid in found):>10}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="script/bench paid-once", description=__doc__)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    forget_environment()
    warm_up()
    began = time.monotonic()
    done = asyncio.run(measure(given.times, given.seed))
    lines = [*table(done), *_LEGEND, f"{len(done)} in {time.monotonic() - began:.0f} s"]
    sys.stdout.write("\n".join(lines) + "\n")
    if not all(paid.good for paid in done):
        sys.exit(1)


if __name__ == "__main__":
    main()
