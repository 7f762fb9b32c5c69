"""Bots with a part left out: the simulation must find each of them out by some seed.

Each wants a process of its own: some change what a module holds.
"""

import itertools
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, cast

from sqlalchemy import Connection

from bot.parts import Parts
from bot.posts.looking import Spot
from bot.posts.posting import Poster
from bot.queue.durable import Job
from bot.record import Deliveries
from bot.storage import checkpoints, deliveries, tasks
from bot.storage.task_rows import TaskState, read_task, require_lease
from handlers.blocks.rendered import Rendered
from rag.ports import Catalogue, Lease, Permitted
from rag.running import Ports
from rag.values import Place
from tests.faults.simulation.house import House
from tests.faults.simulation.run import Change
from tests.faults.simulation.slack import Json

_LONG_AFTER = datetime(2100, 1, 1, tzinfo=UTC)


def _without_dedupe(house: House) -> None:
    """A message that was stored before is stored again, under another id."""
    insert, numbers = house.jobs.insert, itertools.count()

    def inserted(job: Job, queue: str) -> None:
        known = job.kind == "ask" and job.id in house.jobs.rows
        fresh = {"id": f"{job.id}-{next(numbers)}"} if known else {}
        insert(job.model_copy(update=fresh), queue)

    vars(house.jobs)["insert"] = inserted


def _without_look_up(house: House) -> None:
    """Whoever looks for a message of ours sees no metadata."""
    call = house.workspace.call

    def called(method: str, args: Json) -> Json:
        body = call(method, args)
        if method in ("conversations.replies", "conversations.history"):
            return {**body, "messages": [_bare(message) for message in body["messages"]]}
        return body

    vars(house.workspace)["call"] = called


def _bare(message: Json) -> Json:
    return {key: value for key, value in message.items() if key != "metadata"}


class _Repeating:
    """A catalogue that says at a run's n-th look, from 0, what it said at the one before."""

    def __init__(self, catalogue: Catalogue, repeated: int) -> None:
        self._catalogue = catalogue
        self._repeated = repeated
        self._said: list[Permitted] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._catalogue, name)

    async def permitted(self, *, tenant: str, principal: str, place: Place) -> Permitted:
        if len(self._said) == self._repeated:
            self._said.append(self._said[-1])
        else:
            self._said.append(
                await self._catalogue.permitted(tenant=tenant, principal=principal, place=place)
            )
        return self._said[-1]


def _without_look(number: int) -> Change:
    """A run looks at the rights when it begins, before its answer is shown, and after that."""

    def leave_out(house: House) -> None:
        def altered(ports: Ports) -> Ports:
            catalogue = cast("Catalogue", _Repeating(ports.catalogue, number))
            return replace(ports, catalogue=catalogue)

        house.alter_ports = altered

    return leave_out


def _without_fencing(_house: House) -> None:
    """Everybody who ever took a task up holds it for ever, in this whole process."""
    for module in (tasks, checkpoints, deliveries):
        vars(module)["require_lease"] = _held_anyway


def _held_anyway(
    connection: Connection, *, tenant: str, lease: Lease, locked: bool = True
) -> TaskState:
    stored = read_task(connection, tenant=tenant, task=lease.task)
    return require_lease(connection, tenant=tenant, lease=stored.held, locked=locked)


class _Anew:
    """A poster that posts a task's message whenever it is asked for it."""

    def __init__(self, poster: Poster, deliveries: Deliveries) -> None:
        self._poster = poster
        self._deliveries = deliveries

    def __getattr__(self, name: str) -> Any:
        return getattr(self._poster, name)

    async def ensure(self, spot: Spot, rendered: Rendered, **_when: object) -> str:
        named = {"tenant": spot.tenant, "task": spot.task, "kind": spot.kind}
        await self._deliveries.intend(**named, channel=spot.channel, thread=spot.thread)
        ts = await self._poster.say_once(spot, rendered, since=_LONG_AFTER)
        return await self._deliveries.placed(**named, ts=ts)


def _without_reuse(house: House) -> None:
    """A message that is recorded is posted again."""

    def altered(parts: Parts) -> Parts:
        poster = cast("Poster", _Anew(parts.poster, parts.record.deliveries))
        return replace(parts, poster=poster)

    house.alter = altered


MUTANTS: Mapping[str, Change] = {
    "dedupe": _without_dedupe,
    "metadata look-up": _without_look_up,
    "rights at publish": _without_look(1),
    "rights after publish": _without_look(2),
    "fencing": _without_fencing,
    "placeholder reuse": _without_reuse,
}
"""What is left out, by the name of what should have been there."""
