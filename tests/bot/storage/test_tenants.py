"""Tenants, their teams, and the wall between them."""

import pytest
from sqlalchemy import Connection, delete, select, update

from bot.storage.catalogue import SqlCatalogue
from bot.storage.chunks import SqlChunks
from bot.storage.database import Database
from bot.storage.directory import StoredDirectory
from bot.storage.errors import TeamTaken, UnknownSource, UnknownTenant, UnknownVersion
from bot.storage.knowledge import SqlKnowledge
from bot.storage.snapshots import SqlSnapshots
from bot.storage.tables import people, sources, tasks
from bot.storage.tasks import SqlTasks
from bot.storage.tenants import SqlTenants
from rag.errors import UnknownTask
from rag.values import Place, SourceStatus, Status
from tests.bot.storage.predicates import unbound, watched
from tests.bot.storage.samples import TEXT, at, chunk, lease, request, source


async def test_tenants_are_created_once(database: Database) -> None:
    tenants = SqlTenants(database)
    assert await tenants.create("new")
    assert not await tenants.create("new")
    assert await tenants.exists("new")
    assert not await tenants.exists("none")
    assert await tenants.list() == ("acme", "demo", "new")


async def test_a_team_belongs_to_one_tenant(database: Database) -> None:
    tenants = SqlTenants(database)
    await tenants.bind(tenant="demo", team="T1")
    await tenants.bind(tenant="demo", team="T1")
    with pytest.raises(TeamTaken):
        await tenants.bind(tenant="acme", team="T1")
    with pytest.raises(UnknownTenant):
        await tenants.bind(tenant="nobody", team="T2")
    assert await tenants.of(team="T1") == "demo"
    assert await tenants.of(team="T2") is None
    assert await tenants.teams(tenant="demo") == ("T1",)
    assert await tenants.unbind(team="T1")
    assert not await tenants.unbind(team="T1")
    assert await tenants.of(team="T1") is None


async def test_a_grid_counts_before_its_team(database: Database) -> None:
    tenants = SqlTenants(database)
    await tenants.bind(tenant="demo", team="T1")
    await tenants.bind(tenant="acme", team="E1", enterprise=True)
    assert await tenants.of(team="T1", enterprise="E1") == "acme"
    assert await tenants.of(team="T1", enterprise="E2") == "demo"


async def test_mention_only_is_a_workspaces_choice(database: Database) -> None:
    tenants = SqlTenants(database)
    await tenants.bind(tenant="demo", team="T1")
    assert not await tenants.mention_only(team="T1")
    await tenants.set_mention_only(team="T1", on=True)
    assert await tenants.mention_only(team="T1")
    assert not await tenants.mention_only(team="T2")


async def test_identical_ids_in_two_tenants_never_meet(database: Database) -> None:
    catalogue = SqlCatalogue(database, StoredDirectory(database))
    await catalogue.put_all([source("a", title="demo's"), source("a", "bob", tenant="acme")])
    for tenant, title in (("demo", "demo's"), ("acme", "Handbook")):
        (entry,) = await catalogue.get(tenant=tenant, source_ids=["a"])
        assert (entry.tenant, entry.title) == (tenant, title)
    found = await catalogue.permitted(tenant="acme", principal="alice", place=Place())
    assert found.sources == ()
    await catalogue.remove(tenant="acme", source_id="a")
    assert len(await catalogue.list(tenant="demo")) == 1
    assert await catalogue.removed(tenant="demo") == {}


async def test_another_tenants_ids_find_nothing(database: Database) -> None:
    catalogue = SqlCatalogue(database, StoredDirectory(database))
    await catalogue.put(source())
    name = await SqlSnapshots(database).put(TEXT)
    cut = SqlChunks(database)
    await cut.store([chunk()], tenant="demo", source_id="handbook", snapshot=name)
    assert await cut.load(tenant="acme", source_id="handbook", snapshot=name) == ()
    assert await cut.versions(tenant="acme", source_id="handbook") == ()
    with pytest.raises(UnknownSource):
        await catalogue.set_status(
            tenant="acme", source_id="handbook", status=SourceStatus.WITHDRAWN
        )
    known = SqlTasks(database)
    await known.enqueue(request())
    with pytest.raises(UnknownTask):
        await known.get(tenant="acme", task="t1")
    with pytest.raises(UnknownTask):
        await known.finish(tenant="acme", lease=lease(), status=Status.FAILED)
    assert not await known.cancel(tenant="acme", task="t1")
    assert await known.forget(tenant="acme", principal="alice") == ()
    assert await known.purge(tenant="acme", before=at(99)) == 0
    written = SqlKnowledge(database)
    version = await written.write(tenant="demo", key="k", title="T", text="x", writer="a")
    with pytest.raises(UnknownVersion):
        await written.approve(tenant="acme", key="k", version=version, approver="b")
    assert await written.list(tenant="acme") == ()


@pytest.mark.parametrize(
    ("statement", "offending"),
    [
        (select(people), ["people"]),
        (select(people).where(people.c.tenant == "demo"), []),
        (select(people).where(people.c.principal == "a"), ["people"]),
        (update(tasks).values(state="done").where(tasks.c.id == "t"), ["tasks"]),
        (delete(sources), ["sources"]),
        (select(people, tasks).where(people.c.tenant == "demo"), ["tasks"]),
        (
            select(people).where(people.c.tenant == "demo", people.c.name.in_(select(tasks.c.id))),
            ["tasks"],
        ),
    ],
)
async def test_the_wall_is_watched(
    database: Database, statement: object, offending: list[str]
) -> None:
    assert unbound(str(statement)) == offending


async def test_the_watch_sees_what_is_run(database: Database) -> None:
    def peek(connection: Connection) -> None:
        connection.execute(select(people.c.name).where(people.c.tenant == "demo")).all()

    with watched() as offences:
        await database.read(peek)
    assert offences == []


async def test_a_tenants_one_workspace_is_known(database: Database) -> None:
    tenants = SqlTenants(database)
    assert await tenants.workspace(tenant="demo") == ""
    await tenants.bind(tenant="demo", team="T1")
    assert await tenants.workspace(tenant="demo") == "T1"
    await tenants.bind(tenant="demo", team="T2")
    assert await tenants.workspace(tenant="demo") == ""
    await tenants.bind(tenant="acme", team="E1", enterprise=True)
    assert await tenants.workspace(tenant="acme") == ""
