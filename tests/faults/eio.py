"""`python -m tests.faults.eio DATA FOLDER [RUNS]`: one question on a disk that fails or is full.

Prints one JSON line a run: first one without a failure, which counts the calls, then
RUNS (default: all) spread over them, by turns with one call that ends in EIO, with EIO
from there on, and with a disk that is full from there on. Each run has its own copy of DATA
and its own process, and is followed by one on a sound disk. Ends with status 75 where the
kernel cannot do this.
"""

import asyncio
import errno
import json
import os
import shutil
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from bot.settings import load_settings
from bot.wiring import World, open_world
from rag.errors import FootnoteError
from rag.pipeline import run
from rag.testing import ListPublisher, MemoryContext
from rag.values import Request
from tests.faults.failing_disk import Disk, Unsupported

QUESTION = "借用示例设备要登记什么？借用超过七天怎么办？"
ASKER = "slack:T0PLAYGROUND:U0ALICE0001"
TASK = "t1"
UNSUPPORTED = 75

Json = dict[str, Any]


async def ask(data: Path) -> Json:
    """What became of the question, new or begun before."""
    publisher = ListPublisher()
    try:
        async with open_world(load_settings(data=data)) as world:
            ports = world.ports(context=MemoryContext(), publisher=publisher)
            request = await _request(world)
            report = await run(request, ports, limits=world.settings.limits)
    except FootnoteError as error:
        return {"end": type(error).__name__, "shown": len(publisher.shown)}
    quotes = [c.quote for claim in report.answer.claims for c in claim.citations]
    return {"end": report.answer.status.value, "quotes": quotes, "shown": len(publisher.shown)}


async def _request(world: World) -> Request:
    for stored in await world.tasks.list(tenant="demo"):
        return stored.request
    asked_at = world.ports(context=MemoryContext(), publisher=ListPublisher()).now()
    return Request(task=TASK, tenant="demo", principal=ASKER, question=QUESTION, asked_at=asked_at)


def in_a_child(work: Callable[[], Json]) -> Json:
    """Do it in a process of its own, which has no other thread when it begins."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            told = work()
        except Unsupported:
            os._exit(UNSUPPORTED)
        os.write(writer, json.dumps(told, ensure_ascii=False).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answer:
        heard = answer.read()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code == UNSUPPORTED:
        sys.exit(UNSUPPORTED)
    found: Json = json.loads(heard) if heard else {"end": f"exit {code}"}
    return found


def failing(data: Path, fails: Callable[[int], int]) -> Json:
    disk = Disk()
    disk.fails = fails
    told = asyncio.run(ask(data))
    return told | {"calls": disk.calls}


def sound(data: Path) -> str:
    with closing(sqlite3.connect(data / "footnote" / "footnote.db")) as record:
        return str(record.execute("PRAGMA integrity_check").fetchone()[0])


def once(error: int, number: int) -> Callable[[int], int]:
    return lambda call: error if call == number else 0


def lasting(error: int, number: int) -> Callable[[int], int]:
    return lambda call: error if call >= number else 0


KINDS: tuple[Callable[[int], Callable[[int], int]], ...] = (
    lambda number: once(errno.EIO, number),
    lambda number: lasting(errno.EIO, number),
    lambda number: lasting(errno.ENOSPC, number),
)


def one(data: Path, folder: Path, number: int, fails: Callable[[int], int]) -> Json:
    """A run on that disk, and one more on a sound one."""
    copy = folder / f"run-{number}"
    shutil.copytree(data, copy, ignore=shutil.ignore_patterns("redis"))
    first = in_a_child(lambda: failing(copy, fails))
    integrity = sound(copy)
    second = in_a_child(lambda: asyncio.run(ask(copy)))
    shutil.rmtree(copy)
    return {"number": number, "first": first, "integrity": integrity, "second": second}


def main() -> None:
    data, folder = Path(sys.argv[1]), Path(sys.argv[2])
    whole = one(data, folder, 0, lambda call: 0)
    _tell(whole)
    calls = int(whole["first"]["calls"])
    runs = min(int(sys.argv[3]) if len(sys.argv) > 3 else calls, calls)
    for place in range(runs):
        number = 1 + place * calls // runs
        _tell(one(data, folder, number, KINDS[place % len(KINDS)](number)))


def _tell(told: Json) -> None:
    sys.stdout.write(json.dumps(told, ensure_ascii=False) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
