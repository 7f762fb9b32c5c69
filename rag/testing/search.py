"""In-memory search over chunks cut at blank lines, with a log of retrievals."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from rag.errors import IndexUnavailable
from rag.ports import Hit, Hits, Scope
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
    """`rag.ports.Index`; ``searches`` keeps every scope it was asked in."""

    chunks: dict[str, Chunk] = field(default_factory=dict)
    searches: list[tuple[tuple[str, ...], Scope]] = field(default_factory=list)
    down: bool = False

    @property
    def version(self) -> str:
        return "memory-1"

    def add(self, chunks: Sequence[Chunk]) -> None:
        """Make chunks findable; the same ones twice is nothing."""
        self.chunks.update({chunk.id: chunk for chunk in chunks})

    async def search(self, *, terms: Sequence[str], scope: Scope, limit: int) -> Hits:
        self._reach()
        self.searches.append((tuple(terms), scope))
        pins = set(scope.pins)
        inside = [c for c in self.chunks.values() if (c.source_id, c.snapshot) in pins]
        hits = [_hit(chunk, set(terms)) for chunk in inside]
        matching = [hit for hit in hits if hit.term_counts or hit.title_counts]
        matching.sort(key=lambda hit: (-sum(hit.term_counts.values()), hit.chunk.id))
        return Hits(
            hits=tuple(matching[:limit]),
            frequencies={term: sum(term in hit.term_counts for hit in hits) for term in terms},
            chunks=len(inside),
            average_length=sum(hit.length for hit in hits) / len(hits) if hits else 0.0,
        )

    async def around(self, chunk: Chunk, *, tenant: str, reach: int) -> tuple[Chunk, ...]:
        self._reach()
        return tuple(
            other
            for other in self.chunks.values()
            if (other.source_id, other.snapshot) == (chunk.source_id, chunk.snapshot)
            and 0 < abs(other.ordinal - chunk.ordinal) <= reach
        )

    def _reach(self) -> None:
        if self.down:
            raise IndexUnavailable("search is switched off")


def _hit(chunk: Chunk, wanted: set[str]) -> Hit:
    words = terms(chunk.text)
    return Hit(
        chunk=chunk,
        term_counts=Counter(word for word in words if word in wanted),
        title_counts=Counter(word for word in terms(chunk.title) if word in wanted),
        length=len(words),
    )


@dataclass
class MemoryRetrievals:
    """`rag.ports.RetrievalLog` as a list."""

    rows: list[dict[str, object]] = field(default_factory=list)

    async def record(self, *, task: str, tenant: str, details: dict[str, object]) -> None:
        self.rows.append({"task": task, "tenant": tenant, **details})
