"""How the owner of a source wants it cut into chunks."""

from enum import StrEnum

from pydantic import Field

from rag.values.base import Value
from rag.values.limits import Limits

CHUNKING = "chunking"
"""Key of a source's metadata: how its owner wants it cut, as `Chunking` is written."""

SEPARATOR_CHARACTERS = 100
LEAST_TOKENS, MOST_TOKENS = 64, 1024

_SAFE = 0.85  # of the target: the rest is room for what a chunk travels with
_OVERLAP = 0.1  # of the safe limit


class Cutting(StrEnum):
    """What chunks are cut by."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    PAGE = "page"
    SEPARATOR = "separator"
    FIXED = "fixed"
    TABLE = "table"
    CODE = "code"


class Chunking(Value):
    """The entry ``chunking`` of a source. ``strategy`` None is the default of its format.

    ``separator`` and ``merge`` serve the strategy of that name: ``merge`` puts as many
    entries into a chunk as it holds. ``tokens`` is the target of a chunk, None the setting's.
    """

    strategy: Cutting | None = None
    separator: str = Field(default="\n\n", min_length=1, max_length=SEPARATOR_CHARACTERS)
    merge: bool = False
    tokens: int | None = Field(default=None, ge=LEAST_TOKENS, le=MOST_TOKENS)

    def limits(self, limits: Limits) -> Limits:
        """The limits with this target: 85 % of it is the safe limit, a tenth of that repeats."""
        if self.tokens is None:
            return limits
        safe = int(self.tokens * _SAFE)
        changes = {
            "chunk_target_tokens": self.tokens,
            "chunk_safe_tokens": safe,
            "chunk_overlap_tokens": int(safe * _OVERLAP),
        }
        return limits.model_copy(update=changes)
