"""One message a spot, whatever dies in between: intend, look, post, record."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any
from weakref import WeakValueDictionary

from bot.errors import SlackRefused, SlackUnavailable
from bot.posts.looking import LOOKING, Looking, Spot
from bot.posts.sending import STOOD_SECONDS, Sending
from bot.posts.shown import Ends, goes_on
from bot.posts.twins import Standing
from bot.record import Deliveries, Delivery
from bot.slack.client import CLOSED, Hold, Installation, Slack, anyway, read, write, write_now
from handlers.blocks.rendered import Rendered
from rag.errors import UnknownTask
from rag.ports import Clock

log = logging.getLogger(__name__)

AGAIN = ".again"
"""Ends the kind of a message that was sent once more without having been able to look."""

_PAUSES = (0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0)  # over a minute, then one last try
_FRESH = timedelta(minutes=1)
UPDATE_PAUSES = (0.5, 1.0, 2.0, 4.0)

Sleep = Callable[[float], Awaitable[None]]
Write = Callable[..., Awaitable[dict[str, Any]]]


class Poster:
    """Posts and updates our messages. Raises `SlackUnavailable`, `SlackRefused`."""

    def __init__(
        self,
        client: Slack,
        installation: Installation,
        deliveries: Deliveries,
        *,
        sleep: Sleep = asyncio.sleep,
        now: Clock = lambda: datetime.now(UTC),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._client = client
        self._find = Standing(Looking(client, installation), deliveries, self.delete).find
        self._sending = Sending(
            client, deliveries, find=self._find, delete=self.delete, clock=clock
        )
        self._deliveries = deliveries
        self.home = installation.home
        self._sleep = sleep
        self._now = now
        self._clock = clock
        self._dms: dict[str, str] = {}
        self._turns: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()
        self._ends = Ends()

    async def ensure(
        self, spot: Spot, rendered: Rendered, *, asked_at: datetime | None = None
    ) -> str:
        """The `ts` of the spot's message, posted now unless it already stands.

        ``asked_at`` is when the question was asked. One that is not fresh may have been
        answered before and forgotten since, in a record that came from a backup; and what
        was sent before it was intended is looked for from then on.
        """
        named = {"tenant": spot.tenant, "task": spot.task, "kind": spot.kind}
        known = await self._deliveries.get(**named)
        if known and known.ts:
            return known.ts
        if known is None:
            await self._deliveries.intend(**named, channel=spot.channel, thread=spot.thread)
            if asked_at is not None and self._now() - asked_at > _FRESH:
                ts = await self._find_or_post(spot, rendered, since=asked_at)
            else:
                ts = await self._post(spot, rendered)
        else:
            since = min(known.at, asked_at or known.at)
            ts = await self._find_or_post(spot, rendered, since=since)
        stands = await self._deliveries.placed(**named, ts=ts)
        if stands != ts:  # while we were stopped between looking and posting another went ahead
            await self.delete(channel=spot.channel, ts=ts)
        return stands

    async def where(self, sent: Delivery) -> str | None:
        """The `ts` of a message that was to be sent: the known one, or where it is found now.

        It is known from then on. Whoever was to send it may have died before or after; None
        where none stands. Raises `SlackUnavailable` where nobody can look.
        """
        if sent.ts:
            return sent.ts
        named = {"tenant": sent.tenant, "task": sent.task, "kind": sent.kind}
        found = await self._find(
            Spot(**named, channel=sent.channel, thread=sent.thread), since=sent.at
        )
        return await self._deliveries.placed(**named, ts=found) if found else None

    async def take_over(
        self, spot: Spot, ts: str, rendered: Rendered, *, hold: Hold = anyway
    ) -> None:
        """Make an earlier task's message the spot's own. ``hold`` is asked as in `update`."""
        named = {"tenant": spot.tenant, "task": spot.task, "kind": spot.kind}
        known = await self._deliveries.get(**named)
        if known and known.ts and goes_on(rendered):
            return  # taken over before: by now it may show its end
        await self._deliveries.intend(**named, channel=spot.channel, thread=spot.thread)
        await self._deliveries.placed(**named, ts=ts)
        self._ends.forget(spot.channel, ts)
        await self.update(channel=spot.channel, ts=ts, rendered=rendered, hold=hold)

    async def say_once(self, spot: Spot, rendered: Rendered, *, since: datetime) -> str:
        """Post a message that belongs to no stored task, unless it stands since then."""
        ts = await self._find_or_post(spot, rendered, since=since)
        if abs((self._now() - since).total_seconds()) < STOOD_SECONDS:
            return ts  # too soon for another worker to be at it
        return await self._sending.first_of(spot, ts, since=since)

    async def _post(self, spot: Spot, rendered: Rendered) -> str:
        sent, began = self._now(), self._clock()
        try:
            return await self._sending.send(spot, rendered, since=sent, began=began)
        except SlackRefused:
            raise
        except SlackUnavailable:
            # Nobody knows whether it stands. Looking at once may be too early to see it.
            self._client.meter.retried("chat.postMessage")
            await self._sleep(_PAUSES[0])
            return await self._find_or_post(spot, rendered, since=sent)

    async def _find_or_post(self, spot: Spot, rendered: Rendered, *, since: datetime) -> str:
        """The message that stands, or a new one where we have looked and there is none.

        Where Slack lets nobody look for over a minute, it is posted once more, once in all.
        """
        for pause in _PAUSES:
            began = self._clock()
            try:
                found = await self._find(spot, since=since)
                return found or await self._sending.send(spot, rendered, since=since, began=began)
            except SlackRefused as refused:
                if refused.code in CLOSED or not refused.method.startswith(LOOKING):
                    raise
                log.info("a message of task %s cannot be looked for: %s", spot.task, refused.code)
            except SlackUnavailable:
                log.info("Slack was not sure about a message of task %s", spot.task)
                self._client.meter.retried("chat.postMessage")
            await self._sleep(pause)
        return await self._find_or_post_unseen(spot, rendered, since=since)

    async def _find_or_post_unseen(self, spot: Spot, rendered: Rendered, *, since: datetime) -> str:
        try:
            found = await self._find(spot, since=since)
        except SlackUnavailable:
            if not await self._may_post_unseen(spot):
                raise
            log.warning("a message of task %s is sent without having looked for it", spot.task)
            return await self._sending.send_unseen(spot, rendered)
        return found or await self._sending.send_unseen(spot, rendered)

    async def _may_post_unseen(self, spot: Spot) -> bool:
        """True once for each spot; a fixed reply, which has no stored task, may each time."""
        named = {"tenant": spot.tenant, "task": spot.task, "kind": spot.kind + AGAIN}
        if await self._deliveries.get(**named):
            return False
        try:
            await self._deliveries.intend(**named, channel=spot.channel, thread=spot.thread)
        except UnknownTask:
            return True
        # Nothing is left to be done about this row.
        await self._deliveries.updated(tenant=spot.tenant, task=spot.task, kind=named["kind"])
        return True

    async def update(
        self, *, channel: str, ts: str, rendered: Rendered, hold: Hold = anyway
    ) -> None:
        """Let the message show this instead; the same again changes nothing.

        What shows that work goes on never takes the place of an end shown before. Before
        each try, when its turn has come, ``hold`` is asked, which raises where the message
        has become another's.
        """

        async def sending() -> None:
            await hold()
            # Before it is known: Slack may take it and not say so.
            self._ends.note(channel, ts, rendered)

        send = partial(write, hold=sending)
        async with self._turn(channel, ts):
            if not self._ends.is_late(channel, ts, rendered):
                show = partial(self._show, send, channel, ts, rendered)
                await self._surely("chat.update", show)

    async def hint(self, *, channel: str, ts: str, rendered: Rendered, hold: Hold = anyway) -> None:
        """Show this if it can be sent at once; nothing depends on it. ``hold`` as in `update`."""
        async with self._turn(channel, ts):
            if not self._ends.is_late(channel, ts, rendered):
                await self._show(partial(write_now, hold=hold), channel, ts, rendered)

    def _turn(self, channel: str, ts: str) -> asyncio.Lock:
        return self._turns.setdefault((channel, ts), asyncio.Lock())

    async def _surely(self, method: str, call: Callable[[], Awaitable[object]]) -> None:
        """Do what may be done twice again until it is known to be done."""
        for pause in UPDATE_PAUSES:
            try:
                await call()
            except SlackRefused:
                raise
            except SlackUnavailable:
                self._client.meter.retried(method)
                await self._sleep(pause)
            else:
                return
        await call()

    async def _show(self, send: Write, channel: str, ts: str, rendered: Rendered) -> None:
        blocks = list(rendered.blocks)
        await send(
            self._client, "chat.update", channel=channel, ts=ts, text=rendered.text, blocks=blocks
        )

    async def delete(self, *, channel: str, ts: str) -> None:
        """Take the message away; one that is gone already is fine."""
        try:
            await self._surely(
                "chat.delete", lambda: write(self._client, "chat.delete", channel=channel, ts=ts)
            )
        except SlackRefused as refused:
            if refused.code != "message_not_found":
                raise

    async def whisper(
        self, *, channel: str, user: str, rendered: Rendered, thread: str | None = None
    ) -> None:
        """Show something to one person only. Slack does not promise that they see it."""
        await write(
            self._client,
            "chat.postEphemeral",
            channel=channel,
            user=user,
            thread_ts=thread,
            text=rendered.text,
            blocks=list(rendered.blocks),
        )

    async def post(self, *, channel: str, rendered: Rendered) -> None:
        """Post a message whose loss or repetition would harm nobody."""
        await write(self._client, "chat.postMessage", channel=channel, **rendered.payload())

    async def has_history(self, channel: str) -> bool:
        """Whether anything was ever said in this channel."""
        answer = await read(self._client, "conversations.history", channel=channel, limit=1)
        return bool(answer.get("messages"))

    async def dm(self, user: str) -> str:
        """The channel id of our direct messages with this person."""
        if user not in self._dms:
            answer = await write(self._client, "conversations.open", users=user)
            self._dms[user] = str(answer["channel"]["id"])
        return self._dms[user]
