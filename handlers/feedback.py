"""Thumbs on an answer, a doubt about one quote, and a word to the owners."""

from handlers import payloads
from handlers.deps import Decided, Deps, Rated
from handlers.payloads import Payload


async def on_good(deps: Deps, payload: Payload) -> None:
    """The answer helped."""
    await deps.rate(Rated(pressed=payloads.pressed(payload), good=True))


async def on_bad(deps: Deps, payload: Payload) -> None:
    """The answer did not help."""
    await deps.rate(Rated(pressed=payloads.pressed(payload), good=False))


async def on_dispute(deps: Deps, payload: Payload) -> None:
    """This quote does not support its claim."""
    await deps.dispute(payloads.pressed(payload))


async def on_ask_owners(deps: Deps, payload: Payload) -> None:
    """Ask the sources' owners about a conflict or a gap."""
    await deps.ask_owners(payloads.pressed(payload))


async def on_approve(deps: Deps, payload: Payload) -> None:
    """What an owner wrote may be read as knowledge."""
    await deps.decide(Decided(pressed=payloads.pressed(payload), approved=True))


async def on_turn_down(deps: Deps, payload: Payload) -> None:
    """What an owner wrote stays unread."""
    await deps.decide(Decided(pressed=payloads.pressed(payload), approved=False))


async def on_open_thread(_deps: Deps, _payload: Payload) -> None:
    """Slack opens the thread by itself and only tells us so."""
