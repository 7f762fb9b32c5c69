"""Which strategy a source's chunking names."""

from collections.abc import Mapping
from functools import partial

from rag.text.chunk.code import by_definitions
from rag.text.chunk.cutting import Strategy
from rag.text.chunk.fixed import by_size
from rag.text.chunk.headings import by_headings
from rag.text.chunk.pages import by_pages
from rag.text.chunk.paragraphs import by_paragraphs
from rag.text.chunk.separators import by_merged_separator, by_separator
from rag.text.chunk.tables import by_rows
from rag.values import Chunking, Cutting

_PLAIN: Mapping[Cutting, Strategy] = {
    Cutting.HEADING: by_headings,
    Cutting.PARAGRAPH: by_paragraphs,
    Cutting.PAGE: by_pages,
    Cutting.FIXED: by_size,
    Cutting.TABLE: by_rows,
    Cutting.CODE: by_definitions,
}


def strategy_of(chunking: Chunking) -> Strategy:
    """The strategy that a source's chunking asks for, by headings where it names none."""
    cutting = chunking.strategy or Cutting.HEADING
    if cutting is Cutting.SEPARATOR:
        cut = by_merged_separator if chunking.merge else by_separator
        return partial(cut, separator=chunking.separator)
    return _PLAIN[cutting]
