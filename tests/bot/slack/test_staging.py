"""A file is seen before it is live: read once, shown, and nobody's until an admin says so."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import func, select

from bot.admin.changing import on_submitted
from bot.admin.looks import Look, Window, mark_of, sealed_look
from bot.admin.staging import keep_clean, on_staged
from bot.loaders.loaded import Caution, Loaded
from bot.loaders.loading import PLAIN_ONLY
from bot.playground import Running
from bot.playground.files import new_file
from bot.slack.identity import Profiles
from bot.sources.quarantine import Failure
from bot.storage.failures import SqlFailures
from bot.storage.staged import SqlStaged
from bot.storage.tables import chunks, snapshots, sources, staged, versions
from handlers.blocks import context
from handlers.deps import Submitted, ViewRef
from rag.values import CHUNKING, Source
from tests.bot.slack.conftest import Bot, Company, shown, socket_bot
from tests.bot.slack.test_admin import (
    ALICE,
    BOB,
    change_of,
    entered,
    home_of,
    labelled,
    noted,
    press,
    sender_of,
    source,
    submit,
)
from tests.bot.slack.test_windows import every_button
from tests.playground.conftest import Driver, Json, until

RULES = "# Parking rules\n\nBikes stand in the yard.\n"
SOURCE = "uploads/parking-rules.md"
CHECK = "Nobody can read it yet"
WHO = f"slack:T0PLAYGROUND:{ALICE}"
LONG_AGO = datetime(2026, 11, 1, tzinfo=UTC)
Counts = dict[str, int]


@pytest.fixture
async def office(company: Company, running: Running, driver: Driver) -> AsyncIterator[Bot]:
    """A bot whose workspace has one admin: alice."""
    await driver.post("users", name="alice", is_admin=True, locale="en-US")
    async with socket_bot(company, running) as made:
        yield made


async def window(driver: Driver, *, holding: str) -> Json:
    async def check() -> Json | None:
        view: Json | None = (await driver.get("modal", **{"as": "alice"}))["view"]
        return view if view and holding in shown(view) else None

    found: Json = await until(check, seconds=30.0)
    return found


def uploaded(content: str = RULES, name: str = "parking rules.md") -> Json:
    return {"name": name, "content": content}


async def sent_off(driver: Driver) -> Json:
    """The window once the file that was chosen in it was read."""
    await entered(driver, "Add a file", holding="The file")
    assert (await submit(driver, file=[uploaded()]))["ok"]
    return await window(driver, holding=CHECK)


def chosen(view: Json, running: Running, office: Bot, file: Json | None = None) -> Submitted:
    """The form with a file of alice's, as it is sent off in that window."""
    brought = new_file(running.workspace, ALICE, file or uploaded())
    return Submitted(
        sender=sender_of(ALICE),
        view=ViewRef(id=view["id"]),
        token=sealed_look(office.parts, Look(user=ALICE, window=Window.ADD)),
        fields={"file": (brought["id"],)},
    )


async def brought(
    driver: Driver, running: Running, office: Bot, file: Json | None = None, *, holding: str = CHECK
) -> Json:
    """As `sent_off`, by a worker that hears of it long after Slack was answered."""
    view = await entered(driver, "Add a file", holding="The file")
    form = chosen(view, running, office, file)
    await on_staged(office.parts, f"job-of-{form.fields['file'][0]}", form, LONG_AGO)
    return await window(driver, holding=holding)


async def kept(company: Company) -> Counts:
    """How many rows each table holds in which a file could leave something."""
    return await company.database.read(
        lambda connection: {
            table.name: connection.execute(
                select(func.count()).select_from(table).where(table.c.tenant == "demo")
                if "tenant" in table.c
                else select(func.count()).select_from(table)
            ).scalar_one()
            for table in (snapshots, sources, versions, chunks, staged)
        }
    )


async def updated(driver: Driver, count: int) -> list[Json]:
    calls = (await driver.get("calls", method="views.update"))["calls"]
    return [call["args"]["view"] for call in calls][-count:]


async def test_a_file_is_shown_then_live_and_its_readers_may_read_it(
    office: Bot, company: Company, running: Running, driver: Driver
) -> None:
    view = await sent_off(driver)
    told = shown(view)
    assert "*Parking rules*" in told
    assert "Markdown · 42 characters · 42 bytes · 1 piece" in told
    assert (
        "Piece 1 · lines 1–3 · Parking rules\n# Parking rules\n\nBikes stand in the yard." in told
    )
    assert (await kept(company))["staged"] == 1
    assert await source(company, SOURCE) is None
    assert "Parking rules" not in shown(await home_of(driver, "bob"))
    refused = await submit(driver, owner="Facilities")
    assert refused["errors"] == {"others": "Say who may read it."}
    answer = await submit(driver, people=[BOB], owner="Facilities", status="proposed")
    assert answer["ok"], answer
    await window(driver, holding="is live")
    added = await source(company, SOURCE)
    assert added is not None
    assert (added.title, added.owner, added.status.value) == (
        "Parking rules",
        "Facilities",
        "proposed",
    )
    assert added.readers == (f"slack:T0PLAYGROUND:{BOB}",)
    assert added.snapshot is not None
    assert await company.snapshots.get(added.snapshot) == RULES
    await home_of(driver, "bob", holding="Parking rules")
    assert "Parking rules" not in shown(await home_of(driver, "carol"))
    noticed = {(who, what) for who, what, _about in await noted(company)}
    assert noticed == {(WHO, "file-staged"), (WHO, "source-added")}

    async def forgotten() -> bool:
        return (await kept(company))["staged"] == 0

    await until(forgotten)
    again = shown(await brought(driver, running, office))
    assert "it replaces the present version of *Parking rules*" in again
    assert "the same as" not in again  # alice is none of its readers


def held_in(view: Json) -> Json:
    """What the inputs hold that a way of cutting has of its own."""
    inputs = {block["block_id"]: block.get("element") for block in view["blocks"]}
    return {
        "separator": inputs["separator"]["initial_value"],
        "merge": bool(inputs["merge"].get("initial_options")),
        "tokens": inputs["tokens"].get("initial_value", ""),
    }


async def test_another_way_of_cutting_is_seen_and_a_closed_window_leaves_nothing(
    office: Bot, company: Company, running: Running, driver: Driver
) -> None:
    before = await kept(company)
    text = "# A\n\nOne.\n\nTwo.\n\n# B\n\nThree.\n"
    view = await brought(driver, running, office, uploaded(text))
    assert "1 piece\n" in shown(view)
    await press(driver, "alice", {"action_id": "cutting", "value": "separator"})
    view = await window(driver, holding="Piece 2")
    chosen = next(block for block in view["blocks"] if block["block_id"] == "cutting")
    assert chosen["element"]["initial_option"]["value"] == "separator"
    assert held_in(view) == {"separator": r"\n\n", "merge": False, "tokens": ""}
    await driver.post(
        "click",
        user="alice",
        view=True,
        action_id="separator",
        value=r"\n# ",
        values={"tokens": "100", "merge": ["merge"]},
    )
    view = await window(driver, holding="1 piece\n")
    assert held_in(view) == {"separator": r"\n# ", "merge": True, "tokens": "100"}
    assert (await kept(company))["staged"] == 1
    await driver.post("close", user="alice")

    async def noticed() -> list[str]:
        done = [(who, what) for who, what, _about in await noted(company)]
        return [what for who, what in done if who == WHO] if len(done) == 2 else []

    assert sorted(await until(noticed)) == ["file-staged", "staged-discarded"]
    assert await kept(company) == before


@dataclass
class Slow:
    """Reads one file for as long as it is told to."""

    done: asyncio.Event = field(default_factory=asyncio.Event)
    reads: int = 0

    async def load(self, data: bytes, *, name: str) -> Loaded:
        self.reads += 1
        await self.done.wait()
        loaded = await PLAIN_ONLY.load(data, name=name)
        return loaded.model_copy(update={"cautions": (Caution.PICTURES_UNREAD,)})


async def test_its_stages_are_shown_and_a_death_over_it_leaves_nothing(
    office: Bot, company: Company, running: Running, driver: Driver
) -> None:
    slow, before = Slow(), await kept(company)
    parts = replace(office.parts, files=slow)
    form = chosen(await entered(driver, "Add a file", holding="The file"), running, office)
    dying = asyncio.create_task(on_staged(parts, "job-1", form, LONG_AGO))
    assert "✓ Fetched: 42 bytes\nReading it…" in shown(await window(driver, holding="Reading"))
    dying.cancel()
    with suppress(asyncio.CancelledError):
        await dying
    assert await kept(company) == before
    slow.done.set()
    await on_staged(parts, "job-1", form, LONG_AGO)
    assert "⚠ its pictures were not read" in shown(await window(driver, holding=CHECK))
    assert (slow.reads, (await kept(company))["staged"]) == (2, 1)
    await driver.post("close", user="alice")
    await on_staged(parts, "job-2", form, LONG_AGO)

    async def forgotten() -> bool:
        return await kept(company) == before

    await until(forgotten)
    done = [what for _who, what, _about in await noted(company)]
    assert (done.count("file-staged"), set(done)) == (2, {"file-staged", "staged-discarded"})


async def test_what_cannot_be_read_says_why(
    office: Bot, company: Company, running: Running, driver: Driver
) -> None:
    before = await kept(company)
    for file, why in (
        ({"name": "a.exe", "content": "x"}, "no files of this kind"),
        ({"name": "a.md", "base64": "//79"}, "text, but it is not; save it as UTF-8"),
        ({"name": "a.pdf", "base64": "JVBERi0xLjcK"}, "only plain text is read here"),
    ):
        assert CHECK not in shown(await brought(driver, running, office, file, holding=why))
        await driver.post("close", user="alice")
    assert await kept(company) == before
    assert [what for _who, what, _about in await noted(company)] == ["file-refused"] * 3


def live(view: Json, *, person: str = ALICE, token: str = "") -> Submitted:
    return Submitted(
        sender=sender_of(person),
        view=ViewRef(id=view["id"]),
        token=token or view["private_metadata"],
        fields={"people": (BOB,), "status": ("current",)},
    )


async def test_nothing_is_read_or_goes_live_for_others_nor_over_others(
    office: Bot, company: Company, running: Running, driver: Driver
) -> None:
    view = await brought(driver, running, office)
    before = await kept(company)
    await driver.post("users", name="bob", is_admin=True)
    for form in (live(view, person=BOB), live(view, token="forged")):
        await on_submitted(office.parts, "job-1", form, LONG_AGO)
    await driver.post("users", name="alice", is_admin=False)
    profiles = Profiles(office.parts.client, office.parts.installation, keep_seconds=0.0)
    await on_submitted(replace(office.parts, profiles=profiles), "job-2", live(view), LONG_AGO)
    await on_staged(office.parts, "job-3", chosen(view, running, office), LONG_AGO)
    assert await updated(driver, 4) == [context.unavailable(language="en")] * 4
    await driver.post("users", name="alice", is_admin=True)
    assert await source(company, SOURCE) is None
    assert (await kept(company))["snapshots"] == before["snapshots"]
    await company.put(SOURCE, readers=(f"slack:T0PLAYGROUND:{ALICE}",))
    view = await brought(driver, running, office)
    await company.put(SOURCE, readers=("everyone",))
    await on_submitted(office.parts, "job-4", live(view), LONG_AGO)
    assert "meanwhile" in shown((await updated(driver, 1))[0])
    held = await source(company, SOURCE)
    assert held is not None
    assert held.readers == ("everyone",)


async def test_what_a_file_says_it_supersedes_is_looked_at_before_it_is_live(
    office: Bot, company: Company, running: Running, driver: Driver
) -> None:
    named = {
        "new.md": ("uploads/old.md", "it supersedes uploads/old.md, and there is no such source"),
        "old.md": ("uploads/new.md", ""),
    }
    told = []
    for number, (name, (before, warning)) in enumerate(named.items()):
        text = f"---\nsupersedes: {before}\n---\n# {name}\n\nText.\n"
        view = await brought(driver, running, office, uploaded(text, name))
        assert ("no such source" in shown(view)) == bool(warning)
        assert warning in shown(view)
        await on_submitted(office.parts, f"job-{number}", live(view), LONG_AGO)
        told.append(shown((await updated(driver, 1))[0]))
    assert ["is live" in told[0], "leads back to it" in told[1]] == [True, True]
    assert await source(company, "uploads/old.md") is None
    await SqlFailures(company.database).note(
        Failure(source_id="bad.xlsx", digest="x", tries=2, reason="it is empty"), tenant="demo"
    )
    await SqlFailures(company.database).note(
        Failure(source_id="handbook", digest="x", tries=2, reason="it is damaged"), tenant="demo"
    )
    listing = shown(await entered(driver, "Change a source", holding="Handbook"))
    assert "⚠ bad.xlsx could not be read: it is empty" in listing
    assert "⚠ its newest version cannot be read: it is damaged" in listing
    assert "⚠ it says that it supersedes uploads/old.md, and there is no such source" in listing
    assert "cannot be read: it is damaged" in shown(await home_of(driver, "alice"))
    seen = shown(await home_of(driver, "bob"))
    assert ("cannot be read" in seen, "it is damaged" in seen) == (True, False)


async def test_going_live_again_after_a_crash_is_noted_once_and_what_is_old_is_gone(
    office: Bot, company: Company, running: Running, driver: Driver
) -> None:
    view = await brought(driver, running, office)
    found = await SqlStaged(company.database).get(
        tenant="demo", ident=str((await noted(company))[0][2][0])
    )
    assert found is not None
    unread = replace(office.parts, files=Slow())  # which would never end
    for _ in range(2):
        await on_submitted(unread, "job-1", live(view), LONG_AGO)
        await SqlStaged(company.database).keep(found)
    told = [shown(each) for each in await updated(driver, 2)]
    assert ["is live" in text for text in told] == [True, True]
    assert [what for _who, what, _about in await noted(company)].count("source-added") == 1
    later = replace(office.parts, now=lambda: datetime.now(UTC) + timedelta(hours=1))
    await on_submitted(later, "job-2", live(view), LONG_AGO)
    assert "no longer kept" in shown((await updated(driver, 1))[0])
    await SqlStaged(company.database).keep(found)
    cleaning = asyncio.create_task(keep_clean(later))

    async def forgotten() -> bool:
        return any(what == "staged-forgotten" for _who, what, _about in await noted(company))

    await until(forgotten)
    cleaning.cancel()
    assert (await kept(company))["staged"] == 0


async def test_a_source_can_be_cut_otherwise_as_far_as_its_file_is_at_hand(
    office: Bot, company: Company, driver: Driver
) -> None:
    cut: list[object] = []

    async def recut(entry: Source) -> None:
        cut.append(entry.metadata.get(CHUNKING))

    assert "cut anew when it is added again" in shown(await change_of(driver, "Handbook"))
    file = company.folder / "bikes.md"
    file.write_text("# Bikes\n\nIn the yard.\n\nLocked.\n", "utf-8")
    handbook = await source(company, "handbook")
    assert handbook is not None
    await company.sources.put(handbook.model_copy(update={"ref": str(file)}))
    await driver.post("close", user="alice")
    view = await change_of(driver, "Handbook")
    assert "Piece 1" not in shown(view)
    await press(driver, "alice", {"action_id": "cutting", "value": "separator"})
    view = await window(driver, holding="Piece 2")
    assert "Piece 2 · line 5 · Bikes\nLocked." in shown(view)
    await company.sources.set_readers(tenant="demo", source_id="handbook", readers=(BOB,))
    await press(driver, "alice", {"action_id": "cutting", "value": "paragraph"})
    unread = await window(driver, holding="those alone who may read it")
    assert "yard" not in str(unread)
    await company.sources.set_readers(tenant="demo", source_id="handbook", readers=("everyone",))
    parts = replace(office.parts, recut=recut)
    form = live(view)
    for cutting in ("page", "separator", "separator"):
        sent = form.model_copy(update={"fields": {**form.fields, "cutting": (cutting,)}})
        await on_submitted(parts, "job-1", sent, LONG_AGO)
    told = [shown(each) for each in await updated(driver, 3)]
    assert "cannot be cut that way" in told[0]
    assert ["is changed" in text for text in told[1:]] == [True, True]
    changed = await source(company, "handbook")
    assert changed is not None
    assert changed.metadata[CHUNKING] == {"strategy": "separator"}
    assert cut == [{"strategy": "separator"}] * 2
    sizes = {"cutting": ("separator",), "separator": (r" \n",), "tokens": ("64",)}
    look = Look(user=ALICE, window=Window.CHANGE, source="handbook", mark=mark_of(changed))
    again = {"fields": {**form.fields, **sizes}, "token": sealed_look(parts, look)}
    await on_submitted(parts, "job-2", form.model_copy(update=again), LONG_AGO)
    changed = await source(company, "handbook")
    assert changed is not None
    entry = {"strategy": "separator", "separator": " \n", "tokens": 64}
    assert changed.metadata[CHUNKING] == entry


async def test_no_name_is_too_long_for_a_window(
    office: Bot, company: Company, running: Running, driver: Driver
) -> None:
    long = "停" * 300
    view = await brought(driver, running, office, uploaded(name=f"{long}.md"))
    assert len(view["private_metadata"]) <= 3_000
    await driver.post("close", user="alice")
    for number, ident in enumerate((long, "😀" * 300)):
        await company.put(ident, readers=("everyone",), title=f"Long {number} " + "😀" * 200)
    await entered(driver, "Change a source", holding="Long 1")
    await press(driver, "alice", {"action_id": "admin_search", "value": "Long 0 " + "😀" * 193})

    async def narrowed() -> Json | None:
        found: Json = (await driver.get("modal", **{"as": "alice"}))["view"]
        return found if "Long 0" in shown(found) and "Long 1" not in shown(found) else None

    await press(driver, "alice", labelled(await until(narrowed), "Change"))
    view = await window(driver, holding="Retire this source")
    assert len(view["private_metadata"]) <= 3_000
    assert all(len(button["value"]) <= 2_000 for button in every_button(view["blocks"]))
