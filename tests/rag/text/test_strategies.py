"""Seven ways to cut: where each one's chunks begin and end, and what holds for all of them."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.text.chunk.captions import captioned
from rag.text.chunk.cutting import Text, chunk
from rag.text.chunk.naming import is_caption
from rag.text.chunk.outline import Block, Outline, Title, outline, outlined, plain
from rag.text.chunk.strategies import strategy_of
from rag.values import Chunk, Chunking, Cutting, Limits, Locator, locator_at

_TOKEN = re.compile(r"[A-Za-z]{1,4}|\d{1,3}|\s+|.", re.DOTALL)
_SENTENCE = "The lender notes the day of return. "
_MERGED = Chunking(strategy=Cutting.SEPARATOR, merge=True)
_WAYS = [*(Chunking(strategy=cutting) for cutting in Cutting), _MERGED]


def _count(text: str) -> int:
    return len(_TOKEN.findall(text))


def _cut(
    text: str, structure: Outline, way: Chunking | Cutting, *, limits: Limits | None = None
) -> tuple[Chunk, ...]:
    """The chunks, each checked to be its slice within the target."""
    chunking = Chunking(strategy=way) if isinstance(way, Cutting) else way
    budget = limits or chunking.limits(Limits())
    chunks = chunk(
        Text(source_id="s", snapshot="5" * 64, title="T", text=text),
        structure=structure,
        strategy=strategy_of(chunking),
        count_tokens=_count,
        limits=budget,
    )
    for one in chunks:
        assert one.text == text[one.start : one.end]
        assert _count(one.text) <= budget.chunk_target_tokens
    return chunks


def test_paragraphs_that_fit_are_never_cut_and_headings_end_no_chunk() -> None:
    paragraph = _SENTENCE * 8
    text = "\n\n".join(["# One", paragraph, "# Two", *[paragraph] * 5])
    chunks = _cut(text, outline(text), Cutting.PARAGRAPH)
    assert len(chunks) > 1
    assert {one.text.endswith(paragraph.strip()) for one in chunks} == {True}
    assert any("# Two" in one.text and one.text.index("# Two") for one in chunks)


def test_lines_are_the_paragraphs_of_a_text_without_blank_lines() -> None:
    text = "\n".join(_SENTENCE * 3 for _ in range(40))
    for one in _cut(text, plain(text), Cutting.PARAGRAPH)[:-1]:
        assert text[one.end :].lstrip(" ").startswith("\n")


def _pages(*ends: int) -> list[Locator]:
    return [
        Locator(start=start, end=end, page=number)
        for number, (start, end) in enumerate(zip((0, *ends), ends, strict=False), 1)
    ]


def test_no_chunk_stands_on_two_pages_and_each_names_its_own() -> None:
    pages = ["First page. " * 3, "Second page. " * 100, "Third page. " * 3]
    text = "".join(pages)
    ends = [sum(map(len, pages[: number + 1])) for number in range(3)]
    chunks = _cut(text, outlined(text, locators=_pages(*ends)), Cutting.PAGE)
    assert [one.page for one in chunks] == [1, *[2] * (len(chunks) - 2), 3]
    assert all(len(one.locators) == 1 for one in chunks)
    assert len(chunks) > 3


def test_a_section_over_two_pages_names_both_in_order() -> None:
    text = _SENTENCE * 4
    structure = outlined(text, locators=_pages(len(text) // 2, len(text)))
    (one,) = _cut(text, structure, Cutting.HEADING)
    assert [place.page for place in one.locators] == [1, 2]
    assert one.page == 1


def test_each_entry_between_separators_is_a_chunk_of_its_own_or_they_are_merged() -> None:
    text = "Q: one?\nA: yes.\n***\nQ: two?\nA: no.\n***\nQ: three?\nA: perhaps."
    way = Chunking(strategy=Cutting.SEPARATOR, separator="\n***\n")
    chunks = _cut(text, plain(text), way)
    assert [one.text.splitlines()[0] for one in chunks] == ["Q: one?", "Q: two?", "Q: three?"]
    merged = _cut(text, plain(text), way.model_copy(update={"merge": True}))
    assert [one.text for one in merged] == [text]


def test_merged_entries_that_fit_stay_whole() -> None:
    entries = [f"Entry {number}. " + _SENTENCE * 5 for number in range(20)]
    text = "\n***\n".join(entries)
    way = Chunking(strategy=Cutting.SEPARATOR, separator="\n***\n", merge=True)
    for one in _cut(text, plain(text), way)[:-1]:
        assert one.text.endswith("***")


def test_by_size_chunks_are_full_whatever_the_headings() -> None:
    text = "\n\n".join(f"# Head {number}\n\n{_SENTENCE * 3}" for number in range(40))
    chunks = _cut(text, outline(text), Cutting.FIXED)
    assert all(_count(one.text) > 350 for one in chunks[:-1])
    assert len(_cut(text, outline(text), Cutting.HEADING)) > 2 * len(chunks)


def test_each_part_of_a_table_after_the_first_is_told_its_header() -> None:
    rows = [f"{number}\tthe owner of {number}\t{number * 7} days" for number in range(200)]
    text = "\n".join(["no\towner\tlent for", *rows])
    chunks = _cut(text, plain(text), Cutting.TABLE)
    assert len(chunks) > 3
    assert [one.table_header for one in chunks[:2]] == ["", "no\towner\tlent for"]
    assert {one.content_type for one in chunks} == {"table"}
    assert [row for one in chunks for row in one.text.split("\n")] == text.split("\n")
    assert "lent for" in chunks[1].above
    assert "lent for" not in chunks[1].text


def test_a_table_among_prose_is_a_chunk_of_its_own_with_its_headings() -> None:
    table = "| day | who |\n|---|---|\n| 7 | owner |"
    text = f"# Lending\n\n{_SENTENCE}\n\n## Fees\n\n{_SENTENCE}\n\n{table}\n\n{_SENTENCE}"
    chunks = _cut(text, outline(text), Cutting.HEADING)
    assert [one.content_type for one in chunks] == ["text", "text", "table", "text"]
    assert (chunks[2].text, chunks[2].heading_path) == (table, ("Lending", "Fees"))


def test_a_picture_is_a_chunk_of_its_own() -> None:
    text = f"{_SENTENCE}\nA map of the office\n{_SENTENCE}"
    start = text.index("A map")
    structure = outlined(text, blocks=[Block(start, start + 20, "image")])
    assert [one.content_type for one in _cut(text, structure, Cutting.HEADING)] == [
        "text",
        "image",
        "text",
    ]


def test_a_picture_in_markdown_carries_the_words_in_its_place_and_the_line_below() -> None:
    text = (
        f"# Office\n\n{_SENTENCE}\n\n![Plan of floor 2](plan.png)\n*Where desks stand*\n\n"
        f"{_SENTENCE}\n\n![网络](a.png)\n\n图 2 网络结构\n\n{_SENTENCE} ![x](icon.png) inside.\n"
    )
    chunks = [
        one for one in _cut(text, outline(text), Cutting.HEADING) if one.content_type != "text"
    ]
    assert [(one.content_type, one.caption) for one in chunks] == [
        ("image", "Plan of floor 2 *Where desks stand*"),
        ("image", "网络 图 2 网络结构"),
    ]
    assert chunks[1].text == "![网络](a.png)\n\n图 2 网络结构"
    assert chunks[1].heading_path == ("Office",)


def test_a_numbered_line_beside_a_table_is_the_caption_of_that_table_alone() -> None:
    tables = ["Dogs\tcats", "Birds\tfish", "Ants\tbees"]
    text = f"{tables[0]}\n表 1 宠物\n{tables[1]}\nTable 2: Others\nTable 3 shows more.\n{tables[2]}"
    blocks = [Block(text.index(one), text.index(one) + len(one), "table") for one in tables]
    structure = outlined(text, blocks=captioned(text, blocks))
    chunks = [one for one in _cut(text, structure, Cutting.HEADING) if one.content_type == "table"]
    assert [one.caption for one in chunks] == ["表 1 宠物", "Table 2: Others", ""]
    assert "宠物" in chunks[0].above
    assert "宠物" not in chunks[0].text


@pytest.mark.parametrize(
    ("line", "kind", "is_one"),
    [
        ("Figure 1: rates", "image", True),
        ("Fig. 2-3. Rates by year", "image", True),
        ("图1-2　系统架构", "image", True),
        ("*圖 3：流程*", "image", True),
        ("表 4", "table", True),
        ("附表二 费用", "table", True),
        ("Figure 1 shows the rates.", "image", False),
        ("如图 1 所示", "image", False),
        ("图 1 所示的流程如下", "image", False),
        ("图 2 中的每一步都由主管批准。", "image", False),
        ("Table of contents", "table", False),
        ("表格填写要求", "table", False),
        ("表一般规定", "table", False),
        ("图 1.2 中各部分", "image", False),
        ("Table 1: rates", "image", False),
    ],
)
def test_what_is_a_caption(line: str, kind: str, *, is_one: bool) -> None:
    assert is_caption(line, kind) is is_one


def test_code_is_cut_between_its_definitions() -> None:
    body = "    total = total + 1\n\n    return total\n"
    text = "import this\n\n\n" + "\n\n".join(
        f"@cached\ndef count_{number}(total):\n{body * 4}" for number in range(12)
    )
    chunks = _cut(text, plain(text), Cutting.CODE)
    assert len(chunks) > 2
    assert all(one.text.startswith("@cached\ndef") for one in chunks[1:])
    assert {one.content_type for one in chunks} == {"code"}


def test_a_loaders_headings_lead_to_their_chunks_and_are_barred() -> None:
    text = f"Lending\n{_SENTENCE * 12}\nFees\n{_SENTENCE * 12}"
    fees = text.index("Fees")
    titles = [Title(0, 7, 1, "Lending"), Title(fees, fees + 4, 2, "Fees")]
    chunks = _cut(text, outlined(text, titles=titles), Cutting.HEADING)
    assert [one.heading_path for one in chunks] == [("Lending",), ("Lending", "Fees")]
    assert [text[a:b] for one in chunks for a, b in one.headings] == ["Lending", "Fees"]


def test_a_sentence_that_fits_no_chunk_begins_one() -> None:
    short, long = "It is lent by Bob. ", "Then " + "and the next one, " * 150
    for way in (Cutting.HEADING, Cutting.PARAGRAPH, Cutting.FIXED):
        chunks = _cut(short + long, plain(short + long), way)
        assert chunks[0].text == short.strip()
        assert len(chunks) > 2
        assert all(one.text.endswith(",") for one in chunks[1:])


def test_a_line_too_long_is_cut_between_its_sentences() -> None:
    text = _SENTENCE * 200
    for one in _cut(text, plain(text), Cutting.TABLE):
        assert one.text.endswith("return.")


def test_a_heading_is_never_the_last_of_a_chunk_nor_makes_one_too_large() -> None:
    long = " ".join(["heading"] * 90)
    text = "\n\n".join(f"# {long}\n\n{_SENTENCE * 24}" for _ in range(3))
    chunks = _cut(text, outline(text), Cutting.FIXED)
    assert all(one.text.endswith("return.") for one in chunks)


def test_a_target_of_its_own_sets_the_safe_limit_and_the_overlap() -> None:
    limits = Chunking(tokens=200).limits(Limits())
    assert (limits.chunk_safe_tokens, limits.chunk_overlap_tokens) == (170, 17)
    assert Chunking(tokens=512).limits(Limits()) == Limits()


def test_a_quote_stands_where_its_first_character_does() -> None:
    places = [Locator(start=0, end=5, page=1), Locator(start=7, end=9, page=2)]
    assert [_page(places, start, start + 1) for start in (0, 4, 5, 7, 8, 9)] == [
        1,
        1,
        None,
        2,
        2,
        None,
    ]
    assert _page(places, 4, 9) == 1
    assert _page(places, 5, 9) == 2, "the first place that a character of it stands at"


def _page(places: list[Locator], start: int, end: int) -> int | None:
    found = locator_at(places, start, end)
    return found.page if found else None


_WORDS = st.sampled_from(
    [
        *(
            "word ",
            "D-204 ",
            "3.14 ",
            "7 天",
            "借用。",
            "超过七天，",
            "Done. ",
            "Then? ",
            "x" * 90,
        ),
        *("\n", "\n\n", "\t", "***\n", "| a | b |\n", "def f():\n", "    return 1\n", "# Head\n"),
    ]
)


@st.composite
def _structured(draw: st.DrawFn) -> tuple[str, Outline]:
    """A text with headings, blocks and places anywhere, as a loader that is wrong might tell."""
    text = "".join(draw(st.lists(_WORDS, max_size=150)))
    offset = st.integers(0, max(len(text) - 1, 0))
    spans = st.lists(st.tuples(offset, st.integers(0, 60)), max_size=5)
    titles = [Title(a, min(len(text), a + n), 1 + n % 3, "H") for a, n in draw(spans)]
    kind = st.sampled_from(["table", "code", "image"])
    blocks = [Block(a, min(len(text), a + n), draw(kind), "head") for a, n in draw(spans)]
    ends = sorted({a for a, _ in draw(spans)} | {len(text)})
    return text, outlined(text, titles=titles, blocks=blocks, locators=_pages(*ends))


@pytest.mark.parametrize("way", _WAYS, ids=lambda way: f"{way.strategy}{way.merge or ''}")
@given(_structured())
@settings(max_examples=60, deadline=None)
def test_whatever_the_structure_all_is_covered_within_the_budget(
    way: Chunking, given_text: tuple[str, Outline]
) -> None:
    text, structure = given_text
    small = Limits(chunk_target_tokens=40, chunk_safe_tokens=34, chunk_overlap_tokens=3)
    chunks = _cut(text, structure, way, limits=small)
    spans = [*((one.start, one.end) for one in chunks), *structure.barred]
    held = {at for start, end in spans for at in range(start, end)}
    assert not any(char.isalnum() for at, char in enumerate(text) if at not in held)
    assert [one.start for one in chunks] == sorted(one.start for one in chunks)
    assert len({one.id for one in chunks}) == len(chunks)
    for one in chunks:
        assert [place for place in structure.locators if _shares(place, one)] == [*one.locators]


def _shares(place: Locator, one: Chunk) -> bool:
    return max(place.start, one.start) < min(place.end, one.end)
