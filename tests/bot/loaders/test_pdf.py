"""PDFs: what a reader of the pages sees, in the order it is read, each word on its page."""

import random
from contextlib import suppress

import pypdfium2
import pytest

from bot.loaders.files import FileUnreadable
from bot.loaders.loaded import Loaded
from bot.loaders.pdf import load
from rag.errors import LimitExceeded
from rag.values import Limits
from tests.bot.loaders.papers import Sheet, column, paper, show, stream

_PROSE = [
    "Every visitor signs the book at the gate before going any further",
    "inside, and gives it back on leaving the building in the evening,",
    "whoever has asked for the visit. Lost badges cost twenty euros to",
    "replace.",
]


def _load(data: bytes, limits: Limits | None = None) -> Loaded:
    return load(data, limits=limits or Limits())


def _read(*pages: str | Sheet) -> str:
    return _load(paper(*pages)).text


def test_words_are_found_on_the_page_that_their_locator_names() -> None:
    data = paper(column(_PROSE, 60, 700), show("Badges are blue.", 60, 700))
    loaded = _load(data)
    at = loaded.text.index("Badges are blue")
    page = next(one.page for one in loaded.locators if one.start <= at < one.end)
    assert page == 2
    original = pypdfium2.PdfDocument(data)
    assert "Badges are blue" in original[page - 1].get_textpage().get_text_range()
    assert "Badges are blue" not in original[0].get_textpage().get_text_range()
    original.close()
    assert all(loaded.text[one.start : one.end].strip() for one in loaded.locators)


def test_hard_wrapped_lines_are_one_paragraph() -> None:
    assert _read(column(_PROSE, 60, 700)) == " ".join(_PROSE)


def test_chinese_lines_are_joined_without_a_blank() -> None:
    lines = ["借用设备的员工应当在归还日期之前", "把设备送回仓库，并且在登记表上签", "字确认。"]
    assert _read(column(lines, 60, 700, font="Han")) == "".join(lines)


def test_letters_set_apart_are_one_word() -> None:
    spaced = "".join(show(char, 60 + 13 * n, 700, font="Han") for n, char in enumerate("设备制度"))
    assert _read(spaced) == "设备制度"


def test_a_word_parted_at_the_end_of_a_line_is_whole_and_a_compound_keeps_its_hyphen() -> None:
    lines = [
        "Nobody may enter the laboratory on a day on which the ventila-",
        "tion is out of order, which is announced by a sign and by a well-",
        "known lamp above the door that is seen from all of the corridor",
        "and from the yard.",
    ]
    text = _read(column(lines, 60, 700))
    assert "the ventilation is out" in text
    assert "a well-known lamp" in text


def test_lists_and_short_lines_stay_lines() -> None:
    lines = ["Bring with you:", "1. a badge", "2. a helmet", "3. good shoes"]
    assert _read(column(lines, 60, 700)).split("\n") == lines


def test_running_headers_and_page_numbers_are_left_out_after_the_first() -> None:
    pages = [
        show("Handbook of the works", 200, 770)
        + show(f"Rule {word} says that nothing is allowed.", 60, 400)
        + show(f"Page {number} of 4", 280, 30)
        for number, word in enumerate(("alpha", "beta", "gamma", "delta"), start=1)
    ]
    text = _read(*pages)
    assert text.count("Handbook of the works") == 1
    assert "Page" not in text
    assert all(f"Rule {word} says" in text for word in ("alpha", "beta", "gamma", "delta"))


def test_a_mark_across_every_page_is_said_once() -> None:
    mark = "q BT /F1 60 Tf 0.7 0.7 -0.7 0.7 150 200 Tm 0.8 g (DRAFT) Tj ET Q\n"
    pages = [mark + column([word, *_PROSE], 60, 700) for word in ("One.", "Two.", "Three.")]
    assert _read(*pages).count("DRAFT") == 1


def test_numbered_steps_at_the_top_of_pages_are_no_header() -> None:
    pages = [
        show(f"Step {number} of the drill", 60, 770) + show("Keep calm, " + word, 60, 400)
        for number, word in ((7, "one"), (2, "two"), (5, "three"))
    ]
    text = _read(*pages)
    assert all(f"Step {number} of the drill" in text for number in (7, 2, 5))


def test_the_left_column_is_read_before_the_right_one() -> None:
    left = column(["Left one is here", "Left two is here", "Left three is here"], 60, 600)
    right = column(["Right one is here", "Right two is here", "Right three is here"], 320, 600)
    title = show("The title above both", 150, 700, size=18)
    for content in (title + left + right, right + title + left):
        text = _read(content)
        order = [text.index(word) for word in ("title", "Left one", "Left three", "Right one")]
        assert order == sorted(order)


def test_a_header_that_the_file_draws_last_is_read_first() -> None:
    text = _read(show("The body is here.", 60, 600) + show("A head", 60, 750))
    assert text.index("A head") < text.index("The body")


def test_rows_of_a_table_are_lines_with_a_cell_a_column() -> None:
    rows = [
        ("Item", "Price", "Stock"),
        ("Helmet", "20", "4"),
        ("Gloves", "", "9"),
        ("Shoes", "75", "1"),
    ]
    content = "".join(
        show(cell, 60 + 150 * x, 700 - 14 * y)
        for y, row in enumerate(rows)
        for x, cell in enumerate(row)
        if cell
    )
    loaded = _load(paper(content))
    assert loaded.text == "Item | Price | Stock\nHelmet | 20 | 4\nGloves |  | 9\nShoes | 75 | 1"
    (part,) = loaded.parts
    assert (part.kind, part.header) == ("table", "Item | Price | Stock")
    assert loaded.text[part.start : part.end] == loaded.text


def test_a_numbered_line_of_its_own_stands_for_its_picture() -> None:
    content = column(_PROSE, 60, 700) + show("Figure 1: Where desks stand", 60, 500)
    loaded = _load(paper(content + column(_PROSE, 60, 400)))
    (part,) = loaded.parts
    assert (part.kind, part.caption) == ("image", "Figure 1: Where desks stand")
    assert loaded.text[part.start : part.end] == part.caption


def test_running_text_drawn_across_two_columns_is_no_table() -> None:
    lines = [
        (f"the left column says this in line {n}", f"the right column says that in line {n}")
        for n in range(5)
    ]
    content = "".join(
        show(left, 60, 700 - 12 * n) + show(right, 320, 700 - 12 * n)
        for n, (left, right) in enumerate(lines)
    )
    loaded = _load(paper(content))
    assert not loaded.parts
    assert loaded.text.index("left column says this in line 4") < loaded.text.index("right column")


def test_headings_are_told_by_their_size() -> None:
    content = (
        show("Safety rules", 60, 760, size=20)
        + show("Fire", 60, 720, size=14, font="F2")
        + column(_PROSE, 60, 690)
        + show("Water", 60, 600, size=14, font="F2")
        + column(_PROSE, 60, 570)
    )
    loaded = _load(paper(content))
    found = [(loaded.text[one.start : one.end], one.level) for one in loaded.headings]
    assert found == [("Safety rules", 1), ("Fire", 2), ("Water", 2)]


def test_large_sentences_are_no_headings() -> None:
    content = show("Nobody may smoke here.", 60, 760, size=20) + column(_PROSE, 60, 690)
    assert not _load(paper(content)).headings


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_turned_pages_read_the_same(turn: int) -> None:
    page = Sheet(content=column(_PROSE, 60, 700), entries=f"/Rotate {turn}")
    assert _read(page) == " ".join(_PROSE)


def test_text_drawn_sideways_is_read_along_its_lines() -> None:
    lines = "".join(
        f"BT /F1 10 Tf 0 1 -1 0 {100 + 12 * n} 60 Tm ({line}) Tj ET\n"
        for n, line in enumerate(_PROSE)
    )
    assert _read(Sheet(content=lines, entries="/Rotate 90")) == " ".join(_PROSE)


def _ruled(rows: list[list[list[str]]], *, top: float = 700, high: float = 40) -> str:
    """A table of drawn cells, 150 points wide; each cell is lines."""
    content = ""
    for y, row in enumerate(rows):
        for x, cell in enumerate(row):
            content += f"{60 + 150 * x} {top - high * (y + 1)} 150 {high} re S\n"
            content += column(cell, 64 + 150 * x, top - high * y - 14)
    return content


def test_a_cell_of_several_lines_is_one_cell_of_its_row() -> None:
    rows = [
        [["Item"], ["Price", "in euros"]],
        [["Helmet of the", "first class"], ["20"]],
        [["Gloves"], ["7"]],
    ]
    content = show("Before it.", 60, 720) + _ruled(rows) + show("After it.", 60, 560)
    loaded = _load(paper(content))
    table = "Item | Price in euros\nHelmet of the first class | 20\nGloves | 7"
    assert loaded.text == f"Before it.\n\n{table}\n\nAfter it."
    (part,) = loaded.parts
    assert loaded.text[part.start : part.end] == table


def test_a_frame_around_text_is_no_table() -> None:
    content = "50 600 500 130 re S\n" + column(_PROSE, 60, 700)
    loaded = _load(paper(content))
    assert loaded.text == " ".join(_PROSE)
    assert not loaded.parts


def test_ligatures_tags_and_private_characters_are_put_right() -> None:
    meant = "\ufb01ne \u2f00 \u200bwell\u00ad \ue123 \U000e0041 \uf0b7 end"
    font = (
        "<< /Type /Font /Subtype /Type0 /BaseFont /Any /Encoding /Identity-H /ToUnicode 11 0 R"
        " /DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Any /DW 600"
        " /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >>"
        " /FontDescriptor << /Type /FontDescriptor /FontName /Any /Flags 4 /FontBBox [0 0 600 900]"
        " /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 800 /StemV 80 >> >>] >>"
    )
    codes = "".join(
        f"<{n:04x}> <{char.encode('utf-16-be').hex()}>\n" for n, char in enumerate(meant, start=1)
    )
    mapping = stream(
        "/CIDInit /ProcSet findresource begin begincmap\n1 begincodespacerange <0000> <ffff>"
        f" endcodespacerange\n{len(meant)} beginbfchar\n{codes}endbfchar\nendcmap end"
    )
    shown = "".join(f"{n:04x}" for n in range(1, len(meant) + 1))
    page = Sheet(content=f"BT /Odd 10 Tf 60 700 Td <{shown}> Tj ET", resources="/ExtGState << >>")
    data = paper(page, objects=[font, mapping]).replace(b"/F1 3 0 R", b"/Odd 10 0 R")
    assert _load(data).text == "fine 一 well • end"


def test_damaged_files_are_refused_or_read_and_nothing_else() -> None:
    data = paper(
        show("Head", 60, 760, size=18) + column(_PROSE, 60, 700) + _ruled([[["a"], ["b"]]])
    )
    chance = random.Random(7)  # noqa: S311
    for _ in range(150):
        broken = bytearray(data)
        for _ in range(chance.randint(1, 12)):
            broken[chance.randrange(len(broken))] = chance.randrange(256)
        with suppress(FileUnreadable, LimitExceeded):
            loaded = _load(bytes(broken[: chance.randint(len(broken) // 2, len(broken))]))
            assert all(one.end <= len(loaded.text) for one in loaded.locators)
