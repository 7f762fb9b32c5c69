"""Pairs of question and answer, found without a model."""

import time

import pytest

from rag.readers.evidence import Reading, read
from rag.text.chunk.cutting import Text, chunk
from rag.text.chunk.headings import by_headings
from rag.text.chunk.outline import Outline, outline, plain
from rag.text.enrich.leads import led_to
from rag.text.enrich.pairs import pairs_in, set_apart
from rag.values import Chunk, Evidence, Kind, Limits, Source

LABELLED = """\
Help desk

Q: How long may I keep a laptop?
A: Fourteen days. Then it comes back.

**Q2.** Who repairs it?

**A2.** The third floor does.
It takes a day.

Q: Nobody answers this?
"""
CHINESE = """\
问：忘记密码怎么办？
答：拨打 8000，当场重置。
问题二：打印机没有反应找谁？ 答：三楼的值班工程师。
"""
ALONE = """\
About parking

Where do I park?

Behind the house.

What does it cost?

Nothing, for the first two hours. After that, two euros.
"""
HEADED = """\
# Travel

## Who pays for the train?

The department that sends you.

## 如何报销出租车费

凭发票，三十天内。

## Rules

Keep the receipt. Is that hard? No.
"""
TABLED = """\
| No. | Question | Since | Answer |
|---|---|---|---|
| 1 | May I fly? | 2020 | From eight hours \\| or more on. |
| 2 | Is breakfast paid? | 2021 | Up to 9 euros. |
"""


def _found(text: str, structure: Outline) -> dict[str, str]:
    pairs = pairs_in(text, structure)
    return {text[slice(*pair.asked)]: text[pair.start : pair.end] for pair in pairs}


@pytest.mark.parametrize(
    ("text", "structure", "expected"),
    [
        (
            LABELLED,
            plain(LABELLED),
            {
                "How long may I keep a laptop?": "Fourteen days. Then it comes back.",
                "Who repairs it?": "The third floor does.\nIt takes a day.",
            },
        ),
        (
            CHINESE,
            plain(CHINESE),
            {
                "忘记密码怎么办？": "拨打 8000，当场重置。",
                "打印机没有反应找谁？": "三楼的值班工程师。",
            },
        ),
        (
            ALONE,
            plain(ALONE),
            {
                "Where do I park?": "Behind the house.",
                "What does it cost?": ("Nothing, for the first two hours. After that, two euros."),
            },
        ),
        (
            HEADED,
            outline(HEADED),
            {
                "Who pays for the train?": "The department that sends you.",
                "如何报销出租车费": "凭发票，三十天内。",
            },
        ),
        (
            TABLED,
            outline(TABLED),
            {
                "May I fly?": "From eight hours \\| or more on.",
                "Is breakfast paid?": "Up to 9 euros.",
            },
        ),
    ],
    ids=["labels", "chinese", "alone", "headings", "table"],
)
def test_pairs_are_passages_of_the_text(
    text: str, structure: Outline, expected: dict[str, str]
) -> None:
    assert _found(text, structure) == expected


@pytest.mark.parametrize(
    "text",
    [
        "What does this mean? It means nothing at all.\n\nIs one question a list?\n\nNo.\n",
        "A. first\nB. second\n\nQ. 3 results were good.\n",
        "```\nQ: is this code?\nA: it is.\n```\n",
        "",
    ],
    ids=["prose", "letters", "code", "nothing"],
)
def test_what_is_no_list_of_questions_gives_no_pair(text: str) -> None:
    assert _found(text, outline(text)) == {}


def test_a_long_line_is_looked_at_in_linear_time() -> None:
    text = "Q" + " *" * 400_000 + "?\n" + "Q: why?\nA: so.\n" * 4_000 + " " * 400_000
    began = time.monotonic()
    assert len(pairs_in(text, plain(text))) == 4_000
    assert time.monotonic() - began < 20


def _cut(text: str, structure: Outline, *, safe: int = 40) -> tuple[Chunk, ...]:
    pairs = pairs_in(text, structure)
    cut = chunk(
        Text(source_id="faq", snapshot="a" * 64, title="FAQ", text=text),
        structure=set_apart(structure, pairs),
        strategy=by_headings,
        count_tokens=lambda words: len(words.split()),
        limits=Limits(chunk_target_tokens=64, chunk_safe_tokens=safe, chunk_overlap_tokens=4),
    )
    return led_to(cut, pairs, text)


def test_a_question_leads_to_each_chunk_that_holds_only_its_answer() -> None:
    answer = " ".join(f"Step {number} is taken by the counter." for number in range(20))
    text = f"Q: How is a lost badge replaced?\nA: {answer}\n\nQ: Who asks?\nA: Nobody does.\n"
    chunks = _cut(text, plain(text))
    assert len(chunks) > 2
    assert chunks[0].leads == ()
    assert {piece.leads for piece in chunks[1:-1]} == {("How is a lost badge replaced?",)}
    assert "badge" in chunks[1].searched_above
    assert "badge" not in chunks[1].above
    for piece in chunks:
        assert piece.text == text[piece.start : piece.end]


def _read(chunks: tuple[Chunk, ...]) -> Reading:
    source = Source(id="faq", tenant="t", title="FAQ", kind=Kind.DOCUMENT, ref="faq.txt")
    return read([Evidence(chunk=piece, source=source.pinned_at("a" * 64)) for piece in chunks])


def test_a_question_is_no_sentence_and_the_first_of_its_answer_knows_it() -> None:
    found = _read(_cut(CHINESE + LABELLED, plain(CHINESE + LABELLED), safe=400)).sentences
    texts = [sentence.text for sentence in found]
    assert "Fourteen days." in texts
    labelled = [text for text in texts if text.startswith(("Q", "A:", "问", "答"))]
    assert labelled == ["Q: Nobody answers this?"]  # which leads to nothing
    told = {sentence.text: "laptop" in sentence.asked for sentence in found}
    assert told["Fourteen days."]
    assert not told["Then it comes back."]
