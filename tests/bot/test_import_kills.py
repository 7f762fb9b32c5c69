"""An import that is killed with -9 goes on from what is recorded, and ends as if never killed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rag.ports import Scope
from rag.text.tokenise import terms
from tests.bot.reading import TENANT, reading, steps

FILES = 150

IMPORT = """
import asyncio, sys
from pathlib import Path
from tests.bot.reading import TENANT, reading

async def go():
    async with reading(Path(sys.argv[2])) as parts:
        async for step in parts.importer.add_folder(
            Path(sys.argv[1]), tenant=TENANT, readers=["everyone"]
        ):
            print(step.done, flush=True)

asyncio.run(go())
"""


def _docs(root: Path) -> Path:
    root.mkdir()
    for number in range(FILES):
        text = f"# Page {number}\n\n" + f"Word{number} is common here. " * 40
        (root / f"{number:03}.md").write_text(text, "utf-8")
    return root


def _killed(root: Path, data: Path, after: float) -> int:
    """How many steps an import told of before it was killed, ``after`` seconds from its first."""
    process = subprocess.Popen(
        [sys.executable, "-c", IMPORT, str(root), str(data)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    first = process.stdout.readline()
    time.sleep(after)
    os.kill(process.pid, signal.SIGKILL)
    rest = process.stdout.read().split()
    process.wait()
    return int((rest or [first.strip()])[-1])


@pytest.mark.parametrize("after", [0.0, 0.13])
async def test_a_killed_import_is_finished_by_the_next(tmp_path: Path, after: float) -> None:
    root = _docs(tmp_path / "docs")
    told = _killed(root, tmp_path / "data", after)
    async with reading(tmp_path / "data") as parts:
        run = parts.importer.add_folder(root, tenant=TENANT, readers=["everyone"])
        done = await steps(run)
        assert len(done) == FILES
        kept = [outcome for outcome, _ in done.values() if outcome == "unchanged"]
        assert told <= len(kept)
        sources = await parts.catalogue.list(tenant=TENANT)
        pins = tuple((source.id, str(source.snapshot)) for source in sources)
        for number in (0, FILES // 2, FILES - 1):
            hits = await parts.search.search(
                terms=terms(f"Word{number}"), scope=Scope(tenant=TENANT, pins=pins), limit=50
            )
            assert {hit.chunk.source_id for hit in hits.hits} >= {f"{number:03}.md"}
            ids = [hit.chunk.id for hit in hits.hits]
            assert len(ids) == len(set(ids))
