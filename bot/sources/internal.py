"""Internal sources: approved knowledge, by its key."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from rag.errors import SourceUnreadable
from rag.values import Source


class Approved(Protocol):
    """The newest approved version of a record."""

    @property
    def title(self) -> str: ...

    @property
    def text(self) -> str: ...


class KnowledgeReader(Protocol):
    """Where approved records are read."""

    async def read(self, *, tenant: str, key: str) -> Approved | None: ...


def internal_reader(knowledge: KnowledgeReader) -> Callable[[Source], Awaitable[str]]:
    """Reads the approved text behind ``knowledge:<tenant>:<key>``."""

    async def read(source: Source) -> str:
        prefix = f"knowledge:{source.tenant}:"
        record = None
        if source.ref.startswith(prefix):
            key = source.ref.removeprefix(prefix)
            record = await knowledge.read(tenant=source.tenant, key=key)
        if record is None:
            raise SourceUnreadable(
                f"source {source.id}: no approved record of that key",
                source_id=source.id,
                title=source.title,
            )
        return record.text

    return read
