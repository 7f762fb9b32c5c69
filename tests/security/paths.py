"""One reference wherever a reference leads to a file, and what this process opens for it."""

import asyncio
import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bot.errors import WrongUsage
from bot.sources.catalogue_file import read_catalogue
from rag.errors import FootnoteError
from rag.values import Limits
from tests.bot.reading import TENANT, Reading


@dataclass
class Opened:
    """The paths this process opens while it is watched."""

    paths: list[str] = field(default_factory=list)
    watching: bool = False

    def heard(self, event: str, arguments: tuple[object, ...]) -> None:
        if self.watching and event == "open":
            self.paths.append(str(arguments[0]))


_opened = Opened()
sys.addaudithook(_opened.heard)


@contextmanager
def watched() -> Iterator[list[str]]:
    """What is opened in the block."""
    _opened.paths.clear()
    _opened.watching = True
    try:
        yield _opened.paths
    finally:
        _opened.watching = False


OUTSIDE = "Only outside the folder."
INSIDE = "A loan ends after seven days.\n"


def folder_of_traps(folder: Path) -> Path:
    """A sources folder beside a file it must not reach, with ways that lead there."""
    root = folder / "sources"
    root.mkdir(parents=True)
    (folder / "outside.md").write_text(OUTSIDE, "utf-8")
    (root / "good.md").write_text(INSIDE, "utf-8")
    (root / "up").symlink_to("..")
    (root / "link.md").symlink_to("../outside.md")
    os.mkfifo(root / "pipe.md")
    return root


async def wrong_with_path(reading: Reading, root: Path, ref: str | None) -> list[str]:
    """A catalogue row with this reference is refused, or read from inside ``root`` alone."""
    began = time.monotonic()
    with watched() as opened:
        told, text = await brought(reading, root, ref)
    found = [f"{path} was opened" for path in opened if _astray(path, root, reading)]
    if text is not None and text != INSIDE:
        found.append(f"{text[:40]!r} was read")
    if str(root.parent) in told or "passwd: " in told:
        found.append(f"the word tells a path: {told}")
    if time.monotonic() - began > 5:
        found.append("it took more than 5 s")
    return found


async def brought(reading: Reading, root: Path, ref: str | None) -> tuple[str, str | None]:
    """What was said, and the text that was read."""
    row = {"id": "trap", "tenant": TENANT, "title": "Trap", "kind": "document", "ref": ref}
    catalogue = root / "sources.json"
    catalogue.write_text(json.dumps([row]), "utf-8")
    try:
        (source,) = await asyncio.to_thread(read_catalogue, catalogue, limits=Limits())
        await reading.catalogue.put(source)
        pinned = await reading.intake.pin(source)
        return "", await reading.snapshots.get(pinned.snapshot)
    except (WrongUsage, FootnoteError) as error:
        return str(error), None
    finally:
        catalogue.unlink()
        await reading.catalogue.remove(tenant=TENANT, source_id="trap")


def _astray(path: str, root: Path, reading: Reading) -> bool:
    """Whether an opened path is none of the folder's, of the record's or of Python's own."""
    real = Path(path)
    ours = (root, reading.index_folder.parent)
    if not real.is_absolute() or path.startswith((sys.prefix, sys.base_prefix, "/tmp/tmp")):
        return False
    return not any(real.is_relative_to(one) for one in ours)
