"""What is raised for a file that cannot be read."""

from rag.errors import FootnoteError
from rag.values import Reason


class FileUnreadable(FootnoteError):
    """A file cannot be read; the message says why, for its owner."""

    reason = Reason.SOURCE_UNREADABLE
