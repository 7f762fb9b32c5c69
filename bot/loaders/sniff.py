"""A file's format, by its content. Its name only tells one kind of text from another."""

import re
from collections.abc import Iterable
from pathlib import PurePosixPath

from bot.loaders.files import FileUnreadable
from bot.loaders.registry import PICTURE

_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_PDF = b"%PDF-"
_PICTURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"II*\0", b"MM\0*")  # PNG, JPEG, TIFF
_RTF = b"{\\rtf"
_PDF_REACH = 1_024  # bytes before which a reader of PDF looks for its mark
_HEAD = 4_096  # bytes in which a page of HTML must begin

_PLAIN = {".md": "markdown", ".txt": "text"}
_BY_NAME = {**_PLAIN, ".csv": "csv", ".tsv": "csv", ".html": "html", ".htm": "html"}
_CONTAINERS = (".pdf", ".docx", ".docm", ".pptx", ".pptm", ".xlsx", ".xlsm", ".tif", ".tiff")
_PAGE = re.compile(
    r"\s*(<\?xml[^>]*>\s*)?(<!--.*?-->\s*)*<(!doctype\s+html|html|head|body)\b", re.I | re.S
)
_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))

_BOOKS = (("word/document", "docx"), ("ppt/presentation", "pptx"), ("xl/workbook", "xlsx"))
_FOLDERS = (("word/", "docx"), ("ppt/", "pptx"), ("xl/", "xlsx"))

_ENCRYPTED = "it is protected by a password; save a copy without one"
_OLD = {
    "WordDocument": "it is in Word's old format; save it as .docx",
    "PowerPoint Document": "it is in PowerPoint's old format; save it as .pptx",
    "Workbook": "it is in Excel's old format; save it as .xlsx",
    "Book": "it is in Excel's old format; save it as .xlsx",
}


def is_picture(data: bytes) -> bool:
    """Whether a file is a picture that text recognition can read."""
    return data.startswith(_PICTURES)


def is_plain(data: bytes, name: str) -> bool:
    """Whether a file is text as it stands, so that nothing has to parse it."""
    return container(data, name) in _PLAIN.values()


def container(data: bytes, name: str) -> str:
    """The format as far as the first bytes tell: ``zip``, ``pdf``, ``picture``, or a text's.

    Raises `FileUnreadable` for what nobody here reads, in words for its owner.
    """
    suffix = PurePosixPath(name.lower()).suffix
    if not data and suffix not in _PLAIN:
        raise FileUnreadable("it is empty")
    if data.startswith(_ZIP):
        return "zip"
    if data.startswith(_OLE):
        raise FileUnreadable(_about_ole(data))
    if is_picture(data):
        return PICTURE.name
    if _is_pdf(data, suffix):
        return "pdf"
    if data.startswith(_RTF):
        raise FileUnreadable("it is in rich text format; save it as .docx")
    if suffix in _CONTAINERS:
        raise FileUnreadable("it is damaged, or not what its name says")
    if suffix not in _BY_NAME and _PAGE.match(_beginning(data)):
        return "html"
    return _BY_NAME.get(suffix, "text")


def _is_pdf(data: bytes, suffix: str) -> bool:
    return data.startswith(_PDF) or (suffix == ".pdf" and _PDF in data[:_PDF_REACH])


def _beginning(data: bytes) -> str:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data[len(mark) : _HEAD].decode(encoding, "replace")
    return data[:_HEAD].decode("latin-1")


def _about_ole(data: bytes) -> str:
    """What a file of Microsoft's old container is, by the names of the streams in it."""
    if "EncryptedPackage".encode("utf-16-le") in data:
        return _ENCRYPTED
    for stream, words in _OLD.items():
        if f"{stream}\0".encode("utf-16-le") in data:
            return words
    return "it is in an old format of Microsoft's; save it as .docx, .pptx or .xlsx"


def office(names: Iterable[str]) -> str:
    """Which document a zip archive with these members is. Raises `FileUnreadable`."""
    kept = [name.lstrip("/").lower() for name in names]
    if "xl/workbook.bin" in kept:
        raise FileUnreadable("it is a binary Excel file; save it as .xlsx")
    for beginning, form in (*_BOOKS, *_FOLDERS):
        if any(name.startswith(beginning) and name.endswith(".xml") for name in kept):
            return form
    if "content.xml" in kept and "mimetype" in kept:
        raise FileUnreadable("it is in OpenDocument format; save it as .docx, .pptx or .xlsx")
    raise FileUnreadable("it is an archive; unpack it and add the files in it")
