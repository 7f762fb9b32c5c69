"""What a loader makes of a file: its text, and where each part of it stands in the original."""

from enum import StrEnum
from typing import Protocol

from rag.values import Limits, Locator, Value


class Caution(StrEnum):
    """What the owner of a document should know before people are answered from it."""

    HIDDEN_LEFT_OUT = "hidden_left_out"
    PICTURES_UNREAD = "pictures_unread"
    COMMENTS_LEFT_OUT = "comments_left_out"
    CHANGES_ACCEPTED = "changes_accepted"
    CUT_SHORT = "cut_short"
    ENCODING_GUESSED = "encoding_guessed"
    TEXT_RECOGNISED = "text_recognised"
    VALUES_MISSING = "values_missing"  # formulas whose results were never saved


class Heading(Value):
    """A heading ``text[start:end]``; ``level`` counts from 1, the outermost.

    One of no characters ends what the headings before it began, as an untitled slide does.
    """

    start: int
    end: int
    level: int


class Part(Value):
    """Characters that stay together: ``kind`` is ``table``, ``code`` or ``image``.

    ``header`` is a table's header row as it stands in the text; a table is one line a row.
    ``caption`` is what the document says of a table or an image beside it; where a loader
    gives none, a numbered line beside it is found by its words.
    """

    start: int
    end: int
    kind: str
    header: str = ""
    caption: str = ""


class Loaded(Value):
    """A file as text. All offsets are characters of ``text``, all tuples sorted by ``start``.

    ``locators`` neither overlap nor cover what stands nowhere. ``title`` is the document's
    own, from its properties, empty where it has none.
    """

    format: str
    text: str
    locators: tuple[Locator, ...] = ()
    headings: tuple[Heading, ...] = ()
    parts: tuple[Part, ...] = ()
    cautions: tuple[Caution, ...] = ()
    title: str = ""


class Load(Protocol):
    """One format. Blocks; called in a child process.

    Raises `FileUnreadable` in words for the file's owner, `LimitExceeded` naming the limit.
    """

    def __call__(self, data: bytes, *, limits: Limits) -> Loaded: ...
