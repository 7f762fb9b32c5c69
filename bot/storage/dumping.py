"""A PostgreSQL database in one file, by PostgreSQL's own programs."""

import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from sqlalchemy import URL

from bot.database_urls import parse_url
from rag.errors import StoreUnavailable

Environment = Callable[..., dict[str, str]]
"""The environment of a program that we start, with these changes."""


def dump_command(url: str, target: Path, *, programs: Path | None = None) -> list[str]:
    """What writes the whole database into ``target``; the password is not part of it."""
    return [
        *(_program("pg_dump", programs), "--format=custom", f"--file={target}"),
        f"--dbname={_shown(parse_url(url))}",
    ]


def load_command(url: str, source: Path, *, programs: Path | None = None) -> list[str]:
    """What fills the empty database at ``url`` from ``source``, all or nothing."""
    return [
        *(_program("pg_restore", programs), "--no-owner", "--no-privileges", "--exit-on-error"),
        *("--single-transaction", f"--dbname={_shown(parse_url(url))}", str(source)),
    ]


def _program(name: str, programs: Path | None) -> str:
    return str(programs / name) if programs else name


def _shown(url: URL) -> str:
    bare = URL.create(
        "postgresql",
        username=url.username,
        host=url.host,
        port=url.port,
        database=url.database,
        query={name: value for name, value in url.query.items() if name != "password"},
    )
    return bare.render_as_string(hide_password=False)


def run(command: Sequence[str], url: str, *, environment: Environment) -> None:
    """Run it with the password of ``url``. Raises `StoreUnavailable` with what to do. Blocks."""
    if shutil.which(command[0]) is None:
        raise StoreUnavailable(
            f"{command[0]} is not on this machine; install PostgreSQL's programs, name their "
            f"folder with --postgres-programs, or run elsewhere: {' '.join(command)}"
        )
    changes = {"PGCONNECT_TIMEOUT": "10"}
    parsed = parse_url(url)
    if password := parsed.password or parsed.query.get("password"):
        changes["PGPASSWORD"] = str(password)
    done = subprocess.run(  # noqa: S603 - PostgreSQL's program and our own words
        list(command), env=environment(**changes), capture_output=True, text=True, check=False
    )
    if done.returncode:
        said = done.stderr.strip().splitlines()[-1:] or ["it said nothing"]
        raise StoreUnavailable(f"{Path(command[0]).name} failed: {said[0]}")
