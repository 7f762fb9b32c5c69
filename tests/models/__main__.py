"""Serves one scenario as a process of its own: `python -m tests.models FILE NAME [PORT]`."""

import asyncio
import sys

from tests.models.scenarios import read
from tests.models.server import in_turn, model_server


async def _serve(file: str, name: str, port: int) -> None:
    (scenario,) = [one for one in read(file) if one.name == name]
    async with model_server(in_turn(*scenario.steps), port=port) as server:
        sys.stdout.write(f"{server.url}\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(_serve(sys.argv[1], sys.argv[2], int(sys.argv[3]) if sys.argv[3:] else 0))
