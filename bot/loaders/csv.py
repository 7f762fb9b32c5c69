"""Delimited text: each record a line, its cells where a spreadsheet would show them."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice

from bot.loaders.characters import decoded
from bot.loaders.files import FileUnreadable
from bot.loaders.grid import Row, lay_out, shown
from bot.loaders.lines import Lines
from bot.loaders.loaded import Caution, Loaded
from rag.values import Limits

_DELIMITERS = "\t;|,"  # the comma last: it also stands in numbers and sentences
_SAID = re.compile(r"sep=(.)\r?\n")  # how a spreadsheet program notes it down
_SAMPLE = 200  # records looked at to tell the delimiter
_LARGEST = 1_000_000  # characters of one field


def load(data: bytes, *, limits: Limits) -> Loaded:
    """The records with their cells " | " apart. Raises `FileUnreadable`, `LimitExceeded`."""
    found = decoded(data)
    lines = Lines(limits=limits)
    if found.guessed:
        lines.caution(Caution.ENCODING_GUESSED)
    csv.field_size_limit(_LARGEST)
    said = _SAID.match(found.text)
    text = found.text[said.end() :] if said else found.text
    try:
        lay_out(lines, list(_rows(text, said[1] if said else delimiter_of(text))), sheet="")
    except csv.Error as error:
        raise FileUnreadable(f"its records cannot be told apart: {error}") from error
    return lines.loaded(file_format="csv")


def delimiter_of(text: str) -> str:
    """The delimiter that cuts the most records into equally many cells; a comma where none does.

    A decimal comma or a comma in a sentence cuts some records only, and differently.
    """
    best, most = ",", 0.0
    for delimiter in _DELIMITERS:
        agreed = _agreement(text, delimiter)
        if agreed > most:
            best, most = delimiter, agreed
    return best


def _agreement(text: str, delimiter: str) -> float:
    """The share of records that have the commonest number of cells, if that is over one."""
    widths = Counter[int]()
    records = 0
    try:
        for record in islice(_records(text, delimiter), _SAMPLE):
            records += bool(record)
            widths[len(record)] += len(record) > 1
    except csv.Error:
        return 0.0
    return max(widths.values(), default=0) / max(records, 1)


def _records(text: str, delimiter: str) -> Iterator[list[str]]:
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)


def _rows(text: str, delimiter: str) -> Iterator[Row]:
    for number, record in enumerate(_records(text, delimiter), start=1):
        cells = {at: shown(cell) for at, cell in enumerate(record, start=1) if cell.strip()}
        if cells:
            yield Row(number=number, cells=cells)
