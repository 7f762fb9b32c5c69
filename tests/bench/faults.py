"""`script/bench faults`: real processes killed everywhere, and one table of what became of it.

Two bots a database, one over HTTP and one over Socket Mode, each beside a workspace of its
own; on PostgreSQL listening and working are two processes. Whatever dies is started again
at once. `--write` puts the table into docs/kill-matrix.md.
"""

import argparse
import asyncio
import os
import platform
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from tests.bench.kill_table import page, table
from tests.faults.keeping import warm_up
from tests.faults.lane import HTTP, POSTGRESQL, SOCKET, SQLITE, forget_environment, lane
from tests.faults.matrix import Run, run, wanted
from tests.faults.rows import ROWS, Row
from tests.postgres import own_server

_PAGE = Path("docs/kill-matrix.md")


@dataclass(frozen=True, kw_only=True)
class Where:
    """One bot to kill."""

    folder: Path
    mode: str
    engine: str
    database: str


@contextmanager
def places(engines: Sequence[str], modes: Sequence[str]) -> Iterator[list[Where]]:
    """A folder and a database for each bot."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="kills-")))
        server = stack.enter_context(own_server()) if POSTGRESQL in engines else None
        found: list[Where] = []
        for engine in engines:
            for mode in modes:
                own = folder / str(len(found))
                own.mkdir()
                there = server is not None and engine == POSTGRESQL
                url = stack.enter_context(server.database()) if server and there else ""
                found.append(Where(folder=own, mode=mode, engine=engine, database=url))
        yield found


async def kill(where: Where, rows: Sequence[Row], turns: asyncio.Semaphore) -> list[Run]:
    """Every row of one bot, once and twice."""
    done = []
    async with (
        turns,
        lane(
            where.folder,
            mode=where.mode,
            engine=where.engine,
            database=where.database,
            apart=where.engine == POSTGRESQL,
        ) as opened,
    ):
        for row, times in wanted(rows):
            done.append(await run(opened, row, times))
            say(f"{'    ' if done[-1].good else 'BAD '}{done[-1]}")
    return done


async def everywhere(found: Sequence[Where], rows: Sequence[Row], together: int) -> list[Run]:
    """All bots, ``together`` of them at a time."""
    turns = asyncio.Semaphore(together)
    done = await asyncio.gather(*(kill(where, rows, turns) for where in found))
    return [one for runs in done for one in runs]


def say(line: str) -> None:
    """Progress, beside the table."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def main() -> int:
    parser = argparse.ArgumentParser(prog="script/bench faults", description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"put the table into {_PAGE}")
    parser.add_argument("--engine", choices=(SQLITE, POSTGRESQL), action="append")
    parser.add_argument("--mode", choices=(HTTP, SOCKET), action="append")
    parser.add_argument("--only", default="", help="rows whose stage or place holds this")
    parser.add_argument("--together", type=int, default=2, help="bots killed at the same time")
    given = parser.parse_args()
    rows = [row for row in ROWS if given.only in f"{row.stage}, {row.where}"]
    forget_environment()
    warm_up()
    began = time.monotonic()
    with places(given.engine or (SQLITE, POSTGRESQL), given.mode or (HTTP, SOCKET)) as found:
        runs = asyncio.run(everywhere(found, rows, given.together))
    seconds = time.monotonic() - began
    sys.stdout.write(table(runs))
    if given.write:
        machine = f"{os.cpu_count()} cores, Python {platform.python_version()}"
        day = datetime.now(UTC).date().isoformat()
        _PAGE.write_text(page(runs, day=day, machine=machine, seconds=seconds), "utf-8")
    return 0 if runs and all(one.good for one in runs) else 1


if __name__ == "__main__":
    sys.exit(main())
