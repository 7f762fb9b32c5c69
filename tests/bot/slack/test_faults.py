"""What Slack does to us, and what the asker still sees."""

import asyncio
from collections.abc import AsyncIterator
from itertools import pairwise

import pytest

from bot.playground import Running
from rag.values import Limits, Request
from tests.bot.slack.conftest import Bot, Company, replies, shown, socket_bot
from tests.bot.slack.scripted import QUOTE
from tests.bot.slack.test_mentions import ours, settled
from tests.playground.conftest import Driver, Json, until

ASKED = "<@footnote> What does a loan need?"


def kinds(message: Json) -> set[str]:
    return {block["type"] for block in message["blocks"]}


async def test_rejected_folding_blocks_give_way_to_plain_ones(bot: Bot, driver: Driver) -> None:
    await driver.post("faults", method="chat.update", kind="error", error="invalid_blocks")
    said = await driver.post("say", user="alice", channel="general", text=ASKED)
    answer = (await replies(driver, "general", "alice", said["ts"]))[0]
    assert QUOTE in shown(answer)
    assert "container" not in kinds(answer)
    assert bot.parts.tenant == "demo"


async def test_answers_fold_where_slack_allows_it(bot: Bot, driver: Driver) -> None:
    said = await driver.post("say", user="alice", channel="general", text=ASKED)
    answer = (await replies(driver, "general", "alice", said["ts"]))[0]
    assert "container" in kinds(answer)
    assert bot.parts.tenant == "demo"


@pytest.mark.parametrize("kind", ["cut", "cut_before", "status"])
@pytest.mark.parametrize("method", ["chat.postMessage", "chat.update"])
async def test_a_lost_answer_of_slack_doubles_nothing(
    bot: Bot, driver: Driver, method: str, kind: str
) -> None:
    await driver.post("faults", method=method, kind=kind)
    said = await driver.post("say", user="alice", channel="general", text=ASKED)
    answers = await replies(driver, "general", "alice", said["ts"])
    await settled(driver)
    assert len(await ours(driver, "general", "alice", said["ts"])) == 1
    assert QUOTE in shown(answers[0])
    assert len(bot.pipeline.runs) == 1


async def test_slack_asking_to_wait_is_obeyed(bot: Bot, driver: Driver) -> None:
    await driver.post("faults", method="chat.postMessage", kind="status", status=429, seconds=1.0)
    said = await driver.post("say", user="alice", channel="general", text=ASKED)
    await replies(driver, "general", "alice", said["ts"])
    calls = (await driver.get("calls", method="chat.postMessage"))["calls"]
    assert len(calls) == 2
    assert calls[1]["at"] - calls[0]["at"] >= 0.95
    assert bot.parts.tenant == "demo"


async def test_slack_not_knowing_the_asker_for_a_moment_is_waited_out(
    bot: Bot, driver: Driver
) -> None:
    await driver.post("faults", method="users.info", kind="status", status=500)
    said = await driver.post("say", user="alice", channel="general", text=ASKED)
    await replies(driver, "general", "alice", said["ts"])
    assert len(bot.pipeline.runs) == 1


async def test_a_room_nobody_can_look_into_gets_no_content(bot: Bot, driver: Driver) -> None:
    await driver.post(
        "faults", method="conversations.info", kind="error", error="missing_scope", times=99
    )
    said = await driver.post("say", user="alice", channel="general", text=ASKED)
    answers = await replies(driver, "general", "alice", said["ts"])
    assert all(QUOTE not in shown(answer) for answer in answers)
    private = await replies(driver, "dm", "alice", "")
    assert QUOTE in shown(private[0])
    assert bot.pipeline.runs[0].place.channel is None


async def test_a_reconnect_asked_for_by_slack_loses_nothing(bot: Bot, driver: Driver) -> None:
    for reason in ("refresh_requested", "warning", "cut"):
        await driver.post("disconnect", reason=reason)
        said = await driver.post("say", user="alice", channel="general", text=ASKED)
        await replies(driver, "general", "alice", said["ts"])
        assert len(await ours(driver, "general", "alice", said["ts"])) == 1
    assert len(bot.pipeline.runs) == 3


def long(request: Request) -> float:
    return 30.0 if "slow" in request.question else 0.0


@pytest.fixture
async def hurried(company: Company, running: Running) -> AsyncIterator[Bot]:
    limits = Limits(task_seconds=1.0)
    async with socket_bot(company, running, pause=long, limits=limits) as made:
        yield made


async def test_a_question_that_takes_too_long_says_so_and_ends(
    hurried: Bot, company: Company, driver: Driver
) -> None:
    said = await driver.post("say", user="alice", channel="general", text=f"{ASKED} slow")
    answers = await replies(driver, "general", "alice", said["ts"])
    assert len(answers) == 1
    assert QUOTE not in shown(answers[0])
    task = hurried.pipeline.runs[0].task

    async def ended() -> bool:
        stored = await company.record.tasks.get(tenant="demo", task=task)
        return (stored.state, stored.reason) == ("failed", "budget_exceeded")

    assert await until(ended)


@pytest.fixture
async def slow(company: Company, running: Running) -> AsyncIterator[Bot]:
    async with socket_bot(company, running, pause=lambda request: 3.0) as made:
        yield made


async def test_the_message_tells_what_happens_meanwhile(slow: Bot, driver: Driver) -> None:
    said = await driver.post("say", user="alice", channel="general", text=ASKED)
    seen: list[str] = []

    async def ended() -> bool:
        for message in await ours(driver, "general", "alice", said["ts"]):
            if message["text"] not in seen:
                seen.append(message["text"])
        return len(slow.pipeline.runs) > 0 and QUOTE in "".join(
            [shown(m) for m in await ours(driver, "general", "alice", said["ts"])]
        )

    await until(ended, seconds=10.0)
    assert len(seen) >= 3
    updates = (await driver.get("calls", method="chat.update"))["calls"]
    gaps = [b["at"] - a["at"] for a, b in pairwise(updates)]
    assert all(gap > 0.9 for gap in gaps[:-1])


async def test_never_mind_while_it_is_worked_on(slow: Bot, driver: Driver) -> None:
    said = await driver.post("say", user="alice", channel="general", text=ASKED)
    await asyncio.sleep(1.5)
    await driver.post("say", user="alice", channel="general", text="算了", thread_ts=said["ts"])
    answers = await replies(driver, "general", "alice", said["ts"], count=2)
    assert all(QUOTE not in shown(answer) for answer in answers)
    assert len(slow.pipeline.runs) == 1


async def test_a_deleted_question_takes_its_placeholder_along(slow: Bot, driver: Driver) -> None:
    said = await driver.post("say", user="alice", channel="general", text=ASKED)
    await asyncio.sleep(1.2)
    await driver.post("delete", user="alice", channel="general", ts=said["ts"])

    async def gone() -> bool:
        calls = (await driver.get("calls", method="chat.delete"))["calls"]
        return bool(calls) and bool(calls[0]["response"]["ok"])

    await until(gone, seconds=5.0)
    await settled(driver, seconds=2.0)
    posts = (await driver.get("calls", method="chat.postMessage"))["calls"]
    assert len(posts) == 1
    assert len(slow.pipeline.runs) == 1


async def test_an_edited_question_is_answered_anew_in_place(bot: Bot, driver: Driver) -> None:
    said = await driver.post("say", user="alice", channel="general", text=ASKED)
    first = (await replies(driver, "general", "alice", said["ts"]))[0]
    changed = "<@footnote> What does that one need?"
    await driver.post("edit", user="alice", channel="general", ts=said["ts"], text=changed)

    async def asked_back() -> bool:
        found = await ours(driver, "general", "alice", said["ts"])
        return "Which one" in shown(found[0])

    await until(asked_back, seconds=5.0)
    await settled(driver)
    found = await ours(driver, "general", "alice", said["ts"])
    assert [message["ts"] for message in found] == [first["ts"]]
    assert [request.question for request in bot.pipeline.runs][1:] == ["What does that one need?"]


async def test_an_edited_question_that_was_answered_in_private_is_answered_once(
    bot: Bot, driver: Driver
) -> None:
    await driver.post("faults", method="conversations.members", kind="error", times=1)
    said = await driver.post("say", user="alice", channel="general", text=ASKED)
    private = (await replies(driver, "dm", "alice", ""))[0]
    assert QUOTE in shown(private)
    changed = ASKED + " Now."
    await driver.post("edit", user="alice", channel="general", ts=said["ts"], text=changed)

    async def answered() -> bool:
        found = await ours(driver, "general", "alice", said["ts"])
        return any(QUOTE in shown(message) for message in found)

    await until(answered, seconds=5.0)
    await settled(driver)
    (left,) = await ours(driver, "dm", "alice", "")
    assert left["ts"] == private["ts"]
    assert QUOTE not in shown(left)


async def test_an_edit_while_it_is_worked_on_is_answered_alone(slow: Bot, driver: Driver) -> None:
    said = await driver.post("say", user="alice", channel="general", text=ASKED)

    async def begun() -> bool:
        return bool(slow.pipeline.runs)

    await until(begun)
    changed = "<@footnote> What does that one need?"
    await driver.post("edit", user="alice", channel="general", ts=said["ts"], text=changed)

    async def asked_back() -> bool:
        found = await ours(driver, "general", "alice", said["ts"])
        assert all(QUOTE not in shown(message) for message in found)
        return bool(found) and "Which one" in shown(found[0])

    await until(asked_back, seconds=30.0)
    await settled(driver, seconds=2.0)
    found = await ours(driver, "general", "alice", said["ts"])
    assert len(found) == 1
    assert "Which one" in shown(found[0])


async def test_deleting_an_answered_question_redacts_its_answer(
    bot: Bot, company: Company, driver: Driver
) -> None:
    said = await driver.post("say", user="alice", channel="general", text=ASKED)
    answer = (await replies(driver, "general", "alice", said["ts"]))[0]

    async def recorded() -> bool:
        # Until then the question counts as unfinished, and its message would go altogether.
        (task,) = await company.record.tasks.list(tenant="demo")
        return task.state == "done"

    await until(recorded)
    await driver.post("delete", user="alice", channel="general", ts=said["ts"])

    async def redacted() -> bool:
        updates = (await driver.get("calls", method="chat.update"))["calls"]
        last = updates[-1]["args"]
        return last["ts"] == answer["ts"] and QUOTE not in str(last["blocks"])

    await until(redacted)
    await settled(driver)
    assert len(bot.pipeline.runs) == 1
