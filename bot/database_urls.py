"""Database addresses, read in one place: the kind, the driver, and how long a call may take.

Every PostgreSQL connection of Footnote is bounded: a server that is silent, frozen or
behind a broken line is given up after seconds, not after the system's two hours.
"""

from collections.abc import Mapping
from pathlib import Path

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from rag.errors import StoreUnavailable

POSTGRES = ("postgres", "postgresql")

PATIENCE = {
    "connect_timeout": "5",  # seconds
    "keepalives_idle": "10",  # seconds without traffic before the peer is probed,
    "keepalives_interval": "5",  # between probes,
    "keepalives_count": "3",  # and until the connection counts as lost
    "tcp_user_timeout": "15000",  # milliseconds that sent data may stay unconfirmed
}
"""libpq's settings of a connection, each unless the address says otherwise."""


def sqlite_url(path: Path) -> str:
    """The URL of the SQLite file at ``path``."""
    return URL.create("sqlite", database=str(path.absolute())).render_as_string()


def parse_url(url: str) -> URL:
    """``url`` with the driver Footnote uses; Heroku's ``postgres://`` is understood.

    Whatever the address holds stays: ``sslmode``, ``options``, percent-encoded passwords.
    Raises StoreUnavailable when it is no database URL or neither SQLite nor PostgreSQL.
    """
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise StoreUnavailable("the database setting is not a database URL") from error
    family = parsed.get_backend_name()
    if family in POSTGRES:
        return postgres_url(parsed)
    if family != "sqlite":
        raise StoreUnavailable(f"unknown kind of database {family!r}: use SQLite or PostgreSQL")
    return parsed.set(drivername="sqlite+pysqlite")


def postgres_url(parsed: URL) -> URL:
    """A PostgreSQL address for psycopg 3, with `PATIENCE` where it says nothing itself."""
    missing = {name: value for name, value in PATIENCE.items() if name not in parsed.query}
    return parsed.set(drivername="postgresql+psycopg").update_query_dict(missing)


def with_session(url: URL, purpose: str, settings: Mapping[str, str | int]) -> URL:
    """``url`` of a PostgreSQL whose every session begins with these settings of the server.

    The address's own ``options`` win; times are in milliseconds. ``purpose`` is what the
    server lists the session under, after Footnote's name.
    """
    given = url.query.get("options", "")
    own = given if isinstance(given, str) else " ".join(given)
    ours = " ".join(f"-c {name}={value}" for name, value in settings.items())
    return url.update_query_dict(
        {"options": f"{ours} {own}".strip(), "application_name": f"footnote {purpose}"}
    )
