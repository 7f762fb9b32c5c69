"""Names, standings, channels and groups, and what the stored directory proves with them."""

import pytest

from bot.audience import Standing
from bot.storage.database import Database
from bot.storage.directory import StoredDirectory
from bot.storage.errors import NameTaken
from bot.storage.people import Person, SqlPeople
from bot.storage.rooms import SqlRooms, StoredGroup, StoredRoom

ALICE = Person(tenant="demo", principal="slack:T1:U1", name="alice")
READERS = frozenset({"channel:C1", "group:S1", "channel:C9"})


@pytest.fixture
def people(database: Database) -> SqlPeople:
    return SqlPeople(database)


@pytest.fixture
def rooms(database: Database) -> SqlRooms:
    return SqlRooms(database)


async def test_a_short_name_stands_for_its_principal(people: SqlPeople) -> None:
    await people.put(ALICE)
    for text in ("alice", "Alice", "ａｌｉｃｅ"):
        assert await people.resolve(tenant="demo", text=text) == "slack:T1:U1"
    assert await people.resolve(tenant="demo", text="slack:T1:U1") == "slack:T1:U1"
    assert await people.resolve(tenant="demo", text="bob") == "bob"
    assert await people.resolve(tenant="acme", text="alice") == "alice"


async def test_a_name_belongs_to_one_person_of_a_tenant(people: SqlPeople) -> None:
    await people.put(ALICE)
    other = Person(tenant="demo", principal="slack:T1:U2", name="ALICE")
    with pytest.raises(NameTaken):
        await people.put(other)
    with pytest.raises(NameTaken):
        await people.name(tenant="demo", principal="slack:T1:U2", name="alice")
    await people.put(other.model_copy(update={"tenant": "acme"}))


async def test_naming_makes_a_person_known_and_keeps_its_standing(people: SqlPeople) -> None:
    await people.name(tenant="demo", principal="U7", name="zed")
    assert await people.get(tenant="demo", principal="U7") == Person(
        tenant="demo", principal="U7", name="zed"
    )
    guest = Person(tenant="demo", principal="U8", standing=Standing.GUEST)
    await people.put(guest)
    await people.name(tenant="demo", principal="U8", name="carol")
    assert await people.get(tenant="demo", principal="U8") == guest.model_copy(
        update={"name": "carol"}
    )


async def test_syncing_keeps_given_names_and_counts_changes(people: SqlPeople) -> None:
    await people.put(ALICE)
    listed = [
        ALICE.model_copy(update={"name": "alice.smith", "standing": Standing.GUEST}),
        Person(tenant="demo", principal="slack:T1:U2", name="alice"),
        Person(tenant="demo", principal="slack:T1:U3", name="bob", active=False),
    ]
    assert await people.sync(tenant="demo", people=listed) == 3
    assert await people.sync(tenant="demo", people=listed) == 0
    assert await people.list(tenant="demo") == (
        ALICE.model_copy(update={"standing": Standing.GUEST}),
        listed[1].model_copy(update={"name": ""}),
        listed[2],
    )
    with pytest.raises(ValueError, match="belong to the tenant"):
        await people.sync(tenant="acme", people=listed)


async def test_rooms_and_groups_come_back_with_their_present_members(rooms: SqlRooms) -> None:
    await rooms.put_room(tenant="demo", channel="C1", name="hr", members=["b", "a", "a"])
    await rooms.put_room(tenant="demo", channel="C1", name="hr", members=["c"], outsiders=True)
    await rooms.put_group(tenant="demo", group="S1", name="leads", members=["a"])
    assert await rooms.rooms(tenant="demo") == (
        StoredRoom(id="C1", name="hr", members=("c",), outsiders=True),
    )
    assert await rooms.groups(tenant="demo") == (
        StoredGroup(id="S1", name="leads", members=("a",)),
    )


async def test_readers_are_written_as_people_write_them(people: SqlPeople, rooms: SqlRooms) -> None:
    await people.put(ALICE)
    await rooms.put_room(tenant="demo", channel="C1", name="hr", members=[])
    await rooms.put_room(tenant="demo", channel="C2", name="C1", members=[])
    await rooms.put_group(tenant="demo", group="S1", name="leads", members=[])
    written = {
        "everyone": "everyone",
        "#hr": "channel:C1",
        "#C1": "channel:C1",
        "#new": "channel:new",
        "channel:C5": "channel:C5",
        "@leads": "group:S1",
        "group:S5": "group:S5",
        "alice": "slack:T1:U1",
        "bob": "bob",
    }
    read = {text: await rooms.reader(tenant="demo", text=text) for text in written}
    assert read == written
    assert await rooms.channel(tenant="demo", text="hr") == "C1"


async def test_the_directory_proves_standing_and_belonging(
    database: Database, people: SqlPeople, rooms: SqlRooms
) -> None:
    directory = StoredDirectory(database)
    await people.put(Person(tenant="demo", principal="carol", standing=Standing.GUEST))
    await rooms.put_room(tenant="demo", channel="C1", name="hr", members=["carol"])
    await rooms.put_room(tenant="demo", channel="C2", name="other", members=["carol"])
    await rooms.put_group(tenant="demo", group="S1", name="leads", members=["carol"])
    carol = await directory.member(tenant="demo", principal="carol", readers=READERS)
    stranger = await directory.member(tenant="demo", principal="eve", readers=READERS)
    assert carol.standing is Standing.GUEST
    assert carol.belongs == {"channel:C1", "group:S1"}
    assert (stranger.standing, stranger.belongs) == (Standing.FULL, frozenset())


async def test_a_room_is_closed_wherever_something_is_unknown(
    database: Database, people: SqlPeople, rooms: SqlRooms
) -> None:
    directory = StoredDirectory(database)
    await people.put(ALICE)
    await people.put(Person(tenant="demo", principal="gone", active=False))
    for channel, members, outsiders in [
        ("ours", [ALICE.principal], False),
        ("shared", [ALICE.principal], True),
        ("with-gone", [ALICE.principal, "gone"], False),
        ("with-unknown", [ALICE.principal, "who"], False),
    ]:
        await rooms.put_room(
            tenant="demo", channel=channel, name=channel, members=members, outsiders=outsiders
        )
    found = {
        channel: (await directory.room(tenant="demo", channel=channel, readers=READERS)).outsiders
        for channel in ("ours", "shared", "with-gone", "with-unknown", "nowhere")
    }
    assert found == {
        "ours": False,
        "shared": True,
        "with-gone": True,
        "with-unknown": True,
        "nowhere": True,
    }
    nowhere = await directory.room(tenant="demo", channel="nowhere", readers=READERS)
    assert nowhere.members is None
