"""A question back whose reply comes too late, is changed, or loses its question."""

from datetime import UTC, datetime, timedelta

from sqlalchemy import update

from bot.storage.rows import stamp
from bot.storage.tables import tasks
from tests.bot.slack.conftest import Bot, Company, replies, shown
from tests.bot.slack.scripted import QUOTE
from tests.bot.slack.test_clarifications import asked_back, buttons, press
from tests.bot.slack.test_mentions import ours, settled
from tests.playground.conftest import Driver, until


async def aged(company: Company, days: int) -> None:
    """Let the one question back be so old."""
    at = stamp(datetime.now(UTC) - timedelta(days=days))
    await company.database.write(
        lambda connection: connection.execute(
            update(tasks).where(tasks.c.tenant == "demo").values(created_at=at)
        )
    )


async def test_a_reply_after_a_week_is_told_so_once(
    bot: Bot, company: Company, driver: Driver
) -> None:
    thread, _question = await asked_back(driver)
    await aged(company, days=8)
    for text in ("The camera", "The laptop"):
        await driver.post("say", user="alice", channel="general", text=text, thread_ts=thread)
        await settled(driver)
    found = await ours(driver, "general", "alice", thread)
    assert len(found) == 2
    assert QUOTE not in shown(found[1])
    assert len(bot.pipeline.runs) == 1


async def test_a_button_pressed_after_a_week_is_told_so(
    bot: Bot, company: Company, driver: Driver
) -> None:
    thread, question = await asked_back(driver)
    await aged(company, days=8)
    option = buttons(question)[0]
    await press(driver, question, option)
    answers = await replies(driver, "general", "alice", thread, count=2)
    assert QUOTE not in shown(answers[1])
    assert buttons(answers[0]) == []
    assert len(bot.pipeline.runs) == 1


async def test_a_reply_that_is_changed_is_answered_anew_in_place(bot: Bot, driver: Driver) -> None:
    thread, _question = await asked_back(driver)
    said = await driver.post(
        "say", user="alice", channel="general", text="The camera", thread_ts=thread
    )
    before = await replies(driver, "general", "alice", thread, count=2)
    await driver.post(
        "edit", user="alice", channel="general", ts=said["ts"], text="The laptop then"
    )

    async def again() -> bool:
        return [request.question for request in bot.pipeline.runs][-1] == "The laptop then"

    await until(again)
    after = await replies(driver, "general", "alice", thread, count=2)
    await settled(driver)
    assert [message["ts"] for message in after] == [message["ts"] for message in before]


async def test_a_question_that_is_deleted_takes_its_question_back_along(
    bot: Bot, company: Company, driver: Driver
) -> None:
    thread, _question = await asked_back(driver)
    await driver.post("delete", user="alice", channel="general", ts=thread)

    async def gone() -> bool:
        calls = (await driver.get("calls", method="chat.delete"))["calls"]
        return any(call["response"]["ok"] for call in calls)

    await until(gone)
    stored = await company.record.tasks.get(tenant="demo", task=bot.pipeline.runs[0].task)
    assert stored.state == "cancelled"
