"""Asked back, answered in the thread: a new task whose parent is the first."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, cast

import pytest
from sqlalchemy import update

from bot.background import Background
from bot.errors import JobGivenUp
from bot.inbound import listening
from bot.inbound.amending import on_choose
from bot.inbound.hearing import on_ask, on_reply
from bot.parts import conversation_of
from bot.playground import Running
from bot.questions.asking import PATIENCE
from bot.queue.durable import Job
from bot.record import StoredTask, Tasks, TaskState
from bot.slack.identity import principal_id
from bot.storage.database import Database
from bot.storage.rows import stamp
from bot.storage.tables import tasks
from bot.work.jobs import GivenUp, end_failed
from handlers.deps import Asked, Pressed, Room, Sender
from rag.errors import StoreUnavailable
from rag.values import Request
from tests.bot.slack.conftest import ALICE, BOB, Bot, Company, replies, shown, socket_bot
from tests.bot.slack.scripted import QUOTE
from tests.bot.slack.test_mentions import ours, settled
from tests.playground.conftest import GENERAL, Driver, Json, until

ASKED = "<@footnote> What does that one need?"


async def asked_back(driver: Driver) -> tuple[str, Json]:
    """Alice's ambiguous question: its ts, and the question back."""
    said = await driver.post("say", user="alice", channel="general", text=ASKED)
    return said["ts"], (await replies(driver, "general", "alice", said["ts"]))[0]


def buttons(message: Json) -> list[Json]:
    rows = [block for block in message["blocks"] if block["type"] == "actions"]
    return [element for row in rows for element in row["elements"]]


async def press(driver: Driver, message: Json, button: Json) -> None:
    """Alice presses a button of that message."""
    await driver.post(
        "click",
        user="alice",
        channel="general",
        ts=message["ts"],
        action_id=button["action_id"],
        value=button["value"],
    )


async def test_a_reply_in_the_thread_opens_a_new_task(
    bot: Bot, company: Company, driver: Driver
) -> None:
    thread, question = await asked_back(driver)
    assert "Which one do you mean?" in shown(question)
    await driver.post("say", user="alice", channel="general", text="The camera", thread_ts=thread)
    answers = await replies(driver, "general", "alice", thread, count=2)
    assert QUOTE in shown(answers[1])
    first, second = bot.pipeline.runs
    assert (second.parent_id, second.rounds) == (first.task, 1)
    assert second.turns[0].clarifying
    # The question itself shows that it was answered and offers nothing any more.
    assert buttons(answers[0]) == []
    stored = await company.record.tasks.get(tenant="demo", task=first.task)
    assert stored.state == "done"


@pytest.fixture
async def slow(company: Company, running: Running) -> AsyncIterator[Bot]:
    async with socket_bot(company, running, pause=lambda _request: 1.5) as made:
        yield made


async def test_a_reply_that_comes_before_the_question_back_is_not_lost(
    slow: Bot, driver: Driver
) -> None:
    said = await driver.post("say", user="alice", channel="general", text=ASKED)

    async def placed() -> bool:
        return len(await ours(driver, "general", "alice", said["ts"])) == 1

    assert await until(placed)
    await driver.post(
        "say", user="alice", channel="general", text="The camera", thread_ts=said["ts"]
    )
    answers = await replies(driver, "general", "alice", said["ts"], count=2)
    assert QUOTE in shown(answers[1])
    first, second = slow.pipeline.runs
    assert second.parent_id == first.task


class Turning:
    """Tasks of which the first begins to wait for its asker right after each look for such."""

    def __init__(self, kept: Tasks, database: Database) -> None:
        self._kept = kept
        self._database = database

    def __getattr__(self, name: str) -> Any:
        return getattr(self._kept, name)

    async def waiting(self, **named: Any) -> StoredTask | None:
        found = await self._kept.waiting(**named)
        waits = update(tasks).values(state=TaskState.WAITING.value)
        await self._database.amend(lambda connection: connection.execute(waits).rowcount)
        return found


async def test_a_reply_in_the_very_moment_the_wait_begins_is_not_lost(
    bot: Bot, company: Company
) -> None:
    asked = _replying(bot, datetime.now(UTC), thread="1.5")
    begun = Request(
        tenant="demo",
        task="t1",
        principal=principal_id(asked.sender.team_id, ALICE),
        question="What does that one need?",
        conversation=conversation_of(asked.room, root="1.5"),
        asked_at=datetime.now(UTC),
    )
    await company.record.tasks.enqueue(begun)
    turning = cast("Tasks", Turning(company.record.tasks, company.database))
    parts = replace(bot.parts, record=replace(bot.parts.record, tasks=turning))
    intake = Laid()
    await listening.build(parts, Background(), intake).reply(asked)
    assert [job.kind for job in intake.jobs] == ["reply"]


class Laid:
    """`bot.inbound.listening.Intake` that only remembers."""

    troubled = False

    def __init__(self) -> None:
        self.jobs: list[Job] = []

    async def put(self, job: Job, *, comes_again: bool) -> bool:
        self.jobs.append(job)
        return not comes_again


async def test_a_pressed_option_is_the_same_as_a_reply(bot: Bot, driver: Driver) -> None:
    thread, question = await asked_back(driver)
    option = buttons(question)[1]
    await press(driver, question, option)
    await replies(driver, "general", "alice", thread, count=2)
    first, second = bot.pipeline.runs
    assert second.question == "The laptop"
    assert second.parent_id == first.task
    assert second.chosen_from == ("handbook",)  # no title is just that: all that may be


async def test_an_option_that_is_a_title_comes_from_that_source_alone(
    bot: Bot, company: Company, driver: Driver
) -> None:
    await company.put("laptop", readers=("everyone",), title="The laptop")
    thread, question = await asked_back(driver)
    await press(driver, question, buttons(question)[1])
    await replies(driver, "general", "alice", thread, count=2)
    assert bot.pipeline.runs[1].chosen_from == ("laptop",)


async def test_a_question_back_with_a_title_that_the_room_may_not_read_any_more_is_not_shown_again(
    bot: Bot, company: Company, driver: Driver
) -> None:
    thread, question = await asked_back(driver)

    async def waits() -> bool:
        talk = f"{GENERAL}:{thread}"
        return await company.record.tasks.waiting(tenant="demo", conversation=talk) is not None

    await until(waits)
    await company.put("handbook", readers=(principal_id(bot.parts.installation.team_id, ALICE),))
    await press(driver, question, buttons(question)[0])
    shows = await replies(driver, "general", "alice", thread, count=2)
    assert "Which one do you mean?" not in str(shows[0])
    assert "The camera" not in str(shows[0])


async def test_a_reply_that_is_answered_in_private_ends_the_wait_too(
    bot: Bot, company: Company, driver: Driver
) -> None:
    thread, question = await asked_back(driver)
    option = buttons(question)[1]
    first = bot.pipeline.runs[0].task

    async def waits() -> bool:
        return (await company.record.tasks.get(tenant="demo", task=first)).state == "waiting"

    await until(waits)
    state = driver.running.workspace.state
    shared = {**(state.get("channel", GENERAL) or {}), "is_shared": True, "is_ext_shared": True}
    state.put("channel", GENERAL, shared)  # before Slack has told us so
    await press(driver, question, option)
    shows = await replies(driver, "general", "alice", thread, count=2)
    await until(lambda: driver.messages("dm", "alice"))
    assert buttons(shows[0]) == []
    stored = await company.record.tasks.get(tenant="demo", task=first)
    assert stored.state == "done"


async def test_a_press_before_the_wait_is_recorded_is_not_lost(
    bot: Bot, company: Company, driver: Driver
) -> None:
    thread, question = await asked_back(driver)
    first = bot.pipeline.runs[0].task
    team = bot.parts.installation.team_id
    pressed = Pressed(
        sender=Sender(user_id=ALICE, team_id=team, homes=(team,)),
        room=Room(channel=GENERAL),
        message_ts=question["ts"],
        value=buttons(question)[0]["value"],
    )

    async def press(*, state: TaskState) -> None:
        put = update(tasks).where(tasks.c.id == first).values(state=state)
        await company.database.amend(lambda connection: connection.execute(put).rowcount)
        await on_choose(bot.parts, "t2", pressed, datetime.now(UTC))

    with pytest.raises(StoreUnavailable):
        await press(state=TaskState.RUNNING)
    await press(state=TaskState.WAITING)
    answers = await replies(driver, "general", "alice", thread, count=2)
    assert QUOTE in shown(answers[1])


async def test_pressing_twice_asks_once(bot: Bot, driver: Driver) -> None:
    thread, question = await asked_back(driver)
    for option in buttons(question):
        await driver.post(
            "click",
            user="alice",
            channel="general",
            ts=question["ts"],
            action_id=option["action_id"],
            value=option["value"],
        )
    await replies(driver, "general", "alice", thread, count=2)
    await settled(driver)
    assert len(bot.pipeline.runs) == 2
    assert len(await ours(driver, "general", "alice", thread)) == 2


async def test_somebody_else_is_not_answered_for_the_asker(bot: Bot, driver: Driver) -> None:
    thread, question = await asked_back(driver)
    await driver.post("say", user="bob", channel="general", text="The laptop", thread_ts=thread)
    option = buttons(question)[0]
    await driver.post(
        "click",
        user="bob",
        channel="general",
        ts=question["ts"],
        action_id=option["action_id"],
        value=option["value"],
    )

    async def told() -> list[Json]:
        found = await ours(driver, "general", "bob", thread)
        return [message for message in found if message.get("ephemeral")]

    assert len(await until(told, seconds=5.0)) == 1
    await settled(driver)
    assert len(bot.pipeline.runs) == 1
    assert len(await ours(driver, "general", "alice", thread)) == 1


async def test_another_who_asks_in_the_thread_again_after_a_death_ends_no_wait(
    bot: Bot, company: Company, driver: Driver
) -> None:
    thread, _question = await asked_back(driver)
    text = "<@footnote> What does the camera need?"
    said = await driver.post("say", user="bob", channel="general", text=text, thread_ts=thread)
    shows = await replies(driver, "general", "bob", thread, count=2)
    asker, follower = bot.pipeline.runs
    assert (follower.parent_id, follower.rounds) == (asker.task, 0)
    team = bot.parts.installation.team_id
    asked = Asked(
        sender=Sender(user_id=BOB, team_id=team, homes=(team,)),
        room=Room(channel=GENERAL),
        ts=said["ts"],
        thread_ts=thread,
        question=follower.question,
        mentioned=True,
    )
    await on_ask(bot.parts, follower.task, asked)
    stored = await company.record.tasks.get(tenant="demo", task=asker.task)
    assert stored.state == "waiting"
    assert buttons((await ours(driver, "general", "alice", thread))[0]) == buttons(shows[0]) != []


async def test_a_reply_whose_job_died_as_the_wait_ended_is_answered(
    bot: Bot, company: Company, driver: Driver
) -> None:
    thread, _question = await asked_back(driver)
    asked = await _died_as_the_wait_ended(bot, company, thread)
    await asyncio.wait_for(on_reply(bot.parts, "t2", asked), 20)
    answers = await replies(driver, "general", "alice", thread, count=2)
    assert QUOTE in shown(answers[1])
    assert buttons(answers[0]) == []


async def test_a_reply_that_is_given_up_as_the_wait_ended_leaves_no_options(
    bot: Bot, company: Company, driver: Driver
) -> None:
    thread, question = await asked_back(driver)
    asked = await _died_as_the_wait_ended(bot, company, thread)
    assert buttons(question) != []
    given_up = GivenUp(job="t2", kind="reply", payload=asked.model_dump_json())
    await end_failed(bot.parts, given_up, JobGivenUp("t2"), at=datetime.now(UTC))
    (left,) = await ours(driver, "general", "alice", thread)
    assert buttons(left) == []
    assert len(await ours(driver, "dm", "alice")) == 1
    stored = await company.record.tasks.get(tenant="demo", task="t2")
    assert stored.state is TaskState.FAILED


async def _died_as_the_wait_ended(bot: Bot, company: Company, thread: str) -> Asked:
    """A reply whose job stored its task and ended the wait, and did no more."""
    first = bot.pipeline.runs[0]
    at = datetime.now(UTC)
    reply = first.model_copy(
        update={"task": "t2", "question": "The camera", "parent_id": first.task, "rounds": 1}
    )

    async def waits() -> bool:
        stored = await company.record.tasks.get(tenant="demo", task=first.task)
        return stored.state is TaskState.WAITING

    await until(waits)
    await company.record.tasks.enqueue(reply.model_copy(update={"asked_at": at}))
    await company.record.tasks.settle(tenant="demo", task=first.task)
    return _replying(bot, at, thread=thread)


def _replying(bot: Bot, at: datetime, *, thread: str) -> Asked:
    team = bot.parts.installation.team_id
    return Asked(
        sender=Sender(user_id=ALICE, team_id=team, homes=(team,)),
        room=Room(channel=GENERAL),
        ts=f"{at.timestamp():.6f}",
        thread_ts=thread,
        question="The camera",
    )


async def test_a_reply_after_its_time_takes_the_options_away(
    bot: Bot, company: Company, driver: Driver
) -> None:
    thread, _question = await asked_back(driver)
    asked = await _died_as_the_wait_ended(bot, company, thread)
    long_ago = stamp(datetime.now(UTC) - 2 * PATIENCE)
    waits = (
        update(tasks)
        .where(tasks.c.id == bot.pipeline.runs[0].task)
        .values(state=TaskState.WAITING.value, created_at=long_ago)
    )
    await company.database.amend(lambda connection: connection.execute(waits).rowcount)
    await on_reply(bot.parts, "t3", asked)
    left, note = await ours(driver, "general", "alice", thread)
    assert buttons(left) == []
    assert "has waited for more than" in shown(note)


async def test_never_mind_before_the_end_is_recorded_takes_the_options_away(
    bot: Bot, driver: Driver
) -> None:
    said = await driver.post(
        "say", user="alice", channel="general", text=f"{ASKED} Say it while it lingers."
    )
    thread = said["ts"]
    await replies(driver, "general", "alice", thread)
    await driver.post("say", user="alice", channel="general", text="never mind", thread_ts=thread)

    async def nothing_to_press() -> bool:
        answers = await replies(driver, "general", "alice", thread, count=2)
        return buttons(answers[0]) == []

    await until(nothing_to_press)


async def test_never_mind_ends_the_wait(bot: Bot, company: Company, driver: Driver) -> None:
    thread, _question = await asked_back(driver)
    await driver.post("say", user="alice", channel="general", text="never mind", thread_ts=thread)

    async def nothing_to_press() -> bool:
        answers = await replies(driver, "general", "alice", thread, count=2)
        return buttons(answers[0]) == []

    await until(nothing_to_press)
    assert len(bot.pipeline.runs) == 1
    assert await company.record.tasks.waiting(tenant="demo", conversation="x") is None
    stored = await company.record.tasks.get(tenant="demo", task=bot.pipeline.runs[0].task)
    assert stored.state == "cancelled"
