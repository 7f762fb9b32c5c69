"""`script/demo --cluster`: the demo company on a cluster, until it is told to stop."""

import argparse
import asyncio
import signal
import sys

from tests.cluster.cluster import cluster


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")


async def _run(port: int, webs: int, workers: int) -> None:
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    async with cluster(webs=webs, workers=workers, port=port, retry_scale=1.0, say=_say) as made:
        for member in (*made.webs, *made.workers):
            where = f" on port {member.environment['PORT']}" if "PORT" in member.environment else ""
            _say(f"      {member.name}{where}, log in {member.log}")
        sys.stdout.write(f"ready: {made.running.url}\n")
        sys.stdout.flush()
        await stopped.wait()


def main() -> None:
    """Read the arguments and run."""
    parser = argparse.ArgumentParser(prog="script/demo --cluster", description=__doc__)
    parser.add_argument("--port", type=int, default=3100, help="where the page is")
    parser.add_argument("--webs", type=int, default=2)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--no-browser", action="store_true", help="there is none to open anyway")
    given = parser.parse_args()
    asyncio.run(_run(given.port, given.webs, given.workers))


if __name__ == "__main__":
    main()
