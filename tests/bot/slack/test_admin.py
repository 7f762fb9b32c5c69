"""An admin adds, changes and retires sources in windows; nobody else can, whatever they send."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from bot.admin.administering import show_admin
from bot.admin.admins import prove_admin
from bot.admin.changing import on_submitted
from bot.admin.looks import Look, Window
from bot.installs.sealed import seal
from bot.playground import Running
from bot.slack.identity import Profiles
from bot.storage.audit import SqlAudit
from handlers.blocks import context
from handlers.deps import AdminLook, Sender, Submitted, ViewRef
from rag.values import Source, SourceStatus
from tests.bot.slack.conftest import Bot, Company, shown, socket_bot
from tests.bot.slack.test_windows import every_button, window
from tests.playground.conftest import Driver, Json, until

ALICE, BOB = "U0ALICE0001", "U0BOB000001"


@pytest.fixture
async def office(company: Company, running: Running, driver: Driver) -> AsyncIterator[Bot]:
    """A bot whose workspace has one admin: alice."""
    await driver.post("users", name="alice", is_admin=True, locale="en-US")
    async with socket_bot(company, running) as made:
        yield made


async def home_of(driver: Driver, person: str, *, holding: str = "", without: str = "") -> Json:
    await driver.post("home", user=person, tab="home")

    async def drawn() -> Json | None:
        view: Json | None = (await driver.get("home", **{"as": person}))["view"]
        told = shown(view) if view else ""
        return view if view and holding in told and not (without and without in told) else None

    found: Json = await until(drawn, seconds=5.0)
    return found


def labelled(view: Json, label: str) -> Json:
    return next(b for b in every_button(view["blocks"]) if b["text"]["text"] == label)


async def press(driver: Driver, person: str, button: Json, **where: Any) -> Json:
    named = {"action_id": button["action_id"], "value": button["value"]}
    return await driver.post("click", user=person, **named, **(where or {"view": True}))


async def entered(driver: Driver, label: str, *, holding: str, person: str = "alice") -> Json:
    view = await home_of(driver, person, holding=label)
    await press(driver, person, labelled(view, label), home=True)
    return await window(driver, person, holding=holding)


async def submit(driver: Driver, person: str = "alice", **values: Any) -> Json:
    return await driver.post("submit", user=person, values=values)


async def noted(company: Company) -> list[tuple[str, str, tuple[str, ...]]]:
    found = await SqlAudit(company.database).list(tenant="demo")
    return [(entry.who, entry.what, entry.about) for entry in found]


async def source(company: Company, ident: str) -> Source | None:
    found = await company.sources.get(tenant="demo", source_ids=[ident])
    return found[0] if found else None


async def test_a_source_is_found_and_its_readers_owner_and_status_are_changed(
    office: Bot, company: Company, driver: Driver
) -> None:
    await company.put("diary", readers=("everyone", "contractors", f"slack:T0PLAYGROUND:{BOB}"))
    listed = await entered(driver, "Change a source", holding="Handbook")
    line = {"action_id": "admin_search", "value": "diary"}
    await press(driver, "alice", line)

    async def narrowed() -> Json | None:
        view: Json = (await driver.get("modal", **{"as": "alice"}))["view"]
        return view if "Diary" in shown(view) and "Handbook" not in shown(view) else None

    found = await until(narrowed, seconds=5.0)
    assert listed["id"] == found["id"]
    await press(driver, "alice", labelled(found, "Change"))
    form = await window(driver, "alice", holding="Retire this source")
    assert "contractors" in shown(form)
    answer = await submit(driver, places=["C0HR0000001"], owner="People team", status="superseded")
    assert answer["ok"], answer
    await window(driver, "alice", holding="is changed")
    diary = await source(company, "diary")
    assert diary is not None
    kept = ("everyone", "contractors", f"slack:T0PLAYGROUND:{BOB}", "channel:C0HR0000001")
    assert diary.readers == kept
    assert (diary.owner, diary.status) == ("People team", SourceStatus.SUPERSEDED)
    assert diary.snapshot is not None
    who = f"slack:T0PLAYGROUND:{ALICE}"
    assert await noted(company) == [(who, "source-changed", ("diary",))]
    assert office.parts.tenant == "demo"


async def test_sending_the_list_off_searches_too(office: Bot, driver: Driver) -> None:
    await entered(driver, "Change a source", holding="Handbook")
    assert (await submit(driver, admin_search="nothing like it"))["ok"]
    await window(driver, "alice", holding="No source matches")
    assert office.parts.tenant == "demo"


async def change_of(driver: Driver, title: str) -> Json:
    await entered(driver, "Change a source", holding=title)
    view = (await driver.get("modal", **{"as": "alice"}))["view"]
    row = next(block for block in view["blocks"] if title in shown({"blocks": [block]}))
    await press(driver, "alice", row["accessory"])
    return await window(driver, "alice", holding="Retire this source")


async def test_a_retired_source_is_read_by_nobody(
    office: Bot, company: Company, driver: Driver
) -> None:
    form = await change_of(driver, "Handbook")
    await press(driver, "alice", labelled(form, "Retire this source"))
    await window(driver, "alice", holding="is retired")
    assert "Handbook" not in shown(await home_of(driver, "bob"))
    who = f"slack:T0PLAYGROUND:{ALICE}"
    assert await noted(company) == [(who, "source-retired", ("handbook",))]
    assert office.parts.tenant == "demo"


async def test_a_change_that_crosses_another_is_not_saved(
    office: Bot, company: Company, driver: Driver
) -> None:
    await change_of(driver, "Handbook")
    readers = (f"slack:T0PLAYGROUND:{ALICE}",)
    await company.sources.set_readers(tenant="demo", source_id="handbook", readers=readers)
    assert (await submit(driver, owner="Somebody"))["ok"]
    await window(driver, "alice", holding="meanwhile")
    handbook = await source(company, "handbook")
    assert handbook is not None
    assert (handbook.readers, handbook.owner) == (readers, "Operations")
    assert await noted(company) == []
    assert office.parts.tenant == "demo"


async def test_whoever_is_no_admin_any_more_changes_and_sees_nothing(
    office: Bot, company: Company, driver: Driver
) -> None:
    await change_of(driver, "Handbook")
    await driver.post("users", name="alice", is_admin=False)
    assert (await submit(driver, owner="Somebody"))["ok"]
    await window(driver, "alice", holding="not available to you")
    handbook = await source(company, "handbook")
    assert handbook is not None
    assert handbook.owner == "Operations"
    await home_of(driver, "alice", without="For admins")
    assert await noted(company) == []
    assert office.parts.tenant == "demo"


def sender_of(user: str) -> Sender:
    return Sender(team_id="T0PLAYGROUND", user_id=user, homes=("T0PLAYGROUND",))


async def test_others_have_no_use_for_an_admins_buttons(
    office: Bot, company: Company, driver: Driver
) -> None:
    view = await home_of(driver, "alice", holding="For admins")
    assert "For admins" not in shown(await home_of(driver, "bob", holding="Handbook"))
    nowhere = ViewRef(id="V0NOWHERE")
    theirs = labelled(view, "Change a source")["value"]
    own = seal(Look(user=BOB, window=Window.RETIRE, source="handbook"), secret="another token")
    for token in (theirs, own, "forged", ""):
        look = AdminLook(sender=sender_of(BOB), opened=nowhere, token=token)
        await show_admin(office.parts, look)
        sent = Submitted(sender=sender_of(BOB), view=nowhere, token=token)
        await on_submitted(office.parts, "job-1", sent, datetime(2026, 11, 1, tzinfo=UTC))
    calls = (await driver.get("calls", method="views.update"))["calls"]
    assert [call["args"]["view"] for call in calls] == [context.unavailable(language="en")] * 8
    assert await noted(company) == []


async def test_an_admin_cannot_retire_with_a_token_for_another_window(
    office: Bot, company: Company, driver: Driver
) -> None:
    view = await home_of(driver, "alice", holding="For admins")
    token = labelled(view, "Change a source")["value"]
    sent = Submitted(sender=sender_of(ALICE), view=ViewRef(id="V0NOWHERE"), token=token)
    await on_submitted(office.parts, "job-1", sent, datetime(2026, 11, 1, tzinfo=UTC))
    assert await noted(company) == []


async def test_a_change_done_again_after_a_crash_is_noted_once(
    office: Bot, company: Company, driver: Driver
) -> None:
    token = (await change_of(driver, "Handbook"))["private_metadata"]
    fields = {"people": (BOB,), "status": ("current",), "owner": ("Facilities",)}
    sent = Submitted(
        sender=sender_of(ALICE), view=ViewRef(id="V0NOWHERE"), token=token, fields=fields
    )
    for _ in range(2):
        await on_submitted(office.parts, "job-1", sent, datetime(2026, 11, 1, tzinfo=UTC))
    calls = (await driver.get("calls", method="views.update"))["calls"][-2:]
    told = [shown(call["args"]["view"]) for call in calls]
    assert [("is changed" in text, "meanwhile" in text) for text in told] == [(True, False)] * 2
    handbook = await source(company, "handbook")
    assert handbook is not None
    assert handbook.readers == (f"slack:T0PLAYGROUND:{BOB}",)
    assert len(await noted(company)) == 1


@pytest.mark.parametrize(
    ("person", "named", "admin"),
    [
        ("bob", f"slack:T0PLAYGROUND:{BOB}", True),
        ("bob", f"slack:T0ELSEWHERE:{BOB}", False),
        ("bob", "bob", False),
        ("bob", BOB, False),
        ("carol", "slack:T0PLAYGROUND:U0CAROL0001", False),
    ],
)
async def test_only_principals_are_admins_by_name_and_guests_never(
    company: Company, running: Running, driver: Driver, *, person: str, named: str, admin: bool
) -> None:
    async with socket_bot(company, running, admins=(named,)):
        view = await home_of(driver, person, holding="Your recent questions")
    assert ("For admins" in shown(view)) is admin


async def test_one_admins_token_is_of_no_use_to_another(
    office: Bot, company: Company, driver: Driver
) -> None:
    await driver.post("users", name="bob", is_admin=True)
    form = await change_of(driver, "Handbook")
    nowhere = ViewRef(id="V0NOWHERE")
    retire = labelled(form, "Retire this source")["value"]
    await show_admin(
        office.parts,
        AdminLook(sender=sender_of(BOB), opened=nowhere, token=form["private_metadata"]),
    )
    sent = Submitted(sender=sender_of(BOB), view=nowhere, token=retire)
    await on_submitted(office.parts, "job-1", sent, datetime(2026, 11, 1, tzinfo=UTC))
    calls = (await driver.get("calls", method="views.update"))["calls"][-2:]
    assert [call["args"]["view"] for call in calls] == [context.unavailable(language="en")] * 2
    assert await noted(company) == []


async def test_an_admin_is_asked_for_anew_whatever_is_kept(office: Bot, driver: Driver) -> None:
    parts = office.parts
    kept = Profiles(parts.client, parts.installation, keep_seconds=600.0)
    slow = replace(parts, profiles=kept)
    assert await prove_admin(slow, sender_of(ALICE)) is not None
    await driver.post("users", name="alice", is_admin=False)
    assert (await kept.get(ALICE)).is_admin
    assert await prove_admin(slow, sender_of(ALICE)) is None
