"""A folder of many files looked at again: what is touched, how long, and after kills at any point.

`python -m tests.bench.refresh [--files 1000] [--kills 10] [--seed 1]`
"""

import argparse
import asyncio
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.bot.reading import TENANT, reading, steps

_CHILD = """
import asyncio, sys
from pathlib import Path
from tests.bot.reading import TENANT, reading

async def go():
    async with reading(Path(sys.argv[1])) as parts:
        print("begun", flush=True)
        async for step in parts.refresher.refresh(tenant=TENANT):
            pass

asyncio.run(go())
"""
_COMPARED = (
    "SELECT id, title, status, snapshot, ref, metadata FROM sources ORDER BY id",
    "SELECT source, reader FROM readers ORDER BY source, reader",
    "SELECT source, snapshot, chunks FROM versions ORDER BY source, snapshot",
    "SELECT source, snapshot, ordinal, document FROM chunks ORDER BY source, snapshot, ordinal",
    "SELECT source, digest, snapshot FROM originals ORDER BY source",
    "SELECT source, because FROM tombstones ORDER BY source",
    "SELECT sha256 FROM snapshots ORDER BY sha256",
)

State = list[list[tuple[Any, ...]]]


def write(root: Path, number: int, version: int = 1) -> None:
    """One file of some paragraphs, with words that only it and its version hold."""
    root.mkdir(parents=True, exist_ok=True)
    said = f"Item{number}v{version} is kept in hall {number % 7}. It is looked at twice a year. "
    text = f"# Page {number}\n\n" + "\n\n".join([said * 4] * 5) + "\n"
    (root / f"{number:04}.md").write_text(text, "utf-8")


def change(root: Path, files: int, *, every: int) -> int:
    """Let one file in ``every`` change, another go and a new one come; how many that is."""
    made = 0
    for number in range(0, files - 1, every):
        write(root, number, version=2)
        (root / f"{number + 1:04}.md").unlink()
        write(root, files + number)
        made += 3
    return made


def change_three(root: Path, files: int) -> None:
    """One file changes, one goes and one comes."""
    write(root, 2, version=2)
    (root / "0004.md").unlink()
    write(root, 5 * files)


async def add(root: Path, data: Path) -> None:
    """The folder's files as sources."""
    async with reading(data) as parts:
        await steps(parts.importer.add_folder(root, tenant=TENANT, readers=["everyone"]))


async def refresh(data: Path) -> Counter[str]:
    """A whole refresh; how many sources came to which end."""
    async with reading(data) as parts:
        done = await steps(parts.refresher.refresh(tenant=TENANT))
    return Counter(outcome for outcome, _ in done.values())


async def state(data: Path, words: Sequence[str]) -> State:
    """All that must be the same: rows, and what each of ``words`` finds among all sources."""
    with sqlite3.connect(data / "footnote.db") as record:
        found = [record.execute(statement).fetchall() for statement in _COMPARED]
    async with reading(data) as parts:
        ids = [row[0] for row in found[0]]
        hits = [
            (word, *sorted(hit.chunk.id for hit in (await parts.find(word, *ids)).hits))
            for word in words
        ]
        indexed = [
            await parts.search.holds(tenant=TENANT, source_id=source, snapshot=snapshot)
            for source, snapshot, _ in found[2]
        ]
    return [*found, hits, [tuple(indexed)]]


def killed(data: Path, after: float) -> bool:
    """Whether a refresh was killed before its end, ``after`` seconds from its beginning."""
    process = subprocess.Popen(
        [sys.executable, "-c", _CHILD, str(data)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(after)
    os.kill(process.pid, signal.SIGKILL)
    process.stdout.close()
    return process.wait() == -signal.SIGKILL


async def trial(base: Path, wanted: State, words: Sequence[str], after: float) -> tuple[bool, bool]:
    """Whether a refresh was killed midway, and whether the next ends as if it never had been."""
    with tempfile.TemporaryDirectory(prefix="footnote-refresh-") as scratch:
        data = Path(scratch) / "data"
        await asyncio.to_thread(shutil.copytree, base, data)
        midway = await asyncio.to_thread(killed, data, after)
        await refresh(data)
        return midway, await state(data, words) == wanted


async def measure(folder: Path, *, files: int, kills: int, seed: int) -> bool:
    """Print the figures; whether all was as it must be."""
    root, data = folder / "docs", folder / "data"
    for number in range(files):
        write(root, number)
    started = time.perf_counter()
    await add(root, data)
    added = time.perf_counter() - started
    change_three(root, files)
    started = time.perf_counter()
    three = await refresh(data)
    took = time.perf_counter() - started
    started = time.perf_counter()
    again = await refresh(data)
    still = time.perf_counter() - started
    sys.stdout.write(
        f"{files} files added in {added:.1f} s; with 3 changes refreshed in {took:.2f} s: "
        f"{dict(three)}; nothing changed: {still:.2f} s: {dict(again)}\n"
    )
    right = (three["changed"], three["removed"], three["added"]) == (1, 1, 1)
    right &= again["unchanged"] == sum(again.values())
    every = max(6, files // 20)
    changed = change(root, files, every=every)
    words = [f"Item{number}v{version}" for number in range(0, files, every) for version in (1, 2)]
    whole = folder / "whole"
    await asyncio.to_thread(shutil.copytree, data, whole)
    started = time.perf_counter()
    await refresh(whole)
    seconds = time.perf_counter() - started
    wanted = await state(whole, words)
    chance, alike, midway = random.Random(seed), 0, 0  # noqa: S311 - kill points, no secrets
    for _ in range(kills):
        ended, same = await trial(data, wanted, words, chance.uniform(0.0, seconds))
        midway, alike = midway + ended, alike + same
    sys.stdout.write(
        f"{changed} changes in {seconds:.1f} s; killed {kills} times, {midway} of them midway: "
        f"{alike} of {kills} ended in the same state after the next refresh\n"
    )
    return right and alike == kills


def main(arguments: Sequence[str]) -> int:
    """Measure in a scratch folder; 1 where a state differed or too much was touched."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    said = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="footnote-bench-") as scratch:
        well = asyncio.run(
            measure(Path(scratch), files=said.files, kills=said.kills, seed=said.seed)
        )
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
