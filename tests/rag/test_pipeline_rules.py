"""Rules that hold across stages: what nobody may be shown, and what may not be spent twice."""

import pytest

from rag.errors import FormatInvalid
from rag.pipeline import run
from rag.ports import AnswerRequest
from rag.testing import ScriptedReader, World
from rag.testing.reader import quoting
from rag.values import Claim, Conflict, Draft, Limits, Status

LIMITS = Limits()
LOAN = "A loan ends after seven days.\n\nA badge is lent by the desk."


def unjudged(item: Claim) -> Claim:
    return item.model_copy(update={"text": "A loan never ends."})


@pytest.mark.parametrize("told", [0, 1, 2])
async def test_a_side_of_a_conflict_that_is_no_claim_is_never_shown(told: int) -> None:
    """Whatever is not among the claims has not been grounded."""

    def draft(request: AnswerRequest) -> Draft:
        claims = tuple(quoting(item) for item in request.pack.evidence[:2])
        sides = (unjudged(claims[0]), claims[1])
        return Draft(claims=claims[:told], conflicts=(Conflict(about="loans", sides=sides),))

    world = World(reader=ScriptedReader(on_answer=draft))
    world.add("loans", LOAN)
    with pytest.raises(FormatInvalid) as caught:
        await run(world.request("loan badge"), world.ports(), limits=LIMITS)
    assert caught.value.stage == "answer"
    assert world.publisher.shown == []


async def test_a_refusal_that_was_saved_stays_one_and_costs_no_reader_call() -> None:
    world = World()
    world.add("secret", LOAN, readers=("bob",))
    request = world.request("loan")
    refused = await run(request, world.ports(), limits=LIMITS)
    assert refused.answer.status is Status.REFUSED
    world.catalogue.set_readers("secret", "alice")
    assert await run(request, world.ports(), limits=LIMITS) == refused
    assert world.reader.calls == []


async def test_where_nothing_was_read_yet_all_the_places_are_used() -> None:
    world = World()
    for number in range(25):
        world.add(f"s{number:02}", f"Paper {number} on badges.")
    report = await run(world.request("badge"), world.ports(), limits=LIMITS)
    assert len(report.trace.snapshots) == 20
    assert len(report.trace.retrieval_trace["sources_left_out"]) == 5
