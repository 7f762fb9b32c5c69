"""What a workbook's own parts say of its sheets: what is hidden, and which results are missing."""

import posixpath
import re
from collections.abc import Iterator
from typing import IO
from zipfile import ZipFile

from lxml import etree

from rag.values import Value

_BOOK = "xl/workbook.xml"
_LINKS = "xl/_rels/workbook.xml.rels"
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_STRICT = "{http://purl.oclc.org/ooxml/officeDocument/relationships}id"
_WIDEST = 16_384  # columns of a sheet
_COLOURED = ("conditionalFormatting", "tableParts")


class Marks(Value):
    """Of one sheet: hidden rows and columns, both from 1. ``coloured``: styled beyond its cells."""

    rows: frozenset[int] = frozenset()
    columns: frozenset[int] = frozenset()
    results_missing: bool = False
    coloured: bool = False


def marks_of(archive: ZipFile) -> dict[str, Marks]:
    """The marks of each sheet by its name. Raises what zipfile and lxml raise of broken ones."""
    links = dict(_links(archive))
    marks = {}
    for sheet in _tree(archive, _BOOK).iter("{*}sheet"):
        target = links.get(sheet.get(_RELATION) or sheet.get(_STRICT) or "", "")
        if target in archive.namelist():
            with archive.open(target) as part:
                marks[sheet.get("name", "")] = _marks(part)
    return marks


def holds(archive: ZipFile, pattern: str) -> bool:
    """Whether the archive has a part whose whole name is of ``pattern``."""
    return any(re.fullmatch(pattern, name) for name in archive.namelist())


def _links(archive: ZipFile) -> Iterator[tuple[str, str]]:
    for link in _tree(archive, _LINKS).iter("{*}Relationship"):
        target = posixpath.normpath(posixpath.join("/xl", link.get("Target", "")))
        yield link.get("Id", ""), target.lstrip("/")


def _tree(archive: ZipFile, name: str) -> etree._Element:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    return etree.fromstring(archive.read(name), parser)


def _marks(part: IO[bytes]) -> Marks:
    """One pass over a sheet's part, each element forgotten as soon as it is read."""
    rows: set[int] = set()
    columns: set[int] = set()
    missing = coloured = False
    number = 0
    for event, element in _events(part):
        kind = etree.QName(element).localname
        if event == "start" and kind == "row":
            number = int(element.get("r", number + 1))
            if _hidden(element):
                rows.add(number)
        elif event == "end" and kind == "col" and _hidden(element):
            last = min(int(element.get("max", 0)), _WIDEST)
            columns.update(range(int(element.get("min", 1)), last + 1))
        elif event == "end":
            missing = missing or (kind == "c" and _lacks_result(element))
            coloured = coloured or kind in _COLOURED
            if kind in ("c", "row"):
                _forget(element)
    return Marks(
        rows=frozenset(rows),
        columns=frozenset(columns),
        results_missing=missing,
        coloured=coloured,
    )


def _events(part: IO[bytes]) -> Iterator[tuple[str, etree._Element]]:
    tags = ["{*}row", "{*}col", "{*}c", *(f"{{*}}{name}" for name in _COLOURED)]
    yield from etree.iterparse(
        part, events=("start", "end"), tag=tags, resolve_entities=False, no_network=True
    )


def _hidden(element: etree._Element) -> bool:
    """Whether a row or column is not shown: said so, or of no height or width."""
    size = element.get("ht") or element.get("width") or "1"
    return element.get("hidden") in ("1", "true") or float(size) == 0


def _lacks_result(cell: etree._Element) -> bool:
    if cell.find("{*}f") is None:
        return False
    result = cell.find("{*}v")
    return (result is None or not result.text) and cell.get("t") != "str"


def _forget(element: etree._Element) -> None:
    element.clear()
    while element.getprevious() is not None:
        parent = element.getparent()
        if parent is None:
            return
        del parent[0]
