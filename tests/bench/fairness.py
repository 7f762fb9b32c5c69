"""What a tenant's flood of questions does to another tenant's waiting, on PostgreSQL."""

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bot.evaluation.run import percentile
from tests.bench.loads import Load, loaded, workers

QUIET, LOUD = "acme", "globex"


async def _waited(load: Load, questions: int, every: float) -> list[float]:
    """Seconds from each of the quiet tenant's questions to its end, one asked every so often."""
    asked = []
    for _ in range(questions):
        asked.append(await load.ask(QUIET))
        await asyncio.sleep(every)
    await load.ended(QUIET, asked)
    seconds = []
    for task in asked:
        stored = await load.world.tasks.get(tenant=QUIET, task=task)
        assert stored.finished_at is not None
        seconds.append((stored.finished_at - stored.created_at).total_seconds())
    return seconds


async def _flood(load: Load, size: int) -> None:
    await asyncio.gather(*(load.ask(LOUD) for _ in range(size)))


def _told(name: str, seconds: Sequence[float]) -> str:
    p50, p95 = percentile(seconds, 50), percentile(seconds, 95)
    return f"{name}: p50 {p50:.2f} s, p95 {p95:.2f} s, n={len(seconds)}"


async def measured(*, questions: int, flood: int, processes: int, every: float) -> str:
    """The quiet tenant alone, then beside the flood, in one run."""
    with tempfile.TemporaryDirectory() as folder:
        async with (
            loaded((QUIET, LOUD), Path(folder)) as (load, settings),
            workers(load, settings, processes),
        ):
            await _waited(load, 5, every)  # caches and connections
            alone = await _waited(load, questions, every)
            await _flood(load, flood)
            beside = await _waited(load, questions, every)
            left = await load.open(LOUD)
    grown = percentile(beside, 95) / percentile(alone, 95) - 1
    lines = [_told("alone", alone), _told(f"beside a flood of {flood}", beside)]
    lines.append(f"fairness: p95 grows by {grown:+.0%} ({left} of the flood were still waiting)")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--flood", type=int, default=500)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--every", type=float, default=0.5, help="seconds between two questions")
    given = parser.parse_args()
    work = measured(
        questions=given.questions,
        flood=given.flood,
        processes=given.processes,
        every=given.every,
    )
    sys.stdout.write(asyncio.run(work) + "\n")


if __name__ == "__main__":
    main()
