"""Chunks cover a text, fit the budget, and are cut where a reader would cut."""

import re
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rag.errors import LimitExceeded
from rag.text.chunk.cutting import Strategy, Text, chunk
from rag.text.chunk.headings import by_headings
from rag.text.chunk.outline import outline, plain
from rag.text.chunk.paragraphs import by_paragraphs
from rag.values import Chunk, Limits

_TOKEN = re.compile(r"[A-Za-z]{1,4}|\d{1,3}|\s+|.", re.DOTALL)
_LIMITS = Limits()
_SMALL = Limits(chunk_target_tokens=40, chunk_safe_tokens=32, chunk_overlap_tokens=8)
_SENTENCE = "The lender notes the day of return. "
_SATZ = "借用人须登记归还日期。"


def count(text: str) -> int:
    """Tokens much as a real vocabulary counts them: four letters, three digits, one Han each."""
    return len(_TOKEN.findall(text))


def cut(text: str, strategy: Strategy = by_headings, limits: Limits = _LIMITS) -> tuple[Chunk, ...]:
    """The chunks of a text, each checked against it."""
    of = Text(source_id="handbook", snapshot="5" * 64, title="Handbook", text=text)
    structure = (outline if strategy is by_headings else plain)(text)
    chunks = chunk(of, structure=structure, strategy=strategy, count_tokens=count, limits=limits)
    for number, one in enumerate(chunks):
        assert one.text == text[one.start : one.end]
        assert one.ordinal == number
        assert one.lines == (
            text.count("\n", 0, one.start) + 1,
            text.count("\n", 0, one.end - 1) + 1,
        )
        assert count(one.text) <= limits.chunk_target_tokens
    return chunks


def _first(of: Text) -> Chunk:
    structure = outline(of.text)
    return chunk(of, structure=structure, strategy=by_headings, count_tokens=count, limits=_LIMITS)[
        0
    ]


def _uncovered(text: str, chunks: tuple[Chunk, ...]) -> str:
    """The characters no chunk holds."""
    held = {at for one in chunks for at in range(one.start, one.end)}
    return "".join(char for at, char in enumerate(text) if at not in held)


def _barred(chunks: tuple[Chunk, ...], text: str) -> list[str]:
    spans = sorted({span for one in chunks for span in one.headings})
    return [text[a:b].strip() for a, b in spans]


def test_each_section_is_a_chunk_of_its_own_that_names_its_headings() -> None:
    long = _SENTENCE * 12
    text = f"Before.\n\n# Lending\n\n{long}\n\n## Laptops\n\n{long}\n\n# Returns\n\n{long}\n"
    chunks = cut(text)
    assert [one.heading_path for one in chunks] == [
        (),
        ("Lending",),
        ("Lending", "Laptops"),
        ("Returns",),
    ]
    assert _barred(chunks, text) == ["# Lending", "## Laptops", "# Returns"]


@pytest.mark.parametrize(
    ("text", "headings"),
    [
        ("# One\nbody\n", ["# One"]),
        ("One\n===\nbody\n", ["One\n==="]),
        ("Two\nlines\n---\nbody\n", ["Two\nlines\n---"]),
        ("---\ntitle: x\n---\nbody\n", ["---\ntitle: x\n---"]),
        ("body\n\n---\ntitle: x\n---\nmore\n", ["title: x\n---"]),
        ("```\n# comment\n```\nbody\n", []),
        ("~~~sh\n# comment\n~~~\nbody\n", []),
        ("body\n\n    # indented code\n", []),
        ("#no-space body\n", []),
        ("> # Quoted\n>\n> body\n", ["> # Quoted"]),
        ("- # Listed\n\n  body\n", ["- # Listed"]),
        ("body\rmore\n# One\nbody\n", ["# One"]),
        ("# 一、总则 #\n正文。\n", ["# 一、总则 #"]),
    ],
)
def test_headings_and_front_matter_are_barred_and_nothing_else(
    text: str, headings: list[str]
) -> None:
    assert _barred(cut(text), text) == headings


def test_plain_text_has_no_headings() -> None:
    chunks = cut("# not a heading\n\nbody", by_paragraphs)
    assert (chunks[0].headings, chunks[0].heading_path) == ((), ())
    assert chunks[0].text == "# not a heading\n\nbody"


@pytest.mark.parametrize("text", ["", " ", "\n\n\n", "\t\n \u3000\n"])
@pytest.mark.parametrize("strategy", [by_headings, by_paragraphs])
def test_nothing_to_read_makes_no_chunk(text: str, strategy: Strategy) -> None:
    assert cut(text, strategy) == ()


def test_headings_alone_make_no_chunk() -> None:
    assert cut("---\ntitle: x\n---\n\n# One\n\n## Two\n") == ()


@pytest.mark.parametrize(
    ("block", "kind"),
    [
        ("| day | who |\n|---|---|\n" + "| 7 | the owner of it |\n" * 20, "table"),
        ("```\n" + "total = total + 1. Done. \n" * 20 + "```\n", "code"),
    ],
)
def test_a_table_or_code_that_fits_stays_whole(block: str, kind: str) -> None:
    text = _SENTENCE * 30 + "\n\n" + block + "\n" + _SENTENCE * 30
    holding = [one for one in cut(text) if block.strip() in one.text]
    assert holding
    assert holding[0].content_type == kind


def test_code_inside_a_list_stays_whole() -> None:
    block = "  ```\n" + "  run it. Then stop. \n" * 20 + "  ```\n"
    text = "- " + _SENTENCE * 30 + "\n\n" + block + "\n" + _SENTENCE * 30
    assert any(block.strip() in one.text for one in cut(text))


def test_a_table_too_long_is_cut_between_its_rows() -> None:
    rows = [f"| row {number} | the owner of number {number} |" for number in range(200)]
    chunks = cut("| a | b |\n|---|---|\n" + "\n".join(rows) + "\n")
    assert len(chunks) > 3
    assert all(any(row in one.text for one in chunks) for row in rows)


@pytest.mark.parametrize("sentence", [_SENTENCE, _SATZ])
def test_chunks_begin_and_end_with_sentences_and_overlap_by_whole_ones(sentence: str) -> None:
    text = (sentence * 200).strip()
    chunks = cut(text)
    starts = {found.start() for found in re.finditer(re.escape(sentence.strip()), text)}
    ends = {at + len(sentence.strip()) for at in starts}
    assert len(chunks) > 3
    assert {one.start for one in chunks} <= starts
    assert {one.end for one in chunks} <= ends
    for before, after in pairwise(chunks):
        shared = text[after.start : before.end]
        assert 0 < count(shared) <= _LIMITS.chunk_overlap_tokens
        assert shared.startswith(sentence.strip())


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("条款甲乙丙丁戊己，" * 300, r"，"),
        ("clause one two three, " * 300, r","),
        ("unbroken words with no mark at all " * 200, r"\w(?= )"),
        ("金额 1,234,567.89 元与" * 300, r"[元与额]"),
        ("合计12,345.67" * 300, r"[合计7](?=[合计1])"),
    ],
)
def test_a_sentence_too_long_is_cut_where_no_word_or_number_is_parted(
    text: str, allowed: str
) -> None:
    chunks = cut(text)
    assert len(chunks) > 2
    for one in chunks[:-1]:
        found = [match.end() for match in re.finditer(allowed, text[: one.end + 1])]
        assert one.end in found, text[one.end - 10 : one.end + 10]


def test_an_endless_line_is_cut_within_the_budget() -> None:
    text = "a" * 50_000
    chunks = cut(text)
    assert _uncovered(text, chunks) == ""


def test_a_bullet_stays_with_its_item() -> None:
    text = "".join(f"- item {number} is lent for {number} days\n" for number in range(300))
    for one in cut(text)[1:]:
        assert one.text.startswith("- item")


def test_lines_are_counted_from_one_through_blank_ones() -> None:
    text = "\n\nfirst\n\n# Heading\n\nsecond\nthird"
    assert [one.lines for one in cut(text, by_paragraphs)] == [(3, 8)]


def test_ids_are_stable_and_tell_sources_versions_and_places_apart() -> None:
    text = _SENTENCE * 100
    ids = [one.id for one in cut(text)]
    assert ids == [one.id for one in cut(text)]
    assert len(set(ids)) == len(ids)
    base = Text(source_id="a", snapshot="1", title="A", text="body")
    variants = [
        base,
        base.model_copy(update={"source_id": "b"}),
        base.model_copy(update={"snapshot": "2"}),
    ]
    made = [_first(of).id for of in variants]
    assert len(set(made)) == 3
    renamed = base.model_copy(update={"title": "B"})
    assert _first(renamed).id == made[0]


def test_too_many_chunks_name_the_limit() -> None:
    with pytest.raises(LimitExceeded) as caught:
        cut(_SENTENCE * 200, limits=Limits(document_chunks=2))
    assert caught.value.limit == "document_chunks"


_PARTS = st.sampled_from(
    [
        *("# Head\n", "## 二级\n", "Set\n===\n", "---\n", "```\n", "| a | b |\n", "|---|---|\n"),
        *("- item\n", "> quoted\n", "1. one\n", "\n", "\n\n", " ", "\r", "\t", "word ", "D-204 "),
        *("3.14", "借用", "。", "，", "😀", "e\u0301", "\u200d", "\x00", "longword" * 12),
        *("<!-- c -->", "    code\n", "7 天"),
    ]
)
_TEXTS = st.one_of(st.text(max_size=300), st.lists(_PARTS, max_size=120).map("".join))


@given(_TEXTS)
@settings(max_examples=400, deadline=None)
@example("#\r# x\n")
@pytest.mark.parametrize("strategy", [by_headings, by_paragraphs])
def test_any_text_is_covered_within_the_budget(strategy: Strategy, text: str) -> None:
    chunks = cut(text, strategy, _SMALL)
    barred = {
        at
        for a, b in (outline if strategy is by_headings else plain)(text).barred
        for at in range(a, b)
    }
    held = {at for one in chunks for at in range(one.start, one.end)}
    missing = "".join(text[at] for at in range(len(text)) if at not in held | barred)
    left = re.sub(r"<!--.*?-->", "", missing, flags=re.DOTALL)
    assert not any(character.isalnum() for character in left), "only marks may belong to no chunk"
    assert len({one.id for one in chunks}) == len(chunks)
