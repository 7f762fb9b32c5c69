"""The life of a modal, the App Home, and answers by response_url."""

from collections.abc import Awaitable, Callable
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from bot.playground import Running
from tests.playground.conftest import ALICE, GENERAL, Driver, EchoBot, Json, refusal, until


def text(value: str) -> Json:
    return {"type": "plain_text", "text": value}


def modal(title: str = "Hello", **changes: object) -> Json:
    block = {"type": "section", "text": text("body"), "block_id": "body"}
    return {"type": "modal", "title": text(title), "blocks": [block], **changes}


FORM = modal(
    "Form",
    submit=text("Send"),
    callback_id="form",
    private_metadata="id-7",
    blocks=[
        {
            "type": "input",
            "block_id": "why",
            "label": text("Why"),
            "element": {"type": "plain_text_input", "action_id": "reason"},
        },
        {
            "type": "actions",
            "elements": [{"type": "button", "text": text("More"), "action_id": "more"}],
        },
    ],
)
BUTTON: Json = {
    "type": "actions",
    "block_id": "row",
    "elements": [
        {"type": "button", "text": text("A"), "action_id": "open", "value": "1"},
        {"type": "button", "text": text("B"), "action_id": "other", "value": "2"},
    ],
}


async def press(driver: Driver, client: AsyncWebClient, **more: Any) -> str:
    """Posts a message with a button, presses it as alice; returns its ts."""
    wrapped = {"type": "container", "title": text("T"), "child_blocks": [BUTTON]}
    sent = await client.chat_postMessage(channel=GENERAL, text="t", blocks=[wrapped])
    at = {"user": "alice", "channel": "general", "ts": str(sent["ts"])}
    answer = await driver.post("click", **at, action_id="open", **more)
    assert answer["ok"], answer
    return str(sent["ts"])


async def wait_modal(driver: Driver, title: str) -> Json:
    async def shown() -> Json | None:
        view = (await driver.get("modal", **{"as": "alice"}))["view"]
        return view if view and view["title"]["text"] == title else None

    return dict(await until(shown))


async def no_modal(driver: Driver) -> None:
    async def gone() -> bool:
        return (await driver.get("modal", **{"as": "alice"}))["view"] is None

    await until(gone)


def opening(bot: EchoBot, view: Json) -> tuple[list[Json], Callable[..., Awaitable[None]]]:
    """A listener that records a press and opens a view with its trigger."""
    bodies: list[Json] = []

    async def listener(ack: Any, body: Json, client: AsyncWebClient) -> None:
        await ack()
        bodies.append(body)
        await client.views_open(trigger_id=body["trigger_id"], view=view)

    bot.app.action("open")(listener)
    return bodies, listener


async def test_a_press_opens_a_modal_that_loads_updates_and_closes(
    driver: Driver, bot: EchoBot, client: AsyncWebClient
) -> None:
    bodies, _ = opening(bot, modal("Loading"))
    ts = await press(driver, client)
    loading = await wait_modal(driver, "Loading")
    body = bodies[0]
    assert body["container"] == {
        "type": "message",
        "message_ts": ts,
        "channel_id": GENERAL,
        "is_ephemeral": False,
    }
    assert body["user"] == {
        "id": ALICE,
        "username": "alice",
        "name": "alice",
        "team_id": "T0PLAYGROUND",
    }
    assert (body["actions"][0]["value"], body["actions"][0]["block_id"]) == ("1", "row")
    assert body["message"]["ts"] == ts
    stale = client.views_update(view_id=loading["id"], view=modal(), hash="old")
    assert await refusal(stale) == "hash_conflict"
    await client.views_update(view_id=loading["id"], view=modal("Ready"), hash=loading["hash"])
    ready = await wait_modal(driver, "Ready")
    assert ready["id"] == loading["id"]
    await driver.post("close", user="alice")
    await no_modal(driver)
    late = client.views_update(view_id=loading["id"], view=modal("Late"))
    assert await refusal(late) == "not_found"
    assert (await driver.get("modal", **{"as": "bob"}))["view"] is None


async def test_a_trigger_works_once_and_for_a_while(
    driver: Driver, running: Running, bot: EchoBot, client: AsyncWebClient
) -> None:
    bodies, _ = opening(bot, modal())
    await press(driver, client)
    await wait_modal(driver, "Hello")
    trigger = bodies[0]["trigger_id"]
    again = client.views_open(trigger_id=trigger, view=modal())
    assert await refusal(again) == "exchanged_trigger_id"
    unknown = client.views_open(trigger_id="1.2.3", view=modal())
    assert await refusal(unknown) == "invalid_trigger_id"
    running.workspace.triggers[trigger] |= {"used": False, "at": 0.0}
    late = client.views_open(trigger_id=trigger, view=modal())
    assert await refusal(late) == "expired_trigger_id"


async def test_limits_of_views(client: AsyncWebClient, driver: Driver, bot: EchoBot) -> None:
    opening(bot, modal())
    await press(driver, client)
    await wait_modal(driver, "Hello")
    container = {"type": "container", "title": text("T"), "child_blocks": [BUTTON]}
    for bad in (
        modal("x" * 25),
        modal(private_metadata="x" * 3001),
        modal(blocks=[container]),
        modal(blocks=[{"type": "markdown", "text": "x"}]),
        modal(blocks=[{"type": "divider"}] * 101),
        modal(callback_id="x" * 256),
        {**FORM, "submit": None},
    ):
        view_id = (await driver.get("modal", **{"as": "alice"}))["view"]["id"]
        call = client.views_update(view_id=view_id, view=bad)
        assert await refusal(call) == "invalid_arguments"
    missing = client.views_update(view_id="V0", view=modal())
    assert await refusal(missing) == "not_found"


async def test_a_submission_may_be_refused_then_taken(
    driver: Driver, bot: EchoBot, client: AsyncWebClient
) -> None:
    opening(bot, FORM)
    got: list[Json] = []

    async def submitted(ack: Any, body: Json) -> None:
        got.append(body)
        value = body["view"]["state"]["values"]["why"]["reason"]["value"]
        if value is None:
            await ack(response_action="errors", errors={"why": "Say why."})
        else:
            await ack()

    bot.app.view("form")(submitted)
    await press(driver, client)
    await wait_modal(driver, "Form")
    refused = await driver.post("submit", user="alice", values={})
    assert refused["errors"] == {"why": "Say why."}
    taken = await driver.post("submit", user="alice", values={"reason": "because"})
    assert taken == {"ok": True}
    await no_modal(driver)
    assert got[1]["view"]["private_metadata"] == "id-7"
    assert got[1]["view"]["app_installed_team_id"] == "T0PLAYGROUND"
    nothing = await driver.post("submit", user="alice", values={})
    assert nothing["error"] == "view_not_found"


async def test_a_press_inside_a_modal_can_push_another(
    driver: Driver, bot: EchoBot, client: AsyncWebClient
) -> None:
    opening(bot, FORM)

    async def more(ack: Any, body: Json, client: AsyncWebClient) -> None:
        await ack()
        await client.views_push(trigger_id=body["trigger_id"], view=modal("Second"))

    bot.app.action("more")(more)
    await press(driver, client)
    first = await wait_modal(driver, "Form")
    await driver.post("click", user="alice", view=True, action_id="more")
    second = await wait_modal(driver, "Second")
    assert second["previous_view_id"] == first["id"]
    await driver.post("close", user="alice")
    await wait_modal(driver, "Form")


async def test_the_app_home(driver: Driver, bot: EchoBot, client: AsyncWebClient) -> None:
    opened: list[Json] = []

    async def home(event: Json, client: AsyncWebClient) -> None:
        opened.append(event)
        view = {"type": "home", "blocks": [{"type": "header", "text": text("Home")}, BUTTON]}
        await client.views_publish(user_id=event["user"], view=view)

    bot.app.event("app_home_opened")(home)
    await driver.post("home", user="alice", tab="home")

    async def shown() -> Json | None:
        view = (await driver.get("home", **{"as": "alice"}))["view"]
        return dict(view) if view else None

    view = await until(shown)
    assert view["blocks"][0]["text"]["text"] == "Home"
    assert (opened[0]["tab"], opened[0]["user"]) == ("home", ALICE)
    bodies, _ = opening(bot, modal("From home"))
    await driver.post("click", user="alice", home=True, action_id="open")
    await wait_modal(driver, "From home")
    assert bodies[0]["view"]["type"] == "home"


async def test_a_response_url_answers_replaces_and_wears_out(
    driver: Driver, bot: EchoBot, client: AsyncWebClient
) -> None:
    bodies: list[Json] = []

    async def pressed(ack: Any, body: Json) -> None:
        await ack()
        bodies.append(body)

    bot.app.action("open")(pressed)
    ts = await press(driver, client)

    async def known() -> list[Json]:
        return bodies

    url = (await until(known))[0]["response_url"]

    async def respond(**body: object) -> int:
        async with driver.session.post(url, json=body) as answer:
            return answer.status

    assert await respond(text="for you") == 200
    assert await respond(text="for all", response_type="in_channel") == 200
    assert await respond(text="changed", replace_original=True) == 200
    seen = {row["text"]: row for row in await driver.messages("general", "alice")}
    assert seen["for you"]["ephemeral"] is True
    assert seen["changed"]["ts"] == ts
    assert {row["text"] for row in await driver.messages("general", "bob")} == {
        "changed",
        "for all",
    }
    assert await respond(delete_original=True) == 200
    assert await respond(text="fifth") == 200
    assert await respond(text="sixth") == 404


async def test_only_who_sees_a_button_can_press_it(driver: Driver, client: AsyncWebClient) -> None:
    sent = await client.chat_postMessage(channel=GENERAL, text="t", blocks=[BUTTON])
    hidden = await client.chat_postEphemeral(channel=GENERAL, user=ALICE, text="t", blocks=[BUTTON])
    at = {"channel": "general", "ts": str(sent["ts"])}
    outside = await driver.post("click", user="carol", action_id="open", **at)
    unknown = await driver.post("click", user="alice", action_id="nothing", **at)
    other = await driver.post(
        "click", user="bob", channel="general", ts=hidden["message_ts"], action_id="open"
    )
    mine = await driver.post(
        "click", user="alice", channel="general", ts=hidden["message_ts"], action_id="open"
    )
    assert outside["error"] == "not_in_channel"
    assert unknown["error"] == "action_not_found"
    assert other["error"] == "message_not_found"
    assert mine["ok"] is True


async def test_a_status_shows_until_the_app_speaks(driver: Driver, client: AsyncWebClient) -> None:
    said = await driver.post("say", user="alice", channel="general", text="hi")
    where = {"channel_id": GENERAL, "thread_ts": said["ts"]}
    await client.assistant_threads_setStatus(status="is reading…", **where)
    query = {"channel": "general", "thread_ts": said["ts"], "as": "alice"}
    assert (await driver.get("messages", **query))["status"] == "is reading…"
    await client.chat_postMessage(channel=GENERAL, thread_ts=said["ts"], text="done")
    assert (await driver.get("messages", **query))["status"] is None
