"""Events in the wrong order, repeated without a change, or many at once in one thread."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from bot.playground import Running
from tests.bot.slack.conftest import Bot, Company, finished, http_bot, replies, shown, socket_bot
from tests.bot.slack.scripted import QUOTE
from tests.bot.slack.signing import mention, send
from tests.bot.slack.test_mentions import ours, settled
from tests.playground.conftest import Driver, Json, until

ASKED = "<@footnote> What does a loan need?"


@pytest.fixture
async def door(company: Company, running: Running) -> AsyncIterator[tuple[Bot, str]]:
    async with http_bot(company, running) as made:
        yield made


def changed(ts: str, *, old: str, new: str, event_id: str = "Ev1") -> bytes:
    """A message event in which alice's message has other words, or the same."""
    words = {"type": "message", "user": "U0ALICE0001", "ts": ts, "team": "T0PLAYGROUND"}
    event: Json = {
        "type": "message",
        "subtype": "message_changed",
        "channel": "C0GENERAL01",
        "channel_type": "channel",
        "ts": "1796000009.000100",
        "message": words | {"text": f"<@U0FOOTNOTE1> {new}"},
        "previous_message": words | {"text": f"<@U0FOOTNOTE1> {old}"},
    }
    return _enveloped(event, event_id)


def _enveloped(event: dict[str, Any], event_id: str) -> bytes:
    installed = {"team_id": "T0PLAYGROUND", "user_id": "U0FOOTNOTE1", "is_bot": True}
    body = {"type": "event_callback", "event": event, "authorizations": [installed]}
    return json.dumps(body | {"event_id": event_id, "team_id": "T0PLAYGROUND"}).encode()


async def test_an_edit_that_comes_before_its_message_is_answered_once(
    door: tuple[Bot, str], driver: Driver
) -> None:
    bot, url = door
    said = await driver.post("say", user="alice", channel="general", text=ASKED)
    old, new = "What does a lone need?", "What does a loan need?"
    assert await send(url, changed(said["ts"], old=old, new=new)) == 200
    assert await send(url, mention(old, ts=said["ts"])) == 200
    assert await send(url, changed(said["ts"], old=old, new=new)) == 200

    async def answered() -> bool:
        # Two events of one second may be taken in either order; the last words stand.
        return [request.question for request in bot.pipeline.runs][-1:] == [new]

    await until(answered)
    answers = await replies(driver, "general", "alice", said["ts"])
    await settled_here()
    assert QUOTE in shown(answers[0])
    assert len(await ours(driver, "general", "alice", said["ts"])) == 1
    assert await answered()


async def settled_here() -> None:
    """Longer than a job that is not to be there would need to show itself."""
    await asyncio.sleep(1.0)


async def test_a_reply_that_comes_before_its_thread_began_is_answered_once_like_it(
    door: tuple[Bot, str], driver: Driver
) -> None:
    bot, url = door
    root = await driver.post("say", user="alice", channel="general", text=ASKED)
    said = await driver.post(
        "say", user="alice", channel="general", text=ASKED, thread_ts=root["ts"]
    )
    later, earlier = "What does that loan need then?", "What does a loan need?"
    assert await send(url, mention(later, ts=said["ts"], thread_ts=root["ts"])) == 200
    assert await send(url, mention(earlier, ts=root["ts"])) == 200
    await replies(driver, "general", "alice", root["ts"], count=2)
    await settled_here()
    assert len(await ours(driver, "general", "alice", root["ts"])) == 2
    assert {request.question for request in bot.pipeline.runs} == {later, earlier}
    assert len(bot.pipeline.runs) == 2


async def test_fifty_changes_that_change_no_word_are_no_question(
    door: tuple[Bot, str], driver: Driver
) -> None:
    bot, url = door
    said = await driver.post("say", user="alice", channel="general", text=ASKED)
    text = "What does a loan need?"
    assert await send(url, mention(text, ts=said["ts"])) == 200
    await replies(driver, "general", "alice", said["ts"])
    for number in range(50):
        body = changed(said["ts"], old=text, new=text, event_id=f"Ev{number}")
        assert await send(url, body) == 200
    await settled_here()
    assert len(bot.pipeline.runs) == 1
    assert len(await ours(driver, "general", "alice", said["ts"])) == 1


async def test_many_ask_in_one_thread_and_each_gets_their_own(
    company: Company, running: Running, driver: Driver
) -> None:
    people = {"alice": "U0ALICE0001", "bob": "U0BOB000001"}
    for number in range(6):
        name = f"person{number}"
        made = await driver.post("users", name=name)
        people[name] = made["user"]["id"]
        await driver.post("members", channel="general", user=name, action="join")
    for name, ident in people.items():
        reader = f"slack:T0PLAYGROUND:{ident}"
        await company.put(f"a-{name}", readers=(reader,), text=f"For {name}.\n{QUOTE}\n")
    async with socket_bot(company, running) as bot:
        root = await driver.post("say", user="bob", channel="general", text="Who knows loans?")
        threads = {}
        for name in people:
            await driver.post("say", user=name, channel="general", text=ASKED, thread_ts=root["ts"])
            said = await driver.post("say", user=name, channel="dm", text="What does a loan need?")
            threads[name] = said["ts"]
        count = len(people)
        in_room = await replies(driver, "general", "bob", root["ts"], count=count)
        assert len(in_room) == count
        assert all(QUOTE in shown(message) for message in in_room)
        assert not any(f"A-{name.title()}" in shown(m) for m in in_room for name in people)
        for name in people:
            await _own_alone(driver, name, threads)
        await settled(driver)
        assert len(await ours(driver, "general", "bob", root["ts"])) == count
        assert len(bot.pipeline.runs) == 2 * count


async def _own_alone(driver: Driver, name: str, threads: dict[str, str]) -> None:
    """One answer in private, which names this person's source and nobody else's."""

    async def answered() -> list[Json]:
        found = await ours(driver, "dm", name, threads[name])
        return found if found and all(map(finished, found)) else []

    (answer,) = await until(answered)
    named = {other for other in threads if f"A-{other.title()}" in shown(answer)}
    assert named == {name}
