"""Which reader the settings ask for.

What asks a model takes most of a second to load, so it is loaded only where it is chosen.
"""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from bot.extras import load
from bot.models.servers import EXTRACTIVE, NamedModel, named_model
from bot.models.spending import Ledger, Unkept
from bot.settings import Settings
from rag.ports import CountTokens, Model, Reader, Role
from rag.readers.extractive import ExtractiveReader
from rag.readers.llm.reader import LlmReader

_SHARE = 0.95
"""Of a reader call's seconds, what asking may take; the rest is for saying why it failed."""

Wrap = Callable[[NamedModel, Model], Model]
"""Puts something round the model of a name."""


def bare(_named: NamedModel, model: Model) -> Model:
    """Puts nothing round it."""
    return model


@asynccontextmanager
async def open_reader(
    settings: Settings,
    *,
    count_tokens: CountTokens,
    ledger: Ledger | None = None,
    wrap: Wrap = bare,
) -> AsyncIterator[Reader]:
    """The reader that FOOTNOTE_READER names, until it is closed. Raises `SettingsInvalid`."""
    if settings.reader == EXTRACTIVE:
        yield ExtractiveReader()
        return
    opening = open_model(settings, count_tokens=count_tokens, ledger=ledger, wrap=wrap)
    async with opening as model:
        yield LlmReader(model)


def open_model(
    settings: Settings,
    *,
    count_tokens: CountTokens,
    ledger: Ledger | None = None,
    wrap: Wrap = bare,
) -> AbstractAsyncContextManager[Model]:
    """The model of each role behind one, until it is closed. Raises `SettingsInvalid`."""
    wanted = models_by_role(settings)
    opening = load("bot.engines.model.opening", setting="FOOTNOTE_READER", extra="openai")
    bounds = opening.Bounds(
        window=settings.reader_window,
        output_tokens=settings.reader_output_tokens,
        seconds=settings.limits.reader_seconds * _SHARE,
    )
    opened: AbstractAsyncContextManager[Model] = opening.open_models(
        wanted, bounds=bounds, ledger=ledger or Unkept(), count_tokens=count_tokens, wrap=wrap
    )
    return opened


def must_be_named(settings: Settings) -> None:
    """Nothing, or `SettingsInvalid` where FOOTNOTE_READER names no reader; none is opened."""
    if settings.reader != EXTRACTIVE:
        models_by_role(settings)


def models_by_role(settings: Settings) -> Mapping[Role, NamedModel]:
    """Which model is asked each question. Raises `SettingsInvalid`."""
    said = {
        Role.PLAN: settings.reader_plan,
        Role.SELECT: settings.reader_select,
        Role.ANSWER: settings.reader_answer,
        Role.SUPPORT: settings.reader_support,
        Role.ENRICH: settings.reader_enrich,
    }
    return {
        role: named_model(
            text or settings.reader,
            own=settings.reader,
            url=settings.reader_url,
            key=settings.reader_key,
            servers=settings.reader_servers,
        )
        for role, text in said.items()
    }
