"""PDF files as a whole: what is refused and why, what bounds them, and what they are called."""

import pytest

from bot.loaders.files import FileUnreadable
from bot.loaders.loaded import Caution, Loaded
from bot.loaders.pdf import load
from rag.errors import LimitExceeded
from rag.values import Limits
from tests.bot.loaders.papers import column, paper, show

_PROSE = [
    "Every visitor signs the book at the gate before going any further",
    "inside, and gives it back on leaving the building in the evening,",
    "whoever has asked for the visit. Lost badges cost twenty euros to",
    "replace.",
]


def _load(data: bytes, limits: Limits | None = None) -> Loaded:
    return load(data, limits=limits or Limits())


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is empty"),
        (b"%PDF-1.7\nrubbish", "damaged or cut short"),
        (paper(), "no pages"),
        (paper(""), "no text"),
        (paper(show("white", 60, 60, how="1 g")), "hidden"),
        (
            paper(show("Seen", 60, 60)).replace(
                b"/Root 1 0 R", b"/Root 1 0 R /Encrypt << /Filter /X >>"
            ),
            "pass",
        ),
    ],
    ids=["empty", "rubbish", "pageless", "wordless", "unseen", "locked"],
)
def test_what_cannot_be_read_is_refused_in_words_for_its_owner(data: bytes, words: str) -> None:
    with pytest.raises(FileUnreadable, match=words):
        _load(data)


def test_a_file_that_is_cut_short_says_so() -> None:
    data = paper(column(_PROSE, 60, 700))
    loaded = _load(data[: data.index(b"startxref")])
    assert loaded.text == " ".join(_PROSE)
    assert loaded.cautions == (Caution.CUT_SHORT,)


def test_too_many_characters_are_refused_by_the_limit_that_is_over() -> None:
    with pytest.raises(LimitExceeded) as caught:
        _load(paper(*[column(_PROSE, 60, 700)] * 3), Limits(document_characters=500))
    assert caught.value.limit == "document_characters"


def test_too_many_pages_are_refused_by_the_limit_that_is_over() -> None:
    with pytest.raises(LimitExceeded) as caught:
        _load(paper(*[show("Seen", 60, 60)] * 5), Limits(document_chunks=4))
    assert caught.value.limit == "document_chunks"


@pytest.mark.parametrize(
    ("written", "title"),
    [
        ("Rules of the house", "Rules of the house"),
        ("Microsoft Word - Rules of the house", "Rules of the house"),
        ("rules.docx", ""),
        ("about:blank", ""),
        ("(anonymous)", ""),
    ],
)
def test_the_title_is_the_document_s_own_unless_a_program_made_it_up(
    written: str, title: str
) -> None:
    data = paper(show("Seen", 60, 60), objects=[f"<< /Title <{written.encode().hex()}> >>"])
    loaded = _load(data.replace(b"/Root 1 0 R", b"/Root 1 0 R /Info 10 0 R"))
    assert loaded.title == title
