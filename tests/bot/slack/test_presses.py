"""Pressed buttons and windows: whoever presses is authorised as themselves, now."""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from bot.inbound.amending import on_ask_again_privately, on_choose
from bot.playground import Settings
from bot.questions import judging, opening
from bot.record import Target
from handlers.deps import Pressed, Rated, Room, Sender, ViewRef
from tests.bot.slack.conftest import ALICE, BOB, Bot, Company, replies, shown, socket_bot
from tests.bot.slack.scripted import QUOTE
from tests.bot.slack.test_clarifications import asked_back
from tests.bot.slack.test_mentions import ours, settled
from tests.bot.slack.test_windows import answered, every_button, press, window
from tests.handlers.heard import TEAM, listening
from tests.handlers.heard import press as pressed
from tests.playground.conftest import GENERAL, Driver, Json, driving, until

HANDBOOK = {"tenant": "demo", "source_id": "handbook"}
ALICE_ALONE = ("slack:T0PLAYGROUND:U0ALICE0001",)
TEAM_ID = "T0PLAYGROUND"
NEW = "a window of no use"


async def click(driver: Driver, message: Json, person: str, *, value: str, action: str) -> Json:
    """A press that may be forged; the window afterwards."""
    told = {"user": person, "channel": "general", "ts": message["ts"]}
    clicked = await driver.post("click", **told, action_id=action, value=value)
    assert clicked["ok"], clicked
    await settled(driver, 0.4)
    return await opened(driver, person)


async def opened(driver: Driver, person: str) -> Json:
    view: Json | None = (await driver.get("modal", **{"as": person}))["view"]
    return view or {}


async def closed(driver: Driver, person: str) -> str:
    """The window of a presser who may see nothing, without what is new each time."""

    async def shut() -> Json | None:
        view = await opened(driver, person)
        return view if view and "Opening" not in shown(view) else None

    view = await until(shut, seconds=10.0)
    kept = {key: value for key, value in view.items() if key not in ("id", "root_view_id", "hash")}
    return re.sub(r'"block_id": "[^"]*"', "", json.dumps(kept, sort_keys=True))


async def of_value(driver: Driver, message: Json, person: str, value: str) -> str:
    await click(driver, message, person, value=value, action="open_context")
    return await closed(driver, person)


async def all_behind(bot: Bot, driver: Driver, value: str) -> str:
    """Bob's open window once it was to show all that this value stands for."""
    open_window = ViewRef(id=(await opened(driver, "bob"))["id"])
    sender = Sender(team_id=TEAM_ID, user_id=BOB)
    await opening.show_all(bot.parts, Pressed(sender=sender, value=value), open_window)
    return await closed(driver, "bob")


def value_of(message: Json, action: str = "open_context") -> str:
    return str(
        next(b["value"] for b in every_button(message["blocks"]) if b["action_id"] == action)
    )


async def test_not_there_not_yours_and_not_any_more_look_the_same(
    bot: Bot, company: Company, driver: Driver
) -> None:
    message = await answered(driver)
    value = value_of(message)
    forged = "A" * len(value)
    tampered = value[:-1] + ("A" if value[-1] != "A" else "B")
    told = [
        await of_value(driver, message, "bob", one) for one in (forged, tampered, "", value * 40)
    ]
    await company.sources.set_readers(**HANDBOOK, readers=ALICE_ALONE)
    told.append(await of_value(driver, message, "bob", value))
    await company.sources.set_readers(**HANDBOOK, readers=())
    told.append(await of_value(driver, message, "alice", value))
    assert len(set(told)) == 1
    assert QUOTE not in told[0]
    assert "Handbook" not in told[0]
    assert bot.parts.tenant == "demo"


async def test_a_value_of_another_button_opens_nothing(
    bot: Bot, company: Company, driver: Driver
) -> None:
    message = await answered(driver)
    task = bot.pipeline.runs[0].task
    targets = [Target(), Target(option="opt1"), Target(option="page:-1"), Target(option="page:9")]
    values = await company.record.deliveries.handles(tenant="demo", task=task, targets=targets)
    told = [await of_value(driver, message, "bob", value) for value in values]
    told += [await all_behind(bot, driver, value) for value in values[1:]]
    assert all("not available" in one for one in told)


async def test_a_quotes_own_button_never_opens_the_whole_answer(
    bot: Bot, company: Company, driver: Driver
) -> None:
    message = await answered(driver)
    task = bot.pipeline.runs[0].task
    targets = [Target(), Target(claim=0, citation=0, option="page:0")]
    whole, page = await company.record.deliveries.handles(tenant="demo", task=task, targets=targets)
    await click(driver, message, "bob", value=value_of(message), action="open_context")
    assert QUOTE in await all_behind(bot, driver, whole)
    for value in (value_of(message), page):
        told = await all_behind(bot, driver, value)
        assert "not available" in told
        assert QUOTE not in told


async def test_nobody_judges_what_they_may_not_read(
    bot: Bot, company: Company, driver: Driver
) -> None:
    message = await answered(driver)
    task = bot.pipeline.runs[0].task
    await company.sources.set_readers(**HANDBOOK, readers=ALICE_ALONE)
    for person, words in ((BOB, "not available"), (ALICE, "Thank")):
        sender = Sender(team_id=TEAM_ID, user_id=person)
        thumb = Pressed(sender=sender, value=value_of(message, "rate_good"))
        await judging.rate(bot.parts, Rated(pressed=thumb, good=True))
        doubt = Pressed(sender=sender, value=value_of(message, "open_context"))
        await judging.dispute(bot.parts, doubt)
        told = await ours(driver, "dm", {BOB: "bob", ALICE: "alice"}[person])
        assert [words in shown(one) for one in told] == [True, True]
    votes = await company.record.feedback.of(tenant="demo", task=task)  # type: ignore[attr-defined] # the SQL class itself
    assert {vote.principal for vote in votes} == set(ALICE_ALONE)


async def test_two_presses_open_the_same_window(bot: Bot, driver: Driver) -> None:
    message = await answered(driver)
    for _ in range(2):
        await press(driver, message, "open_context", "bob")
    view = await window(driver, "bob", holding=QUOTE)
    assert shown(view).count(QUOTE) == 1
    assert len(view["private_metadata"]) < 64
    assert not any(word in view["private_metadata"] for word in (QUOTE, "Handbook", "handbook"))
    assert bot.parts.tenant == "demo"


async def test_a_window_that_cannot_be_filled_says_so(bot: Bot, driver: Driver) -> None:
    message = await answered(driver)
    await driver.post("faults", method="views.update", kind="error", error="internal_error")
    await press(driver, message, "open_context", "bob")
    view = await window(driver, "bob", holding="could not be loaded")
    assert QUOTE not in shown(view)
    await press(driver, message, "open_context", "bob")
    await window(driver, "bob", holding=QUOTE)
    assert bot.parts.tenant == "demo"


Spoiling = Callable[[sa.Connection], Any]
SPOILT: dict[str, Spoiling] = {
    "gone": lambda given: given.execute(sa.text("DELETE FROM snapshots")),
    "altered": lambda given: given.execute(sa.text("UPDATE snapshots SET body = X'666f72676564'")),
}


@pytest.mark.parametrize("how", SPOILT)
async def test_a_snapshot_that_is_not_what_it_was_is_not_shown(
    bot: Bot, company: Company, driver: Driver, how: str
) -> None:
    message = await answered(driver)
    await company.database.write(SPOILT[how])
    await press(driver, message, "open_context", "bob")
    view = await window(driver, "bob", holding="could not be loaded")
    assert QUOTE not in shown(view)
    assert "forged" not in shown(view)
    assert bot.parts.tenant == "demo"


async def test_a_thumb_is_kept_though_its_response_url_is_dead(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path / "playground", response_url_seconds=0.0)
    async with driving(settings) as driver:
        company = Company(tmp_path / "data")
        await company.seed(team=driver.running.team_id)
        async with socket_bot(company, driver.running) as bot:
            await press(driver, await answered(driver), "rate_good", "bob")
            task = bot.pipeline.runs[0].task

            async def kept() -> bool:
                votes = await company.record.feedback.of(tenant="demo", task=task)  # type: ignore[attr-defined] # the SQL class itself
                return [vote.up for vote in votes] == [True]

            await until(kept, seconds=5.0)
        await company.database.close()


async def test_a_window_is_turned_where_there_is_no_channel(
    bot: Bot, company: Company, driver: Driver
) -> None:
    lines = "".join(f"Line {n} of many.\n" for n in range(60))
    await company.put("handbook", readers=("everyone",), text=f"{lines}\n{QUOTE}\n\n{lines}")
    await press(driver, await answered(driver), "open_context", "bob")
    view = await window(driver, "bob", holding=QUOTE)
    later = next(b for b in every_button(view["blocks"]) if b["action_id"] == "context_later")
    turning = partial(driver.post, "click", user="bob", view=True)
    await turning(action_id="context_later", value=later["value"])
    view = await window(driver, "bob", holding="Line 40 of many.")
    earlier = next(b for b in every_button(view["blocks"]) if b["action_id"] == "context_earlier")
    await company.sources.set_readers(**HANDBOOK, readers=ALICE_ALONE)
    await turning(action_id="context_earlier", value=earlier["value"])

    async def shut() -> bool:
        return "of many" not in shown(await opened(driver, "bob"))

    await until(shut, seconds=5.0)
    assert bot.parts.tenant == "demo"


async def test_a_button_of_a_deleted_question_leads_nowhere_new(bot: Bot, driver: Driver) -> None:
    said = await driver.post("say", user="alice", channel="general", text="<@footnote> A loan?")
    (message,) = await replies(driver, "general", "alice", said["ts"])
    await driver.post("delete", user="alice", channel="general", ts=said["ts"])

    async def redacted() -> bool:
        found = await ours(driver, "general", "alice", said["ts"])
        return all(not every_button(one.get("blocks")) for one in found)

    await until(redacted, seconds=10.0)
    refused = await driver.post(
        "click", user="bob", channel="general", ts=message["ts"], action_id="open_context"
    )
    assert refused["ok"] is False
    assert bot.parts.tenant == "demo"


async def test_two_people_each_answer_their_own_question_back(bot: Bot, driver: Driver) -> None:
    root = (await driver.post("say", user="alice", channel="general", text="About devices"))["ts"]
    told: dict[str, Json] = {}
    for number, person in enumerate(("alice", "bob"), 1):
        text = f"<@footnote> what about that one, says {person}?"
        await driver.post("say", user=person, channel="general", text=text, thread_ts=root)
        told[person] = (await replies(driver, "general", person, root, count=number))[-1]
    for person, message in reversed(told.items()):
        await press(driver, message, "choose_1", person)

    async def both() -> bool:
        return len(bot.pipeline.runs) == 4

    await until(both, seconds=20.0)
    asked = {run.principal: run.question for run in bot.pipeline.runs[2:]}
    assert len(asked) == 2
    parents = {run.parent_id: run.principal for run in bot.pipeline.runs[2:]}
    assert parents == {run.task: run.principal for run in bot.pipeline.runs[:2]}


async def test_an_option_pressed_too_late_is_told_so(
    bot: Bot, company: Company, driver: Driver
) -> None:
    thread, message = await asked_back(driver)
    value, team = every_button(message["blocks"])[0]["value"], bot.parts.installation.team_id
    late = Pressed(
        sender=Sender(user_id=ALICE, team_id=team, homes=(team,)),
        room=Room(channel=GENERAL),
        message_ts=message["ts"],
        value=value,
    )
    first = bot.pipeline.runs[0].task

    async def waits() -> bool:
        return (await company.record.tasks.get(tenant="demo", task=first)).state == "waiting"

    await until(waits)
    await on_choose(bot.parts, "late", late, datetime.now(UTC) + timedelta(days=8))
    told = await replies(driver, "general", "alice", thread, count=2)
    assert "7 days" in shown(told[1])
    assert not any(button["action_id"].startswith("choose") for button in every_button(told))
    assert len(bot.pipeline.runs) == 1


async def _dispatched(**changes: Any) -> list[str]:
    heard = listening()
    assert await heard.send(pressed("open_context", **changes)) == 200
    return [repr(arguments) for _, arguments in heard.calls]


async def test_a_window_of_another_installation_says_whose_it_is() -> None:
    """What `bot.slack.identity` then compares: the window's own installation, not the presser's."""
    view = {"id": "V1", "hash": "h", "app_installed_team_id": "T0OTHER"}
    (told, *_) = await _dispatched(view=view)
    assert "team_id='T0OTHER'" in told
    assert f"homes=('{TEAM}',)" in told


@pytest.mark.parametrize("kind", ["view_submission", "view_closed"])
async def test_a_window_that_is_sent_or_closed_unasked_changes_nothing(kind: str) -> None:
    heard = listening()
    view = {"id": "V1", "callback_id": NEW, "state": {"values": {}}, "type": "modal"}
    body = pressed("x") | {"type": kind, "view": view, "is_cleared": True}
    body.pop("actions")
    assert await heard.send(body) == 200
    assert heard.calls == []


PLACES = ("general", "hr", "partners", "dm")


@pytest.mark.parametrize("number", [0, 1, 60])
async def test_the_list_is_paged_and_tells_no_total(
    bot: Bot, company: Company, driver: Driver, number: int
) -> None:
    await company.sources.remove(**HANDBOOK)
    for n in range(number):
        title = f"*Rule* <!channel> {n:02}\u202e\nhttps://evil.invalid"
        await company.put(f"r{n:02}", readers=("everyone",), title=title)
        await company.put(f"s{n:02}", readers=ALICE_ALONE, title=f"Secret {n}")
    for place in PLACES:
        await driver.post("command", user="bob", channel=place, command="sources", text="")
        await settled(driver, 0.2)
    seen = [await driver.messages(place, "bob") for place in PLACES]
    lists = [[one for one in found if one.get("ephemeral")][-1] for found in seen]
    for listed in lists:
        text = shown(listed)
        assert "Secret" not in text
        assert text.count("Rule") == min(number, 10)
        assert ("Next" in text) == (number > 10)
        assert not re.search(r"<!|https?://|\u202e", text)
        assert str(2 * number) not in text or number < 10
    for place in PLACES[:3]:
        others = await driver.messages(place, "alice")
        assert not any("Rule" in shown(one) for one in others)
    assert bot.parts.tenant == "demo"


async def test_another_persons_page_turns_to_nothing(
    bot: Bot, company: Company, driver: Driver
) -> None:
    for n in range(12):
        await company.put(f"r{n:02}", readers=("everyone",), title=f"Rule {n:02}")
    lists = {}
    for person in ("alice", "bob"):
        await driver.post("command", user=person, channel="general", command="sources", text="")
        await settled(driver, 0.3)
        found = await driver.messages("general", person)
        lists[person] = [one for one in found if one.get("ephemeral")][-1]
    assert "Rule" in shown(lists["bob"])
    value = value_of(lists["alice"], "sources_next")
    await click(driver, lists["bob"], "bob", value=value, action="sources_next")
    turned = [one for one in await driver.messages("general", "bob") if one.get("ephemeral")]
    assert not any("Rule" in shown(one) for one in turned)
    assert bot.parts.tenant == "demo"


async def test_a_question_is_asked_again_in_private_by_nobody_else(
    bot: Bot, company: Company, driver: Driver
) -> None:
    await answered(driver)
    task, team = bot.pipeline.runs[0].task, bot.parts.installation.team_id
    (value,) = await company.record.deliveries.handles(tenant="demo", task=task, targets=[Target()])
    for user in (BOB, ALICE):
        sender = Sender(user_id=user, team_id=team, homes=(team,))
        again = Pressed(sender=sender, room=Room(channel=GENERAL), value=value)
        await on_ask_again_privately(bot.parts, f"again-{user}", again, datetime.now(UTC))
    await until(lambda: _ran(bot, 2))
    await settled(driver, 0.4)
    assert [run.task for run in bot.pipeline.runs] == [task, f"again-{ALICE}"]


async def _ran(bot: Bot, count: int) -> bool:
    return len(bot.pipeline.runs) >= count
