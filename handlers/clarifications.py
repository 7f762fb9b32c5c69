"""The buttons of a clarifying question, and of a reply that offers a private one."""

from handlers import payloads
from handlers.deps import Deps
from handlers.payloads import Payload


async def on_option(deps: Deps, payload: Payload) -> None:
    """One of the offered readings was pressed, perhaps not by the asker."""
    await deps.choose(payloads.pressed(payload))


async def on_ask_privately(deps: Deps, payload: Payload) -> None:
    """Answer the same question to the presser alone."""
    await deps.ask_again_privately(payloads.pressed(payload))
