"""The same script in two worlds, side by side, and what differs."""

import asyncio
import json
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.security.paired_town import script

Json = dict[str, Any]

_LINE_BYTES = 64 * 1024 * 1024
_PATIENCE_SECONDS = 300.0


@dataclass
class Compared:
    """What was compared; ``seconds`` of each question alone in the two worlds, in pairs."""

    questions: int = 0
    steps: int = 0
    writes: int = 0
    differences: list[str] = field(default_factory=list)
    seconds: list[tuple[float, float]] = field(default_factory=list)

    @property
    def auc(self) -> float:
        """How often a question took longer where hidden documents are; 0.5 tells nothing."""
        absent = [pair[0] for pair in self.seconds]
        present = [pair[1] for pair in self.seconds]
        longer = sum((p > a) + 0.5 * (p == a) for a in absent for p in present)
        return longer / (len(absent) * len(present) or 1)


@asynccontextmanager
async def _world(folder: Path, seed: int, present: str) -> AsyncIterator[Process]:
    command = ("-m", "tests.security.paired_world", str(folder / present), str(seed), present)
    (folder / present).mkdir(parents=True)
    process = await asyncio.create_subprocess_exec(
        sys.executable, *command, stdin=PIPE, stdout=PIPE, limit=_LINE_BYTES
    )
    try:
        await _heard(process)
        yield process
        assert process.stdin is not None
        process.stdin.close()
        await asyncio.wait_for(process.wait(), 30.0)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def _heard(process: Process) -> Json:
    assert process.stdout is not None
    line = await asyncio.wait_for(process.stdout.readline(), _PATIENCE_SECONDS)
    assert line, "a world ended"
    found: Json = json.loads(line)
    return found


async def _played(process: Process, steps: Sequence[Json]) -> Json:
    assert process.stdin is not None
    process.stdin.write(json.dumps(steps).encode() + b"\n")
    await process.stdin.drain()
    return await _heard(process)


async def compare(
    folder: Path,
    *,
    seed: int,
    questions: int,
    together: int = 1,
    pressing: int = 8,
    say: Callable[[str], None] = lambda line: None,
) -> Compared:
    """Play the script in both; ``together`` questions at once, or one by one and timed.

    ``pressing``: after how many questions everything is pressed and looked at.
    """
    compared = Compared()
    async with _world(folder, seed, "absent") as absent, _world(folder, seed, "present") as present:
        for steps in _bundles(script(seed, questions, pressing=pressing), together):
            first, second = (absent, present) if compared.steps % 2 else (present, absent)
            play = _both_at_once if together > 1 else _one_by_one
            told, other = await play(first, second, steps)
            in_order = (told, other) if first is absent else (other, told)
            _note(compared, steps, *in_order)
            say(f"{compared.questions} questions, {len(compared.differences)} differences")
    return compared


async def _both_at_once(first: Process, second: Process, steps: Sequence[Json]) -> list[Json]:
    return list(await asyncio.gather(_played(first, steps), _played(second, steps)))


async def _one_by_one(first: Process, second: Process, steps: Sequence[Json]) -> list[Json]:
    return [await _played(first, steps), await _played(second, steps)]


def _bundles(steps: Iterator[Json], together: int) -> Iterator[list[Json]]:
    """Questions of different conversations together; every other step is alone."""
    bundle: list[Json] = []
    for step in steps:
        asks = step["do"] == "ask"
        taken = {_talk(other) for other in bundle}
        if bundle and (not asks or len(bundle) == together or _talk(step) in taken):
            yield bundle
            bundle = []
        bundle.append(step)
        if not asks:
            yield bundle
            bundle = []
    if bundle:
        yield bundle


def _talk(step: Json) -> str:
    """What must not be asked at twice: answers are compared channel by channel, in order."""
    return str(step["user"]) if step["channel"] == "dm" else str(step["channel"])


def _note(compared: Compared, steps: Sequence[Json], absent: Json, present: Json) -> None:
    compared.steps += 1
    asked = sum(step["do"] == "ask" for step in steps)
    compared.questions += asked
    compared.writes += len(absent["news"])
    if asked == len(steps) == 1:
        compared.seconds.append((absent["seconds"], present["seconds"]))
    if json.dumps(absent["news"]) != json.dumps(present["news"]):
        compared.differences.append(f"{steps}: {_first(absent['news'], present['news'])}")


def _first(absent: list[Any], present: list[Any]) -> str:
    """The first write that is not the same."""
    for one, other in zip(absent, present, strict=False):
        if one != other:
            return f"{json.dumps(one)[:3000]} without, {json.dumps(other)[:3000]} with"
    return f"{len(absent)} writes without, {len(present)} with"
