"""Sets of hostile payloads, one JSON object a line: how many rows end as they should.

Each file is judged where its rows belong: a text in every place that shows text, a
value in SQL, a reference on the file system, a query in the index, a payload planted in
a document, an event or a pressed button at a running bot.
"""

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from bot.database_urls import sqlite_url
from bot.engines.search_tantivy import TantivyIndex
from rag.ports import Scope
from rag.testing import chunks_of
from rag.testing.stores import digest
from rag.values import Limits
from tests.bench import pressed
from tests.bot.reading import reading
from tests.bot.web_server import site
from tests.security import paths, values
from tests.security.delivered import wrong_with_delivery
from tests.security.planted import wrong_with_planted
from tests.security.surfaces import wrong_with
from tests.security.urls import furnished, wrong_with_url

Row = Mapping[str, Any]
Judge = Callable[[Row], Awaitable[list[str]]]
"""What is wrong about one row; nothing when it ended as it should."""

Judging = Callable[[Path], AbstractAsyncContextManager[Judge]]
"""A judge at work in an empty folder."""

NEEDLE = "quota"
_TRAPS = {"dir→.. (symlink dir)": "up/outside.md", "hardlink": "hard.md", "fifo": "pipe.md"}
"""What a reference that is told in words stands for in a folder of traps."""

_TEXT = f"The {NEEDLE} is 12 cases.\n\n部署、データ、문서、ไทย、ß、ﬃ、é and 😀 are words.\n"


def rendering(key: str) -> Judging:
    """Shows the text under that key everywhere."""

    @asynccontextmanager
    async def judging(_folder: Path) -> AsyncIterator[Judge]:
        async def judge(row: Row) -> list[str]:
            return await asyncio.to_thread(wrong_with, row[key])

        yield judge

    return judging


@asynccontextmanager
async def in_sql(folder: Path) -> AsyncIterator[Judge]:
    """The value as an external row's key and as a source of the record."""
    articles = values.Articles(folder / "articles.db")
    async with reading(folder / "data") as opened:
        engine = sa.create_engine(sqlite_url(folder / "data" / "footnote.db"))

        async def judge(row: Row) -> list[str]:
            value = row["value"]
            kept = await values.wrong_in_the_record(opened.catalogue, engine, value)
            return await articles.wrong_with(value) + kept

        yield judge
        await asyncio.to_thread(engine.dispose)
    articles.close()


@asynccontextmanager
async def on_disk(folder: Path) -> AsyncIterator[Judge]:
    """The reference as a catalogue file's and as a snapshot's name."""
    async with reading(folder / "data") as opened:
        root = paths.folder_of_traps(folder)
        (root / "hard.md").hardlink_to(root / "good.md")

        async def judge(row: Row) -> list[str]:
            ref = _TRAPS.get(row["ref"], row["ref"])
            named = await values.wrong_with_snapshot(opened.snapshots, ref or "")
            return await paths.wrong_with_path(opened, root, ref) + named

        yield judge


def in_index(chunks: int) -> Judging:
    """The query over an index of about so many chunks, with the seconds it took."""

    @asynccontextmanager
    async def judging(folder: Path) -> AsyncIterator[Judge]:
        index = TantivyIndex(folder)
        filler = "\n\n".join(f"Paragraph {n} about case {n % 977}." for n in range(chunks))
        pins = []
        for text in (_TEXT, filler):
            pins.append((digest(text)[:8], digest(text)))
            made = chunks_of(text, source_id=pins[-1][0], snapshot=pins[-1][1], title="Rules")
            await index.add(tenant="demo", chunks=made)
        scope = Scope(tenant="demo", pins=tuple(pins))

        async def judge(row: Row) -> list[str]:
            wrong = await values.wrong_with_query(index, scope, row["q"], needle=NEEDLE)
            began = time.perf_counter()
            await values.found_by(index, scope, row["q"])
            took = time.perf_counter() - began
            slow = took > 0.05 and len(row["q"]) <= Limits().question_characters
            return [*wrong, f"took {1000 * took:.0f} ms"] if slow else wrong

        yield judge

    return judging


@asynccontextmanager
async def as_pages(folder: Path) -> AsyncIterator[Judge]:
    """The address as that of a page, with servers that note whatever reaches them."""
    async with site(folder) as here:
        furnished(here)

        async def judge(row: Row) -> list[str]:
            return await wrong_with_url(here, row["url"])

        yield judge


@asynccontextmanager
async def planted(_folder: Path) -> AsyncIterator[Judge]:
    """The payload in a document that three readers read."""

    async def judge(row: Row) -> list[str]:
        return await wrong_with_planted(row["text"])

    yield judge


@asynccontextmanager
async def at_the_door(folder: Path) -> AsyncIterator[Judge]:
    """The deliveries at a running bot, one of its own a row."""

    async def judge(row: Row) -> list[str]:
        place = folder / str(row["id"])
        return await wrong_with_delivery(place, row["case"], row["deliveries"])

    yield judge


@asynccontextmanager
async def by_tests(_folder: Path) -> AsyncIterator[Judge]:
    """The tests that press what a row tells in words."""
    found = await asyncio.to_thread(pressed.results)

    async def judge(row: Row) -> list[str]:
        named = pressed.JUDGES.get(row["case"])
        if named not in found:
            return [f"nobody judges {row['case']!r}"]
        return found[named]

    yield judge


def judgings(*, chunks: int) -> dict[str, Judging]:
    """Who judges which file."""
    return {
        "slack_events": at_the_door,
        "interactions": by_tests,
        "render_output": rendering("model_output"),
        "naughty_strings": rendering("text"),
        "indirect_own": planted,
        "indirect_bipia": planted,
        "sql_values": in_sql,
        "path_refs": on_disk,
        "ssrf_urls": as_pages,
        "fts_queries": in_index(chunks),
    }


async def judged(file: Path, judging: Judging) -> dict[str, list[str]]:
    """What is wrong, by the id of each row."""
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]
    with tempfile.TemporaryDirectory() as folder:
        async with judging(Path(folder)) as judge:
            return {row["id"]: await _patiently(judge, row) for row in rows}


async def _patiently(judge: Judge, row: Row) -> list[str]:
    try:
        return await judge(row)
    except AssertionError as error:  # what was waited for did not happen
        return [str(error) or "an assertion failed"]


async def measured(folder: Path, *, only: str, chunks: int, told: Callable[[str], object]) -> int:
    """Tell what came of each file; how many rows ended otherwise than they should."""
    failures = 0
    for name, judging in judgings(chunks=chunks).items():
        file = folder / f"{name}.jsonl"
        if only not in ("", name) or not file.exists():
            continue
        found = await judged(file, judging)
        wrong = {ident: problems for ident, problems in found.items() if problems}
        failures += len(wrong)
        told(f"{name}: rows {len(found)}, as expected {len(found) - len(wrong)}, not {len(wrong)}")
        for ident, problems in wrong.items():
            told(f"  {ident}: {'; '.join(dict.fromkeys(problems))[:300]}")
    return failures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="one file's name, without .jsonl")
    parser.add_argument("--chunks", type=int, default=100_000, help="in the index that is searched")
    given = parser.parse_args()

    def told(line: str) -> None:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()

    work = measured(given.folder, only=given.only, chunks=given.chunks, told=told)
    sys.exit(1 if asyncio.run(work) else 0)


if __name__ == "__main__":
    main()
