"""Two tenants with the same ids: nothing of one reaches whoever asks for the other."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from sqlalchemy import Connection, select

from bot.fair_use import FairUse
from bot.sources.enriched import Enriched, Kind
from bot.sources.folders import Folder, Original
from bot.sources.quarantine import Failure
from bot.storage.audit import SqlAudit
from bot.storage.catalogue import SqlCatalogue
from bot.storage.changes import SqlChanges
from bot.storage.checkpoints import SqlCheckpoints
from bot.storage.chunks import SqlChunks
from bot.storage.database import Database
from bot.storage.deliveries import SqlDeliveries, Target
from bot.storage.directory import StoredDirectory
from bot.storage.failures import SqlFailures
from bot.storage.feedback import SqlFeedback
from bot.storage.handoff_rows import Words
from bot.storage.handoffs import SqlHandoffs
from bot.storage.knowledge import SqlKnowledge
from bot.storage.origins import SqlOrigins
from bot.storage.people import Person, SqlPeople
from bot.storage.retrievals import SqlRetrievals
from bot.storage.rooms import SqlRooms
from bot.storage.showing import SqlShowing
from bot.storage.snapshots import SqlSnapshots
from bot.storage.spending import SqlSpending
from bot.storage.staged import SqlStaged
from bot.storage.tables import TENANT_TABLES, metadata
from bot.storage.tasks import SqlTasks
from bot.storage.tenants import SqlTenants
from bot.storage.uses import SqlUses
from rag.errors import FootnoteError
from tests.bot.storage.predicates import watched
from tests.bot.storage.samples import TEXT, at, chunk, request, source
from tests.security.surface import BY_TYPE, OTHERS, WITHOUT_TENANT, asking, methods, staged

CANARY = "canary-of-demo"
Rows = dict[str, list[tuple[Any, ...]]]


@pytest.fixture
async def database(migrated_url: str) -> AsyncIterator[Database]:
    """A record in which each table holds something of ``demo``, and acme has the same ids."""
    opened = Database(migrated_url)
    for tenant in ("demo", OTHERS):
        await SqlTenants(opened).create(tenant)
        await SqlTenants(opened).bind(tenant=tenant, team=f"T-{tenant}")
    await _fill(opened, "demo", f"alice {CANARY}", task="t1")
    await _fill(opened, OTHERS, "alice", task="t2")
    yield opened
    await opened.close()


async def _fill(database: Database, tenant: str, word: str, *, task: str) -> None:
    """Something in every table; all words of the tenant's own hold ``word``."""
    of: dict[str, Any] = {"tenant": tenant}
    asked = request(task, tenant=tenant, question=word, channel="C1")
    catalogue = SqlCatalogue(database, StoredDirectory(database))
    await catalogue.put_all([source(tenant=tenant, title=word), source("gone", tenant=tenant)])
    await catalogue.remove(**of, source_id="gone")
    pinned = await SqlSnapshots(database).put(TEXT)
    cut = chunk().model_copy(update={"title": word})
    found = Enriched(kind=Kind.FOUND, version="1", document=word)
    version = {**of, "source_id": "handbook", "snapshot": pinned}
    await SqlChunks(database).store([cut], **version, found=found)
    await catalogue.ingested(**of, source_id="handbook", snapshot=pinned, at=at(1))
    await SqlPeople(database).put(Person(tenant=tenant, principal="alice", name="alice"))
    rooms = SqlRooms(database)
    await rooms.put_room(**of, channel="C1", name=f"general-{tenant}", members=["alice"])
    await rooms.put_group(**of, group="S1", name=f"all-{tenant}", members=["alice"])
    await SqlTasks(database).enqueue(asked)
    checkpoints = SqlCheckpoints(database)
    await checkpoints.save(await checkpoints.open(asked), "plan", word)
    await _show(database, of, task)
    await _hand_off(database, of, word, task)
    await _spend(SqlSpending(database), of["tenant"], word, task)
    await SqlUses(database).take(**of, principal="alice", task=task, at=at(1), fair=FairUse())
    await _originate(database, of, word, pinned)


async def _originate(database: Database, of: dict[str, Any], word: str, pinned: str) -> None:
    origins, root = SqlOrigins(database), f"/documents/{word}"
    await origins.watch(Folder(root=root, readers=(word,), **of))
    made = Original(source_id="handbook", digest=word, snapshot=pinned)
    await origins.made([made], **of)
    await origins.note_refreshed([root], **of, at=at(1))
    failure = Failure(source_id="handbook", digest=word, tries=2, reason=word)
    await SqlFailures(database).note(failure, **of)
    await SqlStaged(database).keep(staged(of["tenant"], word))


async def _spend(spending: SqlSpending, tenant: str, word: str, task: str) -> None:
    asked = asking(tenant, task)
    await spending.remembered(asked, model=word)
    async with spending.trying(asked, model=word, attempt=1, tokens=1, digest="d1") as tally:
        await tally.keep([word])


async def _show(database: Database, of: dict[str, Any], task: str) -> None:
    numbers = iter(range(9))
    deliveries = SqlDeliveries(database, new_id=lambda: f"handle-{of['tenant']}-{next(numbers)}")
    await deliveries.intend(**of, task=task, kind="answer", channel="C1")
    await deliveries.placed(**of, task=task, kind="answer", ts="1.1")
    await deliveries.handles(**of, task=task, targets=[Target(claim=0)])
    await SqlShowing(database).begin(**of, task=task, home="T-acme", sources=["handbook"])
    await SqlFeedback(database).record(**of, task=task, principal="alice", up=True)
    await SqlRetrievals(database).record(**of, task=task, details={"n": 1})


async def _hand_off(database: Database, of: dict[str, Any], word: str, task: str) -> None:
    handoffs = SqlHandoffs(database)
    await handoffs.ask(**of, task=task, owners={"bob": word}, asker="alice")
    reply = Words(reply=f"reply-{of['tenant']}", title=word, text=word)
    await handoffs.reply(**of, task=task, owner="bob", words=reply)
    await SqlKnowledge(database).write(**of, key="loans", title=word, text=word, writer="alice")
    await SqlAudit(database).note(**of, who="alice", what=word.rsplit(maxsplit=1)[-1])
    changed: Any = next(value for kind, value in BY_TYPE.items() if "Change" in str(kind))
    await SqlChanges(database).note(changed.model_copy(update={"about": word}), **of)


def _rows(connection: Connection) -> Rows:
    tables = [table for table in metadata.sorted_tables if table.name in TENANT_TABLES]
    return {
        table.name: sorted(
            tuple(row)
            for row in connection.execute(select(table).where(table.c.tenant == "demo")).all()
        )
        for table in tables
    }


async def test_every_method_called_for_another_tenant_finds_and_changes_nothing(
    database: Database,
) -> None:
    before = await database.read(_rows)
    assert {name for name, rows in before.items() if not rows} <= {"deletions", "tombstones"}
    called = []
    with watched() as offences:
        for method in methods(database):
            called.append(method.name)
            try:
                found = await method.call(**method.arguments())
            except FootnoteError as error:
                found = error
            assert CANARY not in repr(found), method.name
            assert offences == [], method.name
    assert len(called) > 90
    assert await database.read(_rows) == before


async def test_a_method_without_a_tenant_says_why(database: Database) -> None:
    lacking = {method.name for method in methods(database) if "tenant" not in method.hints}
    named = {name for name in lacking if name.partition(".")[0] in WITHOUT_TENANT}
    assert lacking - named == WITHOUT_TENANT.keys() & lacking
    for name in WITHOUT_TENANT:
        assert any(one == name or one.startswith(f"{name}.") for one in lacking), name
