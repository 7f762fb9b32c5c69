"""Each format's ways of cutting, and what becomes of an entry that does not suit."""

import pytest

from bot.loaders.chunking import CUTTINGS, chunking_of
from bot.loaders.files import FileUnreadable
from bot.loaders.registry import FORMATS
from rag.values import CHUNKING, Chunking, Cutting, Kind, Source


def _source(entry: object) -> Source:
    metadata = {CHUNKING: entry} if entry is not None else {}
    return Source(
        id="a", tenant="demo", title="A", kind=Kind.DOCUMENT, ref="a.md", metadata=metadata
    )


def test_every_format_has_its_ways_of_cutting() -> None:
    assert {form.name for form in FORMATS} <= set(CUTTINGS)


@pytest.mark.parametrize(
    ("file_format", "default"),
    [("markdown", Cutting.HEADING), ("text", Cutting.PARAGRAPH), ("xlsx", Cutting.TABLE)],
)
def test_the_formats_default_is_taken_where_none_is_named(
    file_format: str, default: Cutting
) -> None:
    assert chunking_of(_source(None), file_format) == Chunking(strategy=default)
    assert chunking_of(_source({"tokens": 128}), file_format).strategy is default


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"strategy": "page"}, "text cannot be cut by page; it can by paragraph, separator"),
        ({"strategy": "verse"}, "its chunking entry"),
        ({"tokens": 7}, "its chunking entry"),
        ("heading", "its chunking entry"),
    ],
)
def test_what_does_not_suit_is_said_in_words(entry: object, words: str) -> None:
    with pytest.raises(FileUnreadable, match=words):
        chunking_of(_source(entry), "text")
