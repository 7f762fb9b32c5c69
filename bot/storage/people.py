"""The people of a tenant: ids, short names, standing."""

import unicodedata
from collections.abc import Sequence
from functools import partial
from typing import Any

from sqlalchemy import Connection, Row, select, update

from bot.audience import Standing
from bot.storage.database import Database
from bot.storage.deletions import Deletions
from bot.storage.errors import NameTaken
from bot.storage.rows import insert_new, upsert
from bot.storage.tables import people
from rag.values import Value

_HEIGHT = (Standing.OUTSIDER, Standing.GUEST, Standing.FULL)


class Person(Value):
    """A principal of a tenant. ``name`` is a short name, unique in the tenant, or empty."""

    tenant: str
    principal: str
    name: str = ""
    standing: Standing = Standing.FULL
    active: bool = True


class SqlPeople:
    """Who is known in a tenant, and by which short name."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def put(self, person: Person) -> None:
        """Add or replace a person. Raises NameTaken."""
        await self._database.write(partial(_put, person=person, noted=self._database.deletions))

    async def sync(self, *, tenant: str, people: Sequence[Person]) -> int:
        """Take over people as Slack lists them; how many changed.

        A name given earlier stays. A name that is taken is left off.
        """
        if any(person.tenant != tenant for person in people):
            raise ValueError("every person must belong to the tenant that is synced")
        return await self._database.write(
            partial(_sync, listed=people, noted=self._database.deletions)
        )

    async def name(self, *, tenant: str, principal: str, name: str) -> None:
        """Give a principal a short name; an unknown principal becomes a full member.

        Raises NameTaken.
        """
        await self._database.write(partial(_name, tenant=tenant, principal=principal, name=name))

    async def resolve(self, *, tenant: str, text: str) -> str:
        """The principal ``text`` is the short name of; any other text is a principal itself."""
        return await self._database.read(partial(principal_named, tenant=tenant, text=text))

    async def get(self, *, tenant: str, principal: str) -> Person | None:
        """A person by principal."""
        return await self._database.read(partial(find_person, tenant=tenant, principal=principal))

    async def list(self, *, tenant: str) -> tuple[Person, ...]:
        """Every person of the tenant in the order of their principals."""
        return await self._database.read(partial(_list, tenant=tenant))


def name_key(name: str) -> str:
    """What makes two short names the same: neither case nor compatibility forms count."""
    return unicodedata.normalize("NFKC", name).casefold().strip()


def find_person(connection: Connection, *, tenant: str, principal: str) -> Person | None:
    """The person of that principal, None when unknown."""
    statement = select(people).where(people.c.tenant == tenant, people.c.principal == principal)
    row = connection.execute(statement).one_or_none()
    return None if row is None else person_of(row)


def person_of(row: Row[Any]) -> Person:
    """A row of `people` as a value."""
    return Person(
        tenant=row.tenant,
        principal=row.principal,
        name=row.name,
        standing=Standing(row.standing),
        active=row.active,
    )


def principal_named(connection: Connection, *, tenant: str, text: str) -> str:
    """The principal whose short name ``text`` is; ``text`` itself when it is nobody's."""
    statement = select(people.c.principal).where(
        people.c.tenant == tenant, people.c.name_key == name_key(text)
    )
    return connection.execute(statement).scalar_one_or_none() or text


def _list(connection: Connection, *, tenant: str) -> tuple[Person, ...]:
    statement = select(people).where(people.c.tenant == tenant).order_by(people.c.principal)
    return tuple(person_of(row) for row in connection.execute(statement))


def _put(connection: Connection, *, person: Person, noted: Deletions) -> None:
    if _taken(connection, person):
        raise NameTaken(f"the name {person.name!r} belongs to somebody else")
    known = find_person(connection, tenant=person.tenant, principal=person.principal)
    upsert(connection, people, _row(person))
    _note_loss(connection, known, person, noted)


def _note_loss(
    connection: Connection, before: Person | None, after: Person, noted: Deletions
) -> None:
    """Note who is a member no more, or of a lower standing."""
    if before is None or not before.active:
        return
    lowered = _HEIGHT.index(after.standing) < _HEIGHT.index(before.standing)
    if lowered or not after.active:
        ids = [after.principal, after.standing.value, "active" if after.active else "gone"]
        noted.note(connection, tenant=after.tenant, kind="person", ids=ids)


def _sync(connection: Connection, *, listed: Sequence[Person], noted: Deletions) -> int:
    return sum(_take_over(connection, person, noted) for person in listed)


def _take_over(connection: Connection, person: Person, noted: Deletions) -> bool:
    known = find_person(connection, tenant=person.tenant, principal=person.principal)
    if known is not None and known.name:
        person = person.model_copy(update={"name": known.name})
    elif _taken(connection, person):
        person = person.model_copy(update={"name": ""})
    if person == known:
        return False
    upsert(connection, people, _row(person))
    _note_loss(connection, known, person, noted)
    return True


def _name(connection: Connection, *, tenant: str, principal: str, name: str) -> None:
    person = Person(tenant=tenant, principal=principal, name=name)
    insert_new(connection, people, _row(person.model_copy(update={"name": ""})))
    if _taken(connection, person):
        raise NameTaken(f"the name {name!r} belongs to somebody else")
    connection.execute(
        update(people)
        .where(people.c.tenant == tenant, people.c.principal == principal)
        .values(name=name, name_key=name_key(name) or None)
    )


def _taken(connection: Connection, person: Person) -> bool:
    statement = select(people.c.principal).where(
        people.c.tenant == person.tenant,
        people.c.name_key == name_key(person.name),
        people.c.principal != person.principal,
    )
    return connection.execute(statement).first() is not None


def _row(person: Person) -> dict[str, Any]:
    return {
        "tenant": person.tenant,
        "principal": person.principal,
        "name": person.name,
        "name_key": name_key(person.name) or None,
        "standing": person.standing.value,
        "active": person.active,
    }
