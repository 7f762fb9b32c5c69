"""What becomes of the message of a question whose words changed."""

import logging

from bot.errors import SlackRefused
from bot.parts import Parts
from bot.posts.looking import Spot
from bot.posts.shown import goes_on
from bot.record import Delivery
from handlers.blocks.rendered import Rendered
from rag.errors import Cancelled, LeaseLost
from rag.ports import Lease

log = logging.getLogger(__name__)


async def show_instead(parts: Parts, spot: Spot, ts: str, rendered: Rendered) -> None:
    """Let the old words' message show this, unless the task was taken up or back meanwhile.

    Whoever is stopped over this and wakes would take away what others have shown since.
    """
    unbegun = Lease(task=spot.task, number=0)

    async def hold() -> None:
        try:
            await parts.record.tasks.hold(tenant=spot.tenant, lease=unbegun)
        except Cancelled:
            if goes_on(rendered):
                raise

    try:
        await parts.poster.take_over(spot, ts, rendered, hold=hold)
    except (LeaseLost, Cancelled) as late:
        log.info("the message of task %s shows more already: %s", spot.task, late)


async def leave(parts: Parts, old: Delivery | None, note: Rendered) -> None:
    """Let the message of the old words, where it stands elsewhere, answer them no more."""
    if old is None or old.ts is None:
        return
    try:
        await parts.poster.update(channel=old.channel, ts=old.ts, rendered=note)
    except SlackRefused as refused:
        log.info("a message of task %s stays as it is: %s", old.task, refused.code)
