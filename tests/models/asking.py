"""A prompt, a reply's shape and an adapter, for tests."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pydantic import ConfigDict, SecretStr

from bot.engines.model.asking import AskedModel, Bounds
from bot.engines.model.providers import open_openai
from bot.models.servers import ModelServer, NamedModel
from bot.models.spending import Ledger, Unkept
from rag.ports import Behalf, Prompt, Role
from rag.values import Value


class Quoted(Value):
    """A quote of the made-up reply."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    doc: str
    text: str


class Reply(Value):
    """A made-up reply: an answer with quotes, or a question back."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    answer: str | None
    quotes: tuple[Quoted, ...]
    clarify: str | None


PROMPT = Prompt(
    behalf=Behalf(tenant="acme", task="t1", rights="r1"),
    role=Role.ANSWER,
    version="v1",
    instructions="Answer from the documents.",
    material="How long is the notice period?",
)

KEY = "sk-canary-key"


@asynccontextmanager
async def asked_model(
    url: str,
    *,
    seconds: float = 10.0,
    window: int = 32_000,
    tries: int = 3,
    ledger: Ledger | None = None,
    key: str = KEY,
    name: str = "small",
) -> AsyncIterator[AskedModel]:
    """The adapter, asking the server at ``url``; its pauses are short."""
    server = ModelServer(url=url, key=SecretStr(key))
    opened = open_openai(NamedModel(name=name, model=name, server=server), seconds=seconds)
    bounds = Bounds(window=window, output_tokens=8192, seconds=seconds, tries=tries, pause=0.02)
    try:
        yield AskedModel(
            name=f"openai:{name}",
            forms=opened.forms,
            bounds=bounds,
            ledger=ledger or Unkept(),
            count_tokens=lambda text: len(text) // 4,
        )
    finally:
        await opened.close()
