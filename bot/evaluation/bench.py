"""A bench on the real parts: a scratch tenant whose questions go through every stage."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from bot.evaluation.datasets import Document, Question
from bot.evaluation.outcomes import Outcome
from rag.errors import (
    FormatInvalid,
    LimitExceeded,
    ReaderIncomplete,
    SourceUnreadable,
    UnsupportedClaim,
)
from rag.pipeline import failed
from rag.ports import Clock, NewId, Spending, Stopwatch
from rag.values import Claim, Kind, Pinned, Report, Request, Retrieved, Source

ASKER = "evaluator"
"""The principal that asks, and the only one who may read the scratch sources."""


class SourceWriter(Protocol):
    """Where catalogue entries are put and taken out again."""

    async def put_all(self, sources: Sequence[Source]) -> tuple[str, ...]: ...

    async def remove(self, *, tenant: str, source_id: str) -> bool: ...


class Stages(Protocol):
    """Where finished stages are looked up."""

    async def load(self, task: str, stage: str) -> str | None: ...


@dataclass(frozen=True, kw_only=True)
class ScratchBench:
    """Texts become files below ``folder`` and sources of ``tenant``; questions are real tasks.

    ``reader`` names the one that answers. ``tenant`` must exist. ``run`` is the whole
    pipeline, ``ingest`` brings a source to its newest version, ``checkpoints`` hold what
    was retrieved, ``spending`` what models were asked.
    """

    reader: str
    tenant: str
    folder: Path
    catalogue: SourceWriter
    ingest: Callable[[Source], Awaitable[Pinned]]
    run: Callable[[Request], Awaitable[Report]]
    checkpoints: Stages
    spending: Spending
    clock: Clock
    stopwatch: Stopwatch
    new_id: NewId
    ingested: Callable[[int, int], None] = lambda done, total: None
    texts: dict[str, str] = field(default_factory=dict)
    """By source, with all white space gone: ours, so that no store is believed."""

    async def add(self, documents: Sequence[Document]) -> tuple[str, ...]:
        """Write, record and ingest the texts; the ids of those that could not be read.

        Raises what an outage raises.
        """
        sources = await asyncio.to_thread(self._write, documents)
        await self.catalogue.put_all(sources)
        unreadable = []
        for done, source in enumerate(sources):
            self.ingested(done, len(sources))
            try:
                await self.ingest(source)
            except SourceUnreadable:
                unreadable.append(source.id)
                await self.catalogue.remove(tenant=self.tenant, source_id=source.id)
        return tuple(unreadable)

    def _write(self, documents: Sequence[Document]) -> list[Source]:
        self.folder.mkdir(parents=True, exist_ok=True)
        sources = []
        self.texts.update((document.id, _solid(document.text)) for document in documents)
        for number, document in enumerate(documents):
            path = self.folder.absolute() / f"{number}.txt"
            path.write_text(document.text, encoding="utf-8")
            sources.append(
                Source(
                    id=document.id,
                    tenant=self.tenant,
                    title=document.title,
                    kind=Kind.DOCUMENT,
                    ref=str(path),
                    readers=(ASKER,),
                )
            )
        return sources

    async def ask(self, question: Question) -> Outcome:
        """One task from the question to its report. Raises what an outage raises."""
        request = Request(
            task=self.new_id(),
            tenant=self.tenant,
            principal=ASKER,
            question=question.text,
            source_ids=question.source_ids,
            turns=question.turns,
            asked_at=self.clock(),
        )
        started = self.stopwatch()
        report = await self._answered(request)
        seconds = self.stopwatch() - started
        retrieved = await self.checkpoints.load(request.task, "retrieve")
        return Outcome(
            question=question,
            report=report,
            ranked=ranked_sources(retrieved),
            unfounded=sum(not self._founded(claim) for claim in report.answer.claims),
            spent=await self.spending.of(tenant=self.tenant, task=request.task),
            seconds=seconds,
        )

    def _founded(self, claim: Claim) -> bool:
        """Whether each quote of a claim stands in the text of the source it names."""
        return all(
            _solid(cited.quote) in self.texts.get(cited.source_id, "") for cited in claim.citations
        )

    async def _answered(self, request: Request) -> Report:
        """The report; a question that failed by itself is a failed answer, an outage is none."""
        try:
            return await self.run(request)
        except (FormatInvalid, LimitExceeded, ReaderIncomplete, UnsupportedClaim) as error:
            return failed(request, error, now=self.clock())


def _solid(text: str) -> str:
    return "".join(text.split())


def ranked_sources(retrieved: str | None) -> tuple[str, ...]:
    """The sources of a stored retrieval, best first, each once; none when nothing was retrieved."""
    if retrieved is None:
        return ()
    candidates = Retrieved.model_validate_json(retrieved).candidates
    found = [c.chunk.source_id for c in candidates if not c.neighbour]
    return tuple(dict.fromkeys(found))
