"""A reply that a task has had already is not asked, and paid, for again."""

from dataclasses import dataclass
from typing import TypeVar

from bot.engines.model.asking import AskedModel
from rag.ports import Model, Prompt
from rag.values import Value

T = TypeVar("T", bound=Value)


@dataclass(frozen=True, kw_only=True)
class Hearing:
    """`rag.ports.Model`: what the task heard before its worker died, else what ``inner`` replies.

    It stands round everything else that stands round ``asked``: what was heard needs no
    provider that is up, and no other task's reply.
    """

    asked: AskedModel
    inner: Model

    @property
    def name(self) -> str:
        """The inner model's."""
        return self.inner.name

    async def reply(self, prompt: Prompt, shape: type[T]) -> T:
        """`rag.ports.Model`; what was heard is judged as if it came just now."""
        digest = self.asked.digest(prompt, shape)
        heard = await self.asked.ledger.heard(prompt, digest=digest) if digest else None
        if heard is None:
            return await self.inner.reply(prompt, shape)
        return self.asked.judged(heard, shape)
