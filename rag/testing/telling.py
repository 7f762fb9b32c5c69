"""A publisher that keeps a list, and an observer that remembers and can interrupt."""

from collections.abc import Callable
from dataclasses import dataclass, field

from rag.errors import DeliveryError
from rag.ports import Sure
from rag.values import Published, Report, Request


def _nothing() -> None:
    """What happens beside a publication, unless a test says otherwise."""


@dataclass
class ListPublisher:
    """`rag.ports.Publisher`.

    ``beforehand`` runs when a report is about to be shown, ``meanwhile`` while it is.
    """

    shown: list[Report] = field(default_factory=list)
    withdrawn: list[Published] = field(default_factory=list)
    beforehand: Callable[[], None] = _nothing
    meanwhile: Callable[[], None] = _nothing
    down: bool = False

    async def publish(self, request: Request, report: Report, *, sure: Sure) -> Published:
        if self.down:
            raise DeliveryError("nobody can be reached")
        self.beforehand()
        await sure()
        self.shown.append(report)
        self.meanwhile()
        return Published(where=f"list:{len(self.shown) - 1}")

    async def withdraw(self, request: Request, published: Published) -> None:
        self.withdrawn.append(published)


@dataclass
class RecordingObserver:
    """`rag.ports.Observer`; ``interrupt`` maps a stage to what is raised before it starts.

    A second attempt at a stage is named like ``answer-2``. What is kept under ``answer:``
    is raised when that stage is about to ask the reader.
    """

    entered: list[str] = field(default_factory=list)
    interrupt: dict[str, Exception] = field(default_factory=dict)

    async def entering(self, request: Request, stage: str, attempt: int) -> None:
        name = stage if attempt == 1 else f"{stage}-{attempt}"
        self.entered.append(name)
        if name in self.interrupt:
            raise self.interrupt[name]

    async def asking(self, request: Request) -> None:
        name = f"{self.entered[-1]}:"
        if name in self.interrupt:
            raise self.interrupt[name]
