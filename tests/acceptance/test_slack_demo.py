"""Slack event in, message out: the whole program with the demo company's documents."""

import asyncio
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest
import pytest_asyncio

from tests.acceptance.slack_demo import (
    Json,
    Workspace,
    buttons,
    environment,
    footnote,
    shown,
)

BORROWING = "借用示例设备要登记什么？借用超过七天怎么办？"

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def workspace(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Workspace]:
    env = environment(tmp_path_factory.mktemp("demo"))
    async with (
        footnote("demo", "--port", "0", "--no-browser", env=env) as (_process, line),
        aiohttp.ClientSession() as session,
    ):
        yield Workspace(line.removeprefix("ready: "), session)


async def whispered(workspace: Workspace, person: str, channel: str) -> Json:
    async with asyncio.timeout(10):
        while True:
            for message in reversed(await workspace.seen(person, channel)):
                if message.get("ephemeral"):
                    return message
            await asyncio.sleep(0.05)


async def test_a_question_is_answered_with_quotes(workspace: Workspace) -> None:
    began = time.monotonic()
    thread = await workspace.say("bob", "general", f"<@footnote> {BORROWING}")
    answers = await workspace.answers("bob", "general", thread=thread)
    assert time.monotonic() - began < 20.0
    told = shown(answers[0]["blocks"])
    assert "设备编号" in told
    assert any(block["type"] == "container" for block in answers[0]["blocks"])
    assert "设备编号" not in answers[0]["text"]
    await asyncio.sleep(1.0)
    assert len(await workspace.answers("bob", "general", thread=thread)) == 1


async def test_the_quote_opens_in_its_context(workspace: Workspace) -> None:
    thread = await workspace.say("bob", "general", f"<@footnote> {BORROWING}")
    answer = (await workspace.answers("bob", "general", thread=thread))[0]
    opener = next(b for b in buttons(answer["blocks"]) if b["action_id"] == "open_context")
    click = {"user": "bob", "channel": "general", "ts": answer["ts"]}
    await workspace.post("click", click | {k: opener[k] for k in ("action_id", "value")})
    async with asyncio.timeout(10):
        while True:
            url = f"{workspace.url}/playground/modal"
            async with workspace.session.get(url, params={"as": "bob"}) as response:
                view = (await response.json())["view"]
            if view and "设备" in shown(view["blocks"]):
                break
            await asyncio.sleep(0.05)
    assert view["title"]["text"]


async def test_an_ambiguous_question_is_asked_back_and_answered_in_the_thread(
    workspace: Workspace,
) -> None:
    thread = await workspace.say("alice", "general", "<@footnote> 它最多支持多少？")
    await workspace.answers("alice", "general", thread=thread)
    await workspace.say("alice", "general", "Atlas 企业版支持多少成员？", thread=thread)
    both = await workspace.answers("alice", "general", thread=thread, count=2)
    assert not buttons(both[0]["blocks"])
    assert "500" in shown(both[1]["blocks"])
    first, second = (message["metadata"]["event_payload"]["task"] for message in both)
    assert first != second


@pytest.mark.parametrize(
    ("person", "holds", "lacks"),
    [
        ("alice", ("设备借用制度", "灰度试点名单与排期", "Payroll calendar"), ()),
        ("bob", ("设备借用制度",), ("灰度试点名单与排期",)),
        ("carol", ("Payroll calendar",), ("设备借用制度", "灰度试点名单与排期")),
    ],
)
async def test_everybody_lists_their_own_sources(
    workspace: Workspace, person: str, holds: tuple[str, ...], lacks: tuple[str, ...]
) -> None:
    told = ""
    for words in ("", "设备", "灰度", "Payroll"):
        await workspace.post(
            "command", {"user": person, "channel": "hr", "command": "sources", "text": words}
        )
        await asyncio.sleep(0.7)
        told += shown((await whispered(workspace, person, "hr"))["blocks"])
    for title in holds:
        assert title in told
    for title in lacks:
        assert title not in told
    for other in {"alice", "bob", "carol"} - {person}:
        mine = {message["ts"] for message in await workspace.seen(person, "hr")}
        theirs = await workspace.seen(other, "hr")
        assert not any(message.get("ephemeral") and message["ts"] in mine for message in theirs)


async def test_a_guest_and_a_stranger_in_the_room(workspace: Workspace) -> None:
    thread = await workspace.say("alice", "partners", f"<@footnote> {BORROWING}")
    told = shown((await workspace.answers("dana", "partners", thread=thread))[0]["blocks"])
    assert "设备编号" not in told
    private = await workspace.answers("alice", "dm")
    assert "设备编号" in shown(private[-1]["blocks"])
    silent = await workspace.say("dana", "partners", f"<@footnote> {BORROWING}")
    await asyncio.sleep(2.0)
    seen = await workspace.seen("dana", "partners", thread=silent)
    assert not any(message.get("bot_id") for message in seen)


async def test_killed_in_the_middle_it_answers_once(tmp_path: Path) -> None:
    env = environment(tmp_path)
    seeding = await asyncio.create_subprocess_exec(*_command("demo", "--seed-only"), env=env)
    assert await asyncio.wait_for(seeding.wait(), 120) == 0
    async with (
        footnote("playground", "--port", "0", env=env) as (_process, line),
        aiohttp.ClientSession() as session,
    ):
        workspace = Workspace(line.removeprefix("ready: "), session)
        bot = env | {
            "FOOTNOTE_SLACK_API_URL": f"{workspace.url}/api/",
            "SLACK_BOT_TOKEN": "xoxb-playground",
            "SLACK_APP_TOKEN": "xapp-playground",
            "SLACK_SIGNING_SECRET": "playground-secret",
        }
        thread = ""
        for _ in range(2):
            async with footnote("serve", "--work", env=bot) as (process, _line):
                thread = thread or await workspace.say("bob", "general", f"<@footnote> {BORROWING}")
                await asyncio.sleep(0.45)
                process.kill()
        async with footnote("serve", "--work", env=bot):
            answers = await workspace.answers("bob", "general", thread=thread)
            await asyncio.sleep(2.0)
            answers = await workspace.answers("bob", "general", thread=thread)
        assert len(answers) == 1
        assert "设备编号" in shown(answers[0]["blocks"])


def _command(*args: str) -> tuple[str, ...]:

    return (sys.executable, "-m", "bot", *args)
