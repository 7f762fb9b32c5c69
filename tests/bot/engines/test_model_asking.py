"""What asking a model does beside one request: waits, remembers, counts and keeps apart."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from bot.engines.model.asking import AskedModel
from bot.engines.model.forms import Ladder
from bot.models.spending import Tally, TryFailed
from rag.errors import BudgetExceeded, FormatInvalid, ReaderDeclined, ReaderExhausted
from rag.ports import Prompt
from rag.values import Value
from tests.models.asking import PROMPT, Reply, asked_model
from tests.models.certificates import self_signed
from tests.models.server import Body, in_turn, model_server
from tests.models.steps import Step

GOOD = Step(content='{"answer": null, "quotes": [], "clarify": "Which country?"}')
BUSY = Step(status=429, body="{}", headers={"Retry-After": "1"})


class Kept:
    """`bot.models.spending.Ledger`: keeps attempts, tokens and ends."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, str, int, int]] = []

    @asynccontextmanager
    async def trying(
        self, prompt: Prompt, *, model: str, attempt: int, tokens: int, digest: str = ""
    ) -> AsyncIterator[Tally]:
        tally, end = Tally(tokens_in=tokens), "ok"
        try:
            yield tally
        except TryFailed as failed:
            end = type(failed.told).__name__
            raise
        except FormatInvalid:
            end = "FormatInvalid"
            raise
        finally:
            self.rows.append((attempt, end, tally.tokens_in, tally.tokens_out))

    async def heard(self, prompt: Prompt, *, digest: str) -> tuple[str, ...] | None:
        return None

    async def remembered(self, prompt: Prompt, *, model: str) -> None:
        raise NotImplementedError


async def test_a_server_is_waited_for_as_long_as_it_asks() -> None:
    async with model_server(in_turn(BUSY, GOOD)) as server, asked_model(server.url) as model:
        await model.reply(PROMPT, Reply)
        first, second = (asked.at for asked in server.asked)
        assert second - first >= 1.0


async def test_waits_are_spread_so_that_those_who_wait_do_not_come_together() -> None:
    waits: list[tuple[float, float]] = []

    def shortest(least: float, most: float) -> float:
        waits.append((least, most))
        return least

    failing = Step(status=503, body="{}")
    async with (
        model_server(in_turn(failing)) as server,
        asked_model(server.url) as model,
    ):
        with pytest.raises(ReaderExhausted):
            await replace(model, spread=shortest).reply(PROMPT, Reply)
    assert waits == [(0.0, 0.01), (0.0, 0.02)]


async def test_who_is_busy_for_longer_than_the_call_has_is_not_waited_for() -> None:
    async with (
        model_server(in_turn(BUSY)) as server,
        asked_model(server.url, seconds=0.9) as model,
    ):
        began = time.monotonic()
        with pytest.raises(ReaderExhausted, match="busy"):
            await model.reply(PROMPT, Reply)
        assert time.monotonic() - began < 0.9
        assert len(server.asked) == 1


async def test_what_one_server_does_not_take_is_remembered() -> None:
    loose = GOOD.model_copy(update={"forms": ("none",)})
    async with model_server(in_turn(loose)) as server, asked_model(server.url) as model:
        await model.reply(PROMPT, Reply)
        await model.reply(PROMPT, Reply)
        forms = [asked.form for asked in server.asked]
        assert forms == ["json_schema", "json_object", "none", "none"]
        roles = [message["role"] for message in server.asked[-1].body["messages"]]
        assert roles == ["system", "user"]  # more are refused by many a chat template
        told = server.asked[-1].body["messages"][0]["content"]
        assert told.startswith(PROMPT.instructions)
        assert '"clarify"' in told


async def test_a_shape_never_asked_for_begins_where_the_last_one_settled() -> None:
    class Other(Value):
        answer: None
        quotes: tuple[str, ...]
        clarify: str

    loose = GOOD.model_copy(update={"forms": ("json_object",)})
    async with model_server(in_turn(loose)) as server, asked_model(server.url) as model:
        await model.reply(PROMPT, Reply)
        await model.reply(PROMPT, Other)
        assert [asked.form for asked in server.asked][1:] == ["json_object", "json_object"]


async def test_a_server_that_heeds_no_schema_is_asked_in_words_for_the_repair() -> None:
    prose = Step(content="Sure!")
    async with model_server(in_turn(prose, GOOD)) as server, asked_model(server.url) as model:
        with pytest.raises(FormatInvalid):
            await model.reply(PROMPT, Reply)
        assert len(server.asked) == 1
        await model.reply(PROMPT, Reply)
        assert server.asked[1].form == "json_object"


async def test_a_form_that_worked_is_not_left_for_one_bad_reply() -> None:
    answer = in_turn(GOOD, Step(content="{}"), GOOD)
    async with model_server(answer) as server, asked_model(server.url) as model:
        await model.reply(PROMPT, Reply)
        with pytest.raises(FormatInvalid):
            await model.reply(PROMPT, Reply)
        await model.reply(PROMPT, Reply)
        assert {asked.form for asked in server.asked} == {"json_schema"}


def test_what_is_refused_in_its_form_is_tried_in_all_of_them_the_next_time() -> None:
    ladder = Ladder(("schema", "object", "words"))
    assert ladder.rungs("Plan") == (0, 1, 2)
    ladder.worked("Plan", 1)
    ladder.misread("Plan", 1)
    assert (ladder.rungs("Plan"), ladder.rungs("Other")) == ((1,), (1, 2, 0))
    ladder.refused("Plan")
    assert ladder.rungs("Plan") == (1, 2, 0)


async def test_a_request_that_is_refused_in_every_form_spoils_the_form_of_no_other() -> None:
    def answer(body: Body) -> Step:
        refused = "forbidden words" in str(body)
        return Step(status=400, body="{}") if refused else only

    only = GOOD.model_copy(update={"forms": ("json_object",), "stall": 0.01})
    bad = PROMPT.model_copy(update={"material": "forbidden words"})
    async with model_server(answer) as server, asked_model(server.url) as model:
        for _ in range(5):
            asked = [model.reply(each, Reply) for each in (PROMPT, bad, PROMPT, bad)]
            ends = await asyncio.gather(*asked, return_exceptions=True)
            assert [type(end) for end in ends] == [Reply, ReaderDeclined] * 2


@pytest.mark.parametrize("known", [("json_object", "none"), ("none",), ("json_object",)])
async def test_a_server_of_few_forms_answers_all_who_ask_at_once(known: tuple[str, ...]) -> None:
    answer = in_turn(GOOD.model_copy(update={"forms": known, "stall": 0.05}))
    async with model_server(answer) as server, asked_model(server.url) as model:
        replies = await asyncio.gather(*(model.reply(PROMPT, Reply) for _ in range(4)))
    assert len(replies) == 4


async def test_each_request_is_told_to_the_ledger_with_what_it_cost() -> None:
    kept = Kept()
    answer = in_turn(Step(status=503, body="{}"), Step(content="{}"))
    async with (
        model_server(answer) as server,
        asked_model(server.url, ledger=kept) as model,
    ):
        with pytest.raises(FormatInvalid):
            await model.reply(PROMPT, Reply)
    (first, second) = kept.rows
    assert first[:2] == (1, "ReaderExhausted")
    assert second[:2] == (2, "FormatInvalid")
    assert first[2] > 64  # counted by us, for the server said nothing
    assert second[2:] != first[2:]


@pytest.mark.parametrize(
    ("status", "said", "kind", "asked"),
    [
        (400, {"type": "exceed_context_size_error"}, BudgetExceeded, 1),
        (404, {"message": "no endpoint supports response_format"}, ReaderDeclined, 3),
        (404, {"message": "no such model"}, ReaderDeclined, 1),
        (501, {"message": "response_format is not implemented"}, ReaderDeclined, 3),
    ],
)
async def test_what_a_server_refuses_is_told_from_how_it_was_asked(
    status: int, said: dict[str, str], kind: type[Exception], asked: int
) -> None:
    refused = Step(status=status, body=json.dumps({"error": said}))
    async with model_server(in_turn(refused)) as server, asked_model(server.url) as model:
        with pytest.raises(kind):
            await model.reply(PROMPT, Reply)
    assert len(server.asked) == asked


@pytest.mark.parametrize("told", [10**23, -5, 0])
async def test_tokens_that_no_request_has_are_counted_here_instead(told: int) -> None:
    kept = Kept()
    usage = {"prompt_tokens": told, "completion_tokens": told, "total_tokens": told}
    said = GOOD.model_copy(update={"envelope": {"usage": usage}})
    async with (
        model_server(in_turn(said)) as server,
        asked_model(server.url, ledger=kept) as model,
    ):
        await model.reply(PROMPT, Reply)
    (only,) = kept.rows
    assert 64 < only[2] < 1000
    assert 5 < only[3] < 100


async def test_a_prompt_without_room_for_its_reply_is_never_sent() -> None:
    long = PROMPT.model_copy(update={"material": "word " * 40_000})
    async with (
        model_server(in_turn(GOOD)) as server,
        asked_model(server.url, window=32_000) as model,
    ):
        with pytest.raises(BudgetExceeded) as caught:
            await model.reply(long, Reply)
        assert caught.value.limit == "reader_window"
        assert server.asked == []


async def test_every_request_asks_for_the_same_and_offers_no_tool() -> None:
    async with model_server(in_turn(GOOD)) as server, asked_model(server.url) as model:
        await model.reply(PROMPT, Reply)
        body = server.asked[0].body
        assert (body["temperature"], body["max_tokens"], body["stream"]) == (0.0, 8192, False)
        assert "tools" not in body
        texts = [(one["role"], one["content"]) for one in body["messages"]]
        assert texts == [("system", PROMPT.instructions), ("user", PROMPT.material)]
        assert not any(word in str(body) for word in ("acme", "t1", "r1"))


async def test_one_who_waits_holds_nobody_up() -> None:
    def answer(body: dict[str, object]) -> Step:
        return GOOD.model_copy(update={"stall": 60.0}) if "slowly" in str(body) else GOOD

    slow = PROMPT.model_copy(update={"material": "slowly"})
    async with model_server(answer) as server, asked_model(server.url) as model:
        waiting = [asyncio.create_task(model.reply(slow, Reply)) for _ in range(20)]
        await asyncio.sleep(0)
        async with asyncio.timeout(9):
            await asyncio.gather(*(model.reply(PROMPT, Reply) for _ in range(20)))
        assert not any(task.done() for task in waiting)
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)


async def _away(model: AskedModel) -> None:
    with pytest.raises(ReaderExhausted, match="cannot be reached"):
        await model.reply(PROMPT, Reply)


async def test_nobody_listens_there() -> None:
    async with model_server(in_turn(GOOD)) as server:
        pass
    async with asked_model(server.url) as model:
        await _away(model)


async def test_there_is_no_such_name() -> None:
    async with asked_model("http://nowhere.invalid/v1") as model:
        await _away(model)


async def test_a_server_nobody_vouches_for_is_told_nothing(tmp_path: Path) -> None:
    async with (
        model_server(in_turn(GOOD), tls=self_signed(tmp_path)) as server,
        asked_model(server.url) as model,
    ):
        await _away(model)
        assert server.asked == []


async def test_without_a_key_none_is_sent() -> None:
    async with model_server(in_turn(GOOD)) as server, asked_model(server.url, key="") as model:
        await model.reply(PROMPT, Reply)
        assert "Authorization" not in server.asked[0].headers


async def test_a_model_that_is_refused_is_refused_at_once() -> None:
    answer = in_turn(Step(status=404, body='{"error": {"code": "model_not_found"}}'))
    async with model_server(answer) as server, asked_model(server.url) as model:
        with pytest.raises(ReaderDeclined, match="not known"):
            await model.reply(PROMPT, Reply)
        assert len(server.asked) == 1
