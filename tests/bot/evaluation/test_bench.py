"""The scratch bench writes real sources and asks real tasks."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import pytest

from bot.database_urls import sqlite_url
from bot.evaluation import Document, Question
from bot.evaluation.bench import ASKER, ScratchBench, ranked_sources
from bot.storage.catalogue import SqlCatalogue
from bot.storage.checkpoints import SqlCheckpoints
from bot.storage.database import Database
from bot.storage.directory import StoredDirectory
from bot.storage.migrate import ensure
from bot.storage.spending import SqlSpending
from bot.storage.tenants import SqlTenants
from rag.errors import (
    BudgetExceeded,
    FootnoteError,
    FormatInvalid,
    IndexUnavailable,
    ReaderIncomplete,
    SourceUnreadable,
    UnsupportedClaim,
)
from rag.ports import Behalf, Prompt, Role
from rag.values import (
    Candidate,
    Chunk,
    Pinned,
    Place,
    Report,
    Request,
    Retrieved,
    Source,
    Status,
    Turn,
)
from tests.bot.evaluation.sets import report

NOW = datetime(2026, 1, 1, tzinfo=UTC)
DOCUMENTS = (
    Document(id="town/1", title="Bern", text="Bern is the seat."),
    Document(id="../2", title="Basel", text="Basel lies\non the Rhine."),
)


def _candidate(source: str, rank: int, *, neighbour: bool = False) -> Candidate:
    chunk = Chunk(
        id=f"{source}:{rank}",
        source_id=source,
        snapshot="0" * 64,
        title="",
        ordinal=rank,
        start=0,
        end=1,
        text="x",
        lines=(1, 1),
    )
    return Candidate(chunk=chunk, query=0, rank=rank, score=1.0, neighbour=neighbour)


RETRIEVED = Retrieved(
    candidates=(
        _candidate("b", 0),
        _candidate("c", 1, neighbour=True),
        _candidate("a", 2),
        _candidate("b", 3),
    )
)


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    url = sqlite_url(tmp_path / "record.db")
    ensure(url)
    opened = Database(url)
    await SqlTenants(opened).create("scratch")
    yield opened
    await opened.close()


def _prompt(request: Request) -> Prompt:
    behalf = Behalf(tenant=request.tenant, task=request.task)
    return Prompt(behalf=behalf, role=Role.PLAN, version="1", instructions="", material="")


def _bench(database: Database, folder: Path) -> ScratchBench:
    checkpoints = SqlCheckpoints(database)
    spending = SqlSpending(database, clock=lambda: NOW)
    ids, ticks = count(1), count(0)
    troubles: dict[str, FootnoteError] = {
        "unsupported": UnsupportedClaim("twice"),
        "cut": ReaderIncomplete("cut off"),
        "odd": FormatInvalid("no JSON"),
        "dear": BudgetExceeded("too much", limit="evidence_tokens"),
        "outage": IndexUnavailable("gone"),
    }

    async def ingest(source: Source) -> Pinned:
        if "\0" in Path(source.ref).read_text("utf-8"):
            raise SourceUnreadable("no text", source_id=source.id)
        fields = source.model_dump(include=set(Pinned.model_fields) - {"source_id", "snapshot"})
        return Pinned(source_id=source.id, snapshot="0" * 64, **fields)

    async def run(request: Request) -> Report:
        held = await checkpoints.open(request)
        await checkpoints.save(held, "retrieve", RETRIEVED.model_dump_json())
        if request.question in troubles:
            async with spending.trying(_prompt(request), model="small", attempt=1, tokens=90):
                pass
            raise troubles[request.question]
        question = Question(id=request.task, text=request.question)
        return report(question, Status.ANSWERED, ["Bern is the seat."], torn=False)

    return ScratchBench(
        reader="known",
        tenant="scratch",
        folder=folder,
        catalogue=SqlCatalogue(database, StoredDirectory(database)),
        ingest=ingest,
        run=run,
        checkpoints=checkpoints,
        spending=spending,
        clock=lambda: NOW,
        stopwatch=lambda: float(next(ticks)),
        new_id=lambda: f"task-{next(ids)}",
    )


async def test_texts_become_sources_that_the_evaluator_may_read(
    database: Database, tmp_path: Path
) -> None:
    bench = _bench(database, tmp_path / "texts")
    await bench.add(DOCUMENTS)
    permitted = await SqlCatalogue(database, StoredDirectory(database)).permitted(
        tenant="scratch", principal=ASKER, place=Place()
    )
    assert {source.id for source in permitted.sources} == {"town/1", "../2"}
    texts = {source.title: Path(source.ref).read_text("utf-8") for source in permitted.sources}
    assert texts == {document.title: document.text for document in DOCUMENTS}


async def test_an_id_never_leads_out_of_the_folder(database: Database, tmp_path: Path) -> None:
    await _bench(database, tmp_path / "texts").add(DOCUMENTS)
    assert not (tmp_path / "2").exists()
    assert sorted(path.name for path in (tmp_path / "texts").iterdir()) == ["0.txt", "1.txt"]


async def test_a_text_that_cannot_be_read_is_named_and_taken_out(
    database: Database, tmp_path: Path
) -> None:
    broken = Document(id="broken", title="Broken", text="a\0b")
    bench = _bench(database, tmp_path / "texts")
    assert await bench.add((*DOCUMENTS, broken)) == ("broken",)
    left = await SqlCatalogue(database, StoredDirectory(database)).list(tenant="scratch")
    assert {source.id for source in left} == {"town/1", "../2"}


async def test_a_question_is_a_task_and_its_ranking_is_read_back(
    database: Database, tmp_path: Path
) -> None:
    bench = _bench(database, tmp_path / "texts")
    outcome = await bench.ask(Question(id="q", text="Where?", source_ids=("town/1",)))
    assert outcome.answered
    assert outcome.ranked == ("b", "a"), "each source once, neighbours not counted"
    assert outcome.seconds == 1.0
    stored = await SqlCheckpoints(database).request("task-1")
    assert (stored.question, stored.principal, stored.source_ids) == ("Where?", ASKER, ("town/1",))


async def test_a_quote_that_its_text_does_not_hold_is_counted(
    database: Database, tmp_path: Path
) -> None:
    bench = _bench(database, tmp_path / "texts")
    await bench.add((Document(id="s0", title="Bern", text="Bern is\nthe seat."),))
    assert (await bench.ask(Question(id="q", text="Where?"))).unfounded == 0
    await bench.add((Document(id="s0", title="Bern", text="Bern was the seat."),))
    assert (await bench.ask(Question(id="q", text="Where?"))).unfounded == 1


async def test_what_was_said_before_is_asked_along(database: Database, tmp_path: Path) -> None:
    turns = (Turn(task="t", question="Bern?", reply="A town."),)
    await _bench(database, tmp_path / "texts").ask(Question(id="q", text="Where?", turns=turns))
    assert (await SqlCheckpoints(database).request("task-1")).turns == turns


@pytest.mark.parametrize("question", ["unsupported", "dear", "cut", "odd"])
async def test_a_question_that_fails_by_itself_is_a_failed_answer(
    database: Database, tmp_path: Path, question: str
) -> None:
    outcome = await _bench(database, tmp_path).ask(Question(id="q", text=question))
    assert outcome.report.answer.status is Status.FAILED
    assert not outcome.answered
    assert (outcome.spent.calls, outcome.spent.tokens_in) == (1, 90), "it was paid for"


async def test_an_outage_ends_the_measuring(database: Database, tmp_path: Path) -> None:
    with pytest.raises(IndexUnavailable):
        await _bench(database, tmp_path).ask(Question(id="q", text="outage"))


def test_nothing_retrieved_ranks_nothing() -> None:
    assert ranked_sources(None) == ()
