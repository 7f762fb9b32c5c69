"""`python -m tests.bot.slack.process API_URL FOLDER both|listen|work [URL [GRACE]]`: to be killed.

Its pipeline takes three seconds for a question that holds the word "slow", and
ends the process at once for one that holds the word "poison".
"""

import asyncio
import os
import sys
from dataclasses import replace
from pathlib import Path

from bot.receiving import GRACE_SECONDS
from bot.serve import serve_socket, work
from rag.values import Request
from tests.bot.slack.conftest import Company, setup_of


def pause(request: Request) -> float:
    if "poison" in request.question:
        os._exit(9)
    return 3.0 if "slow" in request.question else 0.0


def _say_ready() -> None:
    sys.stdout.write("ready\n")
    sys.stdout.flush()


async def main(
    api_url: str, folder: Path, part: str, url: str = "", grace: str = str(GRACE_SECONDS)
) -> None:
    company = Company(folder, url)
    setup, _pipelines = setup_of(company, api_url, pause=pause)
    setup = replace(setup, grace_seconds=float(grace))
    if part == "work":
        _say_ready()
        await work(setup)
    else:
        await serve_socket(setup, work=part == "both", ready=_say_ready)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:]))
