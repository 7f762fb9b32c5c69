"""Opens the models that are wanted, each once, and closes them together."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager

from bot.engines.model.asking import AskedModel, Bounds
from bot.engines.model.hearing import Hearing
from bot.engines.model.providers import OPENERS
from bot.engines.model.roles import ModelByRole
from bot.models.servers import NamedModel
from bot.models.spending import Ledger
from rag.ports import CountTokens, Model, Role

__all__ = ["Bounds", "open_models"]


@asynccontextmanager
async def open_models(
    wanted: Mapping[Role, NamedModel],
    *,
    bounds: Bounds,
    ledger: Ledger,
    count_tokens: CountTokens,
    wrap: Callable[[NamedModel, Model], Model],
) -> AsyncIterator[ModelByRole]:
    """One model that asks the wanted one of each role; ``wrap`` puts something round each.

    What a task has heard already, as ``ledger`` knows, is asked of nobody.

    Raises `SettingsInvalid` where a provider needs what is not installed.
    """
    made: dict[str, Model] = {}
    async with AsyncExitStack() as stack:
        for named in wanted.values():
            if named.name in made:
                continue
            opened = OPENERS[named.server.kind](named, seconds=bounds.seconds)
            stack.push_async_callback(opened.close)
            asked = AskedModel(
                name=named.name,
                where=named.where,
                forms=opened.forms,
                bounds=bounds,
                ledger=ledger,
                count_tokens=count_tokens,
            )
            made[named.name] = Hearing(asked=asked, inner=wrap(named, asked))
        yield ModelByRole(models={role: made[named.name] for role, named in wanted.items()})
