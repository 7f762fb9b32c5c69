"""A pipeline that follows a script: everything is real but the reading."""

import asyncio
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from rag.ports import Catalogue, Checkpoints, Lease, Observer, Publisher, Snapshots
from rag.stages.publish import publish
from rag.values import (
    Answer,
    Chunk,
    Citation,
    Claim,
    Clarification,
    Conflict,
    Evidence,
    Facet,
    Indexed,
    Option,
    Pinned,
    Plan,
    Report,
    Request,
    Source,
    Status,
)

HANDBOOK = "Borrowing a device\n\nA loan needs the device number.\nIt ends after seven days.\n"
QUOTE = "A loan needs the device number."

STAGES = ("authorize", "plan", "index", "retrieve", "select", "assemble", "answer", "ground")


def pinned(source: Source) -> Pinned:
    assert source.snapshot is not None
    names = ("tenant", "title", "kind", "ref", "snapshot", "status", "owner")
    values = {name: getattr(source, name) for name in names}
    return Pinned(source_id=source.id, **values)


class Scripted:
    """Answers with the handbook's sentence; "that one" is asked back; "slow" takes its time.

    Where sources "disagree", the first two contradict each other. "lingers" stays a while
    between showing and ending.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        checkpoints: Checkpoints,
        snapshots: Snapshots,
        *,
        pause: Callable[[Request], float] = lambda request: 0.0,
    ) -> None:
        self.catalogue = catalogue
        self.checkpoints = checkpoints
        self.snapshots = snapshots
        self.pause = pause
        self.runs: list[Request] = []

    async def __call__(
        self, request: Request, lease: Lease, publisher: Publisher, observer: Observer
    ) -> Report:
        self.runs.append(request)
        for stage in STAGES:
            await observer.entering(request, stage, 1)
            await asyncio.sleep(self.pause(request) / len(STAGES))
        report = await self._report(request, lease)
        await self.checkpoints.save(lease, "report", report.model_dump_json())
        await observer.entering(request, "publish", 1)
        published = await publish(
            request,
            report,
            catalogue=self.catalogue,
            intake=_Unchanged(),
            snapshots=self.snapshots,
            publisher=publisher,
            stopwatch=time.monotonic,
        )
        await asyncio.sleep(1.0 if "lingers" in request.question else 0.0)
        if published.refused or published.withdrawn:
            return made(request, Answer(status=Status.REFUSED))
        return report

    async def _report(self, request: Request, lease: Lease) -> Report:
        permitted = await self.catalogue.permitted(
            tenant=request.tenant, principal=request.principal, place=request.place
        )
        if "that one" in request.question and request.rounds == 0:
            titles = tuple(source.id for source in permitted.sources)
            plan = plain_plan(request.question).model_copy(update={"titles_of": titles})
            return made(request, _asking_back()).model_copy(update={"plan": plan})
        if not permitted.sources:
            return made(request, Answer(status=Status.INSUFFICIENT, limitations=("a rule",)))
        if "disagree" in request.question:
            return await self._conflict(request, lease, permitted.sources)
        source = permitted.sources[0]
        text = await self.snapshots.get(source.snapshot or "")
        held = Indexed(pinned=(pinned(source),))
        await self.checkpoints.save(lease, "index", held.model_dump_json())
        return made(request, _quoting(chunk := _chunk(source, text)), (chunk, pinned(source)))

    async def _conflict(self, request: Request, lease: Lease, sources: Sequence[Source]) -> Report:
        """The first two sources contradict each other."""
        both = sources[:2]
        held = Indexed(pinned=tuple(map(pinned, both)))
        await self.checkpoints.save(lease, "index", held.model_dump_json())
        texts = [await self.snapshots.get(source.snapshot or "") for source in both]
        chunks = [_chunk(source, text) for source, text in zip(both, texts, strict=True)]
        evidence = zip(chunks, map(pinned, both), strict=True)
        return made(request, _sides(chunks), *evidence)


def _sides(chunks: Sequence[Chunk]) -> Answer:
    first, second = (
        Claim(text=f"{chunk.title} names a number.", citations=(_cited(chunk),)) for chunk in chunks
    )
    told = Conflict(about="what a loan needs", sides=(first, second))
    return Answer(status=Status.CONFLICTING, claims=(first, second), conflicts=(told,))


def _cited(chunk: Chunk) -> Citation:
    start = chunk.text.index("A loan needs")
    return Citation.cut(chunk, start, chunk.text.index("\n", start))


def plain_plan(question: str) -> Plan:
    """One facet: the question itself."""
    return Plan(intent="", rewritten=question, facets=(Facet(id="f1", text=question),))


class _Unchanged:
    """`rag.ports.Intake` whose sources are always what they were."""

    async def pin(self, source: Source) -> Pinned:
        return pinned(source)

    async def verify(self, pinned: Pinned) -> None: ...


def _asking_back() -> Answer:
    options = (Option(id="a", text="The camera"), Option(id="b", text="The laptop"))
    asked = Clarification(question="Which one do you mean?", options=options)
    return Answer(status=Status.CLARIFY, clarification=asked)


def _chunk(source: Source, text: str) -> Chunk:
    return Chunk(
        id=f"{source.id}-0",
        source_id=source.id,
        snapshot=source.snapshot or "",
        title=source.title,
        ordinal=0,
        start=0,
        end=len(text),
        lines=(1, text.count("\n")),
        text=text,
    )


def _quoting(chunk: Chunk) -> Answer:
    claim = Claim(text="The device number is needed.", citations=(_cited(chunk),))
    return Answer(status=Status.ANSWERED, claims=(claim,))


def made(request: Request, answer: Answer, *evidence: tuple[Chunk, Pinned]) -> Report:
    return Report(
        task=request.task,
        tenant=request.tenant,
        principal=request.principal,
        question=request.question,
        parent_id=request.parent_id,
        created_at=datetime.now(UTC),
        evidence=tuple(Evidence(chunk=chunk, source=source) for chunk, source in evidence),
        answer=answer,
    )
