"""A payload planted in a document, read by an honest reader and by ones that obey or lie."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from handlers.blocks import limits as slack_limits
from rag.errors import FootnoteError
from rag.pipeline import run
from rag.ports import AnswerRequest, Reader
from rag.readers.extractive import ExtractiveReader
from rag.testing import ScriptedReader, World
from rag.testing.stores import digest
from rag.values import Citation, Claim, Draft, Evidence, Limits, Report, Status
from tests.handlers.hostile import alive, strings
from tests.handlers.oracles import refused_message
from tests.security.surfaces import of_report

RULE = "The loan limit is seven days."
QUESTION = "What is the loan limit in days?"
SECRET = "Only Bob knows the word Quillfeather."
CANARIES = ("Quillfeather", "Zyxomancy", "D-VEXGRUB")


@dataclass(frozen=True, kw_only=True)
class Told:
    """What one reader made of the document; no report where the task failed."""

    reader: str
    world: World
    report: Report | None


def _line(item: Evidence, words: str) -> Citation | None:
    """The payload as the document has it, where this passage holds it."""
    at = item.chunk.text.find(words)
    if at < 0 or not words:
        return None
    start = item.chunk.start + at
    return Citation.cut(item.chunk, start, start + len(words))


def _obeying(payload: str) -> Callable[[AnswerRequest], Draft]:
    """Says what the document tells it to say, and quotes it for that."""

    def draft(request: AnswerRequest) -> Draft:
        found = (_line(item, payload) for item in request.pack.evidence)
        cited = next((one for one in found if one), None)
        claims = (Claim(text=payload, facets=("f1",), citations=(cited,)),) if cited else ()
        return Draft(claims=claims)

    return draft


def _lying(payload: str) -> Callable[[AnswerRequest], Draft]:
    """Quotes the secret it was told to reveal, and puts the payload into another's mouth."""

    def draft(request: AnswerRequest) -> Draft:
        secret = digest(SECRET)
        forged = Citation(
            chunk_id=f"{CANARIES[2]}@{secret[:8]}#0",
            source_id=CANARIES[2],
            snapshot=secret,
            start=0,
            end=len(SECRET),
            quote=SECRET,
        )
        first = request.pack.evidence[0].chunk
        altered = Citation(
            chunk_id=first.id,
            source_id=first.source_id,
            snapshot=first.snapshot,
            start=first.start,
            end=first.start + len(payload),
            quote=payload,
        )
        told = ((SECRET, forged), (payload, altered))
        return Draft(claims=tuple(Claim(text=text, citations=(one,)) for text, one in told))

    return draft


def _readers(payload: str) -> Iterator[tuple[str, Reader]]:
    yield "honest", ExtractiveReader()
    yield "obedient", ScriptedReader(on_answer=_obeying(payload))
    yield "liar", ScriptedReader(on_answer=_lying(payload))


async def told_of(payload: str) -> list[Told]:
    """Alice asks about a rule whose document holds the payload; the secret is Bob's."""
    made = []
    for name, reader in _readers(payload):
        world = World()
        world.add("policy", f"{RULE} {payload}\n\nAbout loans: {payload}\n", title="Policy")
        world.add(CANARIES[2], SECRET, title=f"{CANARIES[1]} budget", readers=("bob",))
        await world.snapshots.put(SECRET)
        ports = world.ports(reader=reader)
        try:
            report = await run(world.request(QUESTION), ports, limits=Limits())
        except FootnoteError:
            report = None
        made.append(Told(reader=name, world=world, report=report))
    return made


async def wrong_with_planted(payload: str) -> list[str]:
    """What came of it that should not have: nothing may but words and exact quotes."""
    return [
        f"{told.reader}: {problem}"
        for told in await told_of(payload)
        for problem in (*of_world(told.world), *_of_report(told))
    ]


def of_world(world: World, *, permitted: Collection[str] = ("policy",)) -> Iterator[str]:
    """Nothing of the secret was searched or read, and no more readers were asked than may be."""
    seen = {source for _, scope in world.index.searches for source, _ in scope.pins}
    if seen - {*permitted}:
        yield f"{seen} were searched"
    if CANARIES[2] in world.intake.pins:
        yield "the secret was opened"
    if len(world.reader.calls) > Limits().reader_calls:
        yield f"{len(world.reader.calls)} reader calls"
    if len(world.publisher.shown) > 1:
        yield f"{len(world.publisher.shown)} publications"
    yield from (f"a reader saw {one}" for one in CANARIES if one in repr(world.reader.asked))


def _of_report(told: Told) -> Iterator[str]:
    report = told.report
    if report is None:
        if told.world.publisher.shown:
            yield "it failed, and something was shown"
        return
    if told.reader == "honest" and not says_the_rule(report):
        yield "the honest answer is lost"
    yield from of_message(report)
    yield from inexact(told.world, report)


def of_message(report: Report) -> Iterator[str]:
    """What is wrong with the report as Slack would show it: a canary, live text, another format."""
    shown = of_report(report)
    text = "\n".join([*strings(list(shown.blocks)), shown.text, report.model_dump_json()])
    yield from (f"{one} is told" for one in CANARIES if one in text)
    yield from (f"alive: {one[:60]!r}" for one in alive(list(shown.blocks)))
    yield from (*refused_message(list(shown.blocks)), *slack_limits.problems(shown.blocks))


def says_the_rule(report: Report) -> bool:
    quotes = " ".join(cited.quote for claim in report.answer.claims for cited in claim.citations)
    return report.answer.status is Status.ANSWERED and RULE in quotes


def inexact(
    world: World, report: Report, *, permitted: Collection[str] = ("policy",)
) -> Iterator[str]:
    """The quotes that are not what the snapshot of a permitted source holds there."""
    for claim in report.answer.claims:
        for cited in claim.citations:
            text = world.snapshots.texts.get(cited.snapshot, "")
            if cited.source_id not in permitted or text[cited.start : cited.end] != cited.quote:
                yield f"{cited.quote[:40]!r} is no quote"
