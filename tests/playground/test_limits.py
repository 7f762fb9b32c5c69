"""Slack's limits and error codes, asked for over the Web API."""

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from tests.playground.conftest import GENERAL, Driver, Json, refusal


def mrkdwn(text: str) -> Json:
    return {"type": "mrkdwn", "text": text}


def plain(text: str) -> Json:
    return {"type": "plain_text", "text": text}


def section(text: str = "x", **more: object) -> Json:
    return {"type": "section", "text": mrkdwn(text), **more}


def button(**changes: object) -> Json:
    return {"type": "button", "text": plain("Go"), "action_id": "go", **changes}


def actions(*elements: Json) -> Json:
    return {"type": "actions", "elements": list(elements)}


def container(**changes: object) -> Json:
    base = {
        "type": "container",
        "title": plain("[1] Title"),
        "is_collapsible": True,
        "default_collapsed": True,
        "width": "full",
        "child_blocks": [section("> quote", expand=True)],
    }
    return {**base, **changes}


GOOD: dict[str, list[Json]] = {
    "fifty blocks": [section()] * 50,
    "long section": [section("x" * 3000)],
    "full header": [{"type": "header", "text": plain("x" * 150)}],
    "full button": [actions(button(text=plain("x" * 75), value="v" * 2000, style="primary"))],
    "fields": [{"type": "section", "fields": [mrkdwn("x")] * 10}],
    "container": [container()],
    "container with all children": [
        container(
            child_blocks=[
                section(),
                {"type": "context", "elements": [mrkdwn("x")]},
                actions(button()),
                {"type": "divider"},
                {"type": "header", "text": plain("x")},
                {"type": "image", "image_url": "https://example.com/x.png", "alt_text": "x"},
                {"type": "table", "rows": [[{"type": "raw_text", "text": "x"}]]},
            ]
        )
    ],
    "rich text": [
        {
            "type": "rich_text",
            "elements": [
                {"type": "rich_text_quote", "elements": [{"type": "text", "text": "x"}]},
                {
                    "type": "rich_text_list",
                    "style": "bullet",
                    "elements": [{"type": "rich_text_section", "elements": []}],
                },
            ],
        }
    ],
    "twelve thousand": [section("x" * 3000)] * 4,
}
BAD: dict[str, tuple[list[Json], str, str]] = {
    "51 blocks": ([section()] * 51, "invalid_blocks", "no more than 50 items"),
    "section 3001": ([section("x" * 3001)], "invalid_blocks", "/blocks/0/text/text"),
    "empty text": ([section("")], "invalid_blocks", "more than 0"),
    "header 151": (
        [{"type": "header", "text": plain("x" * 151)}],
        "invalid_blocks",
        "less than 151",
    ),
    "header mrkdwn": ([{"type": "header", "text": mrkdwn("x")}], "invalid_blocks", "unsupported"),
    "button text 76": ([actions(button(text=plain("x" * 76)))], "invalid_blocks", "less than 76"),
    "button value": ([actions(button(value="x" * 2001))], "invalid_blocks", "less than 2001"),
    "button style": ([actions(button(style="loud"))], "invalid_blocks", "primary or danger"),
    "action id 256": ([actions(button(action_id="x" * 256))], "invalid_blocks", "less than 256"),
    "same action ids": ([actions(button(), button())], "invalid_blocks", "unique"),
    "26 buttons": (
        [actions(*(button(action_id=str(number)) for number in range(26)))],
        "invalid_blocks",
        "no more than 25",
    ),
    "block id 256": ([section(block_id="x" * 256)], "invalid_blocks", "less than 256"),
    "block id twice": ([section(block_id="a"), section(block_id="a")], "invalid_blocks", "exists"),
    "block id in a child": (
        [section(block_id="a"), container(child_blocks=[section(block_id="a")])],
        "invalid_blocks",
        "/blocks/1/child_blocks/0/block_id",
    ),
    "11 fields": ([{"type": "section", "fields": [mrkdwn("x")] * 11}], "invalid_blocks", "10"),
    "field 2001": (
        [{"type": "section", "fields": [mrkdwn("x" * 2001)]}],
        "invalid_blocks",
        "less than 2001",
    ),
    "unknown type": ([{"type": "accordion"}], "invalid_blocks", "unsupported type"),
    "unknown key": ([section(colour="red")], "invalid_blocks", "colour"),
    "not a block": ([None], "invalid_blocks", "object"),  # type: ignore[list-item] # the point
    "alert in a message": ([{"type": "alert", "text": plain("x")}], "invalid_blocks", "alert"),
    "container title": ([container(title=plain("x" * 151))], "invalid_blocks", "less than 151"),
    "container untitled": (
        [{key: value for key, value in container().items() if key != "title"}],
        "invalid_blocks",
        "title",
    ),
    "no children": ([container(child_blocks=[])], "invalid_blocks", "at least 1"),
    "11 children": (
        [container(child_blocks=[section()] * 11)],
        "invalid_blocks",
        "no more than 10",
    ),
    "nested containers": ([container(child_blocks=[container()])], "invalid_blocks", "container"),
    "rich text child": (
        [container(child_blocks=[{"type": "rich_text", "elements": []}])],
        "invalid_blocks",
        "rich_text",
    ),
    "collapsed without collapsible": (
        [container(is_collapsible=False)],
        "invalid_blocks",
        "default_collapsed requires",
    ),
    "divider and collapsible": (
        [container(has_header_divider=True)],
        "invalid_blocks",
        "has_header_divider",
    ),
    "101 rows": (
        [{"type": "table", "rows": [[{"type": "raw_text", "text": "x"}]] * 101}],
        "invalid_blocks",
        "no more than 100",
    ),
    "too much in all": ([section("x" * 3000)] * 4 + [section()], "msg_blocks_too_long", ""),
}


@pytest.mark.parametrize("name", GOOD)
async def test_what_slack_takes(client: AsyncWebClient, name: str) -> None:
    answer = await client.chat_postMessage(channel=GENERAL, text="t", blocks=GOOD[name])
    blocks = answer["message"]["blocks"]
    assert all(block["block_id"] for block in blocks)
    assert len(blocks) == len(GOOD[name])


@pytest.mark.parametrize("name", BAD)
async def test_what_slack_refuses(driver: Driver, client: AsyncWebClient, name: str) -> None:
    blocks, code, words = BAD[name]
    answer = await driver.session.post(
        f"{driver.running.api_url}chat.postMessage",
        json={"channel": GENERAL, "text": "t", "blocks": blocks},
        headers={"Authorization": "Bearer xoxb-playground"},
    )
    body = await answer.json()
    assert (answer.status, body["ok"], body["error"]) == (200, False, code)
    assert words in " ".join(body.get("errors", []))
    assert await driver.messages("general", "alice") == []


async def test_text_limits(client: AsyncWebClient) -> None:
    await client.chat_postMessage(channel=GENERAL, text="x" * 40_000)
    long = client.chat_postMessage(channel=GENERAL, text="x" * 40_001)
    assert await refusal(long) == "msg_too_long"
    assert await refusal(client.chat_postMessage(channel=GENERAL, text=" ")) == "no_text"


async def test_blocks_validate_agrees_without_a_token(driver: Driver) -> None:
    url = f"{driver.running.api_url}blocks.validate"
    good = await driver.session.post(url, json={"blocks": [container()]})
    bad = await driver.session.post(url, json={"message": {"blocks": [section("")]}})
    assert (await good.json())["ok"] is True
    assert (await bad.json())["error"] == "invalid_blocks"


async def test_metadata_is_kept_and_shown_only_on_request(
    driver: Driver, client: AsyncWebClient
) -> None:
    metadata = {"event_type": "job", "event_payload": {"id": "7"}}
    root = await client.chat_postMessage(channel=GENERAL, text="a", metadata=metadata)
    await client.chat_update(channel=GENERAL, ts=str(root["ts"]), text="b")
    plainly = await client.conversations_replies(channel=GENERAL, ts=str(root["ts"]))
    fully = await client.conversations_replies(
        channel=GENERAL, ts=str(root["ts"]), include_all_metadata=True
    )
    assert "metadata" not in plainly["messages"][0]
    assert fully["messages"][0]["metadata"] == metadata
    assert (await driver.messages("general", "alice"))[0]["metadata"] == metadata
    wrong = client.chat_postMessage(channel=GENERAL, text="a", metadata={"event_type": "x"})
    assert await refusal(wrong) == "invalid_metadata_schema"
