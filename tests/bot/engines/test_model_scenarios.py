"""Every branch of asking a model, over real HTTP from a scripted server."""

import logging
import traceback

import pytest

from rag.errors import FootnoteError
from rag.ports import Model
from tests.models.asking import KEY, PROMPT, Reply, asked_model
from tests.models.scenarios import Scenario, read
from tests.models.server import in_turn, model_server

FILES = ("statuses", "connections", "envelopes", "replies", "forms")
ALL = [one for file in FILES for one in read(file)]


async def _asked(model: Model) -> tuple[str, str]:
    """The outcome, and all that a log would show of it."""
    try:
        await model.reply(PROMPT, Reply)
    except FootnoteError as error:
        return type(error).__name__, "".join(traceback.format_exception(error))
    return "taken", ""


@pytest.mark.parametrize("scenario", ALL, ids=[one.name for one in ALL])
async def test_it_comes_to_what_is_stated(
    scenario: Scenario, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    answer = in_turn(*scenario.steps)
    async with (
        model_server(answer) as server,
        asked_model(server.url, seconds=scenario.seconds) as model,
    ):
        outcome, told = await _asked(model)
        assert (outcome, scenario.tells in told) == (scenario.outcome, True), told
        assert len(server.asked) == scenario.requests
        if scenario.forms:
            assert tuple(asked.form for asked in server.asked) == scenario.forms
    for text in (told, caplog.text):
        assert not any(secret in text for secret in ("canary", KEY, PROMPT.material))
