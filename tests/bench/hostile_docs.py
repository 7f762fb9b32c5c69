"""Each file of a folder of hostile documents, and big ones made here: outcome, time, memory.

Writes a line a file: seconds, what our own process grew by at most meanwhile, how it ended.
Ends with 1 if one took over 20 seconds, grew us by more than 50 MB, left anything in the folder
for temporary files, or spoilt the good document that is read beside each.
"""

import asyncio
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from bot.loaders.loaded import Loaded
from bot.loaders.loading import Loading
from bot.loaders.parsing import Parser
from bot.loaders.registry import LOADERS
from rag.errors import FootnoteError
from rag.values import Limits
from tests.bench import hostile_made

_SECONDS, _GROWTH = 20.0, 50 * 1024 * 1024
_LOOK_SECONDS = 0.02
_GOOD = b"name,price\nBike,7 EUR\n"


def resident() -> int:
    """Bytes of ours in memory now."""
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * 4096


class Peak:
    """The most that our process held while it was looked at."""

    def __init__(self) -> None:
        self.bytes = resident()

    async def look(self) -> None:
        """Look again and again."""
        while True:
            self.bytes = max(self.bytes, resident())
            await asyncio.sleep(_LOOK_SECONDS)


def _files(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.iterdir()):
        yield path.name, path.read_bytes()
    yield from hostile_made.big()


async def _read(loading: Loading, name: str, data: bytes) -> str:
    try:
        loaded = await loading.load(data, name=name)
    except FootnoteError as error:
        return f"refused: {error}"
    told = ", ".join(caution.value for caution in loaded.cautions)
    return f"read: {len(loaded.text):,} characters{told and f' ({told})'}"


async def _good(loading: Loading, name: str) -> bool:
    with suppress(FootnoteError):
        loaded: Loaded = await loading.load(_GOOD + name.encode(), name="good.csv")
        return "7 EUR" in loaded.text
    return False


async def _line(loading: Loading, name: str, data: bytes) -> tuple[bool, str]:
    held, peak, begun = resident(), Peak(), time.monotonic()
    looking = asyncio.create_task(peak.look())
    outcome, fine = await asyncio.gather(_read(loading, name, data), _good(loading, name))
    took = time.monotonic() - begun
    looking.cancel()
    grown = peak.bytes - held
    ok = fine and took <= _SECONDS and grown <= _GROWTH
    told = f"{len(data):>11,} B {took:5.1f} s {grown / 2**20:+6.1f} MB  {outcome}"
    return ok, f"{'ok ' if ok else 'BAD'} {name:22} {told}\n"


async def main(folder: Path) -> int:
    """Write the table; 1 where a bound was passed."""
    limits = Limits()
    loading = Loading(Parser(LOADERS, limits=limits), limits=limits)
    wrong = 0
    with tempfile.TemporaryDirectory() as private:
        tempfile.tempdir = private
        await _good(loading, "first")
        for name, data in _files(folder):
            ok, line = await _line(loading, name, data)
            sys.stdout.write(line)
            sys.stdout.flush()
            wrong += not ok
        left = len(list(Path(private).iterdir()))
    sys.stdout.write(f"{wrong} wrong, {left} things left behind\n")
    return 1 if wrong or left else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main(Path(sys.argv[1]))))
