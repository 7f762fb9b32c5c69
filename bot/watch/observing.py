"""Observers of stages for runs that nobody watches in Slack, and where answers go then."""

from collections.abc import Callable

from rag.ports import Sure
from rag.values import Published, Report, Request


class Silent:
    """Watches nothing and stops nothing."""

    async def entering(self, request: Request, stage: str, attempt: int) -> None:
        """Go on."""

    async def asking(self, request: Request) -> None:
        """Go on."""


class Telling:
    """Says each stage as it is entered."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say

    async def entering(self, request: Request, stage: str, attempt: int) -> None:
        """Say it and go on."""
        self._say(stage)

    async def asking(self, request: Request) -> None:
        """Go on."""


class Handed:
    """A publisher for callers who take the report from the pipeline's own return."""

    async def publish(self, request: Request, report: Report, *, sure: Sure) -> Published:
        """Nothing to send."""
        return Published(where="returned")

    async def withdraw(self, request: Request, published: Published) -> None:
        """Nothing was sent, so nothing is taken back."""
