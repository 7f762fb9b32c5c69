"""A place that is closed to us: no second try, a quiet end, one private word to the asker."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.errors import SlackRefused, SlackUnavailable
from bot.playground import Running
from bot.posts.looking import Spot
from bot.posts.posting import Poster
from bot.questions.answering import fail, taken_over
from bot.questions.undelivered import WORD, end_undelivered, is_closed
from bot.storage.deliveries import SqlDeliveries
from bot.watch.watchdog import Watchdog
from handlers.blocks import notes
from rag.values import Place, Reason, Request
from tests.bot.slack.conftest import (
    ALICE,
    TENANT,
    Bot,
    Company,
    parts_of,
    replies,
    shown,
    socket_bot,
)
from tests.bot.slack.scripted import QUOTE
from tests.bot.slack.test_kills import bot_process
from tests.bot.slack.test_mentions import ours, settled
from tests.bot.slack.test_watchdog import staged
from tests.playground.conftest import GENERAL, Driver, Json, until

ASKED = "<@footnote> What does a loan need?"
T1 = {"tenant": TENANT, "task": "t1"}


async def words(driver: Driver) -> list[Json]:
    """What the bot said to alice in private."""
    found = await driver.messages("dm", "alice")
    return [message for message in found if message.get("bot_id")]


async def told(driver: Driver) -> Json:
    async def check() -> list[Json]:
        return await words(driver)

    found = await until(check)
    assert len(found) == 1
    return dict(found[0])


async def ended(company: Company) -> None:
    """Until the one task has ended as undeliverable."""

    async def check() -> bool:
        stored = await company.record.tasks.list(tenant="demo")
        return [task.reason for task in stored] == [Reason.UNDELIVERABLE]

    await until(check)


async def posts(driver: Driver, channel: str) -> int:
    calls = (await driver.get("calls", method="chat.postMessage"))["calls"]
    return sum(1 for call in calls if call["args"]["channel"] == channel)


async def archived(driver: Driver) -> None:
    """From now on Slack takes no post into the room."""
    await driver.post(
        "faults",
        method="chat.postMessage",
        kind="error",
        error="is_archived",
        times=99,
        channel=GENERAL,
    )


async def test_a_failure_that_nobody_could_be_told_is_told_later(bot: Bot, driver: Driver) -> None:
    """There is no message yet that could show it, and Slack is away just then."""
    said = await driver.post("say", user="alice", channel="general", text="A loan?")
    record = bot.parts.record
    request = Request(
        task="t1",
        tenant=TENANT,
        principal=f"slack:{bot.parts.installation.team_id}:{ALICE}",
        question="A loan?",
        place=Place(channel=said["channel"]),
        conversation=f"{said['channel']}:{said['ts']}",
        asked_at=datetime.now(UTC),
    )
    await record.tasks.enqueue(request)
    await driver.post("faults", method="conversations.open", kind="error", error="fatal_error")
    await fail(bot.parts, await taken_over(bot.parts, await record.tasks.get(**T1)), None)
    assert await words(driver) == []
    now = 0.0
    watchdog = Watchdog(bot.parts, clock=lambda: now)
    for now in (0.0, 60.0):  # noqa: B007 - the watchdog's clock
        await watchdog.look()
    (word,) = await words(driver)
    assert "Nothing was made up" in shown(word)
    await watchdog.look()
    assert len(await words(driver)) == 1
    assert await record.deliveries.unfinished(tenant=TENANT) == ()


@pytest.mark.parametrize("code", ["is_archived", "restricted_action"])
async def test_a_refused_placeholder(bot: Bot, company: Company, driver: Driver, code: str) -> None:
    await driver.post(
        "faults",
        method="chat.postMessage",
        kind="error",
        error=code,
        times=99,
        channel=GENERAL,
    )
    said = await driver.post("say", user="alice", channel="general", text=ASKED)
    word = await told(driver)
    await ended(company)
    await settled(driver, seconds=0.3)
    assert QUOTE not in shown(word)
    assert len(await words(driver)) == 1
    assert await ours(driver, "general", "alice", said["ts"]) == []
    assert await posts(driver, GENERAL) == 1
    assert bot.pipeline.runs == []


@pytest.mark.parametrize(
    "code",
    [
        *("is_archived", "not_in_channel", "channel_not_found", "cannot_reply_to_message"),
        *("thread_not_found", "restricted_action", "message_not_found", "user_disabled"),
    ],
)
def test_which_refusals_are_for_good(code: str) -> None:
    assert is_closed(SlackRefused("chat.postMessage", code))
    assert not is_closed(SlackUnavailable("chat.postMessage"))
    assert not is_closed(SlackRefused("chat.postMessage", "ratelimited"))


@pytest.mark.parametrize("change", ["archived", "removed"])
async def test_the_channel_closes_while_it_is_worked_on(
    company: Company, running: Running, driver: Driver, change: str
) -> None:
    async with socket_bot(company, running, pause=lambda request: 2.0) as bot:
        said = await driver.post("say", user="alice", channel="general", text=ASKED)
        await until(lambda: ours(driver, "general", "alice", said["ts"]))
        if change == "archived":
            await driver.post("channels", name="general", is_archived=True)
        else:
            await driver.post("members", channel="general", user="footnote", action="leave")
        word = await told(driver)
        await ended(company)
        assert QUOTE not in shown(word)
        assert len(bot.pipeline.runs) == 1


async def test_a_placeholder_that_was_deleted_by_others(
    company: Company, running: Running, driver: Driver
) -> None:
    await driver.post(
        "faults", method="chat.update", kind="error", error="message_not_found", times=99
    )
    async with socket_bot(company, running) as bot:
        await driver.post("say", user="alice", channel="general", text=ASKED)
        await told(driver)
        await ended(company)
        assert await posts(driver, GENERAL) == 1
        assert len(bot.pipeline.runs) == 1


@pytest.mark.parametrize("code", ["is_archived", "thread_not_found"])
async def test_a_fixed_reply_that_has_no_place(
    bot: Bot, company: Company, driver: Driver, code: str
) -> None:
    await driver.post(
        "faults", method="chat.postMessage", kind="error", error=code, times=99, channel=GENERAL
    )
    await driver.post("say", user="alice", channel="general", text="<@footnote> help")
    word = await told(driver)
    await settled(driver, seconds=0.3)
    assert shown(word) != ""
    assert len(await words(driver)) == 1
    assert await company.record.tasks.list(tenant="demo") == ()


async def test_the_word_is_said_once_though_the_bot_dies_over_it(
    company: Company, running: Running, driver: Driver
) -> None:
    await archived(driver)
    # The word to alice is taken by Slack, but its answer never comes.
    await driver.post("faults", method="chat.postMessage", kind="cut", nth=2)
    async with bot_process(company, running) as process:
        await driver.post("say", user="alice", channel="general", text=ASKED)
        await told(driver)
        process.kill()
        await process.wait()
    async with bot_process(company, running):
        await ended(company)
        await settled(driver)
        assert len(await words(driver)) == 1


async def test_an_asker_who_cannot_be_written_to_ends_quietly_too(
    bot: Bot, company: Company, driver: Driver
) -> None:
    await archived(driver)
    await driver.post(
        "faults", method="conversations.open", kind="error", error="user_disabled", times=99
    )
    await driver.post("say", user="alice", channel="general", text=ASKED)
    await ended(company)
    await driver.post("faults/clear")
    said = await driver.post("say", user="alice", channel="general", text=ASKED)
    answers = await replies(driver, "general", "alice", said["ts"])
    assert QUOTE in shown(answers[0])
    assert await words(driver) == []
    assert len(bot.pipeline.runs) == 1


def _question() -> Request:
    return Request(
        task="t1",
        tenant="demo",
        principal="slack:T0PLAYGROUND:U0ALICE0001",
        question="What?",
        place=Place(channel=GENERAL),
        asked_at=datetime.now(UTC),
    )


@pytest.mark.parametrize(
    ("place", "change"),
    [
        ("users", {"name": "alice", "deleted": True}),
        ("users", {"name": "alice", "is_restricted": True}),
        ("members", {"channel": "general", "user": "alice", "action": "leave"}),
    ],
)
async def test_an_asker_who_is_gone_by_then_leaves_no_content_in_the_room(
    company: Company, running: Running, driver: Driver, place: str, change: Json
) -> None:
    async with socket_bot(company, running, pause=lambda request: 1.5) as bot:
        said = await driver.post("say", user="alice", channel="general", text=ASKED)
        await until(lambda: ours(driver, "general", "bob", said["ts"]))
        await driver.post(place, **change)
        answers = await replies(driver, "general", "bob", said["ts"])
        assert len(answers) == 1
        assert QUOTE not in shown(answers[0])
        assert len(bot.pipeline.runs) == 1


async def test_where_no_message_may_be_sent_for_now_the_asker_is_told_once_all_the_same(
    bot: Bot, company: Company, driver: Driver
) -> None:
    request = _question()
    await company.record.tasks.enqueue(request)
    stored = await company.record.tasks.get(tenant="demo", task="t1")
    await driver.post(
        "faults", method="chat.postMessage", kind="status", status=429, retry_after="86400"
    )
    for _try in range(3):
        await fail(bot.parts, stored, None)
    found = await ours(driver, "general", "alice")
    assert [message.get("ephemeral") for message in found] == [True]
    assert await ours(driver, "general", "bob") == []


@pytest.mark.parametrize("hours", [0, 1])
async def test_a_word_said_before_the_question_was_stored_is_not_said_again(
    company: Company, running: Running, driver: Driver, hours: int
) -> None:
    """Its job was given up over a closed place; then a worker that stood still wakes."""
    async with parts_of(company, running) as bot:
        channel = await bot.parts.poster.dm(ALICE)
        spot = Spot(tenant=TENANT, task="t1", kind=WORD, channel=channel)
        note = notes.undeliverable(language="en")
        await bot.parts.poster.say_once(spot, note, since=datetime.now(UTC))
        scene = await staged(bot, driver)
        stored = await bot.parts.record.tasks.get(tenant=TENANT, task="t1")
        woken = timedelta(hours=hours)
        late = SqlDeliveries(company.database, clock=lambda: datetime.now(UTC) + woken)
        record = replace(bot.parts.record, deliveries=late)
        client, installation = bot.parts.client, bot.parts.installation
        poster = Poster(client, installation, late)
        await end_undelivered(replace(scene.parts, record=record, poster=poster), stored)
        assert len(await words(driver)) == 1
