"""Providers that are extras: asked as they want to be, held to the same, where installed."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web
from pydantic import SecretStr

from bot.engines.model.asking import AskedModel, Bounds
from bot.engines.model.providers import OPENERS
from bot.errors import SettingsInvalid
from bot.models.servers import Kind, ModelServer, NamedModel
from bot.models.spending import Unkept
from rag.errors import ReaderDeclined, ReaderExhausted, ReaderIncomplete
from tests.models.asking import PROMPT, Reply

GOOD = '{"answer": null, "quotes": [], "clarify": "Which country?"}'


def _anthropic(stop: str) -> dict[str, Any]:
    return {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [{"type": "text", "text": GOOD}],
        "stop_reason": stop,
        "usage": {"input_tokens": 5, "output_tokens": 3},
    }


def _google(stop: str) -> dict[str, Any]:
    content = {"role": "model", "parts": [{"text": GOOD}]}
    return {
        "candidates": [{"content": content, "finishReason": stop, "index": 0}],
        "usageMetadata": {"promptTokenCount": 5, "candidatesTokenCount": 3, "totalTokenCount": 8},
    }


KINDS: dict[Kind, tuple[str, str, str, dict[str, Any], dict[str, Any]]] = {
    "anthropic": (
        "anthropic",
        "claude-haiku-4-5",
        "x-api-key",
        _anthropic("end_turn"),
        _anthropic("max_tokens"),
    ),
    "google": (
        "google.genai",
        "gemini-2.5-flash",
        "x-goog-api-key",
        _google("STOP"),
        _google("MAX_TOKENS"),
    ),
}


class Provider:
    """A server that answers everything with ``body``, and keeps the headers it was sent."""

    def __init__(self, body: dict[str, Any], status: int) -> None:
        self.body = body
        self.status = status
        self.headers: list[dict[str, str]] = []

    async def handle(self, request: web.Request) -> web.Response:
        self.headers.append({name.lower(): value for name, value in request.headers.items()})
        return web.json_response(self.body, status=self.status)


@asynccontextmanager
async def asked(
    kind: Kind, body: dict[str, Any], status: int = 200
) -> AsyncIterator[tuple[AskedModel, Provider]]:
    pytest.importorskip(KINDS[kind][0], reason=f"the extra `{kind}` is not installed")
    provider = Provider(body, status)
    app = web.Application()
    app.router.add_route("POST", "/{path:.*}", provider.handle)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    server = ModelServer(kind=kind, url=url, key=SecretStr("sk-ours"))
    named = NamedModel(name=f"{kind}:m", model=KINDS[kind][1], server=server)
    opened = OPENERS[kind](named, seconds=10)
    bounds = Bounds(window=32_000, output_tokens=8192, seconds=10, pause=0.01)
    try:
        yield (
            AskedModel(
                name=named.name,
                forms=opened.forms,
                bounds=bounds,
                ledger=Unkept(),
                count_tokens=len,
            ),
            provider,
        )
    finally:
        await opened.close()
        await runner.cleanup()


@pytest.mark.parametrize("kind", KINDS)
async def test_it_replies_and_is_sent_our_key_alone(
    kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "GOOGLE_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.setenv(name, "sk-foreign")
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Foreign: foreign")
    async with asked(kind, KINDS[kind][3]) as (model, provider):
        assert (await model.reply(PROMPT, Reply)).clarify == "Which country?"
        (headers,) = provider.headers
        assert headers[KINDS[kind][2]] == "sk-ours"
        assert "foreign" not in repr(headers)


@pytest.mark.parametrize("kind", KINDS)
async def test_a_reply_that_was_cut_off_is_not_taken(kind: Kind) -> None:
    async with asked(kind, KINDS[kind][4]) as (model, provider):
        with pytest.raises(ReaderIncomplete, match="cut off"):
            await model.reply(PROMPT, Reply)
        assert len(provider.headers) == 1


@pytest.mark.parametrize("kind", KINDS)
async def test_it_is_asked_three_times_by_us_and_by_nobody_else(kind: Kind) -> None:
    async with asked(kind, {"error": {"message": "canary"}}, 503) as (model, provider):
        with pytest.raises(ReaderExhausted) as caught:
            await model.reply(PROMPT, Reply)
        assert "canary" not in str(caught.value)
        assert len(provider.headers) == 3


@pytest.mark.parametrize("kind", KINDS)
async def test_a_key_that_is_refused_is_said(kind: Kind) -> None:
    async with asked(kind, {"error": {"message": "canary"}}, 401) as (model, provider):
        with pytest.raises(ReaderDeclined, match="refuses the key"):
            await model.reply(PROMPT, Reply)
        assert len(provider.headers) == 1


@pytest.mark.parametrize(
    ("server", "told"),
    [
        (ModelServer(kind="bedrock", key=SecretStr("k")), "region"),
        (ModelServer(kind="bedrock", region="eu-west-1"), "needs a key"),
        (
            ModelServer(
                kind="bedrock", region="eu-west-1", key=SecretStr("k"), url="http://a.example"
            ),
            "https",
        ),
    ],
)
def test_bedrock_says_what_it_lacks(server: ModelServer, told: str) -> None:
    pytest.importorskip("botocore", reason="the extra `bedrock` is not installed")
    with pytest.raises(SettingsInvalid, match=told):
        OPENERS["bedrock"](NamedModel(name="b", model="m", server=server), seconds=1)
