"""Our own tabs, and `/forget`."""

from handlers import payloads
from handlers.blocks import notes
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


async def on_forget(deps: Deps, payload: Payload) -> None:
    """Ask once more before anything is deleted."""
    commanded = payloads.commanded(payload)
    question = notes.forget_question(language=language_of(commanded.text))
    await deps.reply_ephemeral(commanded, question)


async def on_forget_confirmed(deps: Deps, payload: Payload) -> None:
    """Delete the presser's own questions."""
    await deps.forget(payloads.pressed(payload))
