"""Socket Mode: holding, acknowledging, delivering again, disconnecting."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground import Running
from tests.playground.conftest import Driver, EchoBot, Json, client_of, until


@asynccontextmanager
async def socket_of(
    driver: Driver, hello: bool = True
) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
    """A raw socket, past its hello, that acknowledges nothing by itself."""
    client = AsyncWebClient(base_url=driver.running.api_url)
    opened = await client.apps_connections_open(app_token="xapp-playground")
    async with driver.session.ws_connect(str(opened["url"])) as socket:
        if hello:
            first = await socket.receive_json(timeout=2)
            assert first["type"] == "hello"
        yield socket


async def envelope(socket: aiohttp.ClientWebSocketResponse) -> Json:
    return dict(await socket.receive_json(timeout=3))


async def test_events_are_held_until_a_socket_opens(driver: Driver, running: Running) -> None:
    for text in ("one", "two"):
        await driver.post("say", user="alice", channel="general", text=text)
    waiting = await driver.get("deliveries")
    assert len(waiting["deliveries"]) == 2
    bot = EchoBot(running)
    await bot.connect()

    async def both() -> bool:
        return {event["text"] for event in bot.events} == {"one", "two"}

    await until(both)

    async def acknowledged() -> bool:
        return not (await driver.get("deliveries"))["deliveries"]

    await until(acknowledged)
    await bot.close()


async def test_an_unacknowledged_event_comes_again_and_an_ack_ends_it(driver: Driver) -> None:
    async with socket_of(driver) as socket:
        await driver.post("say", user="alice", channel="general", text="hello")
        first = await envelope(socket)
        again = await envelope(socket)
        assert first["type"] == "events_api"
        assert (first["retry_attempt"], again["retry_attempt"]) == (0, 1)
        assert again["retry_reason"] == "timeout"
        assert again["envelope_id"] != first["envelope_id"]
        assert again["payload"]["event_id"] == first["payload"]["event_id"]
        await socket.send_str(json.dumps({"envelope_id": first["envelope_id"]}))

        async def acknowledged() -> bool:
            return not (await driver.get("deliveries"))["deliveries"]

        await until(acknowledged)


async def test_a_reconnecting_socket_gets_what_the_last_one_left(driver: Driver) -> None:
    async with socket_of(driver) as socket:
        await driver.post("say", user="alice", channel="general", text="hello")
        first = await envelope(socket)
    async with socket_of(driver) as socket:
        again = await envelope(socket)
        assert again["payload"] == first["payload"]
        assert again["retry_attempt"] == 1
        # The acknowledgement of the first try arrives late, on the new socket.
        await socket.send_str(json.dumps({"envelope_id": first["envelope_id"]}))

        async def acknowledged() -> bool:
            return not (await driver.get("deliveries"))["deliveries"]

        await until(acknowledged)


async def test_each_envelope_goes_to_one_of_several_sockets(driver: Driver) -> None:
    async with socket_of(driver) as one, socket_of(driver) as two:
        await driver.post("say", user="alice", channel="general", text="a")
        await driver.post("say", user="alice", channel="general", text="b")
        got = [await envelope(one), await envelope(two)]
        assert {row["payload"]["event"]["text"] for row in got} == {"a", "b"}


async def test_the_eleventh_socket_is_turned_away(driver: Driver) -> None:
    async with AsyncStack(driver, 10), socket_of(driver, hello=False) as socket:
        last = await envelope(socket)
        assert (last["type"], last["reason"]) == ("disconnect", "too_many_websockets")


class AsyncStack:
    """Several sockets at once."""

    def __init__(self, driver: Driver, count: int) -> None:
        self.parts = [socket_of(driver) for _ in range(count)]

    async def __aenter__(self) -> None:
        for part in self.parts:
            await part.__aenter__()

    async def __aexit__(self, *error: object) -> None:
        for part in self.parts:
            await part.__aexit__(None, None, None)


async def test_a_ticket_opens_one_socket(driver: Driver) -> None:
    client = AsyncWebClient(base_url=driver.running.api_url)
    opened = await client.apps_connections_open(app_token="xapp-playground")
    address = str(opened["url"])
    async with driver.session.ws_connect(address), driver.session.get(address) as second:
        assert second.status == 403


async def test_a_bolt_app_reconnects_when_asked_and_misses_nothing(
    driver: Driver, bot: EchoBot
) -> None:
    asked = await driver.post("disconnect", reason="refresh_requested")
    assert asked["sockets"] == 1
    await driver.post("say", user="alice", channel="general", text="after")

    async def heard() -> bool:
        return [event["text"] for event in bot.events] == ["after"]

    await until(heard)


async def test_a_cut_connection_is_survived(driver: Driver, bot: EchoBot) -> None:
    await driver.post("disconnect", reason="cut")
    await driver.post("say", user="alice", channel="general", text="after")

    async def heard() -> bool:
        return "after" in [event["text"] for event in bot.events]

    await until(heard, seconds=10)


async def test_redeliver_sends_the_same_event_ids_again(driver: Driver, bot: EchoBot) -> None:
    said = await driver.post("say", user="alice", channel="hr", text="<@footnote> hi")
    answer = await driver.post("redeliver", ts=said["ts"], times=2)
    assert answer == {"ok": True, "sent": 4}

    async def six() -> list[str] | None:
        about = [body["event_id"] for body in bot.bodies if body["event"]["ts"] == said["ts"]]
        return about if len(about) == 6 else None

    idents = await until(six)
    assert len(set(idents)) == 2
    missing = await driver.post("redeliver", ts="1.000001", times=1)
    assert missing["error"] == "message_not_found"


async def test_a_command_nobody_takes_fails_visibly(driver: Driver) -> None:
    await driver.post("command", user="alice", channel="general", command="/sources")

    async def told() -> list[Json]:
        return await driver.messages("general", "alice")

    (notice,) = await until(told)
    assert notice["user"] == "USLACKBOT"
    assert "dispatch_failed" in notice["text"]
    async with socket_of(driver) as socket:
        await driver.post("command", user="bob", channel="general", command="/sources")
        sent = await envelope(socket)
        assert sent["accepts_response_payload"] is True

        async def late() -> list[Json]:
            return await driver.messages("general", "bob")

        (notice,) = await until(late)
        assert "operation_timeout" in notice["text"]


async def test_an_ack_payload_answers_a_command(driver: Driver) -> None:
    async with socket_of(driver) as socket:
        await driver.post("command", user="alice", channel="general", command="/ask", text="a & b")
        sent = await envelope(socket)
        assert sent["payload"]["text"] == "a &amp; b"
        answer = {"envelope_id": sent["envelope_id"], "payload": {"text": "working"}}
        await socket.send_str(json.dumps(answer))

        async def told() -> list[Json]:
            return await driver.messages("general", "alice")

        (row,) = await until(told)
        assert row["text"] == "working"


async def test_two_clients_may_post_at_once(driver: Driver, running: Running) -> None:
    client = client_of(running)
    sent = await asyncio.gather(
        *(client.chat_postMessage(channel="general", text=str(number)) for number in range(20))
    )
    stamps = [str(answer["ts"]) for answer in sent]
    assert len(set(stamps)) == 20
    assert [row["ts"] for row in await driver.messages("general", "alice")] == sorted(stamps)
