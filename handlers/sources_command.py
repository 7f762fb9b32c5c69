"""`/sources [words]` and the page buttons below its list."""

from handlers import payloads
from handlers.deps import Deps
from handlers.payloads import Payload


async def on_sources(deps: Deps, payload: Payload) -> None:
    """List what the caller may read, to the caller alone."""
    await deps.list_sources(payloads.commanded(payload))


async def on_page(deps: Deps, payload: Payload) -> None:
    """Turn the list to the page its button's opaque token stands for."""
    await deps.turn_sources_page(payloads.pressed(payload))
