"""What only one person sees: `/ask`, `/sources`, "Ask privately"."""

import pytest

from tests.bot.slack.conftest import Bot, Company, replies, shown
from tests.bot.slack.scripted import QUOTE
from tests.bot.slack.test_clarifications import buttons
from tests.bot.slack.test_mentions import ours, settled
from tests.playground.conftest import Driver, Json, until

ASKED = "<@footnote> What does a loan need?"


async def whispered(driver: Driver, channel: str, person: str) -> list[Json]:
    async def check() -> list[Json]:
        found = await driver.messages(channel, person)
        return [message for message in found if message.get("ephemeral")]

    return list(await until(check, seconds=5.0))


async def test_ask_is_answered_in_a_direct_message(bot: Bot, driver: Driver) -> None:
    await driver.post(
        "command", user="alice", channel="general", command="ask", text="What does a loan need?"
    )
    answers = await replies(driver, "dm", "alice", "")
    assert QUOTE in shown(answers[0])
    told = shown((await whispered(driver, "general", "alice"))[0])
    assert "direct messages" in told
    assert await ours(driver, "general", "bob") == []
    assert bot.pipeline.runs[0].place.channel is None


async def test_each_caller_sees_their_own_sources(
    bot: Bot, company: Company, driver: Driver
) -> None:
    assert bot.parts.tenant == "demo"
    await company.put("diary", readers=("slack:T0PLAYGROUND:U0ALICE0001",))
    await company.put("payroll", readers=("slack:T0PLAYGROUND:U0CAROL0001", "channel:C0HR0000001"))
    expected = {
        "alice": {"Diary", "Handbook", "Payroll"},
        "bob": {"Handbook", "Payroll"},
        "carol": {"Payroll"},
    }
    for person, titles in expected.items():
        await driver.post("command", user=person, channel="hr", command="sources", text="")
        listed = shown((await whispered(driver, "hr", person))[0])
        found = {title for title in ("Diary", "Handbook", "Payroll") if title in listed}
        assert found == titles, person
        for other in {"alice", "bob", "carol"} - {person}:
            seen = await ours(driver, "hr", other)
            assert not any(listed == shown(message) for message in seen)


async def test_the_list_says_what_is_usable_here(
    bot: Bot, company: Company, driver: Driver
) -> None:
    assert bot.parts.tenant == "demo"
    await company.put("diary", readers=("slack:T0PLAYGROUND:U0ALICE0001",))
    await driver.post("command", user="alice", channel="general", command="sources", text="diary")
    listed = shown((await whispered(driver, "general", "alice"))[0])
    assert "only privately" in listed.lower()
    assert "Handbook" not in listed


async def test_the_list_is_paged_for_its_caller_alone(
    bot: Bot, company: Company, driver: Driver
) -> None:
    assert bot.parts.tenant == "demo"
    for number in range(12):
        await company.put(f"rule-{number:02}", readers=("everyone",))
    await driver.post("command", user="alice", channel="general", command="sources", text="")
    first = (await whispered(driver, "general", "alice"))[0]
    following = buttons(first)[-1]
    await driver.post(
        "click",
        user="alice",
        channel="general",
        ts=first["ts"],
        action_id=following["action_id"],
        value=following["value"],
    )

    async def turned() -> bool:
        page = (await whispered(driver, "general", "alice"))[0]
        return "Rule-11" in shown(page) and "Handbook" not in shown(page)

    await until(turned, seconds=5.0)


async def test_an_outsider_gets_no_list(bot: Bot, driver: Driver) -> None:
    assert bot.parts.tenant == "demo"
    await driver.post("command", user="dana", channel="partners", command="sources", text="")
    await settled(driver)
    assert await ours(driver, "partners", "dana") == []


@pytest.mark.parametrize("presser", ["alice", "bob"])
async def test_ask_privately_answers_the_asker_alone(
    bot: Bot, company: Company, driver: Driver, presser: str
) -> None:
    await company.sources.remove(tenant="demo", source_id="handbook")
    await company.put("diary", readers=("slack:T0PLAYGROUND:U0ALICE0001",))
    said = await driver.post("say", user="alice", channel="general", text=ASKED)
    answer = (await replies(driver, "general", "alice", said["ts"]))[0]
    assert QUOTE not in shown(answer)
    offer = next(button for button in buttons(answer) if button["action_id"] == "ask_privately")
    await driver.post(
        "click",
        user=presser,
        channel="general",
        ts=answer["ts"],
        action_id=offer["action_id"],
        value=offer["value"],
    )
    if presser == "alice":
        private = await replies(driver, "dm", "alice", "")
        assert QUOTE in shown(private[0])
    else:
        await settled(driver)
        assert len(bot.pipeline.runs) == 1
    assert QUOTE not in shown((await replies(driver, "general", "bob", said["ts"]))[0])


async def test_help_in_a_direct_message_names_what_one_may_read(bot: Bot, driver: Driver) -> None:
    assert bot.parts.tenant == "demo"
    said = await driver.post("say", user="alice", channel="dm", text="help")
    answers = await replies(driver, "dm", "alice", said["ts"])
    assert "Handbook" in shown(answers[0])


async def test_help_in_a_room_names_no_title_to_who_may_join_it(bot: Bot, driver: Driver) -> None:
    assert bot.parts.tenant == "demo"
    said = await driver.post("say", user="alice", channel="general", text="<@footnote> help")
    (told,) = await replies(driver, "general", "alice", said["ts"])
    assert "Handbook" not in shown(told)
    assert "1 source" in shown(told)


async def test_the_home_tab_lists_sources_and_questions(bot: Bot, driver: Driver) -> None:
    said = await driver.post("say", user="alice", channel="general", text=ASKED)
    await replies(driver, "general", "alice", said["ts"])
    await driver.post("home", user="alice", tab="home")

    async def drawn() -> Json | None:
        view: Json | None = (await driver.get("home", **{"as": "alice"}))["view"]
        return view

    view = await until(drawn, seconds=5.0)
    told = shown(view)
    assert "Handbook" in told
    assert "What does a loan need?" in told
    assert bot.parts.tenant == "demo"
