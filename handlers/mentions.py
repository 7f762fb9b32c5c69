"""`@Footnote question` in a channel."""

from handlers import intent, payloads
from handlers.deps import Deps
from handlers.payloads import Payload


async def on_mention(deps: Deps, payload: Payload) -> None:
    """An `app_mention` event. Its twin message event leads to the same key.

    One without any words, as a bare file is, mentions us all the same.
    """
    asked = payloads.asked(payload, payloads.event_of(payload))
    if asked is not None and (asked.mentioned or not asked.text):
        await intent.put(deps, asked)
