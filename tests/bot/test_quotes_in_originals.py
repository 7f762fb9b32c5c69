"""From a file by a question to a quote, and from its place back into the file: it stands there.

The original is looked at with the format's plain library, never with our own loaders.
"""

from dataclasses import replace
from pathlib import Path

import pytest

from bot.answer_json import as_json
from bot.cli.answers import answer_lines
from handlers.blocks.citation import title
from handlers.blocks.scene import numbered
from rag.pipeline import run
from rag.readers.extractive import ExtractiveReader
from rag.testing import World
from rag.values import Limits, Report, Source, Status
from tests.bot.originals import FACT, ORIGINALS, QUESTION, Place
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
