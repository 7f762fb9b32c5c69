"""The heartbeats of workers, each a number that only grows."""

from sqlalchemy import Connection, delete, select, update

from bot.storage.database import Database
from bot.storage.rows import insert_new
from bot.storage.tables import workers


class SqlWorkers:
    """Every worker that shares this record, by its slot."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def beat(self, slot: str) -> None:
        """Raise the slot's number by one."""

        def work(connection: Connection) -> None:
            raised = update(workers).where(workers.c.slot == slot)
            if not connection.execute(raised.values(beats=workers.c.beats + 1)).rowcount:
                insert_new(connection, workers, {"slot": slot, "beats": 1})

        await self._database.amend(work)

    async def beats(self) -> dict[str, int]:
        """The number of every slot that was not left."""
        statement = select(workers.c.slot, workers.c.beats)
        found = await self._database.read(lambda connection: connection.execute(statement).all())
        return {row.slot: row.beats for row in found}

    async def leave(self, slot: str) -> None:
        """Forget the slot: its worker ended in good order, or nobody need look at it again."""
        gone = delete(workers).where(workers.c.slot == slot)
        await self._database.amend(lambda connection: connection.execute(gone).rowcount)
