"""What is raised for a file that cannot be read."""

from rag.errors import FootnoteError, LimitExceeded
from rag.values import Reason

PICTURES = "this file is pictures; add text recognition (OCR) to it and try again"


class FileUnreadable(FootnoteError):
    """A file cannot be read; the message says why, for its owner."""

    reason = Reason.SOURCE_UNREADABLE


class ParserWaited(LimitExceeded):
    """A parser's time was over while it had hardly had a processor: the machine's doing."""
