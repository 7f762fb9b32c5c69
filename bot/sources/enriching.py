"""Enriches what was ingested: source by source, and where it was left when it was killed."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Protocol

from bot.background import told
from bot.errors import BotError, TurnTaken
from bot.loaders.chunking import FINDINGS_VERSION
from bot.sources.enriched import Enriched, Kind, Lead, Proposed
from bot.sources.steps import Count, Done, Outcome, Step, ended
from bot.turns import Turns
from rag.errors import (
    BudgetExceeded,
    DayUsedUp,
    FootnoteError,
    ReaderError,
    ReaderUnavailable,
    SnapshotTampered,
    SourceUnreadable,
)
from rag.ports import Model
from rag.readers.llm import digest
from rag.values import Chunk, Source

log = logging.getLogger(__name__)

_LOOK_SECONDS = 60.0


class Sources(Protocol):
    """Every source of a tenant."""

    async def list(self, *, tenant: str) -> tuple[Source, ...]: ...


class Kept(Protocol):
    """What was made of versions. `keep` is False where the version is gone."""

    async def of(self, *, tenant: str, source_id: str, snapshot: str) -> tuple[Enriched, ...]: ...

    async def keep(self, made: Enriched, *, tenant: str, source_id: str, snapshot: str) -> bool: ...

    async def drop(self, kind: Kind, *, tenant: str, source_id: str, snapshot: str) -> None: ...


class Chunks(Protocol):
    """The chunks of a version, with what leads to them."""

    async def load(self, *, tenant: str, source_id: str, snapshot: str) -> tuple[Chunk, ...]: ...


class Search(Protocol):
    """The write side of search; the same chunks again take the place of the old ones."""

    async def add(self, *, tenant: str, chunks: Sequence[Chunk]) -> None: ...


@dataclass(frozen=True, kw_only=True)
class Enricher:
    """``find`` looks through a source's newest version, None where its original has changed.

    ``model`` is None where none is to be asked. ``again``: it is asked once more of what it
    could not read.
    """

    sources: Sources
    kept: Kept
    chunks: Chunks
    search: Search
    find: Callable[[Source], Awaitable[Enriched | None]]
    model: Model | None
    turns: Turns
    again: bool = True

    async def run(self, *, tenant: str) -> AsyncIterator[Step]:
        """Enrich what is not yet, one step a source; it ends where no model can be asked.

        Raises `TurnTaken` while another process does so.
        """
        with ExitStack() as stack:
            taken = self.turns.taken(f"enrich {tenant}")
            if not await asyncio.to_thread(stack.enter_context, taken):
                raise TurnTaken(f"the sources of {tenant} are being enriched by another process")
            async for step in self._steps(tenant):
                yield step

    async def _steps(self, tenant: str) -> AsyncIterator[Step]:
        listed = [one for one in await self.sources.list(tenant=tenant) if one.snapshot]
        count = Count(len(listed))
        for source in listed:
            try:
                yield count.step(await self._enriched(source))
            except (ReaderUnavailable, DayUsedUp) as error:
                yield count.step(ended(source.id, Outcome.FAILED, str(error)))
                return
            except (ReaderError, BudgetExceeded) as error:
                await _Version(source, self.kept).keep(_row(Kind.FAILED, 0, str(error)))
                yield count.step(ended(source.id, Outcome.FAILED, str(error)))
            except (SourceUnreadable, SnapshotTampered) as error:
                yield count.step(ended(source.id, Outcome.FAILED, str(error)))

    async def _enriched(self, source: Source) -> Done:
        version = _Version(source, self.kept)
        made = await version.made()
        found = await self._found(source, version, made)
        proposed = await self._proposed(source, version, made)
        return ended(source.id, Outcome.CHANGED if found or proposed else Outcome.UNCHANGED)

    async def _found(self, source: Source, version: "_Version", made: Sequence[Enriched]) -> bool:
        if any((one.kind, one.version) == (Kind.FOUND, FINDINGS_VERSION) for one in made):
            return False
        found = await self.find(source)
        return found is not None and await version.keep(found)

    async def _proposed(
        self, source: Source, version: "_Version", made: Sequence[Enriched]
    ) -> bool:
        """What is proposed is searchable before the replies it was made of are forgotten."""
        ours = {one.kind for one in made if one.version == digest.VERSION}
        done = Kind.PROPOSED in ours
        replies = _Paid(version, made)
        if self.model is None or (done and not replies.heard_before):
            return False
        if Kind.FAILED in ours and not self.again:
            return False
        if not done and not await self._digested(source, version, replies, self.model):
            return False
        chunks = await self.chunks.load(**version.key)
        await self.search.add(tenant=source.tenant, chunks=chunks)
        for kind in (Kind.FAILED, Kind.REPLY):
            await self.kept.drop(kind, **version.key)
        return True

    async def _digested(
        self, source: Source, version: "_Version", replies: "_Paid", model: Model
    ) -> bool:
        chunks = await self.chunks.load(**version.key)
        made = await digest.Reading(source, model=model, replies=replies).digest(chunks)
        leads = tuple(Lead(chunk=chunk, question=question) for chunk, question in made.leads)
        proposed = Proposed(summary=made.summary, leads=leads)
        return await version.keep(_row(Kind.PROPOSED, 0, proposed.model_dump_json()))


class _Version:
    """The newest version of one source."""

    def __init__(self, source: Source, kept: Kept) -> None:
        self._kept = kept
        self.key = {
            "tenant": source.tenant,
            "source_id": source.id,
            "snapshot": str(source.snapshot),
        }

    async def made(self) -> tuple[Enriched, ...]:
        return await self._kept.of(**self.key)

    async def keep(self, made: Enriched) -> bool:
        return await self._kept.keep(made, **self.key)


class _Paid:
    """`rag.readers.llm.digest.Replies`, in rows."""

    def __init__(self, version: _Version, made: Sequence[Enriched]) -> None:
        self._version = version
        replies = [one for one in made if (one.kind, one.version) == (Kind.REPLY, digest.VERSION)]
        self._heard = {one.part: one.document for one in replies}

    @property
    def heard_before(self) -> bool:
        return bool(self._heard)

    async def heard(self, part: int) -> str | None:
        return self._heard.get(part)

    async def keep(self, part: int, document: str) -> None:
        await self._version.keep(_row(Kind.REPLY, part, document))


def _row(kind: Kind, part: int, document: str) -> Enriched:
    return Enriched(kind=kind, part=part, version=digest.VERSION, document=document)


async def nothing_found(_source: Source) -> Enriched | None:
    """For who leaves it to ingesting to look through a text."""
    return None


async def keep_enriching(
    enricher: Enricher,
    *,
    tenants: Callable[[], Awaitable[Sequence[str]]],
    seconds: float = _LOOK_SECONDS,
) -> None:
    """Enrich what is new, for ever. Where no model can be asked it is tried at the next look."""
    while True:
        await asyncio.sleep(seconds)
        try:
            for tenant in await tenants():
                await _once(enricher, tenant)
        except TurnTaken:
            continue
        except (BotError, FootnoteError) as error:
            log.warning("sources are enriched later: %s", told(error))


async def _once(enricher: Enricher, tenant: str) -> None:
    async for step in enricher.run(tenant=tenant):
        if step.outcome is Outcome.CHANGED:
            log.info("source %s is enriched", step.source_id)
        elif step.outcome is Outcome.FAILED:
            log.warning("source %s is not enriched: %s", step.source_id, step.reason)
