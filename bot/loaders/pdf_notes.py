"""What is laid over the pages of a PDF: what was filled in or stamped on is read, comments not."""

from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

_REMARKS = (
    pdfium.FPDF_ANNOT_TEXT,
    pdfium.FPDF_ANNOT_HIGHLIGHT,
    pdfium.FPDF_ANNOT_UNDERLINE,
    pdfium.FPDF_ANNOT_SQUIGGLY,
    pdfium.FPDF_ANNOT_STRIKEOUT,
    pdfium.FPDF_ANNOT_CARET,
    pdfium.FPDF_ANNOT_FILEATTACHMENT,
)
_WRITTEN = (
    pdfium.FPDF_ANNOT_FREETEXT,
    pdfium.FPDF_ANNOT_STAMP,
    pdfium.FPDF_ANNOT_WIDGET,
    pdfium.FPDF_ANNOT_REDACT,
)
_MOST = 5_000  # notes on a page that are looked at
_ONLY_MARK = 2  # bytes of an empty text


class Notes(NamedTuple):
    """``written``: some show words on the page itself; ``remarked``: some are comments."""

    written: bool
    remarked: bool


def load_page(document: Any, number: int) -> tuple[Any, bool]:
    """A page with what was written over it, falsy where it cannot be read; and whether there
    are comments, which are left out."""
    page = pdfium.FPDF_LoadPage(document, number)
    if not page:
        return page, False
    notes = _notes(page)
    if notes.written and pdfium.FPDFPage_Flatten(page, 0) == pdfium.FLATTEN_SUCCESS:
        pdfium.FPDF_ClosePage(page)
        page = pdfium.FPDF_LoadPage(document, number)
    return page, notes.remarked


def _notes(page: Any) -> Notes:
    written = remarked = False
    for place in range(min(_MOST, pdfium.FPDFPage_GetAnnotCount(page))):
        note = pdfium.FPDFPage_GetAnnot(page, place)
        if not note:
            continue
        kind = pdfium.FPDFAnnot_GetSubtype(note)
        written = written or kind in _WRITTEN
        remarked = remarked or (kind in _REMARKS and _says_something(note))
        pdfium.FPDFPage_CloseAnnot(note)
    return Notes(written, remarked)


def _says_something(note: Any) -> bool:
    length: int = pdfium.FPDFAnnot_GetStringValue(note, b"Contents", None, 0)
    return length > _ONLY_MARK
