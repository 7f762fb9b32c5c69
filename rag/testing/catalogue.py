"""In-memory catalogue and intake, with rights that can be taken away at any moment."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from rag.errors import IdentityMismatch, SourceUnreadable, StoreUnavailable
from rag.ports import Permitted
from rag.testing.search import MemoryIndex, chunks_of
from rag.testing.stores import MemorySnapshots, digest
from rag.values import Pinned, Place, Source, SourceStatus

EVERYONE = "everyone"


@dataclass
class MemoryCatalogue:
    """`rag.ports.Catalogue`: ``rooms`` maps a channel to its members.

    A source may be used where its readers name the asker, and in a channel each
    member too, or where they are ``everyone`` and nobody there is a guest. In
    ``shared`` and in unknown channels everything is withheld; ``outsiders`` get
    nothing.
    """

    sources: dict[str, Source] = field(default_factory=dict)
    rooms: dict[str, tuple[str, ...]] = field(default_factory=dict)
    guests: set[str] = field(default_factory=set)
    outsiders: set[str] = field(default_factory=set)
    shared: set[str] = field(default_factory=set)
    down: bool = False

    def put(self, source: Source) -> None:
        """Add a source or replace it."""
        self.sources[source.id] = source

    def set_readers(self, source_id: str, *readers: str) -> None:
        """Who may read the source from now on."""
        source = self.sources[source_id]
        self.sources[source_id] = source.model_copy(update={"readers": readers})

    async def permitted(self, *, tenant: str, principal: str, place: Place) -> Permitted:
        self._reach()
        if principal in self.outsiders:
            return Permitted(outsider=True)
        present = {principal}
        if place.channel is not None:
            if place.channel in self.shared or place.channel not in self.rooms:
                return Permitted(withheld=True)
            present.update(self.rooms[place.channel])
        sources = tuple(
            source
            for source in self.sources.values()
            if source.tenant == tenant and self._usable(source, present)
        )
        rights = sorted((source.id, source.snapshot or "", source.readers) for source in sources)
        return Permitted(
            sources=sources,
            fingerprint=digest(f"{principal} {rights}")[:16],
        )

    async def get(self, *, tenant: str, source_ids: Sequence[str]) -> tuple[Source, ...]:
        self._reach()
        found = (self.sources.get(source_id) for source_id in source_ids)
        return tuple(source for source in found if source and source.tenant == tenant)

    def _usable(self, source: Source, present: set[str]) -> bool:
        if source.status is SourceStatus.WITHDRAWN:
            return False
        if EVERYONE in source.readers:
            return not present & self.guests
        return present <= set(source.readers)

    def _reach(self) -> None:
        if self.down:
            raise StoreUnavailable("the catalogue is switched off")


@dataclass
class MemoryIntake:
    """`rag.ports.Intake`: reads ``texts`` by a source's ref; a ref without text is unreadable.

    ``swapped``: the ids of external sources whose row is another one by now.
    """

    catalogue: MemoryCatalogue
    snapshots: MemorySnapshots
    index: MemoryIndex
    texts: dict[str, str] = field(default_factory=dict)
    pins: list[str] = field(default_factory=list)
    swapped: set[str] = field(default_factory=set)

    async def pin(self, source: Source) -> Pinned:
        self.pins.append(source.id)
        text = self.texts.get(source.ref)
        if text is None:
            raise SourceUnreadable("it is not there", source_id=source.id, title=source.title)
        sha = await self.snapshots.put(text)
        chunks = chunks_of(text, source_id=source.id, snapshot=sha, title=source.title)
        await self.index.add(tenant=source.tenant, chunks=chunks)
        self.catalogue.put(source.model_copy(update={"snapshot": sha}))
        return source.pinned_at(sha)

    async def verify(self, pinned: Pinned) -> None:
        source = self.catalogue.sources.get(pinned.source_id)
        now = (source.kind, source.ref, source.title) if source else None
        if now != (pinned.kind, pinned.ref, pinned.title) or pinned.source_id in self.swapped:
            raise IdentityMismatch("it is another one now", source_id=pinned.source_id)
