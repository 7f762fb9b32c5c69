"""A file's text, read safely: regular files inside the root, within the limits."""

import os
import stat
from pathlib import Path

from bot.loaders.characters import Characters, decoded
from bot.loaders.unreadable import FileUnreadable as FileUnreadable  # noqa: PLC0414 - on to readers
from rag.errors import LimitExceeded
from rag.values import Limits


def read_text(path: Path, *, limits: Limits) -> str:
    """The decoded characters: CRLF as LF, the byte-order mark dropped, nothing else changed.

    Raises `FileUnreadable`, `LimitExceeded` naming the limit. Blocks.
    """
    return text_of(read_bytes(path, limits=limits), limits=limits)


def text_of(data: bytes, *, limits: Limits) -> str:
    """As `read_text`, of a file's content. Raises `FileUnreadable`, `LimitExceeded`."""
    return characters_of(data, limits=limits).text


def characters_of(data: bytes, *, limits: Limits) -> Characters:
    """As `text_of`, with whether its encoding is a guess."""
    found = decoded(data)
    text = found.text.replace("\r\n", "\n")
    if len(text) > limits.document_characters:
        most = limits.document_characters
        raise LimitExceeded(f"more than {most:,} characters", limit="document_characters")
    return Characters(text=text, guessed=found.guessed)


def inside(root: Path, ref: str) -> Path:
    """The path of ``ref`` below ``root``. Raises `FileUnreadable` when it leads outside."""
    try:
        path = (root / ref).resolve()
        within = path.is_relative_to(root.resolve())
    except (OSError, ValueError, RuntimeError) as error:
        raise FileUnreadable("the reference is not a path") from error
    if not within:
        raise FileUnreadable("the reference leads outside its folder")
    return path


def read_bytes(path: Path, *, limits: Limits) -> bytes:
    """The content of a regular file; a fifo, a device or a link at the end is not one.

    Raises `FileUnreadable`, `LimitExceeded` naming the limit. Blocks.
    """
    most = limits.document_bytes
    try:
        # O_NONBLOCK: opening a fifo must not wait for a writer.
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a path"
        raise FileUnreadable(f"cannot be opened: {reason}") from error
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise FileUnreadable("not a regular file")
        if found.st_size > most:
            raise LimitExceeded(f"larger than {most:,} bytes", limit="document_bytes")
        with os.fdopen(handle, "rb", closefd=False) as file:
            data = file.read(most + 1)
    except OSError as error:
        raise FileUnreadable(f"cannot be read: {error.strerror}") from error
    finally:
        os.close(handle)
    if len(data) > most:  # it has grown since, or says less of itself than it holds
        raise LimitExceeded(f"larger than {most:,} bytes", limit="document_bytes")
    return data
