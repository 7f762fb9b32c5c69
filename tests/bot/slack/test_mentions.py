"""A mention becomes one answer, however often and in whatever shape Slack tells us."""

import asyncio

from tests.bot.slack.conftest import Bot, Company, replies, shown
from tests.bot.slack.scripted import QUOTE
from tests.playground.conftest import Driver, Json, until

ASKED = "<@footnote> What does a loan need?"


async def ours(driver: Driver, channel: str, person: str, thread: str = "") -> list[Json]:
    found = await driver.messages(channel, person, thread)
    return [message for message in found if message.get("bot_id")]


async def settled(driver: Driver, seconds: float = 0.8) -> None:
    """Until nothing waits to be delivered, and a little longer."""

    async def nothing_waits() -> bool:
        return not (await driver.get("deliveries"))["deliveries"]

    await until(nothing_waits, seconds=10.0)
    await asyncio.sleep(seconds)


async def test_a_mention_is_answered_once_in_its_thread(bot: Bot, driver: Driver) -> None:
    said = await driver.post("say", user="alice", channel="general", text=ASKED)
    answers = await replies(driver, "general", "alice", said["ts"])
    assert QUOTE in shown(answers[0])
    assert "1" in answers[0]["text"]
    assert QUOTE not in answers[0]["text"]
    await settled(driver)
    assert len(await ours(driver, "general", "alice", said["ts"])) == 1
    assert [request.question for request in bot.pipeline.runs] == ["What does a loan need?"]


async def test_redelivery_of_both_events_changes_nothing(bot: Bot, driver: Driver) -> None:
    said = await driver.post("say", user="alice", channel="general", text=ASKED)
    await driver.post("redeliver", ts=said["ts"], times=4)
    await replies(driver, "general", "alice", said["ts"])
    await driver.post("redeliver", ts=said["ts"], times=4)
    await settled(driver)
    assert len(await ours(driver, "general", "alice", said["ts"])) == 1
    assert len(bot.pipeline.runs) == 1


async def test_an_outsider_gets_no_reply_at_all(bot: Bot, driver: Driver) -> None:
    said = await driver.post("say", user="dana", channel="partners", text=ASKED)
    await settled(driver)
    assert await ours(driver, "partners", "dana", said["ts"]) == []
    assert bot.pipeline.runs == []


async def test_a_shared_channel_gets_the_neutral_reply_and_the_asker_the_answer(
    bot: Bot, driver: Driver
) -> None:
    said = await driver.post("say", user="alice", channel="partners", text=ASKED)
    private = await replies(driver, "dm", "alice", "")
    assert QUOTE in shown(private[0])
    in_room = await ours(driver, "partners", "dana", said["ts"])
    assert len(in_room) == 1
    assert QUOTE not in shown(in_room[0])
    assert bot.pipeline.runs[0].place.channel is None


async def test_a_guest_in_the_room_keeps_what_is_for_everyone_out_of_it(
    bot: Bot, driver: Driver
) -> None:
    said = await driver.post("say", user="alice", channel="hr", text=ASKED)
    answers = await replies(driver, "hr", "carol", said["ts"])
    assert len(answers) == 1
    assert QUOTE not in shown(answers[0])


async def test_a_direct_message_is_answered(bot: Bot, driver: Driver) -> None:
    said = await driver.post("say", user="bob", channel="dm", text="What does a loan need?")
    answers = await replies(driver, "dm", "bob", said["ts"])
    assert QUOTE in shown(answers[0])


async def test_a_person_who_may_read_nothing_is_told_so(bot: Bot, driver: Driver) -> None:
    said = await driver.post("say", user="carol", channel="hr", text=ASKED)
    answers = await replies(driver, "hr", "carol", said["ts"])
    assert "nothing" in shown(answers[0]).lower() or "no source" in shown(answers[0]).lower()
    assert bot.pipeline.runs == []


async def test_fixed_replies(bot: Bot, company: Company, driver: Driver) -> None:
    for text in ("<@footnote>", "<@footnote> help", f"<@footnote> {'long ' * 900}"):
        said = await driver.post("say", user="alice", channel="general", text=text)
        answers = await replies(driver, "general", "alice", said["ts"])
        assert len(answers) == 1
    assert bot.pipeline.runs == []
    assert await company.record.tasks.list(tenant="demo") == ()


async def test_a_follow_up_knows_the_conversation(bot: Bot, driver: Driver) -> None:
    said = await driver.post("say", user="alice", channel="general", text=ASKED)
    await replies(driver, "general", "alice", said["ts"])
    await driver.post(
        "say",
        user="alice",
        channel="general",
        text="<@footnote> And when does it end?",
        thread_ts=said["ts"],
    )
    await replies(driver, "general", "alice", said["ts"], count=2)
    first, second = bot.pipeline.runs
    assert second.parent_id == first.task
    assert [turn.task for turn in second.turns] == [first.task]
    assert second.task != first.task


async def test_talk_in_a_thread_is_left_alone(bot: Bot, driver: Driver) -> None:
    said = await driver.post("say", user="alice", channel="general", text=ASKED)
    await replies(driver, "general", "alice", said["ts"])
    await driver.post(
        "say", user="bob", channel="general", text="Good to know!", thread_ts=said["ts"]
    )
    await settled(driver)
    assert len(await ours(driver, "general", "alice", said["ts"])) == 1
    assert len(bot.pipeline.runs) == 1
