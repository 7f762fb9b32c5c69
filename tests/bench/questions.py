"""How long a question takes over handbooks nobody here wrote: p50, p99 and n."""

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from bot.evaluation.datasets import Question, load_dataset
from bot.evaluation.run import percentile, sample
from bot.settings import load_settings
from bot.storage.people import Person
from bot.watch.observing import Handed
from bot.wiring import World, open_world, working_context
from rag.pipeline import run
from rag.values import Request

TENANT = "bench"
ASKER = "bench-reader"
SETS = ("faq-18f-en", "faq-dolphin-zh")


def fill(root: Path, data: Path) -> None:
    """Import every folder below ``root`` as one tenant."""
    for folder in sorted(path for path in root.iterdir() if path.is_dir()):
        command = [sys.executable, "-m", "bot", "sources", "add", str(folder)]
        subprocess.run(
            [*command, "--tenant", TENANT, "--readers", "everyone", "--prefix", folder.name],
            env=os.environ | {"FOOTNOTE_DATA": str(data)},
            stdout=subprocess.DEVNULL,
            check=True,
        )


async def timed(world: World, questions: Sequence[Question]) -> list[float]:
    """Seconds each question takes from request to saved report, one after another."""
    await world.people.put(Person(tenant=TENANT, principal=ASKER, name=ASKER))
    seconds = []
    async with working_context(world.settings) as context:
        ports = world.ports(context=context, publisher=Handed())
        for question in questions:
            request = Request(
                task=f"bench-{uuid4().hex}",
                tenant=TENANT,
                principal=ASKER,
                question=question.text,
                asked_at=datetime.now(UTC),
            )
            started = time.perf_counter()
            await run(request, ports, limits=world.settings.limits)
            seconds.append(time.perf_counter() - started)
    return seconds


def line(name: str, seconds: Sequence[float]) -> str:
    """A question set's latencies in one line."""
    p50, p99 = (percentile(seconds, percent) * 1000 for percent in (50, 99))
    return f"{name}: n {len(seconds)}, p50 {p50:.0f} ms, p99 {p99:.0f} ms\n"


async def measure(data: Path, root: Path, *, limit: int | None, seed: int) -> None:
    """Ask each question set once and say how long its questions took."""
    everything: list[float] = []
    async with open_world(load_settings(data=data)) as world:
        for name in SETS:
            questions = sample(load_dataset(root / name).questions, limit=limit, seed=seed)
            seconds = await timed(world, questions)
            everything += seconds
            sys.stdout.write(line(name, seconds))
            sys.stdout.flush()
    sys.stdout.write(line("all", everything))


def main(arguments: Sequence[str]) -> int:
    """Import the handbooks into a scratch data folder, then ask."""
    parser = argparse.ArgumentParser(prog="script/bench questions")
    parser.add_argument("root", type=Path)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="footnote-bench-") as scratch:
        fill(options.root / "handbooks", Path(scratch))
        asyncio.run(measure(Path(scratch), options.root, limit=options.limit, seed=options.seed))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
