"""`@Footnote question` in a channel."""

from handlers import intent, payloads
from handlers.deps import Deps
from handlers.payloads import Payload


async def on_mention(deps: Deps, payload: Payload) -> None:
    """An `app_mention` event. Its twin message event leads to the same key."""
    asked = payloads.asked(payload, payloads.event_of(payload))
    if asked is not None and asked.mentioned:
        await intent.put(deps, asked)
