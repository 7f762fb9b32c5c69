"""What a piece of text costs in tokens, and whether it fits a chunk."""

from dataclasses import dataclass

from rag.ports import CountTokens
from rag.values import Limits

TINY = 60
"""Tokens; a smaller section or rest joins what stands before it."""

_DENSE = 16  # characters a token; text is hardly ever denser, but for runs of blanks


@dataclass(frozen=True)
class Budget:
    """One text, how its tokens are counted, and how many a chunk may have."""

    text: str
    count_tokens: CountTokens
    limits: Limits

    def cost(self, start: int, end: int) -> int:
        """The tokens of characters ``start:end``."""
        return self.count_tokens(self.text[start:end])

    def fits(self, start: int, end: int) -> bool:
        """Whether they are within the safe number of tokens."""
        safe = self.limits.chunk_safe_tokens
        return end - start <= safe * _DENSE and self.cost(start, end) <= safe

    def tiny(self, start: int, end: int) -> bool:
        """Whether they are too few for a chunk of their own."""
        return end - start < TINY * _DENSE and self.cost(start, end) < TINY
