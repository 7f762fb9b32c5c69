"""Our loaders as a plain function from a path to text, for checks that know nothing of us."""

import sys
from pathlib import Path

from bot.loaders.files import FileUnreadable, text_of
from bot.loaders.loaded import Loaded
from bot.loaders.parse import parse
from bot.loaders.registry import LOADERS
from bot.loaders.sniff import is_plain
from rag.errors import LimitExceeded
from rag.values import Limits

_LIMITS = Limits()
_PARSE = parse(LOADERS, _LIMITS.model_dump(mode="json"))


def extract(path: str) -> str:
    """A file's text, its format told by its content; read in this process, without a child's
    limits. Raises `FileUnreadable`, `LimitExceeded`."""
    file = Path(path)
    data = file.read_bytes()
    if is_plain(data, file.name):
        return text_of(data, limits=_LIMITS)
    answer = _PARSE(data, file.name)
    if "unreadable" in answer:
        raise FileUnreadable(answer["unreadable"])
    if "over" in answer:
        limit, words = answer["over"]
        raise LimitExceeded(words, limit=limit)
    return Loaded.model_validate(answer["loaded"]).text


if __name__ == "__main__":
    sys.stdout.write(extract(sys.argv[1]))
