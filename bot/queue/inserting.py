"""Inserts jobs, many in one transaction, and keeps one bad job from failing its neighbours."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from dbos import DBOSClient, EnqueueOptions, error
from sqlalchemy.exc import DataError, IntegrityError, SQLAlchemyError

from bot.lifeline import Lifeline

log = logging.getLogger(__name__)

_HANGING_SECONDS = 5.0  # twice what anybody waits for an insert

REFUSED = (DataError, IntegrityError, ValueError)
"""What was to be stored is at fault; anything else is the database's doing."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One job as DBOS takes it. ``at`` is an ISO instant."""

    options: EnqueueOptions
    payload: str
    at: str


class Inserting:
    """A `bot.queue.grouping.Commit` on DBOS's own insert."""

    def __init__(self, engine: sa.Engine, client: DBOSClient) -> None:
        self._engine = engine
        self._client = client
        self._lifeline = Lifeline(engine)

    def __call__(self, rows: Sequence[Row]) -> Sequence[Exception | None]:
        """Insert them all; what became of each, as an exception of SQLAlchemy's or None."""
        together = self._insert(rows)
        if len(rows) == 1 or not isinstance(together, REFUSED):
            return [together] * len(rows)
        log.warning("%d jobs are stored one by one: %s", len(rows), type(together).__name__)
        return [self._insert([row]) for row in rows]

    def _insert(self, rows: Sequence[Row]) -> Exception | None:
        try:
            with self._lifeline.within(_HANGING_SECONDS), self._engine.begin() as connection:
                for row in rows:
                    self._enqueue(connection, row)
        except (SQLAlchemyError, ValueError) as failure:
            return failure
        return None

    def _enqueue(self, connection: sa.Connection, row: Row) -> None:
        try:
            self._client.enqueue_in_transaction(connection, row.options, row.payload, row.at)
        except error.DBOSConflictingWorkflowError:
            # The message is there under another kind of job; the first one stands.
            log.info("job %s was there as another kind", row.options.get("workflow_id"))
