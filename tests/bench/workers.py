"""How much more two worker processes do than one, on PostgreSQL, with a reader of 200 ms."""

import argparse
import asyncio
import sys
import tempfile
import time
from pathlib import Path

from tests.bench.loads import Load, loaded, workers

TENANT = "acme"


async def _per_second(load: Load, questions: int) -> float:
    """Answers a second while the workers have all they can do."""
    began = time.perf_counter()
    asked = await asyncio.gather(*(load.ask(TENANT) for _ in range(questions)))
    await load.ended(TENANT, asked)
    return len(asked) / (time.perf_counter() - began)


async def measured(questions: int) -> str:
    """One and two processes in turn, in one run."""
    told = []
    with tempfile.TemporaryDirectory() as folder:
        async with loaded((TENANT,), Path(folder)) as (load, settings):
            for number in (1, 2):
                async with workers(load, settings, number):
                    await _per_second(load, 8)  # caches and connections
                    told.append(await _per_second(load, questions))
    one, two = told
    speeds = f"1 process {one:.2f}/s, 2 processes {two:.2f}/s"
    return f"workers: {speeds}, {two / one:.2f} times as much (n={questions} each)"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=160, help="for each number of processes")
    sys.stdout.write(asyncio.run(measured(parser.parse_args().questions)) + "\n")


if __name__ == "__main__":
    main()
