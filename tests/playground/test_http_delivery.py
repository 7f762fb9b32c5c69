"""Signed HTTP delivery, verified with Slack's own verifier."""

import json
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import parse_qs

import pytest
from aiohttp import web
from slack_sdk.signature import SignatureVerifier

from tests.playground.conftest import Driver, Json, client_of, until


class Receiver:
    """An app's HTTP side: keeps what it is sent and answers as told."""

    def __init__(self) -> None:
        self.got: list[tuple[dict[str, str], str]] = []
        self.statuses: list[int] = []
        self.headers: dict[str, str] = {}
        self.answer: Json = {}
        self.url = ""

    async def handle(self, request: web.Request) -> web.Response:
        body = await request.text()
        self.got.append(({key.lower(): value for key, value in request.headers.items()}, body))
        status = self.statuses.pop(0) if self.statuses else 200
        return web.json_response(self.answer, status=status, headers=self.headers)


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    made = Receiver()
    app = web.Application()
    app.router.add_post("/slack/events", made.handle)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    made.url = f"http://127.0.0.1:{runner.addresses[0][1]}/slack/events"
    yield made
    await runner.cleanup()


async def switch(driver: Driver, receiver: Receiver) -> None:
    names = ("events_url", "commands_url", "interactivity_url")
    await driver.post("delivery", **dict.fromkeys(names, receiver.url))


async def sent(receiver: Receiver, count: int) -> Any:
    async def enough() -> Any:
        return receiver.got if len(receiver.got) >= count else None

    return await until(enough)


async def test_events_are_signed(driver: Driver, receiver: Receiver) -> None:
    await switch(driver, receiver)
    await driver.post("say", user="alice", channel="general", text="你好")
    ((headers, body),) = await sent(receiver, 1)
    assert SignatureVerifier("playground-secret").is_valid_request(body, headers)
    assert not SignatureVerifier("other").is_valid_request(body, headers)
    assert json.loads(body)["event"]["text"] == "你好"
    assert "x-slack-retry-num" not in headers


async def test_commands_and_interactions_are_forms(driver: Driver, receiver: Receiver) -> None:
    await switch(driver, receiver)
    receiver.answer = {"text": "heard"}
    await driver.post("command", user="alice", channel="general", command="/ask", text="一 b")
    ((headers, body),) = await sent(receiver, 1)
    assert SignatureVerifier("playground-secret").is_valid_request(body, headers)
    fields = {key: value[0] for key, value in parse_qs(body).items()}
    assert (fields["command"], fields["text"], fields["user_name"]) == ("/ask", "一 b", "alice")

    async def told() -> list[Json]:
        return await driver.messages("general", "alice")

    (row,) = await until(told)
    assert (row["text"], row["ephemeral"]) == ("heard", True)
    button = {"type": "button", "text": {"type": "plain_text", "text": "A"}, "action_id": "a"}
    posted = await client_of(driver.running).chat_postMessage(
        channel="hr", text="t", blocks=[{"type": "actions", "elements": [button]}]
    )
    await driver.post("click", user="bob", channel="hr", ts=posted["ts"], action_id="a")

    async def pressed() -> Json | None:
        bodies = [parse_qs(body) for _headers, body in receiver.got]
        found = [json.loads(body["payload"][0]) for body in bodies if "payload" in body]
        return found[0] if found else None

    payload = await until(pressed)
    assert (payload["type"], payload["channel"]["name"]) == ("block_actions", "privategroup")


async def test_failures_are_retried_three_times(driver: Driver, receiver: Receiver) -> None:
    await switch(driver, receiver)
    receiver.statuses = [500] * 9
    said = await driver.post("say", user="alice", channel="general", text="x")

    async def dropped() -> bool:
        return len(receiver.got) == 4 and not (await driver.get("deliveries"))["deliveries"]

    await until(dropped)
    retries = [headers.get("x-slack-retry-num") for headers, _body in receiver.got]
    reasons = {headers.get("x-slack-retry-reason") for headers, _body in receiver.got[1:]}
    idents = {json.loads(body)["event_id"] for _headers, body in receiver.got}
    assert retries == [None, "1", "2", "3"]
    assert reasons == {"http_error"}
    assert len(idents) == 1
    given_up = (await driver.get("deliveries"))["given_up"]
    assert given_up == [{"ts": said["ts"], "reason": "dispatch_failed"}]


async def test_no_retry_is_honoured(driver: Driver, receiver: Receiver) -> None:
    await switch(driver, receiver)
    receiver.statuses = [500]
    receiver.headers = {"X-Slack-No-Retry": "1"}
    await driver.post("say", user="alice", channel="general", text="x")

    async def dropped() -> bool:
        return bool(receiver.got) and not (await driver.get("deliveries"))["deliveries"]

    await until(dropped)
    assert len(receiver.got) == 1


async def test_nobody_listening_is_a_failed_connection(driver: Driver, receiver: Receiver) -> None:
    await driver.post("delivery", events_url="http://127.0.0.1:9/none")
    await driver.post("say", user="alice", channel="general", text="x")

    async def retried() -> bool:
        waiting = (await driver.get("deliveries"))["deliveries"]
        return bool(waiting) and waiting[0]["reason"] == "connection_failed"

    await until(retried)
    await switch(driver, receiver)
    got = await sent(receiver, 1)
    assert got[0][0]["x-slack-retry-reason"] == "connection_failed"
