"""Writes the demo company into whatever records it is given; a second time changes nothing."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from bot.audience import Standing
from bot.demo.articles_table import write_articles
from bot.demo.company import Company, Note, load_company, load_sources, resource
from rag.values import Kind, Pinned, Source, Value

Progress = Callable[[str, int, int], None]
"""Told what is being done, how many sources are done, and how many there are."""


class Tenants(Protocol):
    """Where a tenant is made and a Slack team bound to it."""

    async def create(self, tenant: str, *, name: str = "") -> bool: ...

    async def bind(self, *, tenant: str, team: str, enterprise: bool = False) -> None: ...


class Enrol(Protocol):
    """Records one person."""

    async def __call__(
        self, *, tenant: str, principal: str, name: str, standing: Standing
    ) -> None: ...


class Rooms(Protocol):
    """Where channels and user groups are recorded with their members."""

    async def put_room(
        self,
        *,
        tenant: str,
        channel: str,
        name: str,
        members: Sequence[str],
        outsiders: bool = False,
    ) -> None: ...

    async def put_group(
        self, *, tenant: str, group: str, name: str, members: Sequence[str]
    ) -> None: ...


class Knowledge(Protocol):
    """The reviewed path: one writes, another approves."""

    async def read(self, *, tenant: str, key: str) -> object | None: ...

    async def write(self, *, tenant: str, key: str, title: str, text: str, writer: str) -> int: ...

    async def approve(self, *, tenant: str, key: str, version: int, approver: str) -> object: ...


class SourceWriter(Protocol):
    """Where catalogue entries are put; returns the ids that changed."""

    async def put_all(self, sources: Sequence[Source]) -> tuple[str, ...]: ...


@dataclass(frozen=True, kw_only=True)
class Records:
    """All that seeding writes to. ``ingest`` brings a source to its newest version."""

    tenants: Tenants
    enrol: Enrol
    rooms: Rooms
    knowledge: Knowledge
    catalogue: SourceWriter
    ingest: Callable[[Source], Awaitable[Pinned]]


class Seeded(Value):
    """What a seeding did: the entries that changed, and every source as pinned."""

    tenant: str
    changed: tuple[str, ...]
    pinned: tuple[Pinned, ...]


def articles_path(folder: Path) -> Path:
    """Where the company's own database lies below ``folder``."""
    return folder / "articles.sqlite"


async def seed(records: Records, *, folder: Path, progress: Progress | None = None) -> Seeded:
    """Write the demo company; its files and its own database go below ``folder``.

    Files, rows and knowledge that are there already are left alone, so an edit made while
    trying things out survives the next start. Raises what the records raise.
    """
    company = load_company()
    await records.tenants.create(company.tenant, name=company.name)
    await records.tenants.bind(tenant=company.tenant, team=company.team)
    await _enrol_everyone(company, records)
    await asyncio.to_thread(_write_files, company, folder)
    for note in company.knowledge:
        await _write_note(note, company, records.knowledge)
    sources = catalogue(company, folder)
    changed = await records.catalogue.put_all(sources)
    pinned = await _ingest(sources, records, progress)
    return Seeded(tenant=company.tenant, changed=changed, pinned=pinned)


def catalogue(company: Company, folder: Path) -> tuple[Source, ...]:
    """The catalogue as records hold it: readers by id, documents by absolute path."""
    return tuple(_placed(source, company, folder) for source in load_sources())


def _placed(source: Source, company: Company, folder: Path) -> Source:
    changes: dict[str, object] = {"readers": tuple(map(company.reader, source.readers))}
    if source.kind is Kind.DOCUMENT:
        changes["ref"] = str(folder.absolute() / "sources" / source.ref)
    return source.model_copy(update=changes)


async def _enrol_everyone(company: Company, records: Records) -> None:
    tenant = company.tenant
    for person in company.people:
        await records.enrol(
            tenant=tenant,
            principal=person.principal,
            name=person.name,
            standing=person.standing,
        )
    for place in company.channels:
        await records.rooms.put_room(
            tenant=tenant,
            channel=place.id,
            name=place.name,
            members=company.members(place),
            outsiders=company.outsiders(place),
        )
    for group in company.groups:
        await records.rooms.put_group(
            tenant=tenant, group=group.id, name=group.name, members=company.members(group)
        )


def _write_files(company: Company, folder: Path) -> None:
    documents = folder / "sources"
    documents.mkdir(parents=True, exist_ok=True)
    for source in load_sources():
        target = documents / source.ref
        if source.kind is Kind.DOCUMENT and not target.exists():
            target.write_text(_text("sources", source.ref), encoding="utf-8")
    rows = [
        (article.id, company.tenant, article.title, _text("articles", article.body))
        for article in company.articles
    ]
    write_articles(articles_path(folder), rows)


async def _write_note(note: Note, company: Company, knowledge: Knowledge) -> None:
    if await knowledge.read(tenant=company.tenant, key=note.key) is not None:
        return
    version = await knowledge.write(
        tenant=company.tenant,
        key=note.key,
        title=note.title,
        text=_text("knowledge", note.text),
        writer=company.person(note.author).principal,
    )
    await knowledge.approve(
        tenant=company.tenant,
        key=note.key,
        version=version,
        approver=company.person(note.approver).principal,
    )


async def _ingest(
    sources: Sequence[Source], records: Records, progress: Progress | None
) -> tuple[Pinned, ...]:
    pinned: list[Pinned] = []
    for done, source in enumerate(sources):
        if progress:
            progress(source.title, done, len(sources))
        pinned.append(await records.ingest(source))
    if progress:
        progress("", len(sources), len(sources))
    return tuple(pinned)


def _text(*parts: str) -> str:
    return resource(*parts).read_text("utf-8")
