"""`python -m tests.bot.slack.process API_URL FOLDER PART [URL [GRACE [STOP]]]`: to be killed.

PART is both, listen or work. Its pipeline takes three seconds for a question that holds
the word "slow", a minute for "endless", and ends the process at once for one that holds
the word "poison". A worker that stands still is taken over from after four seconds. STOP
are the seconds in which it ends.
"""

import asyncio
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from bot.inbound.receiving import GRACE_SECONDS
from bot.processes import insist
from bot.serve import serve_socket, work
from bot.slots.leased import Lease, Slots
from rag.values import Request
from tests.bot.slack.conftest import Company, setup_of


def pause(request: Request) -> float:
    if "poison" in request.question:
        os._exit(9)
    if "endless" in request.question:
        return 60.0
    return 3.0 if "slow" in request.question else 0.0


class Noted:
    """`Slots` that leave a file of the leased slot's name, with the id of this process."""

    def __init__(self, slots: Slots, folder: Path) -> None:
        self._slots = slots
        self._folder = folder
        self.abandoned = slots.abandoned
        self.alive = slots.alive

    @contextmanager
    def leased(self) -> Iterator[Lease]:
        with self._slots.leased() as lease:
            (self._folder / lease.name).write_text(str(os.getpid()))
            yield lease


def _say_ready() -> None:
    sys.stdout.write("ready\n")
    sys.stdout.flush()


async def main(api_url: str, folder: Path, part: str, url: str = "", *seconds: str) -> None:
    company = Company(folder, url)
    company.slots = Noted(company.slots, folder)
    setup, _pipelines = setup_of(company, api_url, pause=pause)
    grace, stop = (*map(float, seconds), *(GRACE_SECONDS, 18.0)[len(seconds) :])
    setup = replace(setup, grace_seconds=grace, lost_seconds=4.0, stopping=partial(insist, stop))
    if part == "work":
        _say_ready()
        await work(setup)
    else:
        await serve_socket(setup, work=part == "both", ready=_say_ready)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:]))
