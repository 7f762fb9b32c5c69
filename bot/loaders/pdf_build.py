"""Paragraphs of a PDF written out as one text, with the places of all that is in it."""

from collections.abc import Sequence
from itertools import groupby

from bot.loaders.loaded import Heading, Part
from bot.loaders.pdf_headings import levels
from bot.loaders.pdf_line import Line
from bot.loaders.pdf_text import Paragraph, Words, body_size, joined, paragraphs
from rag.errors import LimitExceeded
from rag.text.chunk.naming import is_caption
from rag.values import Limits, Locator

_CELL = " | "


class Writer:
    """A text that grows, and where its characters stand."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._pieces: list[str] = []
        self.length = 0
        self.locators: list[Locator] = []
        self.headings: list[Heading] = []
        self.parts: list[Part] = []

    @property
    def text(self) -> str:
        """All that was written."""
        return "".join(self._pieces)

    def between(self, text: str) -> None:
        """What stands on no page: the ends of lines and paragraphs."""
        if self.length:
            self._write(text)

    def place(self, text: str, page: int) -> None:
        """Words of a page."""
        start = self.length
        self._write(text)
        if self.locators and self.locators[-1].page == page:
            start = self.locators.pop().start
        self.locators.append(Locator(start=start, end=self.length, page=page))

    def _write(self, text: str) -> None:
        self._pieces.append(text)
        self.length += len(text)
        if self.length > self._most:
            raise LimitExceeded(f"more than {self._most:,} characters", limit="document_characters")


def written(pages: Sequence[Sequence[Line]], *, limits: Limits) -> Writer:
    """The text of all pages. Raises `LimitExceeded` naming ``document_characters``."""
    writer = Writer(limits.document_characters)
    lines = [line for page in pages for line in page]
    words = Words(lines)
    made = paragraphs(pages)
    ranks = levels(made, body_size(lines))
    for (table, _), group in groupby(enumerate(made), key=lambda one: _table(one[1])):
        if table:
            _write_table([paragraph for _, paragraph in group], writer)
            continue
        for number, paragraph in group:
            writer.between("\n\n" if paragraph.apart else "\n")
            start = writer.length
            texts = joined([one.line for one in paragraph.lines], words)
            for one, text in zip(paragraph.lines, texts, strict=True):
                writer.place(text, one.page)
            if number in ranks:
                writer.headings.append(Heading(start=start, end=writer.length, level=ranks[number]))
            elif is_caption(said := "".join(texts), "image"):
                of_picture = Part(
                    start=start, end=writer.length, kind="image", caption=said.strip()
                )
                writer.parts.append(of_picture)
    return writer


def _table(paragraph: Paragraph) -> tuple[int, int]:
    """The table a row belongs to, by its page; (0, 0) outside of any."""
    number = paragraph.first.table
    return (number, paragraph.lines[0].page) if number else (0, 0)


def _write_table(rows: Sequence[Paragraph], writer: Writer) -> None:
    writer.between("\n\n")
    start = writer.length
    for number, row in enumerate(rows):
        writer.between("\n" if number else "")
        writer.place(_row(row.first), row.lines[0].page)
    writer.parts.append(
        Part(start=start, end=writer.length, kind="table", header=_row(rows[0].first))
    )


def _row(line: Line) -> str:
    texts = [cell.text for cell in line.cells]
    while texts and not texts[-1]:
        texts.pop()
    return _CELL.join(texts)
