"""A message becomes a stored task with a visible message, before anything is read."""

import logging
from datetime import UTC, datetime, timedelta

from bot.audience import Standing
from bot.delivery import ANSWER
from bot.errors import SlackUnavailable
from bot.parts import Parts, conversation_of, is_private
from bot.posts.looking import Spot
from bot.questions.instead import leave, show_instead
from bot.questions.settling import settle
from bot.queue.durable import Job
from bot.queue.lines import ANSWER_JOB, ANSWERING
from bot.record import Delivery, StoredTask, TaskState
from bot.slack.identity import Proved
from handlers.blocks import notes
from handlers.blocks.progress import progress
from handlers.blocks.rendered import Rendered
from handlers.blocks.texts import language_of
from handlers.deps import Address, Asked
from rag.errors import StoreUnavailable, TaskExists, UnknownTask
from rag.values import Place, Request, Turn, Value

log = logging.getLogger(__name__)

_ASKED_BACK = (TaskState.WAITING, TaskState.DONE)

ROOM = "room"
"""The kind of the neutral reply in a room whose rules exclude content."""

PATIENCE = timedelta(days=7)
"""How long a clarifying question waits for its asker."""


class Question(Value):
    """A person's question with all that decides about it, before it is a task.

    ``place`` is where it was asked; ``channel`` and ``thread`` where the answer goes,
    or it takes the place of ``instead``. ``shared``: Slack said of the message itself that
    others' organisations read it. ``parent`` asked back, and ``choice`` is the pressed
    option's text; ``chosen_from`` as in `Request`.
    """

    task: str
    text: str
    at: datetime
    place: Place
    conversation: str
    channel: str
    thread: str = ""
    files: int = 0
    shared: bool = False
    parent: StoredTask | None = None
    choice: str | None = None
    chosen_from: tuple[str, ...] = ()
    instead: Delivery | None = None


class Brief(Value):
    """What the answering job needs besides the stored task.

    ``address`` is set where several installations share the queue's lines.
    """

    tenant: str
    task: str
    attachment: bool = False
    address: Address | None = None


def answer_job(brief: Brief, *, at: datetime) -> Job:
    """The job that answers a stored task, in its tenant's line."""
    return Job(
        id=f"{brief.task}{ANSWER_JOB}",
        kind="answer",
        partition=brief.tenant,
        payload=brief.model_dump_json(exclude_none=True),
        at=at,
    )


def sent_at(ts: str) -> datetime:
    """The instant in a message's `ts`."""
    return datetime.fromtimestamp(float(ts), UTC)


def question_of(task: str, asked: Asked) -> Question:
    """The question in a message: a thread in a room, the whole talk in a direct message."""
    private = is_private(asked.room)
    root = asked.thread_ts or asked.ts
    return Question(
        task=task,
        text=asked.question,
        at=sent_at(asked.ts),
        place=Place(channel=None if private else asked.room.channel),
        conversation=conversation_of(asked.room, root=root),
        channel=asked.room.channel,
        thread=root,
        files=asked.files,
        shared=asked.room.shared,
    )


async def pursue(parts: Parts, proved: Proved, question: Question) -> None:
    """Store the task, show that it is worked on, and have it answered.

    Doing this again after a crash repeats nothing: the stored request stands, and so
    does the message.
    """
    stored = await stored_task(parts, question.task)
    if stored is not None:
        # Begun before: where it is answered is decided, whatever can be looked up just now.
        here = stored.request.place == question.place
        await (_begin if here else _begin_in_private)(parts, proved, question)
    else:
        await _decide(parts, proved, question)


async def _decide(parts: Parts, proved: Proved, question: Question) -> None:
    """Whether it is begun, and where."""
    permitted = await parts.catalogue.permitted(
        tenant=parts.tenant, principal=proved.principal, place=question.place
    )
    if permitted.outsider:
        # Slack has just proved them a member and cannot say so again: the next try proves anew.
        raise SlackUnavailable("the asker could not be looked up a second time")
    if await _comes_too_late(parts, question):
        await say(parts, question, notes.expired(language=language_of(question.text)))
        return
    if permitted.withheld or question.shared:
        # Whatever the asker may read: the room learns nothing of that either.
        await _keep_out_of_the_room(parts, proved, question)
    elif await _may_read_anything(parts, proved):
        await _begin(parts, proved, question)
    else:
        note = notes.empty_catalogue(contact=parts.contact, language=language_of(question.text))
        await say(parts, question, note)


async def _keep_out_of_the_room(parts: Parts, proved: Proved, question: Question) -> None:
    if proved.standing is Standing.FULL:
        await _begin_in_private(parts, proved, question)
    else:
        await say(parts, question, notes.room_neutral(language=language_of(question.text)))


async def _comes_too_late(parts: Parts, question: Question) -> bool:
    """Whether nobody has looked at the message for so long that nothing is begun any more."""
    waited = (parts.now() - question.at).total_seconds()
    return waited > parts.expire_seconds and await stored_task(parts, question.task) is None


async def _may_read_anything(parts: Parts, proved: Proved) -> bool:
    alone = await parts.catalogue.permitted(
        tenant=parts.tenant, principal=proved.principal, place=Place()
    )
    return bool(alone.sources)


async def _begin_in_private(parts: Parts, proved: Proved, question: Question) -> None:
    """The room gets the neutral reply, the asker the answer."""
    channel = await parts.poster.dm(proved.user_id)
    alone = question.model_copy(
        update={"place": Place(), "conversation": channel, "channel": channel, "thread": ""}
    )
    request = await _request(parts, proved, alone)
    if question.parent is not None:
        await settle(parts, question.parent, choice=None)  # the room learns no more than that
    neutral = notes.room_neutral(privately_sent=True, language=language_of(question.text))
    await _in_the_room(parts, question, neutral)
    await _hand_over(parts, request, alone)


async def _in_the_room(parts: Parts, question: Question, neutral: Rendered) -> None:
    """The one reply in the room; where the old words were answered there, in place of that."""
    spot, old = _spot(parts, question, kind=ROOM), question.instead
    if old is not None and old.ts is not None and old.channel == question.channel:
        await show_instead(parts, spot, old.ts, neutral)
    else:
        await parts.poster.ensure(spot, neutral, asked_at=question.at)


async def _begin(parts: Parts, proved: Proved, question: Question) -> None:
    request = await _request(parts, proved, question)
    if question.parent is not None:
        await settle(parts, question.parent, choice=question.choice)
    await _hand_over(parts, request, question)


async def _hand_over(parts: Parts, request: Request, question: Question) -> None:
    language = language_of(request.question)
    placeholder = progress("authorize", language=language)
    spot = _spot(parts, question, kind=ANSWER)
    old = question.instead
    if old is not None and old.ts is not None and old.channel == question.channel:
        await show_instead(parts, spot, old.ts, placeholder)
    else:
        await parts.poster.ensure(spot, placeholder, asked_at=question.at)
        if question.place.channel is not None:
            await leave(parts, old, notes.moved(language=language))
    brief = Brief(
        tenant=parts.tenant,
        task=request.task,
        attachment=question.files > 0,
        address=parts.address,
    )
    job = answer_job(brief, at=question.at)
    await parts.queue.put(job, queue=ANSWERING)
    await parts.queue.wait(job.id)


async def _request(parts: Parts, proved: Proved, question: Question) -> Request:
    """The task's request: the stored one when the task was begun before.

    Raises `StoreUnavailable` when another stored it meanwhile to be answered elsewhere: what
    is for the asker alone must have no message in the room. The job is then done again.
    """
    stored = await stored_task(parts, question.task)
    if stored is not None:
        if stored.request.place != question.place:
            raise StoreUnavailable(f"task {question.task} was begun elsewhere meanwhile")
        return stored.request
    turns = await parts.record.tasks.turns(
        tenant=parts.tenant,
        conversation=question.conversation,
        principal=proved.principal,
        place=question.place,
        before=question.at,
    )
    request = Request(
        task=question.task,
        tenant=parts.tenant,
        principal=proved.principal,
        question=question.text,
        place=question.place,
        parent_id=_parent_id(question, turns),
        conversation=question.conversation,
        turns=turns,
        rounds=question.parent.request.rounds + 1 if question.parent else 0,
        chosen_from=question.chosen_from,
        asked_at=question.at,
    )
    try:
        await parts.record.tasks.enqueue(request)
    except TaskExists as error:
        raise StoreUnavailable(f"task {question.task} was begun meanwhile") from error
    return request


def _parent_id(question: Question, turns: tuple[Turn, ...]) -> str | None:
    if question.parent is not None:
        return question.parent.id
    return turns[-1].task if turns else None


async def stored_task(parts: Parts, task: str) -> StoredTask | None:
    try:
        return await parts.record.tasks.get(tenant=parts.tenant, task=task)
    except UnknownTask:
        return None


async def waiting_for(parts: Parts, proved: Proved, question: Question) -> StoredTask | None:
    """The task that waits for this very message: asked back in this conversation, to this person.

    A message whose task is stored already answered the one stored with it, unless it only
    followed that in the thread. That one's wait may have been ended by a try of the same job
    that got no further: it does not show so yet.
    """
    stored = await stored_task(parts, question.task)
    if stored is not None:
        answers = stored.parent_id if stored.request.rounds else None
        parent = await stored_task(parts, answers) if answers else None
        return parent if parent and parent.state in _ASKED_BACK else None
    return await parts.record.tasks.waiting(
        tenant=parts.tenant, conversation=question.conversation, principal=proved.principal
    )


def _spot(parts: Parts, question: Question, *, kind: str) -> Spot:
    return Spot(
        tenant=parts.tenant,
        task=question.task,
        kind=kind,
        channel=question.channel,
        thread=question.thread,
    )


async def say(parts: Parts, question: Question, rendered: Rendered) -> None:
    """A fixed reply to a message, once."""
    spot = _spot(parts, question, kind="note")
    await parts.poster.say_once(spot, rendered, since=question.at)
