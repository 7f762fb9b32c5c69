"""What is on disk when the playground dies."""

import asyncio
import os
import signal
import sys
from pathlib import Path

import aiohttp
import pytest

from bot.playground import PlaygroundError, Settings, start
from tests.playground.conftest import Json, client_of, driving, until

_SERVER = """
import asyncio, sys
from pathlib import Path
from bot.playground import Settings, serve
settings = Settings(data=Path(sys.argv[1]), port=int(sys.argv[2]))
asyncio.run(serve(settings, ready=lambda running: print(running.port, flush=True)))
"""


async def test_a_restart_keeps_everything(settings: Settings) -> None:
    async with driving(settings) as driver:
        said = await driver.post("say", user="alice", channel="general", text="hello")
        client = client_of(driver.running)
        metadata = {"event_type": "job", "event_payload": {"id": "7"}}
        await client.chat_postMessage(
            channel="general", thread_ts=said["ts"], text="answer", metadata=metadata
        )
        await client.chat_postEphemeral(channel="general", user="U0ALICE0001", text="psst")
        await driver.post("members", channel="hr", user="carol", action="leave")
        await driver.post("users", name="bob", is_restricted=True)
        before = [await driver.messages("general", "alice", ts) for ts in ("", said["ts"])]
    async with driving(settings) as driver:
        after = [await driver.messages("general", "alice", ts) for ts in ("", said["ts"])]
        assert after == before
        assert len(before[1]) == 2
        pending = (await driver.get("deliveries"))["deliveries"]
        assert said["ts"] in [row["payload"]["event"].get("ts") for row in pending]
        calls = (await driver.get("calls"))["calls"]
        assert [row["method"] for row in calls] == ["chat.postMessage", "chat.postEphemeral"]
        gone = await driver.get("messages", channel="hr", **{"as": "carol"})
        assert gone["error"] == "channel_not_found"
        client = client_of(driver.running)
        assert (await client.users_info(user="U0BOB000001"))["user"]["is_restricted"] is True
        newer = await driver.post("say", user="alice", channel="general", text="later")
        assert float(newer["ts"]) > float(before[1][1]["ts"])


async def test_a_killed_playground_lost_nothing_it_answered(tmp_path: Path) -> None:
    async def launch() -> tuple[asyncio.subprocess.Process, int]:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", _SERVER, str(tmp_path), "0", stdout=asyncio.subprocess.PIPE
        )
        assert process.stdout is not None
        return process, int(await asyncio.wait_for(process.stdout.readline(), 20))

    async def call(port: int, method: str, name: str, **body: object) -> Json:
        url = f"http://127.0.0.1:{port}/playground/{name}"
        async with aiohttp.ClientSession() as session:
            sent = session.request(method, url, json=body or None)
            async with sent as answer:
                return dict(await answer.json())

    process, port = await launch()
    stamps = []
    for number in range(25):
        said = await call(port, "POST", "say", user="alice", channel="general", text=str(number))
        stamps.append(said["ts"])
    os.kill(process.pid, signal.SIGKILL)
    await process.wait()
    process, port = await launch()
    seen = await call(port, "GET", "messages?channel=general&as=alice")
    process.kill()
    await process.wait()
    assert [row["ts"] for row in seen["messages"]] == stamps


async def test_two_playgrounds_do_not_share_a_folder(settings: Settings) -> None:
    async with driving(settings):
        with pytest.raises(PlaygroundError, match="another playground"):
            await start(settings)


async def test_a_taken_port_is_said(settings: Settings, tmp_path: Path) -> None:
    async with driving(settings) as driver:
        other = Settings(data=tmp_path / "other", port=driver.running.port)
        with pytest.raises(PlaygroundError, match="port"):
            await start(other)


async def test_a_broken_description_is_said(tmp_path: Path) -> None:
    path = tmp_path / "workspace.json"
    path.write_text('{"team": 1}', encoding="utf-8")
    with pytest.raises(PlaygroundError, match="description"):
        await start(Settings(data=tmp_path / "data", description=path))


async def test_an_app_name_can_be_chosen(settings: Settings) -> None:
    named = settings.model_copy(update={"app_name": "Margin"})
    async with driving(named) as driver:
        await driver.post("say", user="alice", channel="general", text="@Margin hi")

        async def sent() -> list[Json]:
            return await driver.messages("general", "alice")

        (row,) = await until(sent)
        assert row["text"] == "<@U0FOOTNOTE1> hi"
