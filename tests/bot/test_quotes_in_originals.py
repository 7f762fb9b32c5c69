"""From a file by a question to a quote, and from its place back into the file: it stands there.

The original is looked at with the format's plain library, never with our own loaders.
"""

import shutil
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.answer_json import as_json
from bot.cli.answers import answer_lines
from bot.database_urls import sqlite_url
from bot.loaders.parsing import Parser
from bot.loaders.recognising import Recognising, Tesseract
from bot.loaders.registry import LOADERS
from bot.tables.queries import TABLE
from bot.tables.read_only import Databases
from handlers.blocks.citation import title
from handlers.blocks.scene import numbered
from rag.pipeline import run
from rag.readers.extractive import ExtractiveReader
from rag.testing import World
from rag.values import Kind, Limits, Report, Source, Status
from tests.bot.loaders.scans import Grey, drawn, program, scanned
from tests.bot.originals import ALIKE, FACT, ORIGINALS, OTHER, PAGES, QUESTION, Place, in_lines
from tests.bot.reading import TENANT, Reading, document, reading

_LIMITS = Limits(parse_seconds=60)


async def _asked(parts: Reading, source: Source) -> Report:
    await parts.catalogue.put(source)
    world = World()
    ports = replace(
        world.ports(reader=ExtractiveReader()),
        catalogue=parts.catalogue,
        intake=parts.intake,
        snapshots=parts.snapshots,
        index=parts.refilled,
    )
    asked = world.request(QUESTION).model_copy(update={"tenant": TENANT})
    return await run(asked, ports, limits=_LIMITS)


def _cited(report: Report) -> Place:
    """The citation of the fact as scripts read it, with its locator's keys beside its own."""
    assert report.answer.status is Status.ANSWERED
    claims = as_json(report)["answer"]["claims"]
    every = [cited for claim in claims for cited in claim["citations"]]
    (cited,) = (one for one in every if FACT in " ".join(one["quote"].split()))
    return {**(cited["locator"] or {}), **cited}


@pytest.mark.parametrize("name", ORIGINALS)
async def test_the_quoted_words_stand_where_the_citation_says(tmp_path: Path, name: str) -> None:
    file, original = tmp_path / name, ORIGINALS[name]
    file.write_bytes(original.make())
    async with reading(tmp_path / "data", limits=_LIMITS) as parts:
        report = await _asked(parts, document(file, title="Rules"))
    cited = _cited(report)
    found = original.look(file, cited["quote"])
    assert {key: cited[key] for key in found} == found
    _told_everywhere(report, original.words)


def _told_everywhere(report: Report, words: str) -> None:
    """A terminal and Slack name the same place."""
    (number,) = (one for one in numbered(report) if FACT in " ".join(one.citation.quote.split()))
    assert title(number, language="en").endswith(f"Rules · {words}")
    assert f"Rules · {words} · " in "\n".join(answer_lines(report))


async def test_a_quote_of_a_row_stands_in_the_row_of_that_key(tmp_path: Path) -> None:
    file = tmp_path / "shop.db"
    with sqlite3.connect(file) as shop:
        shop.execute("CREATE TABLE rules (code TEXT, rule TEXT)")
        rows = (("B-1", ALIKE), ("B-7", FACT), ("D-1", OTHER))
        shop.executemany("INSERT INTO rules VALUES (?, ?)", rows)
    table = {"query": "SELECT code, rule FROM rules", "key": "code"}
    source = _elsewhere(Kind.EXTERNAL, ref="rules", metadata={TABLE: table})
    databases = Databases(lambda _tenant: sqlite_url(file), seconds=20.0)
    async with reading(tmp_path / "data", databases=databases, limits=_LIMITS) as parts:
        report = await _asked(parts, source)
    ((said,),) = shop.execute("SELECT rule FROM rules WHERE code = ?", [_cited(report)["row"]])
    shop.close()
    databases.close()
    assert said == FACT
    _told_everywhere(report, "row B-7")


async def test_a_quote_of_approved_knowledge_stands_in_its_lines(tmp_path: Path) -> None:
    text = f"# Boats\n{ALIKE}\n\n# Bikes\n{FACT}\n"
    async with reading(tmp_path / "data", limits=_LIMITS) as parts:
        parts.external.rows["lending"] = ("Rules", text)
        report = await _asked(parts, _elsewhere(Kind.INTERNAL, ref="lending"))
    cited = _cited(report)
    found = in_lines(text, cited["quote"])
    assert {key: cited[key] for key in found} == found
    _told_everywhere(report, "line 5")


def _elsewhere(kind: Kind, **more: Any) -> Source:
    """A source that is no file."""
    return Source(id="r", tenant=TENANT, title="Rules", kind=kind, readers=("everyone",), **more)


_SEES_BY_SHADE = f"""
import sys
shade = sys.stdin.buffer.read()[-1]
words = {(ALIKE, FACT, OTHER)!r}[shade // 100]
for at, word in enumerate(words.split(), 1):
    print(f"5\\t1\\t1\\t1\\t1\\t{{at}}\\t0\\t0\\t9\\t9\\t96.5\\t{{word}}")
"""
"""A program that knows three pages, which are of one shade each, by it."""


async def _asked_of_scan(tmp_path: Path, pictures: Sequence[Grey], eyes: str) -> Report:
    file = tmp_path / "scan.pdf"
    file.write_bytes(scanned(pictures))
    tesseract = Tesseract(eyes, languages="eng", limits=_LIMITS)
    parser = Recognising(Parser(LOADERS, limits=_LIMITS), tesseract, limits=_LIMITS)
    async with reading(tmp_path / "data", parser=parser, limits=_LIMITS) as parts:
        return await _asked(parts, document(file, title="Rules"))


def _stands_recognised(report: Report) -> None:
    """On the second page, and as words that were recognised."""
    cited = _cited(report)
    assert (cited["page"], cited["recognised"]) == (2, True)
    _told_everywhere(report, "page 2 · recognised text")


async def test_a_quote_of_a_scan_stands_on_its_page(tmp_path: Path) -> None:
    pictures = [Grey(bytes([shade]) * 4, 2, 2) for shade in (30, 130, 230)]
    _stands_recognised(await _asked_of_scan(tmp_path, pictures, program(tmp_path, _SEES_BY_SHADE)))


@pytest.mark.skipif(shutil.which("tesseract") is None, reason="tesseract is not installed")
async def test_a_quote_that_tesseract_read_stands_on_its_page(tmp_path: Path) -> None:
    pictures = [drawn(page) for page in PAGES]
    eyes = str(shutil.which("tesseract"))
    _stands_recognised(await _asked_of_scan(tmp_path, pictures, eyes))
