"""`footnote migrate` and `footnote doctor`."""

import asyncio

import typer

from bot.cli.common import out
from bot.doctor import Finding, examine
from bot.guarding import examine_providers
from bot.logs import configure
from bot.reader_check import examine_reader
from bot.settings import Settings, load_settings
from bot.wiring import migrate_record


def migrate() -> None:
    """Bring the database to the newest schema."""
    settings = load_settings()
    configure(settings.log_level)
    out.print(f"the database is at {migrate_record(settings)}")


def doctor() -> None:
    """Check every setting, token, scope, database, Redis and reader, and say how to mend them."""
    settings = load_settings()
    configure("ERROR")
    findings = asyncio.run(examine(settings, reader=_readers))
    for finding in findings:
        out.print(_line(finding))
    if not all(finding.well for finding in findings):
        raise typer.Exit(1)


async def _readers(settings: Settings) -> tuple[Finding, ...]:
    return (*await examine_reader(settings), *await examine_providers(settings))


def _line(finding: Finding) -> str:
    mark = "✓" if finding.well else "✗"
    mend = f"\n    {finding.mend}" if finding.mend else ""
    return f"{mark} {finding.about}: {finding.seen}{mend}"
