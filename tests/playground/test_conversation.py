"""A person and a Bolt app talk through the playground."""

from slack_sdk.web.async_client import AsyncWebClient

from tests.playground.conftest import BOT, GENERAL, Driver, EchoBot, Json, until


async def test_a_mention_reaches_the_app_twice_with_two_event_ids(
    driver: Driver, bot: EchoBot
) -> None:
    said = await driver.post("say", user="alice", channel="general", text="@Footnote 你好 <b> & c")

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


async def test_a_direct_message_is_one_event(driver: Driver, bot: EchoBot) -> None:
    await driver.post("say", user="bob", channel="dm", text="<@footnote> hello")

    async def heard() -> list[Json]:
        return bot.events

    (event,) = await until(heard)
    assert event["type"] == "message"
    assert event["channel_type"] == "im"
    assert event["text"] == f"<@{BOT}> hello"
    own = await driver.get("workspace", **{"as": "bob"})
    assert event["channel"] in [row["id"] for row in own["channels"]]


async def test_a_command_answers_only_the_caller(driver: Driver, bot: EchoBot) -> None:
    sent = await driver.post("command", user="carol", channel="general", command="/sources")
    assert sent["ok"], sent

    async def whispered() -> list[Json]:
        return await driver.messages("general", "carol")

    (private,) = await until(whispered)
    assert private["ephemeral"] is True
    assert private["text"] == "for you: "
    assert await driver.messages("general", "alice") == []
    assert bot.bodies[0]["user_name"] == "carol"


async def test_an_unknown_command_is_refused(driver: Driver) -> None:
    sent = await driver.post("command", user="alice", channel="general", command="/nothing")
    assert sent == {"ok": False, "error": "unknown_command"}


async def test_a_person_outside_a_channel_gets_slacks_error(driver: Driver) -> None:
    public = await driver.post("say", user="carol", channel="general", text="hi")
    private = await driver.post("say", user="dana", channel="hr", text="hi")
    reading = await driver.get("messages", channel="hr", **{"as": "dana"})
    typing = await driver.post("command", user="dana", channel="hr", command="/sources")
    nobody = await driver.post("say", user="zoe", channel="general", text="hi")
    assert public == {"ok": False, "error": "not_in_channel"}
    assert private == reading == typing == {"ok": False, "error": "channel_not_found"}
    assert nobody == {"ok": False, "error": "user_not_found"}


async def test_edits_and_deletions_are_told_as_slack_tells_them(
    driver: Driver, bot: EchoBot
) -> None:
    said = await driver.post("say", user="alice", channel="general", text="first")
    await driver.post("edit", user="alice", channel="general", ts=said["ts"], text="second")
    (shown,) = await driver.messages("general", "alice")
    assert shown["text"] == "second"
    assert shown["edited"]["user"] == "U0ALICE0001"
    await driver.post("delete", user="alice", channel="general", ts=said["ts"])
    assert await driver.messages("general", "alice") == []

    async def three() -> list[Json] | None:
        told = {event["event_ts"]: event for event in bot.events}  # each may come more than once
        return [told[ts] for ts in sorted(told)] if len(told) == 3 else None

    events = await until(three)
    assert [event.get("subtype") for event in events] == [
        None,
        "message_changed",
        "message_deleted",
    ]
    assert events[1]["message"]["text"] == "second"
    assert events[1]["previous_message"]["text"] == "first"
    assert events[2]["deleted_ts"] == said["ts"]


async def test_nobody_edits_anothers_message(driver: Driver, client: AsyncWebClient) -> None:
    said = await driver.post("say", user="alice", channel="general", text="mine")
    edit = {"channel": "general", "ts": said["ts"]}
    assert (await driver.post("edit", user="bob", text="x", **edit))["error"] == (
        "cant_update_message"
    )
    assert (await driver.post("delete", user="bob", **edit))["error"] == "cant_delete_message"


async def test_a_thread_counts_its_replies(driver: Driver, client: AsyncWebClient) -> None:
    said = await driver.post("say", user="alice", channel="general", text="root")
    first = await client.chat_postMessage(channel=GENERAL, thread_ts=said["ts"], text="one")
    second = await driver.post(
        "say", user="bob", channel="general", text="two", thread_ts=first["ts"]
    )
    (parent,) = await driver.messages("general", "alice")
    assert parent["reply_count"] == 2
    assert parent["reply_users"] == [BOT, "U0BOB000001"]
    assert parent["latest_reply"] == second["ts"]
    thread = await driver.messages("general", "alice", said["ts"])
    assert [row["text"] for row in thread] == ["root", "one", "two"]
    assert float(thread[0]["ts"]) < float(thread[1]["ts"]) < float(thread[2]["ts"])
    await client.chat_delete(channel=GENERAL, ts=str(first["ts"]))
    (parent,) = await driver.messages("general", "alice")
    assert parent["reply_count"] == 1


async def test_an_ephemeral_is_seen_by_one_person(driver: Driver, client: AsyncWebClient) -> None:
    await client.chat_postEphemeral(channel=GENERAL, user="U0ALICE0001", text="only you")
    (seen,) = await driver.messages("general", "alice")
    assert (seen["text"], seen["ephemeral"]) == ("only you", True)
    assert "to" not in seen
    assert await driver.messages("general", "bob") == []
    history = await client.conversations_history(channel=GENERAL)
    assert history["messages"] == []


async def test_an_outsiders_payload_carries_the_wrong_teams_slack_sends(
    driver: Driver, bot: EchoBot
) -> None:
    await driver.post("say", user="dana", channel="partners", text="@Footnote hello")

    async def both() -> list[Json] | None:
        mine = [body for body in bot.bodies if body["event"].get("user") == "U0DANA00001"]
        return mine if len(mine) == 2 else None

    bodies = {body["event"]["type"]: body for body in await until(both)}
    assert bodies["message"]["team_id"] == "T0NORTHWIND"
    assert bodies["message"]["event"]["team"] == "T0NORTHWIND"
    assert bodies["app_mention"]["event"]["team"] == "T0PLAYGROUND"
    assert bodies["app_mention"]["event"]["user_team"] == "T0NORTHWIND"
    for body in bodies.values():
        assert body["is_ext_shared_channel"] is True
        assert body["authorizations"][0]["team_id"] == "T0PLAYGROUND"
