"""In-memory search over chunks cut at blank lines, with a log of retrievals."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from rag.errors import IndexUnavailable
from rag.ports import Hit, Hits, Scope
from rag.ranking.bm25 import idf
from rag.text.tokenise import terms
from rag.values import Chunk


def chunks_of(text: str, *, source_id: str, snapshot: str, title: str) -> tuple[Chunk, ...]:
    """One chunk a paragraph; a line that begins with ``#`` is a heading no quote may touch.

    A paragraph of headings alone is no chunk.
    """
    chunks: list[Chunk] = []
    at = 0
    for paragraph in text.split("\n\n"):
        if any(line and not line.startswith("#") for line in paragraph.split("\n")):
            first = text.count("\n", 0, at) + 1
            chunks.append(
                Chunk(
                    id=f"{source_id}@{snapshot[:8]}#{len(chunks)}",
                    source_id=source_id,
                    snapshot=snapshot,
                    title=title,
                    ordinal=len(chunks),
                    start=at,
                    end=at + len(paragraph),
                    lines=(first, first + paragraph.count("\n")),
                    headings=_headings(paragraph, at),
                    text=paragraph,
                )
            )
        at += len(paragraph) + 2
    return tuple(chunks)


def _headings(paragraph: str, at: int) -> tuple[tuple[int, int], ...]:
    spans = []
    for line in paragraph.split("\n"):
        if line.startswith("#"):
            spans.append((at, at + len(line)))
        at += len(line) + 1
    return tuple(spans)


@dataclass
class MemoryIndex:
    """`rag.ports.Index`; ``searches`` keeps every scope it was asked in.

    ``down`` stops search, ``failures`` only that many of the next searches.
    """

    chunks: dict[tuple[str, str], Chunk] = field(default_factory=dict)
    searches: list[tuple[tuple[str, ...], Scope]] = field(default_factory=list)
    down: bool = False
    failures: int = 0

    @property
    def version(self) -> str:
        return "memory-1"

    async def add(self, *, tenant: str, chunks: Sequence[Chunk]) -> None:
        """Make chunks findable; the same ones twice is nothing."""
        self.chunks.update({(tenant, chunk.id): chunk for chunk in chunks})

    async def search(self, *, terms: Sequence[str], scope: Scope, limit: int) -> Hits:
        self._reach()
        self.searches.append((tuple(terms), scope))
        if self.failures:
            self.failures -= 1
            raise IndexUnavailable("this search failed")
        inside = [_hit(chunk, set(terms)) for chunk in self._within(scope)]
        held = {term: sum(_holds(hit, term) for hit in inside) for term in terms}
        found = {term: count for term, count in held.items() if count}
        matching = [hit for hit in inside if any(_holds(hit, term) for term in found)]

        def rarity(hit: Hit) -> float:
            return sum(idf(found[term], len(inside)) for term in found if _holds(hit, term))

        matching.sort(key=lambda hit: (-rarity(hit), hit.chunk.id))
        return Hits(
            hits=tuple(matching[:limit]),
            frequencies=found,
            chunks=len(inside),
            average_length=sum(hit.length for hit in inside) / len(inside) if inside else 0.0,
        )

    async def around(self, chunk: Chunk, *, tenant: str, reach: int) -> tuple[Chunk, ...]:
        self._reach()
        same = Scope(tenant=tenant, pins=((chunk.source_id, chunk.snapshot),))
        near = [c for c in self._within(same) if 0 < abs(c.ordinal - chunk.ordinal) <= reach]
        return tuple(sorted(near, key=lambda other: other.ordinal))

    def _within(self, scope: Scope) -> list[Chunk]:
        return [
            chunk
            for (tenant, _), chunk in self.chunks.items()
            if tenant == scope.tenant and (chunk.source_id, chunk.snapshot) in scope.pins
        ]

    def _reach(self) -> None:
        if self.down:
            raise IndexUnavailable("search is switched off")


def _holds(hit: Hit, term: str) -> bool:
    return bool(hit.term_counts.get(term) or hit.title_counts.get(term))


def _hit(chunk: Chunk, wanted: set[str]) -> Hit:
    words = terms(chunk.text)
    title = terms(chunk.searched_above)
    return Hit(
        chunk=chunk,
        term_counts=dict(Counter(word for word in words if word in wanted)),
        title_counts=dict(Counter(word for word in title if word in wanted)),
        length=len(words),
    )


@dataclass
class MemoryRetrievals:
    """`rag.ports.RetrievalLog` as a list."""

    rows: list[dict[str, object]] = field(default_factory=list)

    async def record(self, *, task: str, tenant: str, details: dict[str, object]) -> None:
        self.rows.append({"task": task, "tenant": tenant, **details})
