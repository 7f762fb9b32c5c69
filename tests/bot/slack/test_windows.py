"""A quote opens in its context for whoever may read it, and says when the source has changed."""

import pytest

from tests.bot.slack.conftest import Bot, Company, replies, shown
from tests.bot.slack.scripted import QUOTE
from tests.bot.slack.test_mentions import ours, settled
from tests.playground.conftest import Driver, Json, until

ASKED = "<@footnote> What does a loan need?"


async def answered(driver: Driver) -> Json:
    said = await driver.post("say", user="alice", channel="general", text=ASKED)
    return (await replies(driver, "general", "alice", said["ts"]))[0]


def every_button(value: object) -> list[Json]:
    found: list[Json] = []
    if isinstance(value, dict):
        if value.get("type") == "button":
            found.append(value)
        for inner in value.values():
            found += every_button(inner)
    elif isinstance(value, list):
        for inner in value:
            found += every_button(inner)
    return found


async def press(driver: Driver, message: Json, action: str, person: str) -> Json:
    button = next(b for b in every_button(message["blocks"]) if b["action_id"] == action)
    return await driver.post(
        "click",
        user=person,
        channel="general",
        ts=message["ts"],
        action_id=action,
        value=button["value"],
    )


async def window(driver: Driver, person: str, *, holding: str) -> Json:
    async def check() -> Json | None:
        view: Json | None = (await driver.get("modal", **{"as": person}))["view"]
        return view if view and holding in shown(view) else None

    found: Json = await until(check, seconds=5.0)
    return found


async def test_the_window_shows_the_neighbouring_lines(bot: Bot, driver: Driver) -> None:
    await press(driver, await answered(driver), "open_context", "bob")
    view = await window(driver, "bob", holding="It ends after seven days.")
    assert QUOTE in shown(view)
    assert "changed" not in shown(view).lower()
    assert bot.parts.tenant == "demo"


async def test_the_window_says_that_the_source_has_changed(
    bot: Bot, company: Company, driver: Driver
) -> None:
    answer = await answered(driver)
    await company.put("handbook", readers=("everyone",), text="Nothing is lent any more.\n")
    await press(driver, answer, "open_context", "bob")
    view = await window(driver, "bob", holding=QUOTE)
    assert "changed" in shown(view).lower() or "newer" in shown(view).lower()
    assert "Nothing is lent" not in shown(view)
    assert bot.parts.tenant == "demo"


async def test_the_window_stays_shut_for_whoever_lost_the_right(
    bot: Bot, company: Company, driver: Driver
) -> None:
    answer = await answered(driver)
    await company.sources.set_readers(
        tenant="demo", source_id="handbook", readers=("slack:T0PLAYGROUND:U0ALICE0001",)
    )
    await press(driver, answer, "open_context", "bob")
    await settled(driver)
    view: Json = (await driver.get("modal", **{"as": "bob"}))["view"]
    assert QUOTE not in shown(view)
    assert "Handbook" not in shown(view)
    assert bot.parts.tenant == "demo"


async def test_a_thumb_is_kept_and_thanked(bot: Bot, company: Company, driver: Driver) -> None:
    answer = await answered(driver)
    await press(driver, answer, "rate_bad", "bob")

    async def thanked() -> list[Json]:
        found = await ours(driver, "general", "bob")
        return [message for message in found if message.get("ephemeral")]

    await until(thanked, seconds=5.0)
    task = bot.pipeline.runs[0].task
    votes = await company.record.feedback.of(tenant="demo", task=task)  # type: ignore[attr-defined] # the SQL class itself
    assert [(vote.principal, vote.up) for vote in votes] == [
        ("slack:T0PLAYGROUND:U0BOB000001", False)
    ]


@pytest.mark.parametrize("code", ["expired_trigger_id", "exchanged_trigger_id", "internal_error"])
async def test_a_window_that_opens_too_late_says_so_to_whoever_pressed(
    bot: Bot, driver: Driver, code: str
) -> None:
    answer = await answered(driver)
    await driver.post("faults", method="views.open", kind="error", error=code)
    await press(driver, answer, "open_context", "bob")

    async def told() -> list[Json]:
        found = await ours(driver, "general", "bob")
        return [message for message in found if message.get("ephemeral")]

    (word,) = await until(told, seconds=5.0)
    assert QUOTE not in shown(word)
    assert (await driver.get("modal", **{"as": "bob"}))["view"] is None
    await press(driver, answer, "open_context", "bob")
    assert QUOTE in shown(await window(driver, "bob", holding=QUOTE))
    assert bot.parts.tenant == "demo"
