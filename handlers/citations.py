"""The buttons of an answer that open a window: one quote in its context, or all quotes.

The window opens at once with constant content; what it shows is decided
afterwards, for whoever pressed.
"""

from handlers import payloads
from handlers.blocks import context
from handlers.blocks.texts import language_of
from handlers.deps import Deps
from handlers.payloads import Payload


async def on_open_context(deps: Deps, payload: Payload) -> None:
    """Show the quote among its neighbouring lines."""
    pressed = payloads.pressed(payload)
    loading = context.loading(language=language_of(payloads.shown_text(payload)))
    opened = await deps.open_view(pressed, loading)
    if opened is not None:
        await deps.show_context(pressed, opened)


async def on_turn_context(deps: Deps, payload: Payload) -> None:
    """Move the open window; its button carries the place's opaque token."""
    pressed = payloads.pressed(payload)
    if pressed.view is not None:
        await deps.show_context(pressed, pressed.view)


async def on_show_all(deps: Deps, payload: Payload) -> None:
    """Show every citation of an answer that was too long for one message."""
    pressed = payloads.pressed(payload)
    loading = context.loading(language=language_of(payloads.shown_text(payload)))
    opened = await deps.open_view(pressed, loading)
    if opened is not None:
        await deps.show_all(pressed, opened)


async def on_turn_all(deps: Deps, payload: Payload) -> None:
    """Move the open list of citations; its button carries the page's opaque token."""
    pressed = payloads.pressed(payload)
    if pressed.view is not None:
        await deps.show_all(pressed, pressed.view)
