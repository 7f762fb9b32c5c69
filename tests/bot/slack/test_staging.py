"""A file is seen before it is live: read once, shown, and nobody's until an admin says so."""

from collections.abc import AsyncIterator

import pytest

from bot.playground import Running
from tests.bot.slack.conftest import Bot, Company, shown, socket_bot
from tests.bot.slack.test_admin import ALICE, BOB, entered, home_of, noted, source, submit
from tests.playground.conftest import Driver, Json, until

RULES = "# Parking rules\n\nBikes stand in the yard.\n"
SOURCE = "uploads/parking-rules.md"
CHECK = "Nobody can read it yet"


@pytest.fixture
async def office(company: Company, running: Running, driver: Driver) -> AsyncIterator[Bot]:
    """A bot whose workspace has one admin: alice."""
    await driver.post("users", name="alice", is_admin=True, locale="en-US")
    async with socket_bot(company, running) as made:
        yield made


async def window(driver: Driver, person: str, *, holding: str) -> Json:
    async def check() -> Json | None:
        view: Json | None = (await driver.get("modal", **{"as": person}))["view"]
        return view if view and holding in shown(view) else None

    found: Json = await until(check, seconds=60.0)
    return found


async def brought(driver: Driver, text: str = RULES, *, holding: str = CHECK) -> Json:
    """The window once the file was read."""
    await entered(driver, "Add a file", holding="The file")
    file = {"name": "parking rules.md", "content": text}
    assert (await submit(driver, file=[file]))["ok"]
    return await window(driver, "alice", holding=holding)


async def test_a_file_is_shown_then_live_and_its_readers_may_read_it(
    office: Bot, company: Company, driver: Driver
) -> None:
    view = await brought(driver)
    told = shown(view)
    assert "Bikes stand in the yard." in told
    assert await source(company, SOURCE) is None
    answer = await submit(driver, people=[BOB], owner="Facilities")
    assert answer["ok"], answer
    await window(driver, "alice", holding="is live")
    added = await source(company, SOURCE)
    assert added is not None
    assert (added.title, added.owner) == ("Parking rules", "Facilities")
    assert added.readers == (f"slack:T0PLAYGROUND:{BOB}",)
    assert added.snapshot is not None
    assert await company.snapshots.get(added.snapshot) == RULES
    await home_of(driver, "bob", holding="Parking rules")
    assert "Parking rules" not in shown(await home_of(driver, "carol"))
    who = f"slack:T0PLAYGROUND:{ALICE}"
    assert (who, "source-added", (SOURCE,)) in await noted(company)
    assert office.parts.tenant == "demo"
