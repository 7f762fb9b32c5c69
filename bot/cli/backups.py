"""`footnote backup`, `restore` and `deletions`: the record, and what must stay deleted."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from bot.backup.archive import back_up, is_sqlite
from bot.backup.restoring import (
    Deletion,
    Restored,
    deletions_since,
    export_deletions,
    restore_folder,
    settle_loaded,
)
from bot.cli.common import err, out
from bot.errors import WrongUsage
from bot.logs import configure
from bot.settings import Settings, load_settings

Programs = Annotated[
    Path | None,
    typer.Option("--postgres-programs", help="The folder with pg_dump and pg_restore."),
]


def backup(
    folder: Annotated[Path, typer.Argument(help="Where to write; must be new.")],
    programs: Programs = None,
) -> None:
    """Copy the record and the queue while the bot runs; the folder is confidential."""
    settings = _settings()
    manifest = asyncio.run(back_up(settings, folder, programs=programs))
    out.print(f"backed up to {folder}: {', '.join(manifest.files)}")
    if manifest.texts_elsewhere:
        err.print("The full texts are not in it: FOOTNOTE_OBJECT_STORE holds them.")


def restore(
    folder: Annotated[Path | None, typer.Argument(help="What `footnote backup` wrote.")] = None,
    deletions: Annotated[
        list[Path] | None,
        typer.Option("--deletions", help="A deletion log; the data folder's own is the default."),
    ] = None,
    without: Annotated[
        bool, typer.Option("--without-deletions-since", help="Nothing was deleted since.")
    ] = False,
    loaded: Annotated[
        bool, typer.Option("--loaded", help="DATABASE_URL is restored already; finish it.")
    ] = False,
    replace: Annotated[
        bool, typer.Option("--replace", help="Put the backup in place of the record there.")
    ] = False,
    programs: Programs = None,
) -> None:
    """Restore a backup, delete again what was deleted since, and let questions go on."""
    if (folder is None) != loaded:
        raise WrongUsage("name the backup's folder, or say --loaded")
    if deletions and without:
        raise WrongUsage("choose one of --deletions and --without-deletions-since")
    settings = _settings()
    since = None if without else deletions_since(settings, deletions or [])
    out.print(_said(asyncio.run(_restored(settings, folder, since, replace, programs))))
    err.print("Rights are read from Slack as questions come in; `footnote people sync` updates")
    err.print("the people that the command line knows.")


async def _restored(
    settings: Settings,
    folder: Path | None,
    since: tuple[Deletion, ...] | None,
    replace: bool,
    programs: Path | None,
) -> Restored:
    if folder is not None:
        return await restore_folder(
            settings, folder, deletions=since, replace=replace, programs=programs
        )
    if is_sqlite(settings):
        raise WrongUsage("--loaded is for PostgreSQL; on SQLite name the backup's folder")
    return await settle_loaded(settings, deletions=since)


def deletions(
    file: Annotated[Path, typer.Argument(help="Where to write; replaced when it is there.")],
) -> None:
    """Write all deletions that the record knows of, for hosts that keep no disk."""
    number = asyncio.run(export_deletions(_settings(), file))
    out.print(f"{number} deletions are in {file}")


def _settings() -> Settings:
    settings = load_settings()
    configure("WARNING" if settings.log_level == "INFO" else settings.log_level)
    return settings


def _said(done: Restored) -> str:
    return (
        f"restored: {done.deletions} deletions were done again, "
        f"{done.going_on + done.queued_again} unfinished questions go on"
    )
