"""Questions handed to the owners of sources, and what became of the owners' words."""

import json
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from pydantic import AwareDatetime
from sqlalchemy import Connection, Select, delete, func, insert, select, update

from bot.storage.database import Database
from bot.storage.handoff_rows import Decision, Handoff, Reply, Words, as_handoff, as_reply
from bot.storage.knowledge import (
    Knowledge,
    KnowledgeState,
    approve_version,
    find_version,
    is_outdated,
)
from bot.storage.rows import insert_new, sha256, stamp, utc_now
from bot.storage.tables import handoff_askers, handoff_replies, handoffs, knowledge
from bot.storage.task_rows import require_task
from rag.errors import UnknownTask
from rag.ports import Clock


class SqlHandoffs:
    """One row a task and owner, one a person who wants to know, one a reply."""

    def __init__(self, database: Database, *, clock: Clock = utc_now) -> None:
        self._database = database
        self._clock = clock

    async def ask(self, *, tenant: str, task: str, owners: Mapping[str, str], asker: str) -> None:
        """Record that these owners are asked and that ``asker`` wants to know; once each.

        ``owners`` maps each one's principal to the name the sources give them. Raises UnknownTask.
        """
        named = {"tenant": tenant, "task": task, "at": stamp(self._clock())}
        await self._database.write(partial(_ask, named=named, owners=owners, asker=asker))

    async def of(self, *, tenant: str, task: str) -> tuple[Handoff, ...]:
        """Every owner who was asked about a task, in the order of their names."""
        return await self._database.read(partial(_of, tenant=tenant, task=task))

    async def quote(self, *, tenant: str, task: str, owner: str, sources: Iterable[str]) -> None:
        """An owner's message is about to quote these sources and no others."""
        statement = (
            update(handoffs)
            .where(handoffs.c.tenant == tenant, handoffs.c.task == task)
            .where(handoffs.c.owner == owner)
            .values(quoted=json.dumps(sorted(sources)))
        )
        await self._database.amend(lambda connection: connection.execute(statement).rowcount)

    async def quoting(self, *, tenant: str) -> tuple[Handoff, ...]:
        """Every hand-off of a tenant whose message quotes something, by owner."""
        return await self._database.read(partial(_quoting, tenant=tenant))

    async def askers(self, *, tenant: str, task: str) -> tuple[str, ...]:
        """Who wants to know what the owners say."""
        return await self._database.read(partial(_askers, tenant=tenant, task=task))

    async def reply(self, *, tenant: str, task: str, owner: str, words: Words) -> Reply:
        """Keep an owner's words as proposed knowledge; a repeat finds what was kept.

        Raises UnknownTask when that owner was not asked about that task.
        """
        at = self._clock()
        return await self._database.write(
            partial(_reply, tenant=tenant, task=task, owner=owner, words=words, at=at)
        )

    async def replied(self, *, tenant: str, reply: str) -> Reply | None:
        """A reply by its id; None for an unknown one or another tenant's."""
        return await self._database.read(partial(_replied, tenant=tenant, reply=reply))

    async def proposed(self, *, tenant: str, reply: str) -> Knowledge | None:
        """The knowledge a reply is kept as; None once it was turned down."""
        return await self._database.read(partial(_proposed, tenant=tenant, reply=reply))

    async def decide(self, *, tenant: str, reply: str, decider: str, approved: bool) -> Reply:
        """Approve or turn down, once: the reply as it was decided, by whomever came first.

        Words over which newer ones of the same owner are approved can only be turned down.
        Raises UnknownTask for an unknown reply, SelfApproval for its writer.
        """
        decided = Decision.APPROVED if approved else Decision.REJECTED
        values = {"decision": decided.value, "decider": decider}
        at = stamp(self._clock())
        return await self._database.write(
            partial(_decide, tenant=tenant, reply=reply, values=values, at=at)
        )


def knowledge_key(task: str, owner: str) -> str:
    """The key of what an owner says about a task; nothing can be read from it."""
    return f"asked-{sha256(json.dumps([task, owner]))[:16]}"


def drop_proposals(connection: Connection, *, tenant: str, tasks: Select[Any]) -> None:
    """Delete what owners proposed about these tasks and nobody approved; before the tasks go."""
    keys = select(handoffs.c.key).where(handoffs.c.tenant == tenant, handoffs.c.task.in_(tasks))
    pending = knowledge.c.state == KnowledgeState.PENDING.value
    connection.execute(
        delete(knowledge).where(knowledge.c.tenant == tenant, pending, knowledge.c.key.in_(keys))
    )


def _ask(
    connection: Connection, *, named: dict[str, str], owners: Mapping[str, str], asker: str
) -> None:
    require_task(connection, tenant=named["tenant"], task=named["task"])
    for owner, name in owners.items():
        row = {**named, "owner": owner, "name": name, "key": knowledge_key(named["task"], owner)}
        insert_new(connection, handoffs, row)
    insert_new(connection, handoff_askers, {**named, "asker": asker})


def _of(connection: Connection, *, tenant: str, task: str) -> tuple[Handoff, ...]:
    statement = select(handoffs).where(handoffs.c.tenant == tenant, handoffs.c.task == task)
    return tuple(map(as_handoff, connection.execute(statement.order_by(handoffs.c.owner))))


def _quoting(connection: Connection, *, tenant: str) -> tuple[Handoff, ...]:
    statement = select(handoffs).where(handoffs.c.tenant == tenant, handoffs.c.quoted != "[]")
    ordered = statement.order_by(handoffs.c.owner, handoffs.c.task)
    return tuple(map(as_handoff, connection.execute(ordered)))


def _askers(connection: Connection, *, tenant: str, task: str) -> tuple[str, ...]:
    statement = select(handoff_askers.c.asker).where(
        handoff_askers.c.tenant == tenant, handoff_askers.c.task == task
    )
    return tuple(connection.execute(statement.order_by(handoff_askers.c.asker)).scalars())


def _reply(
    connection: Connection, *, tenant: str, task: str, owner: str, words: Words, at: AwareDatetime
) -> Reply:
    known = _replied(connection, tenant=tenant, reply=words.reply)
    if known is not None:
        return known
    asked = [one for one in _of(connection, tenant=tenant, task=task) if one.owner == owner]
    if not asked:
        raise UnknownTask(f"that owner was not asked about task {task!r}")
    reply = Reply(
        tenant=tenant,
        id=words.reply,
        task=task,
        owner=owner,
        key=asked[0].key,
        version=_next(connection, tenant=tenant, key=asked[0].key),
        at=at,
    )
    row = reply.model_dump() | {"at": stamp(at), "decision": reply.decision.value}
    connection.execute(insert(handoff_replies).values(**row))
    _propose(connection, reply, words)
    return reply


def _next(connection: Connection, *, tenant: str, key: str) -> int:
    """A version no reply ever had, also where what it proposed was turned down since."""
    kept = select(func.coalesce(func.max(knowledge.c.version), 0)).where(
        knowledge.c.tenant == tenant, knowledge.c.key == key
    )
    given = select(func.coalesce(func.max(handoff_replies.c.version), 0)).where(
        handoff_replies.c.tenant == tenant, handoff_replies.c.key == key
    )
    return 1 + max(int(connection.execute(one).scalar_one()) for one in (kept, given))


def _propose(connection: Connection, reply: Reply, words: Words) -> None:
    proposal = {
        "tenant": reply.tenant,
        "key": reply.key,
        "version": reply.version,
        "title": words.title,
        "text": words.text,
        "writer": reply.owner,
        "written_at": stamp(reply.at),
        "state": KnowledgeState.PENDING.value,
    }
    connection.execute(insert(knowledge).values(**proposal))


def _replied(connection: Connection, *, tenant: str, reply: str) -> Reply | None:
    statement = select(handoff_replies).where(
        handoff_replies.c.tenant == tenant, handoff_replies.c.id == reply
    )
    row = connection.execute(statement).one_or_none()
    return None if row is None else as_reply(row)


def _proposed(connection: Connection, *, tenant: str, reply: str) -> Knowledge | None:
    known = _replied(connection, tenant=tenant, reply=reply)
    if known is None:
        return None
    return find_version(connection, tenant=tenant, key=known.key, version=known.version)


def _decide(
    connection: Connection, *, tenant: str, reply: str, values: dict[str, str], at: str
) -> Reply:
    known = _replied(connection, tenant=tenant, reply=reply)
    if known is None:
        raise UnknownTask(f"there is no reply {reply!r}")
    if known.decision is not Decision.NONE:
        return known
    piece = find_version(connection, tenant=tenant, key=known.key, version=known.version)
    if piece is None or piece.state is not KnowledgeState.PENDING:
        values = _decided_elsewhere(piece)
    elif values["decision"] == Decision.APPROVED and not is_outdated(connection, piece):
        approval = {"approver": values["decider"], "approved_at": at}
        approve_version(
            connection, tenant=tenant, key=known.key, version=known.version, approval=approval
        )
    else:
        values = values | {"decision": Decision.REJECTED.value}
        _turn_down(connection, known)
    this = [handoff_replies.c.tenant == tenant, handoff_replies.c.id == reply]
    connection.execute(update(handoff_replies).where(*this).values(**values))
    return known.model_copy(
        update={"decision": Decision(values["decision"]), "decider": values["decider"]}
    )


def _decided_elsewhere(piece: Knowledge | None) -> dict[str, str]:
    """What the command line made of it."""
    decision = Decision.REJECTED if piece is None else Decision.APPROVED
    decider = (piece.approver if piece else None) or ""
    return {"decision": decision.value, "decider": decider}


def _turn_down(connection: Connection, reply: Reply) -> None:
    connection.execute(
        delete(knowledge).where(
            knowledge.c.tenant == reply.tenant,
            knowledge.c.key == reply.key,
            knowledge.c.version == reply.version,
        )
    )
