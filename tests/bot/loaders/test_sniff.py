"""A format is told by the content; the name only tells one text from another."""

import pytest

from bot.loaders.files import FileUnreadable
from bot.loaders.sniff import container, is_plain, office

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 504


def _stream(name: str) -> bytes:
    return _OLE + f"{name}\0".encode("utf-16-le")


@pytest.mark.parametrize(
    ("data", "name", "form"),
    [
        (b"%PDF-1.7 ...", "notes.txt", "pdf"),
        (b"junk before\n%PDF-1.4", "scan.pdf", "pdf"),
        (b"%PDF- is how one begins", "how.md", "pdf"),
        (b"we say %PDF-1.4 here", "how.md", "markdown"),
        (b"PK\x03\x04rest", "report.pdf", "zip"),
        (b"<!DOCTYPE html><p>Hi", "page", "html"),
        (b"\xef\xbb\xbf\n <!-- made by x -->\n<HTML>", "page.xls", "html"),
        ("<?xml version='1.0'?><html>".encode("utf-16"), "page.bin", "html"),
        (b"<p>a part of a page</p>", "part.html", "html"),
        (b"<!doctype html> begins every page", "how.md", "markdown"),
        (b"<html> is a tag", "how.txt", "text"),
        (b"a;b\n1;2\n", "table.csv", "csv"),
        (b"a\tb\n", "table.TSV", "csv"),
        (b"# A heading", "a.MD", "markdown"),
        (b"words", "LICENSE", "text"),
        (b"", "empty.txt", "text"),
    ],
)
def test_what_a_file_is(data: bytes, name: str, form: str) -> None:
    assert container(data, name) == form
    assert is_plain(data, name) == (form in ("markdown", "text"))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (_stream("WordDocument"), "old format; save it as .docx"),
        (_stream("PowerPoint Document"), "old format; save it as .pptx"),
        (_stream("Workbook"), "old format; save it as .xlsx"),
        (_stream("Book"), "old format; save it as .xlsx"),
        (_stream("EncryptedPackage"), "protected by a password"),
        (_stream("Something"), "old format"),
        (b"{\\rtf1\\ansi words}", "rich text"),
        (b"", "empty"),
        (b"words", "not what its name says"),
    ],
)
def test_what_nobody_reads_is_refused_in_words(data: bytes, words: str) -> None:
    with pytest.raises(FileUnreadable, match=words):
        container(data, "report.docx")


@pytest.mark.parametrize(
    ("names", "form"),
    [
        (["[Content_Types].xml", "word/document.xml"], "docx"),
        (["word/document2.xml"], "docx"),
        (["/word/document.xml", "xl/worksheets/sheet1.xml"], "docx"),
        (["xl/workbook.xml", "xl/media/ppt/presentation.xml"], "xlsx"),
        (["ppt/presentation.xml", "ppt/embeddings/a.xlsx"], "pptx"),
    ],
)
def test_which_document_an_archive_is(names: list[str], form: str) -> None:
    assert office(names) == form


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["xl/workbook.bin"], "binary Excel"),
        (["mimetype", "content.xml"], "OpenDocument"),
        (["a.txt", "b.pdf"], "unpack it"),
        ([], "unpack it"),
    ],
)
def test_other_archives_are_refused_in_words(names: list[str], words: str) -> None:
    with pytest.raises(FileUnreadable, match=words):
        office(names)
