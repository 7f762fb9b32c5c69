"""People and places that change while the app runs, and how text is encoded."""

import pytest

from bot.playground import Settings
from bot.playground.text import encode
from tests.playground.conftest import BOT, Driver, EchoBot, Json, driving, until


async def test_joining_and_leaving_are_told(driver: Driver, bot: EchoBot) -> None:
    seen: list[Json] = []

    async def membership(event: Json) -> None:
        seen.append(event)

    bot.app.event("member_joined_channel")(membership)
    bot.app.event("member_left_channel")(membership)
    joined = await driver.post("members", channel="general", user="carol", action="join")
    assert "U0CAROL0001" in joined["members"]
    again = await driver.post("members", channel="general", user="carol", action="join")
    assert again["error"] == "already_in_channel"
    await driver.post("members", channel="general", user="carol", action="leave")

    async def both() -> bool:
        return len(seen) == 2

    await until(both)
    assert {event["type"] for event in seen} == {"member_joined_channel", "member_left_channel"}
    rows = await driver.messages("general", "alice")
    assert [row["subtype"] for row in rows] == ["channel_join", "channel_leave"]


async def test_a_person_can_be_made_a_guest_and_deactivated(driver: Driver, bot: EchoBot) -> None:
    changed: list[Json] = []

    async def change(event: Json) -> None:
        changed.append(event)

    bot.app.event("user_change")(change)
    await driver.post("users", name="bob", is_restricted=True)
    await driver.post("users", name="bob", deleted=True)

    async def twice() -> bool:
        return len(changed) == 2

    await until(twice)
    assert all(event["user"]["is_restricted"] for event in changed)
    said = await driver.post("say", user="bob", channel="general", text="x")
    assert said["error"] == "account_inactive"
    new = await driver.post("users", name="erin", real_name="Erin Fox")
    assert new["user"]["id"].startswith("U")


async def test_a_channel_can_become_shared(driver: Driver, bot: EchoBot) -> None:
    before = await driver.get("messages", channel="general", **{"as": "alice"})
    changed = await driver.post("channels", name="general", shared_with=["T0NORTHWIND"])
    assert changed["channel"]["id"] == before["channel"]
    assert changed["channel"]["is_ext_shared"] is True
    assert BOT in changed["channel"]["members"]
    wrong = await driver.post("channels", name="x", colour="red")
    assert wrong["error"] == "invalid_arguments"


async def test_the_app_hears_nothing_from_channels_it_is_not_in(
    driver: Driver, bot: EchoBot
) -> None:
    await driver.post("channels", name="quiet", members=["alice"])
    await driver.post("say", user="alice", channel="quiet", text="@Footnote are you there?")
    await driver.post("say", user="alice", channel="general", text="here")

    async def heard() -> bool:
        return [event["text"] for event in bot.events] == ["here"]

    await until(heard)


@pytest.mark.parametrize(
    ("typed", "encoded"),
    [
        ("@Footnote借用示例", f"<@{BOT}>借用示例"),
        ("请@footnote。", f"请<@{BOT}>。"),
        ("<@alice> and @bob", "<@U0ALICE0001> and <@U0BOB000001>"),
        ("mail me@footnote.example", "mail me@footnote.example"),
        ("@footnotes", "@footnotes"),
        ("a < b & c > d", "a &lt; b &amp; c &gt; d"),
        ("see https://example.com/a?b=1&c=2.", "see <https://example.com/a?b=1&amp;c=2>."),
        ("@here <!channel> <#general>", "<!here> <!channel> <#C0GENERAL01>"),
        ("<script>", "&lt;script&gt;"),
        ("<@nobody>", "&lt;@nobody&gt;"),
    ],
)
async def test_typed_text_is_encoded_as_slack_does(
    settings: Settings, typed: str, encoded: str
) -> None:
    async with driving(settings) as driver:
        text, elements = encode(driver.running.workspace, typed)
    assert text == encoded
    assert all(element["type"] != "text" or element["text"] for element in elements)
