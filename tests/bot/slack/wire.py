"""A wire between the bot and the playground that can go bad: a small TCP proxy."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Wire:
    """``swallowed`` connections stay open and carry nothing any more, in neither direction."""

    def __init__(self, port: int) -> None:
        self._behind = port
        self._open: list[asyncio.StreamWriter] = []
        self._swallowed: set[asyncio.StreamWriter] = set()
        self._serving: set[asyncio.Task[object]] = set()
        self.made = 0
        self.port = 0
        self.swallows_new = False
        self.cuts_answers = 0
        """How many further connections are cut before their first answer arrives."""

    def swallow(self) -> None:
        """Let every connection of now carry nothing: both ends still believe in it."""
        self._swallowed.update(self._open)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.made += 1
        serving = asyncio.current_task()
        if serving is not None:
            self._serving.add(serving)
        cut, self.cuts_answers = self.cuts_answers > 0, max(0, self.cuts_answers - 1)
        behind_reader, behind = await asyncio.open_connection("127.0.0.1", self._behind)
        pair = [writer, behind]
        self._open.extend(pair)
        if self.swallows_new:
            self._swallowed.update(pair)
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._carry(reader, behind))
                group.create_task(self._carry(behind_reader, writer, cut=cut))
        except* ConnectionError:
            pass
        finally:
            for end in pair:
                end.close()

    async def _carry(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, cut: bool = False
    ) -> None:
        while data := await reader.read(65_536):
            if cut:
                raise ConnectionResetError
            if writer not in self._swallowed:
                writer.write(data)
                await writer.drain()
        raise ConnectionResetError  # one end is closed, and so is the other

    async def end(self) -> None:
        for writer in self._open:
            writer.close()
        if self._serving:
            await asyncio.wait(self._serving, timeout=5.0)


@asynccontextmanager
async def wired(port: int) -> AsyncIterator[Wire]:
    """A wire to that port of this machine."""
    wire = Wire(port)
    server = await asyncio.start_server(wire.serve, "127.0.0.1", 0)
    wire.port = int(server.sockets[0].getsockname()[1])
    try:
        yield wire
    finally:
        server.close()
        await wire.end()
