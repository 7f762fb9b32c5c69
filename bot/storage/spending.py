"""What models were asked, one row a request, and what that cost.

A row is written before the request is sent, so that one which a dead process had sent is
not forgotten; it then stays without an outcome, at the tokens the prompt was counted to
be. A reply is kept in the transaction that says in its row that it came. A row outlives
its task, without its name, so that forgetting questions gives no tenant its day back.
"""

import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any

from sqlalchemy import Connection, case, delete, func, insert, select, update

from bot.metering import UNMETERED, ModelMeter
from bot.models.spending import Price, SpentDay, Tally, TryFailed
from bot.storage.database import Database
from bot.storage.deliveries import random_id
from bot.storage.paid_replies import InHand, count_replies, find_reply, keep_reply
from bot.storage.rows import stamp, utc_now
from bot.storage.tables import model_calls
from rag.errors import DayUsedUp, FootnoteError, StoreUnavailable
from rag.ports import Behalf, Clock, NewId, Prompt
from rag.values import RoleSpent, Spent

log = logging.getLogger(__name__)

_UNKNOWN, _WELL, _CANCELLED = "", "ok", "cancelled"
_REMEMBERED, _HEARD = "remembered", "heard"


Also = Callable[[Connection], object]
"""What is done in the same transaction."""


def _nothing_else(_connection: Connection) -> None:
    """The row alone."""


class SqlSpending:
    """`bot.models.spending.Ledger`, which writes rows; `rag.ports.Spending`, which adds them up.

    A tenant may spend ``daily_tokens`` a day of UTC, in and out together; 0 is as many as
    it likes. What is under way counts as the tokens of its prompt, so a day may be over by
    what such requests bring back. ``prices`` are by the model's name.
    """

    def __init__(
        self,
        database: Database,
        *,
        daily_tokens: int = 0,
        prices: Mapping[str, Price] | None = None,
        meter: ModelMeter = UNMETERED,
        clock: Clock = utc_now,
        stopwatch: Callable[[], float] = time.monotonic,
        new_id: NewId = random_id,
    ) -> None:
        self._database = database
        self._daily = daily_tokens
        self._prices = prices or {}
        self._meter = meter
        self._clock = clock
        self._stopwatch = stopwatch
        self._new_id = new_id
        self._in_hand = InHand()

    @asynccontextmanager
    async def trying(
        self, prompt: Prompt, *, model: str, attempt: int, tokens: int, digest: str = ""
    ) -> AsyncIterator[Tally]:
        """`Ledger`."""
        row = self._row(prompt, model=model, attempt=attempt) | {"tokens_in": tokens}
        await self._database.amend(partial(_begin, row=row, most=self._daily))
        request = _Request(self._end, row, self._prices.get(model), self._stopwatch)
        keep = partial(self._keep, request, behalf=prompt.behalf, digest=digest)
        request.tally = Tally(tokens_in=tokens, keep=keep)
        outcome = _CANCELLED
        try:
            yield request.tally
            outcome = _WELL
        except FootnoteError as error:
            outcome = error.reason.value
            raise
        except TryFailed as failed:
            outcome = failed.told.reason.value
            raise
        finally:
            await request.ended(outcome)
            self._tell(row)

    async def heard(self, prompt: Prompt, *, digest: str) -> tuple[str, ...] | None:
        """`Ledger`."""
        behalf = prompt.behalf
        if held := self._in_hand.held(behalf, digest):
            await self._database.surely(self._keeping(behalf, digest, held))
            self._in_hand.drop(behalf, digest)
        finding = partial(find_reply, behalf=behalf, digest=digest)
        reply = await self._database.read(finding)
        if reply is not None:
            self._meter.asked(prompt.role.value, _HEARD, tokens_in=0, tokens_out=0)
        return reply

    async def remembered(self, prompt: Prompt, *, model: str) -> None:
        """`Ledger`."""
        row = self._row(prompt, model=model, attempt=0) | {"outcome": _REMEMBERED, "price": 0.0}
        await self._database.amend(lambda connection: connection.execute(_new(row)).rowcount)
        self._meter.asked(prompt.role.value, _REMEMBERED, tokens_in=0, tokens_out=0)

    async def of(self, *, tenant: str, task: str) -> Spent:
        """`rag.ports.Spending`."""
        return Spent.of(await self._database.read(partial(_of, tenant=tenant, task=task)))

    async def replies(self, *, tenant: str, task: str) -> Mapping[str, int]:
        """`rag.ports.Spending`; none once the task has ended."""
        return await self._database.read(partial(count_replies, tenant=tenant, task=task))

    async def days(self, *, tenant: str, since: datetime) -> tuple[SpentDay, ...]:
        """What a tenant spent since an instant, by day and model, the newest day first."""
        return await self._database.read(partial(_days, tenant=tenant, since=stamp(since)))

    async def clean(self, *, tenant: str, before: datetime) -> None:
        """Delete the rows of requests made before an instant."""
        old = model_calls.c.tenant == tenant, model_calls.c.at < stamp(before)
        statement = delete(model_calls).where(*old)
        await self._database.amend(lambda connection: connection.execute(statement).rowcount)

    def _row(self, prompt: Prompt, *, model: str, attempt: int) -> dict[str, Any]:
        return {
            "tenant": prompt.behalf.tenant,
            "id": self._new_id(),
            "at": stamp(self._clock()),
            "task": prompt.behalf.task,
            "role": prompt.role.value,
            "model": model,
            "outcome": _UNKNOWN,
            "attempt": attempt,
            "tokens_in": 0,
            "tokens_out": 0,
            "seconds": 0.0,
            "price": None,
        }

    async def _keep(
        self, request: "_Request", reply: Sequence[str], *, behalf: Behalf, digest: str
    ) -> None:
        held = tuple(reply)
        kept = await request.ended(_WELL, self._keeping(behalf, digest, held))
        if digest and not kept:
            self._in_hand.take(behalf, digest, held)

    def _keeping(self, behalf: Behalf, digest: str, reply: tuple[str, ...]) -> Also:
        at = stamp(self._clock())
        return partial(keep_reply, behalf=behalf, digest=digest, reply=reply, at=at)

    def _tell(self, row: Mapping[str, Any]) -> None:
        tokens = {"tokens_in": row["tokens_in"], "tokens_out": row["tokens_out"]}
        self._meter.asked(row["role"], row["outcome"], **tokens)

    async def _end(self, row: Mapping[str, Any], also: Also) -> bool:
        """Whether it could be kept how it ended; a reply is not lost because it could not."""
        try:
            await self._database.surely(partial(_ended, row=row, also=also))
        except StoreUnavailable as error:
            log.warning("how a call of task %s ended is not kept: %s", row["task"], error)
            return False
        return True


@dataclass
class _Request:
    """A request under way: its row, and how its end is kept."""

    end: Callable[[Mapping[str, Any], Also], Awaitable[bool]]
    row: dict[str, Any]
    price: Price | None
    stopwatch: Callable[[], float]
    tally: Tally = field(init=False)
    began: float = field(init=False)

    def __post_init__(self) -> None:
        self.began = self.stopwatch()

    async def ended(self, outcome: str, also: Also = _nothing_else) -> bool:
        """Keep how it ended, once; a reply that has come is not undone by a cancellation.

        False where the record is away.
        """
        came = self.row["outcome"]
        if outcome == came or (came == _WELL and outcome == _CANCELLED):
            return True
        self.row |= {
            "outcome": outcome,
            "seconds": round(self.stopwatch() - self.began, 6),
            "tokens_in": self.tally.tokens_in,
            "tokens_out": self.tally.tokens_out,
            "price": self.price.of(self.tally) if self.price else None,
        }
        return await self.end(dict(self.row), also)


def _new(row: Mapping[str, Any]) -> Any:
    return insert(model_calls).values(**row)


def _begin(connection: Connection, *, row: Mapping[str, Any], most: int) -> None:
    tenant = row["tenant"]
    if most and _spent_since(connection, tenant=tenant, midnight=row["at"][:10]) >= most:
        raise DayUsedUp(f"tenant {tenant} has used up its day", limit="reader_daily_tokens")
    connection.execute(_new(row))


def _spent_since(connection: Connection, *, tenant: str, midnight: str) -> int:
    """Tokens since the date ``midnight``; instants are texts that begin with theirs."""
    both = func.coalesce(func.sum(model_calls.c.tokens_in + model_calls.c.tokens_out), 0)
    of_today = model_calls.c.tenant == tenant, model_calls.c.at >= midnight
    return int(connection.execute(select(both).where(*of_today)).scalar_one())


def _ended(connection: Connection, *, row: Mapping[str, Any], also: Also) -> None:
    also(connection)
    named = model_calls.c.tenant == row["tenant"], model_calls.c.id == row["id"]
    said = ("outcome", "tokens_in", "tokens_out", "seconds", "price")
    values = {name: row[name] for name in said}
    connection.execute(update(model_calls).where(*named).values(**values))


_KEPT = model_calls.c.outcome == _REMEMBERED
_SUMS = (
    func.sum(case((_KEPT, 0), else_=1)).label("calls"),
    func.sum(case((model_calls.c.outcome.in_([_WELL, _REMEMBERED]), 0), else_=1)).label("failed"),
    func.sum(model_calls.c.tokens_in).label("tokens_in"),
    func.sum(model_calls.c.tokens_out).label("tokens_out"),
    case((func.count() == func.count(model_calls.c.price), func.sum(model_calls.c.price))).label(
        "price"
    ),
)


def _of(connection: Connection, *, tenant: str, task: str) -> list[RoleSpent]:
    calls = model_calls.c
    statement = (
        select(
            calls.role,
            *_SUMS,
            func.sum(case((_KEPT, 1), else_=0)).label("remembered"),
            func.sum(calls.seconds).label("seconds"),
        )
        .where(calls.tenant == tenant, calls.task == task)
        .group_by(calls.role)
        .order_by(func.min(calls.at), calls.role)
    )
    return [RoleSpent(**row) for row in connection.execute(statement).mappings()]


def _days(connection: Connection, *, tenant: str, since: str) -> tuple[SpentDay, ...]:
    calls = model_calls.c
    day = func.substr(calls.at, 1, len("2026-03-02")).label("day")
    statement = (
        select(day, calls.model, *_SUMS)
        .where(calls.tenant == tenant, calls.at >= since)
        .group_by(day, calls.model)
        .order_by(day.desc(), calls.model)
    )
    return tuple(SpentDay(**row) for row in connection.execute(statement).mappings())


def forget_names(connection: Connection, *, tenant: str, tasks: Any) -> None:
    """Take these tasks' names out of what was spent; ``tasks`` selects their ids."""
    named = model_calls.c.tenant == tenant, model_calls.c.task.in_(tasks)
    connection.execute(update(model_calls).where(*named).values(task=""))
