"""What a listener may do to the world: one durable insert each, or work started aside."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Protocol, TypeVar

from bot.admin import administering, listing, staging
from bot.background import Background
from bot.inbound import recalling, telling
from bot.inbound.amending import deleted_task, task_of
from bot.inbound.late import say_late
from bot.inbound.telling import Told
from bot.parts import Parts, conversation_of, is_private
from bot.questions import judging, opening
from bot.questions.asking import stored_task
from bot.queue.durable import Job, again_id, job_id, short_hash
from bot.slack.client import respond
from handlers.blocks.rendered import Rendered
from handlers.deps import (
    Asked,
    Changed,
    Commanded,
    Decided,
    Deleted,
    Deps,
    Edited,
    Note,
    Pressed,
    Sender,
    Submitted,
    ViewRef,
)
from rag.errors import StoreUnavailable
from rag.values import Value

_LOOK_SECONDS = 0.4  # with the insert's own bound inside Slack's three seconds

T = TypeVar("T")
Work = Callable[[Parts, T], Coroutine[Any, Any, None]]
Fill = Callable[[Parts, Pressed, ViewRef], Coroutine[Any, Any, None]]


class Intake(Protocol):
    """Where jobs are made durable, as `bot.inbound.receiving.Receiving` does it."""

    @property
    def troubled(self) -> bool:
        """Whether the database is better not asked anything just now."""
        ...

    async def put(self, job: Job, *, comes_again: bool) -> bool:
        """Return once it is durable: True when it was just laid by, and so will be late."""
        ...


def build(parts: Parts, background: Background, intake: Intake) -> Deps:
    """`handlers.deps.Deps` on these parts."""
    inserts = Inserts(parts, background, intake)

    async def open_view(pressed: Pressed, view: dict[str, Any]) -> ViewRef | None:
        return await opening.open_view(parts, pressed, view)

    async def reply_ephemeral(commanded: Commanded, rendered: Rendered) -> None:
        await respond(parts.client, commanded.response_url, rendered)

    def aside(name: str, work: Work[T]) -> Callable[[T], Awaitable[None]]:
        return _aside(parts, background, name, work)

    return Deps(
        ask=inserts.ask,
        ask_privately=inserts.ask_privately,
        reply=inserts.reply,
        tell=inserts.tell,
        cancel=inserts.cancel,
        edit=inserts.edit,
        withdraw=inserts.withdraw,
        choose=inserts.choose,
        ask_again_privately=inserts.ask_again_privately,
        list_sources=aside("the list of sources", listing.list_sources),
        turn_sources_page=aside("a page of the list", listing.turn_page),
        open_view=open_view,
        show_context=_filling(parts, background, opening.show_context),
        show_all=_filling(parts, background, opening.show_all),
        ask_owners=inserts.ask_owners,
        decide=inserts.decide,
        rate=aside("a thumb", judging.rate),
        dispute=aside("a doubt", judging.dispute),
        greet=aside("a greeting", telling.greet),
        publish_home=aside("the Home tab", listing.publish_home),
        show_question=_filling(parts, background, recalling.show_question),
        share_name=_filling(parts, background, recalling.share_name),
        show_admin=aside("an admin's window", administering.show_admin),
        find_sources=aside("a search for sources", administering.find_sources),
        administer=inserts.administer,
        stage=inserts.stage,
        unstage=aside("a closed window", staging.on_unstaged),
        forget=aside("forgetting", judging.forget),
        changed=inserts.changed,
        ended=parts.ended,
        reply_ephemeral=reply_ephemeral,
        limits=parts.limits,
    )


def _aside(
    parts: Parts, background: Background, name: str, work: Work[T]
) -> Callable[[T], Awaitable[None]]:
    async def started(value: T) -> None:
        background.start(name, work(parts, value))

    return started


def _filling(
    parts: Parts, background: Background, fill: Fill
) -> Callable[[Pressed, ViewRef], Awaitable[None]]:
    async def started(pressed: Pressed, opened: ViewRef) -> None:
        background.start("a window", fill(parts, pressed, opened))

    return started


class Inserts:
    """The durable ones. Each raises `StoreUnavailable` when it could not be stored.

    Some look something up first, only to spare a job that would do nothing. Where the
    database cannot say, the job is stored all the same, and decides when it is done.
    """

    def __init__(self, parts: Parts, background: Background, intake: Intake) -> None:
        self._parts = parts
        self._background = background
        self._intake = intake
        self._looking: set[asyncio.Task[Any]] = set()

    async def _put(
        self, kind: str, ident: str, partition: str, value: Value, *, comes_again: bool = True
    ) -> None:
        job = Job(
            id=ident,
            kind=kind,
            partition=f"{self._parts.installation.home}:{partition}",
            payload=value.model_dump_json(),
            at=self._parts.now(),
        )
        if await self._intake.put(job, comes_again=comes_again):
            self._background.start("a word of delay", say_late(self._parts, kind, value))

    async def _looked_up(self, looking: Coroutine[Any, Any, T], otherwise: T) -> T:
        """What the database says, or ``otherwise`` when it does not say it at once."""
        if self._intake.troubled:
            looking.close()
            return otherwise
        # Not a timeout: who waits for the record is held until it answers, cancelled or not.
        looked = asyncio.create_task(looking)
        self._looking.add(looked)
        looked.add_done_callback(self._looking.discard)
        await asyncio.wait({looked}, timeout=_LOOK_SECONDS)
        if not looked.done() or isinstance(looked.exception(), StoreUnavailable):
            return otherwise
        return looked.result()

    async def ask(self, asked: Asked) -> None:
        await self._put("ask", task_of(asked), _talk(asked), asked)

    async def reply(self, asked: Asked) -> None:
        """Only a thread that waits for somebody, or may be about to, is of interest."""
        if self._parts.mention_only:
            return
        talk = _talk(asked)
        if await self._looked_up(self._waits(talk), otherwise=True):
            await self._put("reply", task_of(asked), talk, asked)

    async def _waits(self, talk: str) -> bool:
        """Whether a question of this conversation was asked back, or is still being worked on.

        Its message may already show the question back while its row does not say so yet;
        the reply's job comes after it in the conversation's line, and decides then.
        """
        tasks, tenant = self._parts.record.tasks, self._parts.tenant
        return await tasks.goes_on(tenant=tenant, conversation=talk)

    async def tell(self, asked: Asked, note: Note) -> None:
        told = Told(asked=asked, note=note)
        await self._put("tell", task_of(asked), _talk(asked), told)

    async def cancel(self, asked: Asked) -> None:
        """Beside the conversation's own line, which the question to be ended may hold up.

        What was laid by is stored all at once: then the question must come first.
        """
        talk = _talk(asked)
        beside = talk if self._intake.troubled else f"{talk}:cancel"
        await self._put("cancel", task_of(asked), beside, asked)

    async def edit(self, edited: Edited) -> None:
        asked = edited.asked
        ours = asked.mentioned or is_private(asked.room)
        if not (await self._looked_up(self._stopped(task_of(asked)), otherwise=True) or ours):
            return
        # The id sorts after that of the message as it was, which may be stored with it.
        words = (asked.question, edited.previous_question, asked.event_id)
        await self._put("edit", again_id(task_of(asked), *words), _talk(asked), edited)

    async def _stopped(self, task: str) -> bool:
        """Whether that task is known. It is cancelled at once: the edit waits behind it."""
        if await stored_task(self._parts, task) is None:
            return await self._parts.queue.holds(task)
        await self._parts.record.tasks.cancel(tenant=self._parts.tenant, task=task)
        return True

    async def withdraw(self, deleted: Deleted) -> None:
        task = deleted_task(deleted)
        line = conversation_of(deleted.room, root=deleted.thread_ts or deleted.ts)
        where = await self._looked_up(self._reach(task, line), otherwise=line)
        if where:
            await self._put("withdraw", f"{task}.withdrawn", where, deleted)

    async def _reach(self, task: str, line: str) -> str:
        """Beside the line that a begun task holds up, behind one not yet begun, else nowhere."""
        known = await stored_task(self._parts, task)
        if known is not None:
            return f"{known.conversation}:cancel"
        return line if await self._parts.queue.holds(task) else ""

    async def changed(self, changed: Changed) -> None:
        """In a line of its own: a room's questions may wait for their answers."""
        ident = job_id(changed.at, changed.team_id, changed.about, changed.event_id)
        partition = f"audience:{changed.what.value}:{changed.about}"
        known = changed.model_copy(update={"address": self._parts.address})
        await self._put("audience", f"{ident}.audience", partition, known)

    async def ask_privately(self, commanded: Commanded) -> None:
        ident = f"command-{_once(commanded.sender, commanded.trigger_id)}"
        partition = f"command:{commanded.sender.user_id}"
        await self._put("ask_privately", ident, partition, commanded, comes_again=False)

    async def choose(self, pressed: Pressed) -> None:
        ident = job_id(pressed.message_ts, _once(pressed.sender, pressed.value))
        root = pressed.thread_ts or pressed.message_ts
        seen = conversation_of(pressed.room, root=root)
        partition = await self._looked_up(self._line(pressed), otherwise=seen)
        await self._put("choose", ident, partition, pressed, comes_again=False)

    async def ask_again_privately(self, pressed: Pressed) -> None:
        ident = job_id(pressed.message_ts, _once(pressed.sender, pressed.value), "privately")
        partition = f"command:{pressed.sender.user_id}"
        await self._put("ask_again_privately", ident, partition, pressed, comes_again=False)

    async def ask_owners(self, pressed: Pressed) -> None:
        await self._put_pressed("ask_owners", pressed, pressed)

    async def decide(self, decided: Decided) -> None:
        await self._put_pressed("decide", decided.pressed, decided)

    async def _put_pressed(self, kind: str, pressed: Pressed, value: Value) -> None:
        """Each press by itself: a second one is told that it was done already."""
        what = f"{pressed.value}:{pressed.action_ts}"
        ident = job_id(pressed.message_ts, _once(pressed.sender, what), kind)
        partition = f"owners:{pressed.sender.user_id}"
        await self._put(kind, ident, partition, value, comes_again=False)

    async def administer(self, sent: Submitted) -> None:
        """One after the other in a workspace, so that no two changes cross."""
        what = short_hash(sent.view.id, sent.view.hash, sent.token)
        ident = f"admin-{_once(sent.sender, what)}"
        await self._put("administer", ident, "admin", sent, comes_again=False)

    async def stage(self, sent: Submitted) -> None:
        """A person's files one after the other, and nobody's change behind them."""
        what = short_hash(sent.view.id, sent.view.hash, sent.token)
        ident = f"stage-{_once(sent.sender, what)}"
        partition = f"stage:{sent.sender.user_id}"
        await self._put("stage", ident, partition, sent, comes_again=False)

    async def _line(self, pressed: Pressed) -> str:
        """The conversation of the task a button belongs to; one of its own when forged."""
        handle = await self._parts.record.deliveries.handle(
            tenant=self._parts.tenant, handle_id=pressed.value
        )
        stored = await stored_task(self._parts, handle.task) if handle else None
        return (stored.conversation if stored else None) or f"stray:{pressed.sender.user_id}"


def _talk(asked: Asked) -> str:
    return conversation_of(asked.room, root=asked.thread_ts or asked.ts)


def _once(sender: Sender, what: str) -> str:
    return short_hash(sender.team_id, sender.user_id, what)
