"""Our own tabs, and `/forget`."""

from handlers import payloads
from handlers.blocks import context, notes
from handlers.blocks.texts import language_of
from handlers.deps import Deps
from handlers.payloads import Payload


async def on_opened(deps: Deps, payload: Payload) -> None:
    """The Home tab is drawn afresh; the messages tab greets who is new."""
    opened = payloads.home_opened(payload)
    if not opened.sender.user_id:
        return
    if payloads.event_of(payload).get("tab") == "messages":
        await deps.greet(opened)
    else:
        await deps.publish_home(opened)


async def on_open_question(deps: Deps, payload: Payload) -> None:
    """Show one of the presser's own questions again, to them alone."""
    pressed = payloads.pressed(payload)
    opened = await deps.open_view(
        pressed, context.loading(language=language_of(payloads.button_text(payload)))
    )
    if opened is not None:
        await deps.show_question(pressed, opened)


async def on_share_name(deps: Deps, payload: Payload) -> None:
    """Let admins see who asked; the window says so from then on."""
    pressed = payloads.pressed(payload)
    if pressed.view is not None:
        await deps.share_name(pressed, pressed.view)


async def on_forget(deps: Deps, payload: Payload) -> None:
    """Ask once more before anything is deleted."""
    commanded = payloads.commanded(payload)
    question = notes.forget_question(language=language_of(commanded.text))
    await deps.reply_ephemeral(commanded, question)


async def on_forget_confirmed(deps: Deps, payload: Payload) -> None:
    """Delete the presser's own questions."""
    await deps.forget(payloads.pressed(payload))
