"""A message whose job was given up before it became a task still ends visibly, once."""

from datetime import UTC, datetime

from bot.delivery import ANSWER
from bot.errors import JobGivenUp
from bot.inbound.amending import on_withdraw, task_of
from bot.posts.looking import METADATA
from bot.slack.client import write
from bot.work.jobs import GivenUp, end_failed
from handlers.blocks.progress import progress
from handlers.deps import (
    Asked,
    Commanded,
    Decided,
    Deleted,
    Edited,
    Pressed,
    Room,
    RoomKind,
    Sender,
)
from rag.values import Place, Request, Value
from tests.bot.slack.conftest import ALICE, Bot, replies, shown
from tests.bot.slack.scripted import QUOTE
from tests.playground.conftest import Driver, Json

TEXT = "<@footnote> Who keeps it?"
LOAN = "<@footnote> What does a loan need?"


async def _given_up(bot: Bot, kind: str, value: Value) -> None:
    """Given up, and found again by a worker that died over saying so."""
    failed = GivenUp(job="t9", kind=kind, payload=value.model_dump_json())
    for _ in range(2):
        await end_failed(bot.parts, failed, JobGivenUp("t9"), at=datetime.now(UTC))


def _sender(bot: Bot) -> Sender:
    team = bot.parts.installation.team_id
    return Sender(user_id=ALICE, team_id=team, homes=(team,))


def _asked(bot: Bot, said: Json) -> Asked:
    room = Room(channel=said["channel"], kind=RoomKind.CHANNEL)
    words = "Who keeps it?"
    return Asked(sender=_sender(bot), room=room, ts=said["ts"], question=words, mentioned=True)


async def _notes(driver: Driver, channel: str, root: str) -> list[str]:
    found = await driver.messages(channel, "alice", root)
    return [shown(message) for message in found if message.get("bot_id")]


async def test_the_asker_is_told_in_the_thread(bot: Bot, driver: Driver) -> None:
    said = await driver.post("say", user="alice", channel="general", text=TEXT)
    await _given_up(bot, "ask", _asked(bot, said))
    (note,) = await _notes(driver, "general", said["ts"])
    assert "could not" in note.lower() or "failed" in note.lower()


async def test_a_caller_is_told_alone(bot: Bot, driver: Driver) -> None:
    channel = await bot.parts.poster.dm(ALICE)
    room = Room(channel="C1", kind=RoomKind.CHANNEL)
    await _given_up(bot, "ask_privately", Commanded(sender=_sender(bot), room=room, text="Who?"))
    found = await driver.messages(channel, "alice")
    assert len([message for message in found if message.get("bot_id")]) == 1


async def test_whoever_decided_is_told_alone(bot: Bot, driver: Driver) -> None:
    channel = await bot.parts.poster.dm(ALICE)
    pressed = Pressed(sender=_sender(bot), value="v1")
    await _given_up(bot, "decide", Decided(pressed=pressed, approved=True))
    found = await driver.messages(channel, "alice")
    assert len([message for message in found if message.get("bot_id")]) == 1


async def test_talk_that_was_not_ours_gets_nothing(bot: Bot, driver: Driver) -> None:
    said = await driver.post("say", user="alice", channel="general", text="Lunch?")
    asked = _asked(bot, said).model_copy(update={"mentioned": False})
    for kind in ("reply", "cancel"):
        await _given_up(bot, kind, asked)
    assert await _notes(driver, "general", said["ts"]) == []


async def test_an_outsider_gets_nothing(bot: Bot, driver: Driver) -> None:
    said = await driver.post("say", user="alice", channel="general", text=TEXT)
    asked = _asked(bot, said)
    other = asked.sender.model_copy(update={"homes": ("T0OTHER",)})
    await _given_up(bot, "ask", asked.model_copy(update={"sender": other}))
    assert await _notes(driver, "general", said["ts"]) == []


async def _taken_back(bot: Bot, said: Json, *, task: str) -> None:
    """The question is stored, and its asker wants no answer to these words any more."""
    request = Request(
        task=task,
        tenant=bot.parts.tenant,
        principal=f"slack:{bot.parts.installation.team_id}:{ALICE}",
        question="Who keeps it?",
        place=Place(channel=said["channel"]),
        asked_at=datetime.now(UTC),
    )
    await bot.parts.record.tasks.enqueue(request)
    await bot.parts.record.tasks.cancel(tenant=bot.parts.tenant, task=task)


async def test_of_a_question_that_was_taken_back_no_failure_is_told(
    bot: Bot, driver: Driver
) -> None:
    said = await driver.post("say", user="alice", channel="general", text=TEXT)
    await _taken_back(bot, said, task="t9")
    await _given_up(bot, "ask", _asked(bot, said))
    private = await driver.messages("dm", "alice")
    assert not [message for message in private if message.get("bot_id")]
    assert await _notes(driver, "general", said["ts"]) == []


async def _sent_unrecorded(bot: Bot, said: Json, *, task: str) -> None:
    """The task's message was sent, and whoever sent it died before its `ts` was recorded."""
    placed = {"channel": said["channel"], "thread": said["ts"]}
    named = {"tenant": bot.parts.tenant, "task": task, "kind": ANSWER}
    await bot.parts.record.deliveries.intend(**named, **placed)
    metadata = {"event_type": METADATA, "event_payload": {"task": task, "kind": ANSWER}}
    await write(
        bot.parts.client,
        "chat.postMessage",
        channel=said["channel"],
        thread_ts=said["ts"],
        metadata=metadata,
        **progress("plan", language="en").payload(),
    )


async def test_a_question_that_was_taken_back_shows_so_where_nobody_knew_its_message(
    bot: Bot, driver: Driver
) -> None:
    said = await driver.post("say", user="alice", channel="general", text="A loan?")
    await _taken_back(bot, said, task="t9")
    await _sent_unrecorded(bot, said, task="t9")
    await _given_up(bot, "ask", _asked(bot, said))
    (note,) = await _notes(driver, "general", said["ts"])
    assert "Stopped" in note, note


async def test_a_deleted_question_takes_a_message_away_that_nobody_knew(
    bot: Bot, driver: Driver
) -> None:
    said = await driver.post("say", user="alice", channel="general", text="A loan?")
    asked = _asked(bot, said)
    await _taken_back(bot, said, task=task_of(asked))
    await _sent_unrecorded(bot, said, task=task_of(asked))
    deleted = Deleted(sender=asked.sender, room=asked.room, ts=said["ts"])
    await on_withdraw(bot.parts, "t9", deleted)
    assert await _notes(driver, "general", said["ts"]) == []


async def test_the_answer_to_a_deleted_question_is_taken_away_all_the_same(
    bot: Bot, driver: Driver
) -> None:
    said = await driver.post("say", user="alice", channel="general", text=LOAN)
    await replies(driver, "general", "alice", said["ts"])
    asked = _asked(bot, said)
    deleted = Deleted(sender=asked.sender, room=asked.room, ts=said["ts"])
    await _given_up(bot, "withdraw", deleted)
    assert not any(QUOTE in note for note in await _notes(driver, "general", said["ts"]))


async def test_the_answer_to_old_words_does_not_stand_under_changed_ones(
    bot: Bot, driver: Driver
) -> None:
    said = await driver.post("say", user="alice", channel="general", text=LOAN)
    (answer,) = await replies(driver, "general", "alice", said["ts"])
    assert QUOTE in shown(answer)
    asked = _asked(bot, said)
    await _given_up(bot, "edit", Edited(asked=asked, previous_question="What does a loan need?"))
    (note,) = await _notes(driver, "general", said["ts"])
    assert QUOTE not in note
    assert "could not finish" in note


async def test_changed_words_whose_old_ones_showed_nothing_end_under_the_message(
    bot: Bot, driver: Driver
) -> None:
    said = await driver.post("say", user="alice", channel="general", text=TEXT)
    asked = _asked(bot, said)
    await _taken_back(bot, said, task=task_of(asked))
    await _given_up(bot, "edit", Edited(asked=asked, previous_question="Who has it?"))
    assert len(await _notes(driver, "general", said["ts"])) == 1
