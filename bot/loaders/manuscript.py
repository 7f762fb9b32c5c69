"""The text of a document as it is written down, paragraph by paragraph, with what stands where."""

from bot.loaders.loaded import Caution, Heading, Loaded, Part
from rag.errors import LimitExceeded
from rag.values import Limits, Locator

_APART = "\n\n"
_HEADING = 200  # characters; a longer "heading" is text in a heading's style, and may be quoted


class Manuscript:
    """Collects blocks of text; ``cautions`` may be added to at any time."""

    def __init__(self, limits: Limits) -> None:
        self.cautions: set[Caution] = set()
        self._limits = limits
        self._pieces: list[str] = []
        self._length = 0
        self._in_list = False
        self._in_code = False
        self._paragraphs = 0
        self._headings: list[Heading] = []
        self._parts: list[Part] = []
        self._locators: list[Locator] = []

    def __len__(self) -> int:
        return self._length

    def expect(self, paragraphs: int) -> None:
        """So many more paragraphs are to come. Raises `LimitExceeded` where that is too many."""
        self._paragraphs += paragraphs
        most = self._limits.document_paragraphs
        if self._paragraphs > most:
            raise LimitExceeded(f"more than {most:,} paragraphs", limit="document_paragraphs")

    def block(self, text: str, *, level: int = 0, listed: bool = False) -> tuple[int, int]:
        """Write a paragraph, a heading of ``level`` 1 and up, or an item of a list.

        Returns its offsets. Raises `LimitExceeded` naming ``document_characters``.
        """
        if level:
            text = " ".join(text.split())
        start, end = self._write(text.strip(), "\n" if listed and self._in_list else _APART)
        if start < end:
            self._in_list, self._in_code = listed, False
            if level and end - start <= _HEADING:
                self._headings.append(Heading(start=start, end=end, level=level))
        return start, end

    def table(self, rows: list[str], *, header: str = "", caption: str = "") -> None:
        """Write a table, one line a row; ``header`` is one of them. Raises as `block`."""
        start, end = self.block("\n".join(rows))
        if start < end:
            self._parts.append(
                Part(start=start, end=end, kind="table", header=header, caption=caption)
            )

    def code(self, line: str) -> None:
        """Write a line of code, as it is indented. Raises as `block`."""
        start, end = self._write(line.rstrip(), "\n" if self._in_code else _APART)
        if self._in_code and start < end:
            start = self._parts.pop().start
        if start < end:
            self._in_list, self._in_code = False, True
            self._parts.append(Part(start=start, end=end, kind="code"))

    def caption(self, text: str) -> None:
        """Write what is said below a picture. Raises as `block`."""
        start, end = self.block(text)
        if start < end:
            self._parts.append(Part(start=start, end=end, kind="image", caption=text.strip()))

    def slide(self, number: int, start: int) -> None:
        """Say that what has been written since ``start`` stands on that slide."""
        begin = start + len(_APART) if start else 0  # the blank line between stands on neither
        if begin >= self._length:
            return
        self._locators.append(Locator(start=begin, end=self._length, slide=number))
        if not self._headings or self._headings[-1].start < begin:
            self._headings.append(Heading(start=begin, end=begin, level=1))

    def loaded(self, *, kind: str, title: str) -> Loaded:
        """All that was written, as a loader gives it."""
        return Loaded(
            format=kind,
            text="".join(self._pieces),
            locators=tuple(self._locators),
            headings=tuple(self._headings),
            parts=tuple(self._parts),
            cautions=tuple(sorted(self.cautions)),
            title=title,
        )

    def _write(self, text: str, apart: str) -> tuple[int, int]:
        if not text:
            return self._length, self._length
        before = apart if self._length else ""
        self._pieces += [before, text]
        start = self._length + len(before)
        self._length = start + len(text)
        if self._length > self._limits.document_characters:
            most = self._limits.document_characters
            raise LimitExceeded(f"more than {most:,} characters", limit="document_characters")
        return start, self._length
