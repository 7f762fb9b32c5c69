"""PDF files as text: what a reader of their pages sees, in the order it is read."""

import ctypes
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

from bot.loaders.files import FileUnreadable
from bot.loaders.loaded import Caution, Loaded
from bot.loaders.pdf_boxes import Box
from bot.loaders.pdf_build import written
from bot.loaders.pdf_glyphs import glyph
from bot.loaders.pdf_line import Line
from bot.loaders.pdf_lines import lines_of
from bot.loaders.pdf_notes import load_page
from bot.loaders.pdf_page import marks
from bot.loaders.pdf_running import without_running
from bot.loaders.pdf_runs import Run, RunBuilder
from bot.loaders.pdf_tables import with_tables
from bot.loaders.pdf_visible import Sight
from bot.loaders.unreadable import PICTURES
from rag.errors import LimitExceeded
from rag.values import Limits

_DAMAGED = "it is damaged or cut short and cannot be opened; save it anew and try again"
_LOCKED = "it is protected by a password; save a copy without one"
_NO_TEXT = "there is no text in it"
_UNSEEN = "all the text in it is hidden from its readers"

_TAIL = 2_048  # bytes in which a whole file says that it ends
_FEW = 20  # characters; a page of pictures with fewer is as good as unread
_FULL = 0.5  # of the page; pictures that cover as much are the page
_OUTLINED = 300  # drawings on a page without text; letters may have been made into shapes
_TITLE = 300  # characters
_NO_TITLE = re.compile(r"^\W*(untitled|anonymous|unknown)?\W*$|\.\w{2,4}$|^\w+:\S+$", re.IGNORECASE)


class Page(NamedTuple):
    """A page as it was read. ``pictured``: what it says is in pictures; ``remarked``: commented."""

    lines: list[Line]
    hidden: bool = False
    pictured: bool = False
    remarked: bool = False


def load(data: bytes, *, limits: Limits) -> Loaded:
    """The visible text of a PDF, one locator a page, tables as rows, headings by their size.

    Raises `FileUnreadable` where the file is locked, damaged, or without text to read, and
    `LimitExceeded` naming ``document_characters`` or ``document_chunks``. Blocks.
    """
    if not data:
        raise FileUnreadable("it is empty")
    with opened(data) as document:
        pages, lost = _pages(document, limits)
        title = _title(document)
    _refuse_wordless(pages)
    writer = written(without_running([page.lines for page in pages]), limits=limits)
    if not writer.length:
        raise FileUnreadable(_NO_TEXT)
    cautions = {
        Caution.HIDDEN_LEFT_OUT: any(page.hidden for page in pages),
        Caution.PICTURES_UNREAD: any(page.pictured for page in pages),
        Caution.COMMENTS_LEFT_OUT: any(page.remarked for page in pages),
        Caution.CUT_SHORT: lost or b"%%EOF" not in data[-_TAIL:],
    }
    return Loaded(
        format="pdf",
        text=writer.text,
        locators=tuple(writer.locators),
        headings=tuple(writer.headings),
        parts=tuple(writer.parts),
        cautions=tuple(caution for caution, holds in cautions.items() if holds),
        title=title,
    )


def pictured(data: bytes, *, limits: Limits) -> list[int]:
    """The pages, counted from 1, that say what they say in pictures. Raises as `load`. Blocks."""
    with opened(data) as document:
        pages, _ = _pages(document, limits)
    return [number for number, page in enumerate(pages, start=1) if page.pictured]


@contextmanager
def opened(data: bytes) -> Iterator[Any]:
    """The document of a file. Raises `FileUnreadable` where it is locked or damaged."""
    document = pdfium.FPDF_LoadMemDocument64(data, len(data), None)
    if not document:
        locked = pdfium.FPDF_GetLastError() in (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY)
        raise FileUnreadable(_LOCKED if locked else _DAMAGED)
    try:
        yield document
    finally:
        pdfium.FPDF_CloseDocument(document)


def _pages(document: Any, limits: Limits) -> tuple[list[Page], bool]:
    """All pages that can be read, and whether any cannot."""
    count = pdfium.FPDF_GetPageCount(document)
    if count < 1:
        raise FileUnreadable("there are no pages in it; save it anew and try again")
    if count > limits.document_chunks:
        most = limits.document_chunks
        raise LimitExceeded(f"more than {most:,} pages", limit="document_chunks")
    pages, left, lost = [], limits.document_characters, 0
    for number in range(count):
        page, remarked = load_page(document, number)
        if not page:
            pages.append(Page([]))
            lost += 1
            continue
        try:
            read, length = _page(page, left)
        finally:
            pdfium.FPDF_ClosePage(page)
        left -= length
        if left < 0:
            most = limits.document_characters
            raise LimitExceeded(f"more than {most:,} characters", limit="document_characters")
        pages.append(read._replace(remarked=remarked))
    if lost == count:
        raise FileUnreadable(_DAMAGED)
    return pages, lost > 0


def _page(page: Any, left: int) -> tuple[Page, int]:
    """A page, and how many characters are on it; read only when it has ``left`` at most."""
    textpage = pdfium.FPDFText_LoadPage(page)
    try:
        length = max(0, pdfium.FPDFText_CountChars(textpage)) if textpage else 0
        if length > left:
            return Page([]), length
        rect = pdfium.FS_RECTF()
        pdfium.FPDF_GetPageBoundingBox(page, rect)
        sight = Sight(page, textpage, (rect.left, rect.bottom, rect.right, rect.top))
        runs, hidden = _runs(textpage, sight)
        pictured = sum(len(run.text) for run in runs) < _FEW and _is_pictured(sight)
        return Page(with_tables(lines_of(runs, sight.scene.drawings)), hidden, pictured), length
    finally:
        if textpage:
            pdfium.FPDFText_ClosePage(textpage)


def _runs(textpage: Any, sight: Sight) -> tuple[list[Run], bool]:
    """The visible runs of a page, and whether there are others."""
    builder = RunBuilder(textpage)
    hidden = False
    for mark in marks(textpage, fine=sight.needs_care):
        if mark is None:
            builder.close(broken=True)
        elif sight.shows(mark):
            builder.add(mark)
        else:
            hidden = True
    builder.close()
    return builder.runs, hidden


def _is_pictured(sight: Sight) -> bool:
    """Whether pictures, or shapes that may be letters, are most of the page."""
    whole = _area(sight.bounds)
    shown = sum(_area(_shared(picture, sight.bounds)) for picture in sight.scene.pictures)
    return shown >= _FULL * whole or len(sight.scene.drawings) >= _OUTLINED


def _shared(one: Box, other: Box) -> Box:
    left, bottom = max(one[0], other[0]), max(one[1], other[1])
    return left, bottom, max(left, min(one[2], other[2])), max(bottom, min(one[3], other[3]))


def _area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def _refuse_wordless(pages: list[Page]) -> None:
    """Raise `FileUnreadable` where nothing can be read, saying why."""
    told = [page for page in pages if page.lines and not page.pictured]
    if told:
        return
    if any(page.pictured for page in pages):
        raise FileUnreadable(PICTURES)
    raise FileUnreadable(_UNSEEN if any(page.hidden for page in pages) else _NO_TEXT)


def _title(document: Any) -> str:
    """The title in the file's properties."""
    length = pdfium.FPDF_GetMetaText(document, b"Title", None, 0)
    room = ctypes.create_string_buffer(length)
    pdfium.FPDF_GetMetaText(document, b"Title", room, length)
    text = room.raw.decode("utf-16-le", "ignore")
    title = " ".join("".join(glyph(ord(char)) for char in text).split())[:_TITLE]
    return "" if _NO_TITLE.search(title) else title.removeprefix("Microsoft Word - ")
