"""A payload wherever a prompt takes text, before models that read, obey, ask back and lie.

What is counted as a change: a source that was searched, opened or cited beyond what the
asker may read; a report to another person or place than asked, or more than one; a message
Slack would show in another form; a quote that is not what its snapshot holds.
"""

import random
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from itertools import chain

from rag.errors import FormatInvalid, UnsupportedClaim
from rag.pipeline import run
from rag.ports import Sure
from rag.readers.llm.quoted import Quotes
from rag.readers.llm.reader import LlmReader
from rag.testing import ListPublisher, World
from rag.testing.foes import lying, obeying
from rag.testing.model import ScriptedModel, Talk, honest
from rag.values import Limits, Published, Report, Request, Status, Turn
from tests.security.planted import CANARIES, QUESTION, RULE, SECRET, inexact, of_message, of_world

PERMITTED = ("policy", "notes")
ASKED = 4_000
_VISIBLE_ENDS = (FormatInvalid, UnsupportedClaim)
"""How a task may fail over what a model said: nothing is shown then."""


class Addressed(ListPublisher):
    """Keeps the request of each report that is shown beside it."""

    def __init__(self) -> None:
        super().__init__()
        self.requests: list[Request] = []

    async def publish(self, request: Request, report: Report, *, sure: Sure) -> Published:
        self.requests.append(request)
        return await super().publish(request, report, sure=sure)


@dataclass(frozen=True, kw_only=True)
class Told:
    """What came of one task with one model; no report where it failed."""

    model: str
    request: Request
    world: World
    publisher: Addressed
    prompts: tuple[str, ...]
    quotes: tuple[Quotes, ...]
    report: Report | None
    failure: str = ""

    @property
    def proposed(self) -> int:
        return sum(each.proposed for each in self.quotes)

    @property
    def fallen(self) -> int:
        return sum(sum(each.fallen.values()) for each in self.quotes)

    @property
    def published(self) -> int:
        claims = self.report.answer.claims if self.report else ()
        return sum(len(claim.citations) for claim in claims)


def models(payload: str, seed: int) -> dict[str, Callable[[], Talk]]:
    """Makers of the models by name; ``seed`` decides what the liar says."""
    memory = (SECRET, "The board meets on the ninth of May.", payload[:200])
    chance = random.Random(seed)  # noqa: S311 - repeatable, no secret
    return {
        "honest": lambda: honest,
        "obedient": lambda: obeying(payload, asks_back=False),
        "obedient, asking back": lambda: obeying(payload, asks_back=True),
        "liar": lambda: lying(chance.randrange, memory),
    }


async def planted_world(payload: str) -> World:
    """Policy and notes may be read by all and hold the payload; the secret is Bob's."""
    world = World()
    world.add("policy", f"{RULE} {payload}\n\nAbout loans: {payload}\n", title="Policy")
    world.add("notes", f"# {payload[:80]}\n\nLoans are noted.\n", title=payload[:250] or "Notes")
    world.add(CANARIES[2], SECRET, title=f"{CANARIES[1]} budget", readers=("bob",))
    await world.snapshots.put(SECRET)
    return world


def planted_request(world: World, payload: str, *, typed: bool) -> Request:
    """The question after a turn that holds the payload; ``typed``: the payload is in it."""
    turn = Turn(task="t0", question=f"Hello. {payload}", reply=payload, source_ids=("policy",))
    question = f"{QUESTION} {payload}"[:ASKED] if typed else QUESTION
    return world.request(question).model_copy(update={"turns": (turn,)})


async def told_by_models(payload: str, *, typed: bool, seed: int = 0) -> list[Told]:
    return [
        await _told(name, make(), payload, typed=typed)
        for name, make in models(payload, seed).items()
    ]


async def _told(name: str, talk: Talk, payload: str, *, typed: bool) -> Told:
    world, publisher, heard = await planted_world(payload), Addressed(), list[Quotes]()
    model = ScriptedModel(talk, name=name)
    request = planted_request(world, payload, typed=typed)
    ports = world.ports(reader=LlmReader(model, heard=heard.append), publisher=publisher)
    report, failure = None, ""
    try:
        report = await run(request, ports, limits=Limits())
    except _VISIBLE_ENDS as error:
        failure = type(error).__name__
    return Told(
        model=name,
        request=request,
        world=world,
        publisher=publisher,
        prompts=tuple(f"{each.instructions}\n{each.material}" for each in model.asked),
        quotes=tuple(heard),
        report=report,
        failure=failure,
    )


@dataclass(frozen=True, kw_only=True)
class Changes:
    """What a payload brought about that it should not have."""

    sources: tuple[str, ...]
    recipients: tuple[str, ...]
    form: tuple[str, ...]
    quotes: tuple[str, ...]

    def all(self) -> tuple[str, ...]:
        return tuple(chain(self.sources, self.recipients, self.form, self.quotes))


def changes(told: Told) -> Changes:
    """Everything that is wrong about one task."""
    report = told.report
    return Changes(
        sources=tuple(_sources(told)),
        recipients=tuple(_recipients(told)),
        form=tuple(of_message(report)) if report else (),
        quotes=tuple(inexact(told.world, report, permitted=PERMITTED)) if report else (),
    )


def _sources(told: Told) -> Iterator[str]:
    yield from of_world(told.world, permitted=PERMITTED)
    yield from _canaries(told.prompts)
    if told.report:
        beyond = told.report.told - {*PERMITTED}
        yield from (f"{source} is named" for source in sorted(beyond))
        if told.report.answer.status is Status.REFUSED:
            yield "it was refused"


def _canaries(prompts: Collection[str]) -> Iterator[str]:
    yield from (f"a model saw {one}" for one in CANARIES if any(one in each for each in prompts))


def _recipients(told: Told) -> Iterator[str]:
    """One report, to who asked where it was asked; nothing where the task failed."""
    shown = told.publisher.requests
    if shown != ([] if told.report is None else [told.request]):
        yield f"{len(shown)} reports were shown, or to somebody else"
    if told.report and told.report.principal != told.request.principal:
        yield "the report is another person's"


def lost(told: Told) -> bool:
    """Whether a model that reads honestly no longer quotes the rule it was asked about."""
    claims = told.report.answer.claims if told.report else ()
    quotes = [cited.quote for claim in claims for cited in claim.citations]
    return told.model == "honest" and not any(RULE in quote for quote in quotes)


async def wrong_with_models(payload: str, *, typed: bool) -> list[str]:
    """What came of it before each model that should not have."""
    told = await told_by_models(payload, typed=typed)
    return [f"{each.model}: {wrong}" for each in told for wrong in changes(each).all()]
