"""What the record holds of a tenant while sources are brought in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bot.loaders.files import FileUnreadable
from bot.sources.folders import PATH, ROOT, Folder
from bot.sources.told import circle, in_a_circle
from rag.values import Source


@dataclass(frozen=True, kw_only=True)
class Known:
    """What the record holds of a tenant: its sources, and what each was read from."""

    sources: Mapping[str, Source]
    digests: Mapping[str, str]
    links: dict[str, str | None] = field(default_factory=dict)
    """What each source supersedes, with those of this run."""

    def link(self, source: Source) -> None:
        """Note what it supersedes. Raises `FileUnreadable` where that leads back to it."""
        before = self.links.get(source.id)
        self.links[source.id] = source.supersedes
        if ring := circle(self.links, source.id):
            self.links[source.id] = before
            raise FileUnreadable(in_a_circle(ring))

    @staticmethod
    def of(found: Sequence[Source], digests: Mapping[str, str]) -> "Known":
        """All that the tenant's sources say before this run."""
        return Known(
            sources={source.id: source for source in found},
            digests=digests,
            links={source.id: source.supersedes for source in found},
        )

    def same(self, folder: Folder, path: str, seen: str) -> Source | None:
        """The source that this file is already, with these bytes and readers."""
        ident = folder.source_id(path)
        source = self.sources.get(ident)
        if source is None or not seen or seen != self.digests.get(ident):
            return None
        came = (source.metadata.get(ROOT), source.metadata.get(PATH), source.readers)
        return source if came == (folder.root, path, folder.readers) else None
