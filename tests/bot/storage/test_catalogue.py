"""Who may read what where, and how sources come, change and go."""

from datetime import date

import pytest
from sqlalchemy import Connection, func, select

from bot.audience import Standing
from bot.storage.catalogue import SqlCatalogue
from bot.storage.checkpoints import SqlCheckpoints
from bot.storage.chunks import SqlChunks
from bot.storage.database import Database
from bot.storage.directory import StoredDirectory
from bot.storage.errors import UnknownSource, UnknownTenant
from bot.storage.people import Person, SqlPeople
from bot.storage.rooms import SqlRooms
from bot.storage.snapshots import SqlSnapshots
from bot.storage.tables import chunks, readers
from rag.errors import UnknownSnapshot
from rag.ports import Permitted
from rag.values import Place, SourceStatus
from tests.bot.storage.samples import NOON, TEXT, chunk, report, request, source

PEOPLE = {
    "alice": Standing.FULL,
    "bob": Standing.FULL,
    "carol": Standing.GUEST,
    "dana": Standing.OUTSIDER,
}


@pytest.fixture
async def catalogue(database: Database) -> SqlCatalogue:
    """Alice and bob in general, carol a guest in hr, dana's organisation in partners."""
    for name, standing in PEOPLE.items():
        await SqlPeople(database).put(Person(tenant="demo", principal=name, standing=standing))
    rooms = SqlRooms(database)
    for channel, members in {
        "general": ["alice", "bob"],
        "hr": ["alice", "bob", "carol"],
        "partners": ["alice", "bob", "dana"],
    }.items():
        await rooms.put_room(tenant="demo", channel=channel, name=channel, members=members)
    await rooms.put_group(tenant="demo", group="S1", name="leads", members=["alice"])
    return SqlCatalogue(database, StoredDirectory(database))


async def _ask(catalogue: SqlCatalogue, principal: str, channel: str | None = None) -> Permitted:
    place = Place(channel=channel)
    return await catalogue.permitted(tenant="demo", principal=principal, place=place)


async def _ids(catalogue: SqlCatalogue, principal: str, channel: str | None = None) -> list[str]:
    return [entry.id for entry in (await _ask(catalogue, principal, channel)).sources]


async def _fill(catalogue: SqlCatalogue) -> None:
    await catalogue.put_all(
        [
            source("all"),
            source("alices", "alice"),
            source("carols", "carol", "everyone"),
            source("of-general", "channel:general"),
            source("of-hr", "channel:hr"),
            source("of-leads", "group:S1"),
            source("gone", status=SourceStatus.WITHDRAWN),
            source("planned", status=SourceStatus.PROPOSED),
        ]
    )


@pytest.mark.parametrize(
    ("principal", "channel", "expected"),
    [
        ("alice", None, "alices all carols of-general of-hr of-leads planned"),
        ("bob", None, "all carols of-general of-hr planned"),
        ("carol", None, "carols of-hr"),
        ("dana", None, ""),
        ("alice", "general", "all carols of-general of-hr planned"),
        ("bob", "general", "all carols of-general of-hr planned"),
        ("alice", "hr", "carols of-hr"),
        ("carol", "hr", "carols of-hr"),
        ("alice", "partners", ""),
        ("dana", "partners", ""),
        ("alice", "nowhere", ""),
        ("eve", None, "all carols planned"),
    ],
)
async def test_readers_and_audience(
    catalogue: SqlCatalogue, principal: str, channel: str | None, expected: str
) -> None:
    await _fill(catalogue)
    assert await _ids(catalogue, principal, channel) == expected.split()


@pytest.mark.parametrize("filled", [False, True])
async def test_withheld_and_outsider_never_depend_on_what_exists(
    catalogue: SqlCatalogue, filled: bool
) -> None:
    if filled:
        await _fill(catalogue)
    for channel, withheld in {None: False, "general": False, "hr": False, "partners": True}.items():
        assert (await _ask(catalogue, "alice", channel)).withheld is withheld
    assert (await _ask(catalogue, "alice", "nowhere")).withheld
    assert (await _ask(catalogue, "dana")) == Permitted(outsider=True)
    assert (await _ask(catalogue, "dana", "partners")) == Permitted(outsider=True)
    assert not (await _ask(catalogue, "carol")).outsider


async def test_a_deactivated_person_gets_nothing(
    database: Database, catalogue: SqlCatalogue
) -> None:
    await _fill(catalogue)
    await SqlPeople(database).put(Person(tenant="demo", principal="alice", active=False))
    assert (await _ask(catalogue, "alice")).outsider


async def test_the_fingerprint_names_the_rights(
    database: Database, catalogue: SqlCatalogue
) -> None:
    await catalogue.put_all([source("a"), source("hidden", "alice")])
    seen = [(await _ask(catalogue, "bob")).fingerprint]
    await catalogue.put(source("hidden", "alice", "erin"))
    assert (await _ask(catalogue, "bob")).fingerprint == seen[0]
    await catalogue.set_readers(tenant="demo", source_id="a", readers=["everyone", "carol"])
    seen.append((await _ask(catalogue, "bob")).fingerprint)
    await catalogue.set_status(tenant="demo", source_id="a", status=SourceStatus.SUPERSEDED)
    seen.append((await _ask(catalogue, "bob")).fingerprint)
    await catalogue.ingested(tenant="demo", source_id="a", snapshot="5" * 64, at=NOON)
    seen.append((await _ask(catalogue, "bob")).fingerprint)
    seen.append((await _ask(catalogue, "carol")).fingerprint)
    assert len(set(seen)) == 5
    assert len((await _ask(catalogue, "carol")).sources) == 1


async def test_a_revocation_holds_at_once(catalogue: SqlCatalogue) -> None:
    await catalogue.put(source("a", "alice"))
    assert await _ids(catalogue, "alice") == ["a"]
    await catalogue.set_readers(tenant="demo", source_id="a", readers=["bob"])
    assert await _ids(catalogue, "alice") == []


async def test_a_source_comes_back_as_it_was_put(catalogue: SqlCatalogue) -> None:
    entry = source("a", "bob", "alice", "#odd", title="借用制度 ‘x’").model_copy(
        update={
            "supersedes": "old",
            "review_by": date(2027, 1, 2),
            "effective_until": date(2028, 1, 1),
            "importance": 2.5,
            "language": "zh",
            "owner": "Ops",
            "snapshot": "a" * 64,
            "updated_at": NOON,
        }
    )
    assert await catalogue.put(entry)
    assert await catalogue.get(tenant="demo", source_ids=["a"]) == (entry,)
    assert await catalogue.list(tenant="demo") == (entry,)


async def test_get_keeps_the_order_and_leaves_unknown_ids_out(catalogue: SqlCatalogue) -> None:
    await catalogue.put_all([source("a"), source("b")])
    found = await catalogue.get(tenant="demo", source_ids=["b", "none", "a", "b"])
    assert [entry.id for entry in found] == ["b", "a"]


async def test_putting_again_changes_only_what_differs(
    database: Database, catalogue: SqlCatalogue
) -> None:
    entries = [source("a", "alice", "bob"), source("b")]
    assert await catalogue.put_all(entries) == ("a", "b")
    await catalogue.ingested(tenant="demo", source_id="a", snapshot="1" * 64, at=NOON)
    assert await catalogue.put_all(entries) == ()
    assert await catalogue.put_all([source("a", "carol", "carol"), entries[1]]) == ("a",)
    (kept,) = await catalogue.get(tenant="demo", source_ids=["a"])
    assert (kept.readers, kept.snapshot, kept.updated_at) == (("carol",), "1" * 64, NOON)

    def count(connection: Connection) -> int:
        statement = select(func.count()).where(readers.c.tenant == "demo")
        return int(connection.execute(statement).scalar_one())

    assert await database.read(count) == 2


async def test_put_all_is_all_or_none(catalogue: SqlCatalogue) -> None:
    with pytest.raises(UnknownTenant):
        await catalogue.put_all([source("a"), source("b", tenant="nobody")])
    assert await catalogue.list(tenant="demo") == ()


async def test_changes_to_an_unknown_source_are_errors(catalogue: SqlCatalogue) -> None:
    with pytest.raises(UnknownSource):
        await catalogue.set_readers(tenant="demo", source_id="a", readers=[])
    with pytest.raises(UnknownSource):
        await catalogue.set_status(tenant="demo", source_id="a", status=SourceStatus.CURRENT)
    with pytest.raises(UnknownSource):
        await catalogue.ingested(tenant="demo", source_id="a", snapshot="1" * 64, at=NOON)
    assert not await catalogue.remove(tenant="demo", source_id="a")
    assert await catalogue.removed(tenant="demo") == {}


async def _ingest(database: Database, tenant: str = "demo") -> str:
    name = await SqlSnapshots(database).put(TEXT)
    await SqlChunks(database).store([chunk()], tenant=tenant, source_id="handbook", snapshot=name)
    return name


async def test_removing_erases_every_text_of_the_source(
    database: Database, catalogue: SqlCatalogue
) -> None:
    await catalogue.put(source())
    name = await _ingest(database)
    asked = request()
    kept = SqlCheckpoints(database)
    held = await kept.open(asked)
    await kept.save(held, "plan", '{"intent": "x"}')
    await kept.save(held, "report", report(asked).model_dump_json())
    assert await catalogue.remove(tenant="demo", source_id="handbook")
    assert await catalogue.get(tenant="demo", source_ids=["handbook"]) == ()
    with pytest.raises(UnknownSnapshot):
        await SqlSnapshots(database).get(name)
    assert await kept.stages("t1") == ("plan",)
    assert list(await catalogue.removed(tenant="demo")) == ["handbook"]

    def count(connection: Connection) -> int:
        statement = select(func.count()).where(chunks.c.tenant == "demo")
        return int(connection.execute(statement).scalar_one())

    assert await database.read(count) == 0


async def test_removing_leaves_a_text_another_tenant_holds(
    database: Database, catalogue: SqlCatalogue
) -> None:
    await catalogue.put_all([source(), source(tenant="acme")])
    name = await _ingest(database)
    await _ingest(database, tenant="acme")
    await catalogue.remove(tenant="demo", source_id="handbook")
    assert await SqlSnapshots(database).get(name) == TEXT
    found = await SqlChunks(database).load(tenant="acme", source_id="handbook", snapshot=name)
    assert found == (chunk(),)


async def test_putting_a_removed_source_again_lifts_its_tombstone(catalogue: SqlCatalogue) -> None:
    await catalogue.put(source("a"))
    await catalogue.remove(tenant="demo", source_id="a")
    await catalogue.put(source("a"))
    assert await catalogue.removed(tenant="demo") == {}
