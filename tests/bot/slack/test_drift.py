"""Answers go when somebody reads along who may not read their sources."""

from collections.abc import AsyncIterator

import pytest

from bot.playground import Running
from bot.storage.changes import SqlChanges
from bot.watch.drifting import Drifting, drifting
from tests.bot.slack.conftest import TENANT, Bot, Company, replies, shown, socket_bot
from tests.bot.slack.scripted import QUOTE
from tests.playground.conftest import Driver, Json, until

ASKED = "<@footnote> What does a loan need?"
ALICE, BOB = "slack:T0PLAYGROUND:U0ALICE0001", "slack:T0PLAYGROUND:U0BOB000001"
GENERAL, HR, TEAM = "C0GENERAL01", "C0HR0000001", "T0PLAYGROUND"


@pytest.fixture
async def bot(company: Company, running: Running) -> AsyncIterator[Bot]:
    async with socket_bot(company, running) as made, drifting(made.parts):
        yield made


async def answered(driver: Driver, company: Company, channel: str) -> Json:
    """The message that shows the answer, once its publisher has looked for the last time."""
    said = await driver.post("say", user="alice", channel=channel, text=ASKED)
    thread = said["ts"]
    (answer,) = await replies(driver, channel, "alice", thread)
    assert QUOTE in shown(answer)

    async def ended() -> bool:
        return not await company.record.tasks.unfinished(tenant=TENANT)

    await until(ended)
    return {"channel": channel, "ts": answer["ts"], "thread": thread}


async def now_shown(driver: Driver, answer: Json) -> str:
    """What Alice sees of the message as it is; nothing where it is gone."""
    found = await driver.messages(answer["channel"], "alice", answer["thread"])
    return "\n".join(shown(message) for message in found if message["ts"] == answer["ts"])


async def _withdrawn(driver: Driver, answer: Json) -> None:
    async def check() -> bool:
        return "withdrawn" in await now_shown(driver, answer)

    await until(check, seconds=15.0)
    assert QUOTE not in await now_shown(driver, answer)


async def _noted(company: Company, *, count: int) -> list[tuple[str, ...]]:
    async def check() -> list[tuple[str, ...]]:
        entries = await company.record.audit.list(tenant=TENANT)
        found = [noted.about for noted in entries if noted.what == "answer-withdrawn"]
        return found if len(found) >= count else []

    return list(await until(check, seconds=15.0))


async def _looked(company: Company, *, count: int) -> None:
    """Until that many changes have come, and none is left that nobody has looked at."""
    changes = SqlChanges(company.database)

    async def check() -> bool:
        came = await changes.recent(tenant=TENANT, seconds=600.0)
        return len(came) >= count and not await changes.waiting(tenant=TENANT)

    await until(check, seconds=15.0)


async def test_a_private_channel_that_is_shared_keeps_no_answer_under_its_new_id(
    bot: Bot, company: Company, driver: Driver
) -> None:
    assert bot.parts.tenant == TENANT
    await driver.post(
        "channels", name="deal", is_private=True, members=["alice", "bob", "footnote"]
    )
    answer = await answered(driver, company, "deal")
    shared = await driver.post("channels", name="deal", shared_with=["T0NORTHWIND"])
    room = shared["channel"]["id"]
    ((_, channel, because, *_),) = await _noted(company, count=1)
    assert (channel, because) == (room, f"room:{room}")
    await _withdrawn(driver, answer)


async def test_a_guest_who_joins_sees_no_answer_from_before(
    bot: Bot, company: Company, driver: Driver
) -> None:
    assert bot.parts.tenant == TENANT
    answer = await answered(driver, company, "general")
    await driver.post("members", channel="general", user="carol", action="join")
    await _withdrawn(driver, answer)
    ((task, channel, because, *sources),) = await _noted(company, count=1)
    assert (channel, sources) == (GENERAL, ["handbook"])
    assert because in (f"room:{GENERAL}", "sweep")  # whichever came first
    await _looked(company, count=1)
    assert await company.record.shown.audiences(tenant=TENANT, home=TEAM) == ()
    (turn,) = await company.record.tasks.turns(
        tenant=TENANT,
        conversation=f"{GENERAL}:{answer['thread']}",
        principal=ALICE,
        place=bot.pipeline.runs[0].place,
        before=bot.parts.now(),
    )
    assert (turn.task, turn.reply, turn.source_ids) == (task, "", ())


async def test_a_member_who_joins_or_leaves_takes_nothing_away(
    bot: Bot, company: Company, driver: Driver
) -> None:
    assert bot.parts.tenant == TENANT
    answer = await answered(driver, company, "general")
    for action in ("leave", "join"):
        await driver.post("members", channel="general", user="bob", action=action)
    await _looked(company, count=2)
    assert QUOTE in await now_shown(driver, answer)
    assert await company.record.audit.list(tenant=TENANT) == ()


async def test_whoever_leaves_a_channel_may_read_no_more_through_it(
    bot: Bot, company: Company, driver: Driver
) -> None:
    assert bot.parts.tenant == TENANT
    await company.put("handbook", readers=(f"channel:{HR}",))
    answer = await answered(driver, company, "general")
    await driver.post("members", channel="hr", user="bob", action="leave")
    await _withdrawn(driver, answer)


async def test_a_group_that_shrinks_takes_its_answers_with_it(
    bot: Bot, company: Company, driver: Driver
) -> None:
    assert bot.parts.tenant == TENANT
    await driver.post("usergroups", handle="leads", name="Leads", members=["alice", "bob"])
    await company.put("handbook", readers=("group:S0LEADS0001",))
    answer = await answered(driver, company, "dm")
    await driver.post("usergroups", handle="leads", name="Leads", members=["bob"])
    await _withdrawn(driver, answer)


async def test_a_shared_channel_keeps_no_answer(bot: Bot, company: Company, driver: Driver) -> None:
    assert bot.parts.tenant == TENANT
    answer = await answered(driver, company, "general")
    await driver.post("channels", name="general", shared_with=["T0NORTHWIND"])
    await _withdrawn(driver, answer)


async def test_a_member_who_becomes_a_guest_keeps_no_answer_even_in_private(
    bot: Bot, company: Company, driver: Driver
) -> None:
    assert bot.parts.tenant == TENANT
    in_room, alone = (
        await answered(driver, company, "general"),
        await answered(driver, company, "dm"),
    )
    await driver.post("users", name="alice", is_restricted=True)
    await _withdrawn(driver, in_room)
    await _withdrawn(driver, alone)


async def test_somebody_who_leaves_the_company_takes_no_answer_from_the_room(
    bot: Bot, company: Company, driver: Driver
) -> None:
    assert bot.parts.tenant == TENANT
    answer = await answered(driver, company, "general")
    await driver.post("members", channel="general", user="alice", action="leave")
    await _looked(company, count=1)
    found = await driver.messages("general", "bob", answer["thread"])
    assert QUOTE in "\n".join(map(shown, found))


@pytest.mark.parametrize("way", ["readers", "removed"])
async def test_a_source_that_loses_its_readers_takes_its_answers_with_it(
    bot: Bot, company: Company, driver: Driver, way: str
) -> None:
    assert bot.parts.tenant == TENANT
    in_room, alone = (
        await answered(driver, company, "general"),
        await answered(driver, company, "dm"),
    )
    named = {"tenant": TENANT, "source_id": "handbook"}
    if way == "readers":
        await company.sources.set_readers(**named, readers=(BOB,))
    else:
        await company.sources.remove(**named)
    await _withdrawn(driver, in_room)
    await _withdrawn(driver, alone)
    assert len(await _noted(company, count=2)) == 2


async def test_what_no_event_told_is_found_by_the_sweep(
    company: Company, running: Running, driver: Driver
) -> None:
    async with socket_bot(company, running) as bot:
        answer = await answered(driver, company, "general")
        await driver.post("members", channel="general", user="carol", action="join", quiet=True)
        sweeping = Drifting(bot.parts, gap_seconds=0.0)
        assert await sweeping.sweep()
        await _withdrawn(driver, answer)
        assert len(await _noted(company, count=1)) == 1
        assert not await Drifting(bot.parts, gap_seconds=0.0).sweep()
