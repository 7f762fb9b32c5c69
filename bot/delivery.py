"""A report becomes the message it was promised in; stages show on the way."""

import logging
import math
import time
from collections.abc import Callable
from datetime import UTC, date, datetime
from functools import partial

from pydantic import ValidationError

from bot.errors import SlackRefused, SlackUnavailable
from bot.posts.holding import hold_message
from bot.posts.posting import Poster
from bot.record import ANSWER as ANSWER  # noqa: PLC0414 - known from here
from bot.record import (
    Checkpoints,
    Deliveries,
    Delivery,
    DeliveryState,
    Shown,
    Sources,
    Target,
    Tasks,
)
from bot.slack.client import CLOSED, TOO_RICH, Hold
from handlers.blocks import notes
from handlers.blocks.progress import progress
from handlers.blocks.rendered import Circumstances, Ids, Rendered
from handlers.blocks.report import render, tersely
from handlers.blocks.texts import language_of
from rag.errors import DeliveryError, LimitExceeded, Undeliverable
from rag.ports import Lease, Sure
from rag.values import Indexed, Pinned, Published, Report, Request, Status

log = logging.getLogger(__name__)

_UPDATE_SECONDS = 1.0
_HOLD_SECONDS = 0.2  # stages of a few milliseconds need not each ask; saving asks anyway
_BEFORE_CONTEXT = ("authorize", "assemble")  # what a task goes through to ask for it again
_OFFERED = (Status.INSUFFICIENT, Status.REFUSED)


async def make_ids(report: Report, *, deliveries: Deliveries) -> Ids:
    """The opaque values this report's buttons carry; the same ones every time."""
    told = report.answer
    cited = [
        (number, citation)
        for number, claim in enumerate(told.claims)
        for citation in range(len(claim.citations))
    ]
    options = [option.id for option in told.clarification.options] if told.clarification else []
    targets = [Target()]
    targets += [Target(claim=claim, citation=citation) for claim, citation in cited]
    targets += [Target(option=option) for option in options]
    made = await deliveries.handles(tenant=report.tenant, task=report.task, targets=targets)
    return Ids(
        answer=made[0],
        citations=dict(zip(cited, made[1:], strict=False)),
        options=dict(zip(options, made[1 + len(cited) :], strict=True)),
    )


async def pinned_by(task: str, *, checkpoints: Checkpoints) -> tuple[Pinned, ...]:
    """The sources a task searched, each held to its version; none before it came so far."""
    document = await checkpoints.load(task, "index")
    if document is None:
        return ()
    try:
        return Indexed.model_validate_json(document).pinned
    except ValidationError:
        return ()


class SlackPublisher:
    """`rag.ports.Publisher` for a task in its lease, whose message stands already."""

    def __init__(
        self,
        poster: Poster,
        lease: Lease,
        *,
        tasks: Tasks,
        deliveries: Deliveries,
        checkpoints: Checkpoints,
        sources: Sources,
        shown: Shown,
        attachment: bool = False,
        today: Callable[[], date] = lambda: datetime.now(UTC).date(),
    ) -> None:
        self._poster = poster
        self._lease = lease
        self._tasks = tasks
        self._deliveries = deliveries
        self._checkpoints = checkpoints
        self._sources = sources
        self._shown = shown
        self._attachment = attachment
        self._today = today

    async def publish(self, request: Request, report: Report, *, sure: Sure) -> Published:
        """Let the task's message show the report.

        Raises `Undeliverable`, `DeliveryError`, `LimitExceeded`, `StoreUnavailable`;
        `LeaseLost`, `Cancelled` and what ``sure`` raises before anything is shown.
        """
        named = {"tenant": request.tenant, "task": request.task, "kind": ANSWER}
        placed = await self._deliveries.get(**named)
        if placed is None or placed.ts is None:
            raise DeliveryError(f"task {request.task} has no message to show its answer in")
        await self._shown.begin(
            tenant=request.tenant,
            task=request.task,
            home=self._poster.home,
            sources=report.told,
        )
        try:
            show = partial(self._show, request, report, channel=placed.channel, ts=placed.ts)
            await show(hold=self._hold(request, sure))
        except SlackUnavailable as error:
            raise _told(request.task, error) from error
        await self._deliveries.updated(**named, lease=self._lease)
        return Published(where=f"{placed.channel}:{placed.ts}")

    async def withdraw(self, request: Request, published: Published) -> None:
        """Take the answer out of the message again. Raises `DeliveryError`, `LeaseLost`.

        Whoever has the task by now checks by itself what it shows.
        """

        hold = partial(
            hold_message,
            self._lease,
            tenant=request.tenant,
            tasks=self._tasks,
            deliveries=self._deliveries,
        )
        channel, _, ts = published.where.partition(":")
        rendered = notes.withdrawn(language=language_of(request.question))
        try:
            await self._poster.update(channel=channel, ts=ts, rendered=rendered, hold=hold)
        except SlackUnavailable as error:
            raise _told(request.task, error) from error

    async def _show(
        self, request: Request, report: Report, *, channel: str, ts: str, hold: Hold
    ) -> None:
        ids = await make_ids(report, deliveries=self._deliveries)
        shown = await self._circumstances(request, report)
        today = self._today()
        made = partial(render, report, ids=ids, today=today, shown=shown)
        # Before each try, as close to the write as can be. Whoever is stopped between the two
        # and wakes later shows the report that was saved first, which is the other's too.
        update = partial(self._poster.update, channel=channel, ts=ts, hold=hold)
        for folding in (True, False):
            try:
                await update(rendered=made(folding=folding))
            except SlackRefused as refused:
                if refused.code not in TOO_RICH:
                    raise
                log.info("task %s is shown more plainly: %s", request.task, refused.code)
            else:
                return
        await update(rendered=tersely(report, ids=ids, today=today, shown=shown))

    def _hold(self, request: Request, sure: Sure) -> Hold:
        """Whether the rights still stand, which may take a while; then whether the task is ours."""

        async def hold() -> None:
            await sure()
            await self._tasks.hold(tenant=request.tenant, lease=self._lease)

        return hold

    async def _circumstances(self, request: Request, report: Report) -> Circumstances:
        searched = await pinned_by(report.task, checkpoints=self._checkpoints)
        status = report.answer.status
        return Circumstances(
            searched=searched,
            changed=await changed_since(searched, tenant=report.tenant, sources=self._sources),
            private_offer=request.place.channel is not None and status in _OFFERED,
            attachment=self._attachment,
        )


def _told(task: str, error: SlackUnavailable) -> DeliveryError | LimitExceeded:
    """Slack's answer in the pipeline's words: shut for good, too much, or not this time."""
    if isinstance(error, SlackRefused) and error.code in CLOSED:
        return Undeliverable(f"task {task}: {error}")
    if isinstance(error, SlackRefused) and error.code in TOO_RICH:
        return LimitExceeded(f"task {task}: {error}", limit="slack_message")
    return DeliveryError(f"task {task}: {error}")


async def changed_since(
    pinned: tuple[Pinned, ...], *, tenant: str, sources: Sources
) -> frozenset[str]:
    """The ids of those that have a newer version by now."""
    held = {source.source_id: source.snapshot for source in pinned}
    current = await sources.get(tenant=tenant, source_ids=tuple(held))
    return frozenset(
        source.id for source in current if source.snapshot and source.snapshot != held[source.id]
    )


class Progress:
    """`rag.ports.Observer`: shows the stage, at most once a second, and honours a withdrawal."""

    def __init__(
        self,
        poster: Poster,
        lease: Lease,
        *,
        deliveries: Deliveries,
        tasks: Tasks,
        checkpoints: Checkpoints,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._poster = poster
        self._lease = lease
        self._deliveries = deliveries
        self._tasks = tasks
        self._checkpoints = checkpoints
        self._clock = clock
        self._shown_at = clock()  # the placeholder has just been shown
        self._held_at = -math.inf
        self._waiting = False
        self._shown_before: bool | None = None

    async def waiting(self, request: Request) -> None:
        """Say, once, that the task waits for the working context; it stays until that is over."""
        if not self._waiting:
            self._waiting = True
            language = language_of(request.question)
            await self._say(request, notes.waiting_for_context(language=language))

    async def entering(self, request: Request, stage: str, attempt: int) -> None:
        """Say what happens now. Raises `Cancelled` for what was taken back, `LeaseLost`."""
        await self._hold_again(request)
        log.debug("task %s enters %s (attempt %d)", request.task, stage, attempt)
        if self._waiting and stage in _BEFORE_CONTEXT:
            return
        self._waiting = False
        if await self._is_shown(request):
            return
        if self._clock() - self._shown_at < _UPDATE_SECONDS:
            return
        self._shown_at = self._clock()
        pinned = await pinned_by(request.task, checkpoints=self._checkpoints)
        language = language_of(request.question)
        named = stage.partition("-")[0]  # a revision's stages are numbered
        await self._say(request, progress(named, sources=len(pinned) or None, language=language))

    async def asking(self, request: Request) -> None:
        """Let nobody pay who stood still since the stage began. Raises as `entering`."""
        await self._hold_again(request)

    async def _hold_again(self, request: Request) -> None:
        now = self._clock()  # from before it is asked: we may stand still over the answer
        if now - self._held_at > _HOLD_SECONDS:
            await self._hold(request)
            self._held_at = now

    async def _hold(self, request: Request) -> None:
        await self._tasks.hold(tenant=request.tenant, lease=self._lease)

    async def _is_shown(self, request: Request) -> bool:
        """Whether this run began with a report or an end: then the message may show it already.

        A refusal whose cause may pass is shown without a saved report.
        """
        if self._shown_before is None:
            document = await self._checkpoints.load(request.task, "report")
            placed = await self._placed(request)
            ended = placed is not None and placed.state is DeliveryState.UPDATED
            self._shown_before = ended or document is not None
        return self._shown_before

    async def _placed(self, request: Request) -> Delivery | None:
        named = {"tenant": request.tenant, "task": request.task, "kind": ANSWER}
        return await self._deliveries.get(**named)

    async def _say(self, request: Request, rendered: Rendered) -> None:
        placed = await self._placed(request)
        if placed is None or placed.ts is None:
            return
        # Once more, as late as can be: who was stopped since would paint over another's end.
        hold = partial(self._hold, request)
        try:
            await self._poster.hint(
                channel=placed.channel, ts=placed.ts, rendered=rendered, hold=hold
            )
        except SlackUnavailable as error:
            log.info("progress of task %s could not be shown: %s", request.task, error)
