"""Which search, which place for texts, which tables and which slots the settings ask for.

What the extra `cluster` brings takes seconds to load, so it is loaded only where it is chosen.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime

from bot.database_urls import parse_url
from bot.engines.search_tantivy import TantivyIndex
from bot.errors import SettingsInvalid
from bot.extras import load
from bot.metering import ModelMeter
from bot.settings import Settings
from bot.slots.file_slots import FileSlots
from bot.slots.leased import Slots
from bot.slots.session_slots import SessionSlots
from bot.sources.refilled import Engine
from bot.storage.chunks import Erase, nothing_elsewhere
from bot.storage.database import Database
from bot.storage.installations import SqlInstallations
from bot.storage.object_snapshots import ObjectSnapshots
from bot.storage.sealing import Seal
from bot.storage.snapshots import SqlSnapshots
from bot.storage.spending import SqlSpending
from rag.ports import Snapshots

Sweep = Callable[[datetime], Awaitable[int]]
"""Deletes what was stored outside SQL before an instant and belongs to nothing; how much."""


async def nothing_left(_before: datetime) -> int:
    """What there is to sweep where every text lies in SQL."""
    return 0


@dataclass(frozen=True, kw_only=True)
class Texts:
    """Where full texts lie, and what deletes those of them that lie outside SQL."""

    snapshots: Snapshots
    erase: Erase = nothing_elsewhere
    sweep: Sweep = nothing_left


def open_texts(settings: Settings, database: Database) -> Texts:
    """On the object storage where one is set, else in SQL. Raises `SettingsInvalid`."""
    if not settings.object_store:
        return Texts(snapshots=SqlSnapshots(database))
    objects = load("bot.engines.objects", setting="FOOTNOTE_OBJECT_STORE", extra="cluster")
    try:
        folder = objects.open_objects(settings.object_store, options=settings.object_options)
    except (ValueError, OSError) as error:
        raise SettingsInvalid(f"FOOTNOTE_OBJECT_STORE: {error}") from error
    kept = ObjectSnapshots(database, folder)
    return Texts(snapshots=kept, erase=kept.erase, sweep=kept.sweep)


def open_installations(settings: Settings, database: Database) -> SqlInstallations | None:
    """The stored installations; None where no key is named. Raises `SettingsInvalid`."""
    if not settings.fernet_keys:
        return None
    try:
        return SqlInstallations(database, Seal(settings.fernet_keys))
    except ValueError:
        raise SettingsInvalid(
            "FOOTNOTE_TOKEN_KEYS holds what is no key; `footnote tenants new-key` makes one"
        ) from None


def open_spending(settings: Settings, database: Database, meter: ModelMeter) -> SqlSpending:
    """The ledger of what models cost, with the day's bound and the prices that are set."""
    return SqlSpending(
        database,
        daily_tokens=settings.reader_daily_tokens,
        prices=settings.prices,
        meter=meter,
    )


def load_ahead(settings: Settings) -> None:
    """Load what `open_search` and its engine need, as far as it starts no thread of Python's.

    Raises `SettingsInvalid`.
    """
    for name in _LOADED_AHEAD[settings.search]:
        load(name, setting=f"FOOTNOTE_SEARCH={settings.search}", extra="cluster")


def open_search(settings: Settings) -> Engine:
    """The engine that FOOTNOTE_SEARCH names. Raises `SettingsInvalid`."""
    return _ENGINES[settings.search](settings)


def _tantivy(settings: Settings) -> Engine:
    return TantivyIndex(settings.home / "index")


def _lancedb(settings: Settings) -> Engine:
    lance = load("bot.engines.search_lancedb", setting="FOOTNOTE_SEARCH=lancedb", extra="cluster")
    url, options = _search_place(settings)
    engine: Engine = lance.LanceIndex(url, options=options)
    return engine


def _search_place(settings: Settings) -> tuple[str, dict[str, str]]:
    """Where the search tables lie, and how to reach them."""
    if not settings.object_store:
        return str(settings.home / "search"), {}
    options = {f"aws_{name}": value for name, value in settings.object_options.items()}
    plain = options.get("aws_endpoint", "").startswith("http://")
    options |= {"allow_http": str(plain).lower(), "timeout": "10s", "connect_timeout": "3s"}
    return f"{settings.object_store.rstrip('/')}/search", options


_ENGINES: dict[str, Callable[[Settings], Engine]] = {"tantivy": _tantivy, "lancedb": _lancedb}

_LOADED_AHEAD: dict[str, tuple[str, ...]] = {
    "tantivy": (),
    "lancedb": ("lance_namespace", "bot.engines.search_lancedb"),
}


def worker_slots(settings: Settings) -> Slots:
    """Where workers lease their names: in the PostgreSQL they share, or on this machine."""
    if parse_url(settings.record_url).get_backend_name() == "sqlite":
        return FileSlots(settings.home / "workers")
    return SessionSlots(settings.record_url)
