"""The formats that can be read, and what reads each."""

from collections.abc import Mapping
from types import MappingProxyType

from rag.values import Value


class Format(Value):
    """One format: the suffixes that its files usually have, and ``module:function`` of its loader.

    Without a loader it is text as it stands, which needs no parser.
    """

    name: str
    suffixes: tuple[str, ...]
    loader: str = ""


MARKDOWN = Format(name="markdown", suffixes=(".md",))
TEXT = Format(name="text", suffixes=(".txt",))
PICTURE = Format(name="picture", suffixes=(".tif", ".tiff"))
"""Pictures of pages; text recognition reads them, a parser says what is missing.

Those of other suffixes illustrate what lies beside them in a folder: they are read where a
person names one.
"""

_BY_HAND = (".png", ".jpg", ".jpeg")

FORMATS: tuple[Format, ...] = (
    MARKDOWN,
    TEXT,
    Format(name="csv", suffixes=(".csv", ".tsv"), loader="bot.loaders.csv:load"),
    Format(name="docx", suffixes=(".docx", ".docm"), loader="bot.loaders.docx:load"),
    Format(name="html", suffixes=(".html", ".htm"), loader="bot.loaders.html:load"),
    PICTURE,
    Format(name="pdf", suffixes=(".pdf",), loader="bot.loaders.pdf:load"),
    Format(name="pptx", suffixes=(".pptx", ".pptm"), loader="bot.loaders.pptx:load"),
    Format(name="xlsx", suffixes=(".xlsx", ".xlsm"), loader="bot.loaders.xlsx:load"),
)
"""A format is registered by a line here; its loader is imported in the child process alone."""

LOADERS: Mapping[str, str] = MappingProxyType(
    {form.name: form.loader for form in FORMATS if form.loader}
)
"""The ``module:function`` that reads a format."""

PLAIN = (*MARKDOWN.suffixes, *TEXT.suffixes)
"""What files are called that are text as it stands."""

SUFFIXES: tuple[str, ...] = tuple(suffix for form in FORMATS for suffix in form.suffixes)
"""What files are called that can be read. What is in them is told by `bot.loaders.sniff`."""

NAMED: tuple[str, ...] = (*SUFFIXES, *_BY_HAND)
"""The same for a file that a person names."""
