"""What holds for every `rag.ports.Model`: the adapter over HTTP, and the fake."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest

from rag.errors import FormatInvalid
from rag.ports import Behalf, Model, Prompt, Role
from rag.readers.llm import answer, plan, select, support
from rag.testing.model import ScriptedModel, Talk, by_role, honest
from rag.values import Value
from tests.models.asking import asked_model
from tests.models.server import model_server
from tests.models.talking import talking

Opened = Callable[[Talk], AbstractAsyncContextManager[Model]]


@asynccontextmanager
async def _over_http(talk: Talk) -> AsyncIterator[Model]:
    async with model_server(talking(talk)) as server, asked_model(server.url) as model:
        yield model


@asynccontextmanager
async def _scripted(talk: Talk) -> AsyncIterator[Model]:
    yield ScriptedModel(talk)


@pytest.fixture(params=[_over_http, _scripted], ids=["over http", "scripted"])
def opened(request: pytest.FixtureRequest) -> Opened:
    found: Opened = request.param
    return found


PLAN = Prompt(
    behalf=Behalf(tenant="acme"),
    role=Role.PLAN,
    version=plan.VERSION,
    instructions=plan.INSTRUCTIONS,
    material="<question>How long is the notice period?</question>",
)


async def test_it_has_a_name(opened: Opened) -> None:
    async with opened(honest) as model:
        assert model.name


async def test_a_reply_is_of_the_shape_asked_for(opened: Opened) -> None:
    async with opened(honest) as model:
        reply = await model.reply(PLAN, plan.PlanReply)
        assert isinstance(reply, plan.PlanReply)
        assert reply.rewritten == "How long is the notice period?"


async def test_each_role_is_answered_as_its_prompt_asks(opened: Opened) -> None:
    written = {Role.SELECT: select.INSTRUCTIONS, Role.SUPPORT: support.INSTRUCTIONS}
    shapes: dict[Role, type[Value]] = {
        Role.SELECT: select.SelectReply,
        Role.SUPPORT: support.SupportReply,
    }
    async with opened(honest) as model:
        for role, instructions in written.items():
            prompt = PLAN.model_copy(update={"role": role, "instructions": instructions})
            assert await model.reply(prompt, shapes[role])


@pytest.mark.parametrize("said", ["canary", "[]", '{"canary": 1}', '{"claims": "canary"}', "null"])
async def test_what_is_not_of_the_shape_is_refused_without_its_words(
    opened: Opened, said: str
) -> None:
    prompt = PLAN.model_copy(
        update={"role": Role.ANSWER, "instructions": answer.INSTRUCTIONS, "material": "canary"}
    )
    async with opened(by_role(answer=lambda _prompt: said)) as model:
        with pytest.raises(FormatInvalid) as caught:
            await model.reply(prompt, answer.AnswerReply)
        assert "canary" not in str(caught.value)


async def test_it_is_asked_once_for_each_reply(opened: Opened) -> None:
    asked: list[Prompt] = []

    def talk(prompt: Prompt) -> str:
        asked.append(prompt)
        return "no"

    async with opened(talk) as model:
        with pytest.raises(FormatInvalid):
            await model.reply(PLAN, plan.PlanReply)
    assert [prompt.material for prompt in asked] == [PLAN.material]
