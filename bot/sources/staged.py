"""A file that was brought and is not read by anybody yet: kept a while, then live or gone."""

from datetime import datetime, timedelta
from typing import Protocol

from pydantic import AwareDatetime

from bot.loaders.loaded import Loaded
from rag.values import Value

KEPT = timedelta(hours=1)
"""How long it is kept while nobody puts it live."""


class Staged(Value):
    """A file as it was read, brought ``at`` that instant; ``size`` is in bytes."""

    tenant: str
    id: str
    name: str
    size: int
    at: AwareDatetime
    loaded: Loaded


class StagedFiles(Protocol):
    """Where they are kept, apart from all that is searched. May raise `StoreUnavailable`."""

    async def keep(self, staged: Staged) -> None:
        """Keep it, in the place of one of the same id."""
        ...

    async def get(self, *, tenant: str, ident: str) -> Staged | None:
        """The file of that id; None once it is gone."""
        ...

    async def drop(self, *, tenant: str, ident: str) -> bool:
        """Forget it; False where it was gone already."""
        ...

    async def expire(self, *, tenant: str, before: datetime) -> tuple[str, ...]:
        """Forget those that were brought before an instant; their ids."""
        ...
