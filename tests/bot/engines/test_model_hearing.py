"""A reply that came is taken in and judged again, whatever happened to whoever asked for it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

import pytest

from bot.engines.model.asking import AskedModel
from bot.engines.model.hearing import Hearing
from bot.models.remembering import key_of
from bot.models.spending import Tally, Unkept
from rag.errors import FormatInvalid
from rag.ports import Behalf, Model, Prompt
from tests.models.asking import PROMPT, Reply, asked_model
from tests.models.server import model_server
from tests.models.steps import Step

GOOD = Step(content='{"answer": null, "quotes": [], "clarify": "Which country?"}')
PROSE = Step(content="Sure!")


class Memory(Unkept):
    """A ledger that keeps replies."""

    def __init__(self) -> None:
        self.kept: dict[str, Sequence[str]] = {}

    @asynccontextmanager
    async def trying(
        self, prompt: Prompt, *, model: str, attempt: int, tokens: int, digest: str = ""
    ) -> AsyncIterator[Tally]:
        async def keep(reply: Sequence[str]) -> None:
            self.kept[digest] = reply

        yield Tally(tokens_in=tokens, keep=keep)

    async def heard(self, prompt: Prompt, *, digest: str) -> tuple[str, ...] | None:
        found = self.kept.get(digest)
        return None if found is None else tuple(found)


@dataclass
class Desk:
    """A worker's model and its provider; ``hearing`` is that of the worker after it."""

    asked: AskedModel
    requests: list[str]
    memory: Memory
    on_request: list[Callable[[], object]]

    @property
    def hearing(self) -> Model:
        return Hearing(asked=self.asked, inner=self.asked)


@asynccontextmanager
async def desk(*steps: Step) -> AsyncIterator[Desk]:
    requests: list[str] = []
    on_request: list[Callable[[], object]] = []
    left = list(steps)

    def answer(_body: object) -> Step:
        requests.append("")
        for told in on_request:
            told()
        return left.pop(0)

    memory = Memory()
    async with (
        model_server(answer) as server,
        asked_model(server.url, ledger=memory) as asked,
    ):
        yield Desk(asked, requests, memory, on_request)


async def test_what_was_heard_is_not_asked_again() -> None:
    async with desk(GOOD) as opened:
        first = await opened.hearing.reply(PROMPT, Reply)
        assert await opened.hearing.reply(PROMPT, Reply) == first
        assert len(opened.requests) == 1


async def test_what_was_malformed_is_so_again_and_the_repair_asks_as_it_would_have() -> None:
    async with desk(PROSE, GOOD) as opened:
        for _ in range(2):
            with pytest.raises(FormatInvalid, match="not one JSON object"):
                await opened.hearing.reply(PROMPT, Reply)
        assert len(opened.requests) == 1
        repair = PROMPT.model_copy(update={"material": "once more"})
        await opened.hearing.reply(repair, Reply)
        assert len(opened.requests) == 2


async def test_a_reply_in_pieces_is_kept_too() -> None:
    async with desk() as opened:
        opened.memory.kept[opened.asked.digest(PROMPT, Reply)] = ("{}", "{}")
        with pytest.raises(FormatInvalid, match="several pieces"):
            await opened.hearing.reply(PROMPT, Reply)


async def test_one_that_did_not_finish_is_not_kept() -> None:
    async with desk(GOOD.model_copy(update={"finish": "length"})) as opened:
        with pytest.raises(Exception, match="cut off"):
            await opened.hearing.reply(PROMPT, Reply)
        assert opened.memory.kept == {}


@pytest.mark.parametrize(
    "other",
    [
        {"behalf": PROMPT.behalf.model_copy(update={"rights": "r2"})},
        {"behalf": PROMPT.behalf.model_copy(update={"tenant": "demo"})},
        {"version": "v2"},
        {"instructions": "Answer."},
        {"material": "How long?"},
    ],
)
async def test_anything_else_is_asked(other: dict[str, object]) -> None:
    async with desk(GOOD, GOOD, GOOD) as opened:
        await opened.hearing.reply(PROMPT, Reply)
        await opened.hearing.reply(PROMPT.model_copy(update=other), Reply)
        assert len(opened.requests) == 2
        elsewhere = replace(opened.asked, where="the same name at another server")
        await Hearing(asked=elsewhere, inner=elsewhere).reply(PROMPT, Reply)
        assert len(opened.requests) == 3


async def test_a_model_asked_for_no_task_is_asked_each_time() -> None:
    nobody = PROMPT.model_copy(update={"behalf": Behalf()})
    async with desk(GOOD, GOOD) as opened:
        for _ in range(2):
            await opened.hearing.reply(nobody, Reply)
        assert len(opened.requests) == 2


async def test_a_reply_that_arrives_as_its_asker_gives_up_is_kept() -> None:
    """A deadline and a stopping worker alike cancel; a moment later the reply is there."""
    async with desk(GOOD.model_copy(update={"stall": 0.1})) as opened:
        asking = asyncio.create_task(opened.hearing.reply(PROMPT, Reply))
        opened.on_request.append(asking.cancel)
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert opened.memory.kept.keys() == {key_of(PROMPT, Reply, model=opened.asked.name)}
        await opened.hearing.reply(PROMPT, Reply)
        assert len(opened.requests) == 1


async def test_who_gives_up_waits_for_no_reply_that_is_not_coming() -> None:
    async with desk(GOOD.model_copy(update={"stall": 60.0})) as opened:
        asking = asyncio.create_task(opened.hearing.reply(PROMPT, Reply))
        opened.on_request.append(asking.cancel)
        async with asyncio.timeout(10):
            with pytest.raises(asyncio.CancelledError):
                await asking
        assert opened.memory.kept == {}
