"""Questions on tables asked of the whole pipeline with the built-in reader: right, refused, wrong.

A question is right when exactly the rows that answer it are quoted, each whole, and its
claim says the value; refused right when nothing was to be found and nothing was told.
"""

import argparse
import asyncio
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from rag.pipeline import run
from rag.readers.extractive import ExtractiveReader
from rag.running import Ports
from rag.testing import World
from rag.values import Claim, Limits, Report, Request, Status
from tests.bench.tabled.company import TABLES
from tests.bench.tabled.files import WRITERS, Table
from tests.bench.tabled.questions import CHINESE, ENGLISH, Asked
from tests.bot.reading import TENANT, document, reading

_LIMITS = Limits(parse_seconds=60)


@asynccontextmanager
async def desk(folder: Path, names: Iterable[str] = TABLES) -> AsyncIterator[Ports]:
    """What a task needs, with those tables written into their files and made sources."""
    async with reading(folder / "data", limits=_LIMITS) as parts:
        for name in names:
            table = TABLES[name]
            await parts.catalogue.put(document(written(folder, name, table), title=table.title))
        yield replace(
            World().ports(reader=ExtractiveReader()),
            catalogue=parts.catalogue,
            intake=parts.intake,
            snapshots=parts.snapshots,
            index=parts.refilled,
        )


def written(folder: Path, name: str, table: Table) -> Path:
    """The file of that name with the table in it."""
    file = folder / name
    file.write_bytes(WRITERS[file.suffix.removeprefix(".")](table))
    return file


async def told(question: str, ports: Ports, number: int) -> Report:
    """The report of one question about all sources."""
    asked = World().request(question)
    request = Request.model_validate(
        {**asked.model_dump(), "tenant": TENANT, "task": f"task-{number}"}
    )
    return await run(request, ports, limits=_LIMITS)


def verdict(asked: Asked, report: Report) -> str:
    """``right``, ``refused right``, ``missed`` (nothing told that could be), or ``wrong``."""
    claims = report.answer.claims
    if not claims:
        if report.answer.status is Status.FAILED:
            return "wrong"
        return "missed" if asked.rows else "refused right"
    if not asked.rows or report.answer.status is not Status.ANSWERED:
        return "wrong"
    pairs = {(row, n) for row in asked.rows for n, c in enumerate(claims) if _tells(asked, row, c)}
    if len({number for _, number in pairs}) < len(claims):
        return "wrong"
    return "right" if len({row for row, _ in pairs}) == len(asked.rows) else "missed"


def _tells(asked: Asked, row: str, claim: Claim) -> bool:
    first = claim.citations[0]
    return (
        first.source_id == asked.file
        and first.quote.startswith(row)
        and "\n" not in first.quote
        and all(value in claim.text for value in asked.rows[row])
    )


async def measure(questions: Sequence[Asked], *, show: bool) -> Counter[str]:
    """How many questions went which way."""
    counts = Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        async with desk(Path(folder)) as ports:
            for number, asked in enumerate(questions):
                report = await told(asked.question, ports, number)
                found = verdict(asked, report)
                counts[found] += 1
                if show or found in {"wrong", "missed"}:
                    sys.stdout.write(f"{_shown(found, asked, report)}\n")
    return counts


def _shown(found: str, asked: Asked, report: Report) -> str:
    lines = [f"{found:14} {asked.question}  [{report.answer.status}]"]
    for claim in report.answer.claims:
        lines.append(f"{'':14} - {claim.text}")
        lines += [f"{'':14}   > {cited.quote!r}" for cited in claim.citations]
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> int:
    """Print the counts by language; 1 when an answer was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", action="store_true", help="print every answer")
    show = parser.parse_args(arguments).show
    wrong = 0
    for language, questions in (("en", ENGLISH), ("zh", CHINESE)):
        counts = asyncio.run(measure(questions, show=show))
        refusals = sum(not asked.rows for asked in questions)
        sys.stdout.write(
            f"{language}: right {counts['right']} of {len(questions) - refusals}, "
            f"refused right {counts['refused right']} of {refusals}, "
            f"missed {counts['missed']}, wrong {counts['wrong']}, n={len(questions)}\n"
        )
        wrong += counts["wrong"]
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
