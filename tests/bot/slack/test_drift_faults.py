"""What cannot be looked up counts as no, in time; what cannot be taken back is written down."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.audience import Change, ChangeKind
from bot.playground import Running
from bot.questions.drift import PATIENCE_SECONDS, look
from bot.storage.changes import SqlChanges
from bot.watch.drifting import Drifting
from tests.bot.slack.conftest import TENANT, Bot, Company, socket_bot
from tests.bot.slack.scripted import QUOTE
from tests.bot.slack.test_drift import GENERAL, TEAM, answered, now_shown
from tests.playground.conftest import Driver, Json, until

BOB_ALONE = ("slack:T0PLAYGROUND:U0BOB000001",)


@pytest.fixture
async def bot(company: Company, running: Running) -> AsyncIterator[Bot]:
    """A bot that looks only when a test asks it to."""
    async with socket_bot(company, running) as made:
        yield made


def _change(bot: Bot, *, seconds_ago: float = 0.0, about: str = GENERAL) -> Change:
    at = bot.parts.now() - timedelta(seconds=seconds_ago)
    return Change(id=f"{about}-{seconds_ago}", kind=ChangeKind.ROOM, about=about, at=at)


async def _what(company: Company) -> list[str]:
    return [noted.what for noted in await company.record.audit.list(tenant=TENANT)]


async def _failing(driver: Driver, method: str, error: str, times: int = 1000) -> None:
    await driver.post("faults", method=method, kind="error", error=error, times=times)


async def test_a_room_nobody_can_look_up_reads_nothing_once_patience_is_over(
    bot: Bot, company: Company, driver: Driver
) -> None:
    answer = await answered(driver, company, "general")
    await _failing(driver, "conversations.members", "fatal_error")
    fresh = _change(bot)
    await company.record.changes.note(fresh, tenant=TENANT)
    await look(bot.parts, fresh)
    assert QUOTE in await now_shown(driver, answer)
    assert await SqlChanges(company.database).waiting(tenant=TENANT) == (fresh,)
    await look(bot.parts, _change(bot, seconds_ago=PATIENCE_SECONDS + 1.0))
    assert QUOTE not in await now_shown(driver, answer)


async def test_a_source_that_is_gone_is_taken_back_though_nobody_can_look_anybody_up(
    bot: Bot, company: Company, driver: Driver
) -> None:
    answer = await answered(driver, company, "general")
    await _failing(driver, "users.info", "fatal_error")
    await company.sources.remove(tenant=TENANT, source_id="handbook")
    await Drifting(bot.parts).look()
    assert QUOTE not in await now_shown(driver, answer)


async def test_a_group_nobody_can_look_up_holds_nobody_once_patience_is_over(
    bot: Bot, company: Company, driver: Driver
) -> None:
    await driver.post("usergroups", handle="leads", name="Leads", members=["alice", "bob"])
    await company.put("handbook", readers=("group:S0LEADS0001",))
    answer = await answered(driver, company, "general")
    await _failing(driver, "usergroups.users.list", "fatal_error")
    await look(bot.parts, _change(bot))
    assert QUOTE in await now_shown(driver, answer)
    await look(bot.parts, _change(bot, seconds_ago=PATIENCE_SECONDS + 1.0))
    assert QUOTE not in await now_shown(driver, answer)


async def test_a_sweep_takes_back_what_it_could_not_look_up_three_times(
    bot: Bot, company: Company, driver: Driver
) -> None:
    answer = await answered(driver, company, "general")
    await _failing(driver, "users.info", "fatal_error")
    sweeping = Drifting(replace(bot.parts, sweep_seconds=0.001), gap_seconds=0.0)
    for shows in (True, True, False):
        assert await sweeping.sweep()
        assert (QUOTE in await now_shown(driver, answer)) is shows
    assert await _what(company) == ["answer-withdrawn"]


async def _lose_a_reader(company: Company, bot: Bot) -> None:
    await company.sources.set_readers(tenant=TENANT, source_id="handbook", readers=BOB_ALONE)
    await Drifting(bot.parts).look()


async def test_a_message_that_can_only_be_deleted_is(
    bot: Bot, company: Company, driver: Driver
) -> None:
    answer = await answered(driver, company, "general")
    await _failing(driver, "chat.update", "cant_update_message")
    await _lose_a_reader(company, bot)
    assert await now_shown(driver, answer) == ""
    assert await _what(company) == ["answer-withdrawn"]


async def test_a_message_that_can_be_neither_changed_nor_deleted_is_written_down_once(
    bot: Bot, company: Company, driver: Driver
) -> None:
    answer = await answered(driver, company, "general")
    await _failing(driver, "chat.update", "cant_update_message")
    await _failing(driver, "chat.delete", "no_permission", times=1)
    await _lose_a_reader(company, bot)
    assert QUOTE in await now_shown(driver, answer)
    assert await _what(company) == ["withdrawal-refused"]
    sweeping = Drifting(replace(bot.parts, sweep_seconds=0.001), gap_seconds=0.0)
    assert await sweeping.sweep()
    assert await now_shown(driver, answer) == ""
    assert sorted(await _what(company)) == ["answer-withdrawn", "withdrawal-refused"]


async def test_a_message_that_somebody_deleted_counts_as_taken_back(
    bot: Bot, company: Company, driver: Driver
) -> None:
    answer = await answered(driver, company, "general")
    await bot.parts.poster.delete(channel=GENERAL, ts=answer["ts"])
    await _lose_a_reader(company, bot)
    assert await _what(company) == ["answer-withdrawn"]
    assert await company.record.shown.audiences(tenant=TENANT, home=TEAM) == ()


async def test_two_that_look_at_once_write_it_down_once(
    bot: Bot, company: Company, driver: Driver
) -> None:
    """As when the first dies between the message and the entry, and another looks again."""
    answer = await answered(driver, company, "general")
    await company.sources.set_readers(tenant=TENANT, source_id="handbook", readers=BOB_ALONE)
    (change,) = await SqlChanges(company.database).waiting(tenant=TENANT)
    await asyncio.gather(*(look(bot.parts, change) for _ in range(3)))
    assert QUOTE not in await now_shown(driver, answer)
    assert await _what(company) == ["answer-withdrawn"]


async def test_slack_away_is_waited_out(bot: Bot, company: Company, driver: Driver) -> None:
    answer = await answered(driver, company, "general")
    await driver.post("faults", method="chat.update", kind="status", status=500, times=5)
    await _lose_a_reader(company, bot)
    assert QUOTE in await now_shown(driver, answer)
    (change,) = await SqlChanges(company.database).waiting(tenant=TENANT)
    await look(bot.parts, change)
    assert QUOTE not in await now_shown(driver, answer)
    assert await SqlChanges(company.database).waiting(tenant=TENANT) == ()


async def test_the_answer_to_changed_words_is_not_taken_back_for_the_old_ones(
    bot: Bot, company: Company, driver: Driver
) -> None:
    answer = await answered(driver, company, "general")
    held = (await company.record.shown.audiences(tenant=TENANT, home=TEAM))[0]
    (old,) = await company.record.shown.seen_by(held, tenant=TENANT)
    asked: Json = {"user": "alice", "channel": "general", "ts": answer["thread"]}
    await driver.post("edit", **asked, text="<@footnote> What else does a loan need?")

    async def again() -> bool:
        tasks = await company.record.tasks.list(tenant=TENANT)
        return len(tasks) == 2 and not await company.record.tasks.unfinished(tenant=TENANT)

    await until(again)
    await company.record.shown.begin(tenant=TENANT, task=old.task, home=TEAM, sources=["secret"])
    await look(bot.parts, _change(bot))
    assert QUOTE in await now_shown(driver, answer)
    assert await _what(company) == []


async def test_a_message_of_another_installation_is_left_to_it(
    bot: Bot, company: Company, driver: Driver
) -> None:
    """One tenant may have several workspaces, and only its own bot can ask who is in a room."""
    answer = await answered(driver, company, "general")
    (task,) = await company.record.tasks.list(tenant=TENANT)
    named = {"tenant": TENANT, "task": task.id, "home": "T0ANOTHER"}
    await company.record.shown.begin(**named, sources=["handbook"])
    await _lose_a_reader(company, bot)
    assert QUOTE in await now_shown(driver, answer)
    (left,) = await SqlChanges(company.database).waiting(tenant=TENANT)
    assert (left.home, left.about) == ("T0ANOTHER", "handbook")


async def test_a_message_that_slack_holds_back_keeps_no_other_waiting(
    bot: Bot, company: Company, driver: Driver
) -> None:
    first = await answered(driver, company, "general")
    second = await answered(driver, company, "dm")
    await driver.post(
        "faults", method="chat.update", channel=GENERAL, kind="status", status=500, times=5
    )
    await _lose_a_reader(company, bot)
    assert QUOTE in await now_shown(driver, first)
    assert QUOTE not in await now_shown(driver, second)
    assert len(await SqlChanges(company.database).waiting(tenant=TENANT)) == 1
