"""What is found in a text when it is ingested: it leads to answers, and is kept and removed."""

from dataclasses import replace
from pathlib import Path

import pytest

from rag.pipeline import run
from rag.readers.extractive import ExtractiveReader
from rag.testing import World
from rag.values import Findings, Limits, Report, Status
from tests.bot.reading import TENANT, Reading, document, reading

FAQ = """\
Help desk

Q: How long may I keep a borrowed laptop?
A: Fourteen days. Then it comes back to the counter.

Q: What happens if I lose it?
A: Tell the service desk within one hour.

问：忘记密码怎么办？
答：拨打 8000，核对工号之后当场重置。
"""


async def _asked(parts: Reading, question: str) -> Report:
    world = World()
    ports = replace(
        world.ports(reader=ExtractiveReader()),
        catalogue=parts.catalogue,
        intake=parts.intake,
        snapshots=parts.snapshots,
        index=parts.refilled,
    )
    asked = world.request(question).model_copy(update={"tenant": TENANT})
    return await run(asked, ports, limits=Limits())


@pytest.mark.parametrize(
    ("question", "quote"),
    [
        ("How long may I keep a borrowed laptop?", "Fourteen days."),
        ("忘记密码怎么办？", "拨打 8000，核对工号之后当场重置。"),
        ("How long may I keep a borrowed projector?", ""),
    ],
)
async def test_a_question_of_the_document_is_answered_and_never_quoted(
    tmp_path: Path, question: str, quote: str
) -> None:
    file = tmp_path / "faq.txt"
    file.write_text(FAQ, "utf-8")
    async with reading(tmp_path / "data") as parts:
        await parts.catalogue.put(document(file))
        await parts.intake.pin(document(file))
        report = await _asked(parts, question)
    quotes = [one.quote for claim in report.answer.claims for one in claim.citations]
    assert quotes == ([quote] if quote else [])
    assert (report.answer.status is Status.ANSWERED) is bool(quote)


async def test_what_is_found_stays_with_its_version_and_goes_with_the_source(
    tmp_path: Path,
) -> None:
    file = tmp_path / "faq.txt"
    file.write_text(f"In force since 1 March 2025.\n\n{FAQ}", "utf-8")
    async with reading(tmp_path / "data") as parts:
        await parts.catalogue.put(document(file))
        pinned = await parts.intake.pin(document(file))
        version = {"tenant": TENANT, "source_id": "faq.txt", "snapshot": pinned.snapshot}
        (row,) = await parts.enrichments.of(**version)
        text = await parts.text("faq.txt")
        found = Findings.model_validate_json(row.document)
        assert [text[slice(*pair.asked)] for pair in found.pairs][2] == "忘记密码怎么办？"
        assert [fact.value for fact in found.facts] == ["2025-03-01"]
        await parts.importer.remove(tenant=TENANT, source_id="faq.txt")
        assert await parts.enrichments.of(**version) == ()
        assert not await parts.enrichments.keep(row, **version)
