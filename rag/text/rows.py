"""Rows of tables in a text, one a line: where they stand and what their cells are.

A boxed row begins and ends with a bar, as in Markdown; the cells of others have bars or tabs
between them.
"""

import re
from collections.abc import Sequence

from rag.text.sentences import Form, Span, sentences

_BETWEEN = re.compile(r" ?\| ?")
_BARS = re.compile(r"(?<!\\)\|")
_MARKS = re.compile(r"[*`]+|(?<!\w)_+|_+(?!\w)")
_CELL = re.compile(r"\t|\s\||\|\s")
_NUMBER = re.compile(r"[-+(]?[\s¥$€£]*(?!(?:19|20)\d\d\Z)[\d.,\s]*\d[\d.,\s]*[%)]?")
_PLACEHOLDER = re.compile(r"[-–—/?.…\s]*|n/?a", re.IGNORECASE)


def cells(row: str, *, header: str) -> tuple[str, ...]:
    """The texts of a row's cells, as many as ``header`` has; none where they cannot be told apart.

    What an emphasis or a code span is marked with is no part of a cell.
    """
    boxed = is_boxed(header) if header.strip() else is_boxed(row)
    found = _cut(row, boxed=boxed)
    if not header.strip():
        return found
    wide = len(_cut(header, boxed=boxed))
    if len(found) > wide or (boxed and not is_boxed(row)):
        return ()
    if "\t" in header and len(found) < wide:
        return ()  # the tabs before the first cell are gone, or those after the last
    return (*found, *[""] * (wide - len(found)))


def is_boxed(row: str) -> bool:
    """Whether a row begins and ends with a bar."""
    plain = row.strip()
    return len(plain) > 1 and plain.startswith("|") and plain.endswith("|")


def is_blank(cell: str) -> bool:
    """Whether a cell is empty, or holds only what people write to leave it so."""
    return _PLACEHOLDER.fullmatch(cell.strip()) is not None


def in_rows(
    text: str, *, apart: Sequence[tuple[int, int]], headed: bool, table: bool
) -> tuple[Span, ...]:
    """The sentences of ``text`` in order, each row of a ``table`` one of its own.

    The first row of those that follow on each other names the columns, unless one of its cells
    is a number; not where the text is ``headed`` by a row that stands elsewhere. Boxed rows
    are known by themselves. ``apart`` are spans no sentence may touch.
    """
    if not table:
        return sentences(text, apart=apart)
    rows = []
    for number, block in enumerate(_blocks(text, apart)):
        named = len(block) > 1 and not (headed and number == 0) and _are_names(text, block[0])
        rows += [Span(*row, Form.ROW, named and row == block[0]) for row in block]
    rest = sentences(text, apart=sorted([*apart, *((row.start, row.end) for row in rows)]))
    return tuple(sorted([*rows, *rest], key=lambda span: span.start))


def _blocks(text: str, apart: Sequence[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """The lines that have cells and are not boxed, those together that no empty line parts.

    A line of a single cell, such as the name of a group of rows, is none of them.
    """
    blocks: list[list[tuple[int, int]]] = [[]]
    at = 0
    for line in text.split("\n"):
        plain = line.strip()
        start = at + line.find(plain)
        span = (start, start + len(plain))
        at += len(line) + 1
        boxed = is_boxed(plain) and not blocks[-1]  # below others it only has empty cells there
        if not plain or any(a < span[1] and start < b for a, b in apart):
            blocks.append([])
        elif not boxed and _CELL.search(plain) and any(c.isalnum() for c in plain):
            blocks[-1].append(span)
    return [block for block in blocks if block]


def _are_names(text: str, row: tuple[int, int]) -> bool:
    return not any(_NUMBER.fullmatch(cell) for cell in cells(text[row[0] : row[1]], header=""))


def _cut(row: str, *, boxed: bool) -> tuple[str, ...]:
    plain = row.strip()
    if boxed:
        inside = plain.removeprefix("|").removesuffix("|")
        return tuple(_read(cell.replace("\\|", "|")) for cell in _BARS.split(inside))
    return tuple(
        _read(cell) for cell in (row.split("\t") if "\t" in row else _BETWEEN.split(plain))
    )


def _read(cell: str) -> str:
    return " ".join(_MARKS.sub("", cell).split())
