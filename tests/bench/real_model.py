"""Forty questions to a language model that is really there: what became of its words.

Half are Chinese. They are asked of the demo company and of two handbooks, through every
stage. FOOTNOTE_READER and its fellows say which model is asked; without one nothing is
measured. Each question's row is kept at once, so that a run which was ended goes on.
"""

import argparse
import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from bot.answer_json import as_json
from bot.demo import load_company
from bot.evaluation.datasets import load_dataset
from bot.evaluation.run import sample
from bot.models.servers import EXTRACTIVE
from bot.readers import open_model
from bot.settings import load_settings
from bot.storage.people import Person
from bot.watch.observing import Handed
from bot.wiring import World, open_world, working_context
from rag.errors import FootnoteError
from rag.pipeline import failed, run
from rag.ports import WorkingContext
from rag.readers.llm.quoted import Quotes
from rag.readers.llm.reader import LlmReader
from rag.values import Citation, Kind, Report, Request
from tests.acceptance.demo_company import Answer, Case, shortcomings
from tests.acceptance.test_demo_questions import CASES
from tests.bench.questions import ASKER, TENANT, fill
from tests.bench.real_rows import DEMO, Row, summed, told

HANDBOOKS = (("faq-18f-en", "en", 12), ("faq-dolphin-zh", "zh", 4))
"""With the demo's own questions this makes twenty of each language."""

_HAN = ("\u4e00", "\u9fff")


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One question to be asked; ``case`` is what a demo answer must hold."""

    set: str
    language: str
    case: Case


def questions(root: Path, *, seed: int) -> list[Asked]:
    """The forty, the languages in turn, so that a part of a run is no part of one language."""
    found = [Asked(set=DEMO, language=_language(case.question), case=case) for case in CASES]
    for name, language, count in HANDBOOKS:
        for question in sample(load_dataset(root / name).questions, limit=count, seed=seed):
            case = Case(name=question.id, question=question.text, status="", asker=ASKER)
            found.append(Asked(set=name, language=language, case=case))
    places: dict[str, int] = {}
    order = []
    for asked in found:
        places[asked.language] = places.get(asked.language, 0) + 1
        order.append((places[asked.language], asked.language))
    return [asked for _, asked in sorted(zip(order, found, strict=True), key=lambda two: two[0])]


def _language(text: str) -> str:
    return "zh" if any(_HAN[0] <= sign <= _HAN[1] for sign in text) else "en"


@dataclass(kw_only=True)
class Bench:
    """Asks and keeps count. ``heard`` are the quotes of the question under way."""

    world: World
    context: WorkingContext
    folder: Path
    heard: list[Quotes] = field(default_factory=list)

    async def ask(self, asked: Asked) -> Row:
        """One question from its request to its row. A failure is a row; nothing is skipped."""
        self.heard.clear()
        request = await self._request(asked)
        started = time.perf_counter()
        report = await self._answered(request)
        seconds = time.perf_counter() - started
        return await self._row(asked, report, seconds)

    async def _request(self, asked: Asked) -> Request:
        tenant = load_company().tenant if asked.set == DEMO else TENANT
        return Request(
            task=f"real-{uuid4().hex}",
            tenant=tenant,
            principal=await self.world.people.resolve(tenant=tenant, text=asked.case.asker),
            question=asked.case.question,
            source_ids=tuple(filter(None, asked.case.sources.split(","))),
            asked_at=datetime.now(UTC),
        )

    async def _answered(self, request: Request) -> Report:
        ports = self.world.ports(context=self.context, publisher=Handed())
        try:
            return await run(request, ports, limits=self.world.settings.limits)
        except FootnoteError as error:
            sys.stderr.write(f"{request.task}: {type(error).__name__}: {error}\n")
            return failed(request, error, now=datetime.now(UTC))

    async def _row(self, asked: Asked, report: Report, seconds: float) -> Row:
        quotes = [cited for claim in report.answer.claims for cited in claim.citations]
        true = [await self._is_true(report.tenant, cited) for cited in quotes]
        answer = Answer(whole=as_json(report), folder=self.folder)
        return Row(
            set=asked.set,
            language=asked.language,
            question=asked.case.question,
            status=report.answer.status.value,
            reason=report.trace.reason.value if report.trace.reason else "",
            short=tuple(shortcomings(answer, asked.case)) if asked.set == DEMO else (),
            proposed=sum(each.proposed for each in self.heard),
            fallen=summed(each.fallen for each in self.heard),
            claims=sum(each.claims for each in self.heard),
            claims_fallen=summed(each.claims_fallen for each in self.heard),
            published=len(report.answer.claims),
            quotes=len(quotes),
            false=true.count(False),
            spent=await self.world.spending.of(tenant=report.tenant, task=report.task),
            seconds=seconds,
        )

    async def _is_true(self, tenant: str, cited: Citation) -> bool:
        """Whether a quote stands at its place in the file, or else in the text that was kept."""
        (source,) = await self.world.catalogue.get(tenant=tenant, source_ids=[cited.source_id])
        if source.kind is not Kind.DOCUMENT:
            kept = await self.world.snapshots.get(cited.snapshot)
            return kept[cited.start : cited.end] == cited.quote
        text = await asyncio.to_thread(Path(source.ref).read_text, "utf-8")
        return "".join(cited.quote.split()) in "".join(text.split())


def prepare(root: Path, data: Path) -> None:
    """The demo company and the handbooks, each in a tenant of its own; once."""
    if (data / "prepared").exists():
        return
    command = [sys.executable, "-m", "bot", "demo", "--seed-only"]
    environment = os.environ | {"FOOTNOTE_DATA": str(data)}
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)
    fill(root / "handbooks", data)
    (data / "prepared").touch()


def kept(rows: Path) -> list[Row]:
    """The rows of an earlier part of the run."""
    with suppress(FileNotFoundError):
        return [Row.model_validate_json(line) for line in rows.read_text("utf-8").splitlines()]
    return []


async def measure(root: Path, data: Path, *, limit: int, seed: int) -> list[Row]:
    """Ask what has no row yet, at most ``limit`` questions in all."""
    rows = kept(data / "rows.jsonl")
    settings = load_settings(data=data)
    async with open_world(settings) as world, working_context(settings) as context:
        await world.people.put(Person(tenant=TENANT, principal=ASKER, name=ASKER))
        opening = open_model(settings, count_tokens=world.count_tokens, ledger=world.spending)
        async with opening as model:
            bench = Bench(world=world, context=context, folder=world.demo_folder / "sources")
            bench.world = replace(world, reader=LlmReader(model, heard=bench.heard.append))
            for asked in questions(root, seed=seed)[len(rows) : limit]:
                rows.append(await bench.ask(asked))
                with (data / "rows.jsonl").open("a", encoding="utf-8") as lines:
                    lines.write(rows[-1].model_dump_json() + "\n")
    return rows


def main(arguments: Sequence[str]) -> int:
    """Ask and print the table."""
    parser = argparse.ArgumentParser(prog="script/bench real-model")
    parser.add_argument("root", type=Path)
    parser.add_argument("--data", type=Path, required=True, help="is kept, and gone on with")
    parser.add_argument("--limit", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    reader = load_settings().reader
    if reader == EXTRACTIVE:
        sys.stderr.write("FOOTNOTE_READER names no language model, so nothing was measured\n")
        return 1
    options.data.mkdir(parents=True, exist_ok=True)
    prepare(options.root, options.data)
    rows = asyncio.run(measure(options.root, options.data, limit=options.limit, seed=options.seed))
    sys.stdout.write("\n".join(told(reader, rows)) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
