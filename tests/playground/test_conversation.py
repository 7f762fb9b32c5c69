"""A person and a Bolt app talk through the playground."""

from tests.playground.conftest import BOT, GENERAL, Driver, EchoBot, until


async def test_a_mention_reaches_the_app_twice_with_two_event_ids(
    driver: Driver, bot: EchoBot
) -> None:
    said = await driver.post("say", user="alice", channel="general", text="@Footnote 你好 <b> & c")
    assert said["ok"], said

    async def answered() -> object:
        found = await driver.messages("general", "alice", said["ts"])
        return found if len(found) == 2 else None

    messages = await until(answered)
    assert messages[1]["text"] == f"echo: <@{BOT}> 你好 &lt;b&gt; &amp; c"
    assert messages[1]["bot_id"] == "B0FOOTNOTE1"
    twins = [body for body in bot.bodies if body["event"]["ts"] == said["ts"]]
    assert {twin["event"]["type"] for twin in twins} == {"message", "app_mention"}
    assert len({twin["event_id"] for twin in twins}) == 2
    assert twins[0]["authorizations"][0]["team_id"] == "T0PLAYGROUND"
    assert twins[0]["event"]["channel"] == GENERAL


async def test_a_command_answers_only_the_caller(driver: Driver, bot: EchoBot) -> None:
    sent = await driver.post("command", user="carol", channel="general", command="/sources")
    assert sent["ok"], sent

    async def whispered() -> object:
        return await driver.messages("general", "carol")

    (private,) = await until(whispered)
    assert private["ephemeral"] is True
    assert private["text"] == "for you: "
    assert await driver.messages("general", "alice") == []
    assert bot.bodies[0]["user_name"] == "carol"
