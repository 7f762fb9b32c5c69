"""Rooms and groups as the workspace has them; what cannot be looked up is closed."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

from bot.audience import Change, ChangeKind, Standing
from bot.errors import SlackUnavailable
from bot.playground import Running
from bot.slack.client import Installation, Slack, open_client, whoami
from bot.slack.directory import Freshness, Kept, SlackDirectory
from bot.slack.identity import Profiles
from tests.playground.conftest import Driver

ALICE = "slack:T0PLAYGROUND:U0ALICE0001"
CAROL = "slack:T0PLAYGROUND:U0CAROL0001"
DANA = "slack:T0NORTHWIND:U0DANA00001"
GENERAL, HR, PARTNERS = "C0GENERAL01", "C0HR0000001", "C0PARTNERS1"
NAMES = frozenset({f"channel:{HR}", "group:S0LEADS0001", "group:S0NOBODY"})


@pytest.fixture
async def client(running: Running) -> AsyncIterator[Slack]:
    async with open_client(token="xoxb-playground", base_url=running.api_url) as made:
        yield made


@pytest.fixture
async def directory(client: Slack) -> SlackDirectory:
    installation = await whoami(client)
    profiles = Profiles(client, installation, keep_seconds=0)
    return directory_of(client, installation, profiles=profiles, kept=Kept(seconds=0))


class Told:
    """The changes that a record would tell of."""

    def __init__(self) -> None:
        self.changes: tuple[Change, ...] = ()

    async def recent(self, *, tenant: str, seconds: float) -> tuple[Change, ...]:
        assert (tenant, seconds >= 60.0) == ("demo", True)
        return self.changes

    def add(self, kind: ChangeKind, about: str) -> None:
        ident = str(len(self.changes))
        self.changes += (Change(id=ident, kind=kind, about=about, at=datetime.now(UTC)),)


def directory_of(
    client: Slack,
    installation: Installation,
    *,
    profiles: Profiles,
    kept: Kept,
    changes: Told | None = None,
) -> SlackDirectory:
    freshness = Freshness(changes or Told(), tenant="demo", profiles=profiles, kept=kept)
    return SlackDirectory(
        client, installation, tenant="demo", profiles=profiles, kept=kept, freshness=freshness
    )


async def test_an_answer_is_as_old_as_its_asking() -> None:
    """A process may stand still over the answer, which is an old one when it wakes."""
    seconds, asked = 0.0, 0

    async def ask() -> int:
        nonlocal seconds, asked
        seconds, asked = seconds + 40.0, asked + 1
        return asked

    kept = Kept(60.0, clock=lambda: seconds)
    assert await kept.get("members", GENERAL, ask) == 1
    seconds += 15.0
    assert await kept.get("members", GENERAL, ask) == 1
    seconds += 15.0
    assert await kept.get("members", GENERAL, ask) == 2


async def test_a_profile_is_as_old_as_its_asking(client: Slack, driver: Driver) -> None:
    instants = iter([0.0, 70.0, 70.0])  # it is asked for, and the process stands still
    profiles = Profiles(
        client, await whoami(client), keep_seconds=60.0, clock=lambda: next(instants)
    )
    await profiles.get("U0ALICE0001")
    await driver.post("faults", method="users.info", kind="error", error="fatal_error", times=1)
    with pytest.raises(SlackUnavailable):
        await profiles.get("U0ALICE0001")


async def test_people(directory: SlackDirectory) -> None:
    alice = await directory.member(tenant="demo", principal=ALICE, readers=NAMES)
    assert alice.standing is Standing.FULL
    assert alice.belongs == {f"channel:{HR}", "group:S0LEADS0001"}
    carol = await directory.member(tenant="demo", principal=CAROL, readers=NAMES)
    assert carol.standing is Standing.GUEST
    assert carol.belongs == {f"channel:{HR}"}
    for principal in (
        DANA,
        "alice",
        "slack:T0PLAYGROUND:UNOBODY",
        "slack:T0PLAYGROUND:U0DANA00001",
    ):
        member = await directory.member(tenant="demo", principal=principal, readers=NAMES)
        assert member.standing is Standing.OUTSIDER, principal


async def test_another_tenant_is_closed(directory: SlackDirectory) -> None:
    member = await directory.member(tenant="other", principal=ALICE, readers=NAMES)
    assert member.standing is Standing.OUTSIDER
    room = await directory.room(tenant="other", channel=GENERAL, readers=NAMES)
    assert (room.outsiders, room.guests, room.members) == (True, True, None)


async def test_rooms(directory: SlackDirectory) -> None:
    general = await directory.room(tenant="demo", channel=GENERAL, readers=NAMES)
    assert (general.outsiders, general.guests) == (False, False)
    assert {member.principal for member in general.members or ()} == {
        ALICE,
        "slack:T0PLAYGROUND:U0BOB000001",
    }
    hr = await directory.room(tenant="demo", channel=HR, readers=NAMES)
    assert (hr.outsiders, hr.guests) == (False, True)
    partners = await directory.room(tenant="demo", channel=PARTNERS, readers=NAMES)
    assert partners.outsiders
    nowhere = await directory.room(tenant="demo", channel="C0NOWHERE", readers=NAMES)
    assert (nowhere.outsiders, nowhere.members) == (True, None)


FLAGS = ("is_shared", "is_ext_shared", "is_org_shared", "is_pending_ext_shared")


@pytest.mark.parametrize("flag", [*FLAGS, ""])
async def test_a_room_that_is_shared_in_any_way_has_outsiders(
    directory: SlackDirectory, running: Running, flag: str
) -> None:
    state = running.workspace.state
    row = dict(state.rows("channel")[GENERAL])
    state.put("channel", GENERAL, row | {name: name == flag for name in FLAGS})
    general = await directory.room(tenant="demo", channel=GENERAL, readers=NAMES)
    assert general.outsiders is bool(flag)


async def test_an_outsider_without_the_shared_flag_still_counts(
    directory: SlackDirectory, driver: Driver
) -> None:
    joined = await driver.post("members", channel="general", user="dana")
    assert "U0DANA00001" in joined["members"]
    general = await directory.room(tenant="demo", channel=GENERAL, readers=NAMES)
    assert general.outsiders


@pytest.mark.parametrize("method", ["conversations.info", "conversations.members", "users.info"])
async def test_a_failed_look_up_closes_the_room(
    directory: SlackDirectory, driver: Driver, method: str
) -> None:
    await driver.post("faults", method=method, kind="status", times=9)
    room = await directory.room(tenant="demo", channel=GENERAL, readers=NAMES)
    assert (room.outsiders, room.guests, room.members) == (True, True, None)


async def test_a_group_that_cannot_be_looked_up_is_empty(
    directory: SlackDirectory, driver: Driver
) -> None:
    await driver.post("faults", method="usergroups.users.list", kind="status", times=9)
    alice = await directory.member(tenant="demo", principal=ALICE, readers=NAMES)
    assert alice.belongs == {f"channel:{HR}"}


async def test_a_large_room_is_counted_but_not_listed(
    directory: SlackDirectory, driver: Driver
) -> None:
    url = f"{driver.running.url}/playground/users"
    for number in range(205):
        name = f"person{number}"
        async with driver.session.post(url, json={"name": name}) as answer:
            assert (await answer.json())["ok"]
        await driver.post("members", channel="general", user=name)
    room = await directory.room(tenant="demo", channel=GENERAL, readers=NAMES)
    assert (room.outsiders, room.guests, room.members) == (False, False, None)


@pytest.fixture
async def heeding(client: Slack) -> tuple[SlackDirectory, Told]:
    """A directory that keeps what it was told for a minute, and what it may hear meanwhile."""
    told, installation = Told(), await whoami(client)
    profiles = Profiles(client, installation, keep_seconds=60.0)
    directory = directory_of(client, installation, profiles=profiles, kept=Kept(60.0), changes=told)
    return directory, told


async def test_a_room_is_looked_up_anew_once_it_is_said_to_have_changed(
    heeding: tuple[SlackDirectory, Told], driver: Driver
) -> None:
    directory, told = heeding
    assert not (await directory.room(tenant="demo", channel=GENERAL, readers=NAMES)).guests
    await driver.post("members", channel="general", user="carol", action="join")
    assert not (await directory.room(tenant="demo", channel=GENERAL, readers=NAMES)).guests
    told.add(ChangeKind.ROOM, GENERAL)
    assert (await directory.room(tenant="demo", channel=GENERAL, readers=NAMES)).guests


async def test_a_person_is_looked_up_anew_once_they_are_said_to_have_changed(
    heeding: tuple[SlackDirectory, Told], driver: Driver
) -> None:
    directory, told = heeding

    async def standing() -> Standing:
        member = await directory.member(tenant="demo", principal=ALICE, readers=NAMES)
        room = await directory.room(tenant="demo", channel=GENERAL, readers=NAMES)
        assert room.outsiders is (member.standing is Standing.OUTSIDER)
        return member.standing

    assert await standing() is Standing.FULL
    await driver.post("users", name="alice", deleted=True)
    assert await standing() is Standing.FULL
    told.add(ChangeKind.PERSON, "U0ALICE0001")
    assert await standing() is Standing.OUTSIDER


async def test_a_group_is_looked_up_anew_once_it_is_said_to_have_changed(
    heeding: tuple[SlackDirectory, Told], driver: Driver
) -> None:
    directory, told = heeding
    leads = frozenset({"group:S0LEADS0001"})
    assert (await directory.member(tenant="demo", principal=ALICE, readers=leads)).belongs
    await driver.post("usergroups", handle="leads", name="Leads", members=["bob"])
    assert (await directory.member(tenant="demo", principal=ALICE, readers=leads)).belongs
    told.add(ChangeKind.GROUP, "S0LEADS0001")
    assert not (await directory.member(tenant="demo", principal=ALICE, readers=leads)).belongs


async def test_what_was_asked_before_a_change_and_answered_after_is_not_kept() -> None:
    kept = Kept(60.0)

    async def ask() -> int:
        kept.forget("members", GENERAL)
        return 1

    async def ask_again() -> int:
        return 2

    assert await kept.get("members", GENERAL, ask) == 1
    assert await kept.get("members", GENERAL, ask_again) == 2
