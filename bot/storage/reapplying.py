"""Deletes from a restored record what was deleted after its backup was made."""

from collections.abc import Callable, Sequence

from sqlalchemy import Connection, select, update

from bot.audience import Standing
from bot.storage import catalogue_rows
from bot.storage.catalogue import bury, remove_source
from bot.storage.chunks import Erase, nothing_elsewhere, purge_versions
from bot.storage.database import Database
from bot.storage.deletion_log import Deletion
from bot.storage.deletions import every, keep
from bot.storage.origins import lose_readers
from bot.storage.paid_replies import drop_replies
from bot.storage.people import find_person
from bot.storage.rows import stamp
from bot.storage.tables import people, sources, tasks, tenants
from bot.storage.task_rows import TaskState
from bot.storage.tasks import delete_tasks
from rag.values import SourceStatus, Value


class Reapplied(Value):
    """How many deletions were new to the record, and the tasks whose jobs must go too."""

    deletions: int = 0
    tasks: tuple[str, ...] = ()


async def known(database: Database) -> tuple[Deletion, ...]:
    """The deletions that the record knows of."""
    return await database.read(lambda connection: tuple(every(connection)))


async def reapply(
    database: Database, deletions: Sequence[Deletion], *, erase: Erase = nothing_elsewhere
) -> Reapplied:
    """Do each deletion that the record does not know of, in one transaction.

    Raises `StoreUnavailable`.
    """

    def work(connection: Connection) -> Reapplied:
        fresh = [deletion for deletion in deletions if _is_new(connection, deletion)]
        for deletion in fresh:
            _DO[deletion.kind](connection, deletion, erase)
        gone = [deletion for deletion in fresh if deletion.kind in ("tasks", "cancelled")]
        ids = tuple(task for deletion in gone for task in deletion.ids)
        number = sum(deletion.kind != "begun" for deletion in fresh)
        return Reapplied(deletions=number, tasks=ids)

    done = await database.write(work)
    await database.scrub()
    return done


def _is_new(connection: Connection, deletion: Deletion) -> bool:
    """Kept from now on. What is of a tenant that the record lacks has nothing to delete."""
    there = select(tenants.c.tenant).where(tenants.c.tenant == deletion.tenant)
    return connection.execute(there).first() is not None and keep(connection, deletion)


def _source(connection: Connection, deletion: Deletion, erase: Erase) -> None:
    """A file that is there again must not bring it back, whether the backup knew it or not."""
    (ident,) = deletion.ids
    named = {"tenant": deletion.tenant, "source_id": ident}
    grave = {"removed_at": stamp(deletion.at), "because": ""}
    if not remove_source(connection, **named, grave=grave, erase=erase):
        bury(connection, **named, grave=grave)


def _withdrawn(connection: Connection, deletion: Deletion, _erase: Erase) -> None:
    named = [sources.c.tenant == deletion.tenant, sources.c.id.in_(deletion.ids)]
    withdrawn = SourceStatus.WITHDRAWN.value
    connection.execute(update(sources).where(*named).values(status=withdrawn))


def _readers(connection: Connection, deletion: Deletion, _erase: Erase) -> None:
    ident, *lost = deletion.ids
    for source in catalogue_rows.sources_by_id(
        connection, tenant=deletion.tenant, source_ids=[ident]
    ):
        left = tuple(name for name in source.readers if name not in lost)
        catalogue_rows.write_source(connection, source.model_copy(update={"readers": left}))


def _folder(connection: Connection, deletion: Deletion, _erase: Erase) -> None:
    ident, *lost = deletion.ids
    lose_readers(connection, tenant=deletion.tenant, ident=ident, lost=lost)


def _versions(connection: Connection, deletion: Deletion, erase: Erase) -> None:
    (before,) = deletion.ids
    purge_versions(connection, tenant=deletion.tenant, before=before, erase=erase)


def _tasks(connection: Connection, deletion: Deletion, _erase: Erase) -> None:
    delete_tasks(connection, tenant=deletion.tenant, conditions=[tasks.c.id.in_(deletion.ids)])


def _cancelled(connection: Connection, deletion: Deletion, _erase: Erase) -> None:
    open_states = [TaskState.QUEUED.value, TaskState.RUNNING.value, TaskState.WAITING.value]
    statement = update(tasks).where(
        tasks.c.tenant == deletion.tenant,
        tasks.c.id.in_(deletion.ids),
        tasks.c.state.in_(open_states),
    )
    at = stamp(deletion.at)
    connection.execute(statement.values(state=TaskState.CANCELLED.value, finished_at=at))
    drop_replies(connection, tenant=deletion.tenant, tasks=deletion.ids)


def _person(connection: Connection, deletion: Deletion, _erase: Erase) -> None:
    principal, standing, here = deletion.ids
    person = find_person(connection, tenant=deletion.tenant, principal=principal)
    if person is None:
        return
    connection.execute(
        update(people)
        .where(people.c.tenant == deletion.tenant, people.c.principal == principal)
        .values(standing=Standing(standing).value, active=person.active and here == "active")
    )


def _nothing(_connection: Connection, _deletion: Deletion, _erase: Erase) -> None:
    pass


_DO: dict[str, Callable[[Connection, Deletion, Erase], None]] = {
    "begun": _nothing,
    "source": _source,
    "withdrawn": _withdrawn,
    "readers": _readers,
    "folder": _folder,
    "versions": _versions,
    "tasks": _tasks,
    "cancelled": _cancelled,
    "person": _person,
}
