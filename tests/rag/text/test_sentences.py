"""Sentences are cut where a reader would cut them, at offsets that hold."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.text.sentences import Form, sentences


def cut(text: str) -> list[str]:
    return [text[span.start : span.end] for span in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "门禁卡当天补办。旧卡作废！还有问题吗？",
            ["门禁卡当天补办。", "旧卡作废！", "还有问题吗？"],
        ),
        ("He said: “Stop.” Then he left.", ["He said: “Stop.”", "Then he left."]),
        ("他说：“可以。”然后离开。", ["他说：“可以。”", "然后离开。"]),
        (
            "Version 3.2 costs 4.50 euros. Order now.",
            ["Version 3.2 costs 4.50 euros.", "Order now."],
        ),
        ("Ask Dr. Lee or Mrs. Wu. They know.", ["Ask Dr. Lee or Mrs. Wu.", "They know."]),
        ("Bring e.g. a badge, i.e. proof. Thanks.", ["Bring e.g. a badge, i.e. proof.", "Thanks."]),
        ("It began at 9 a.m. on Monday. It ended.", ["It began at 9 a.m. on Monday.", "It ended."]),
        ("J. R. Okafor signed. Nobody else did.", ["J. R. Okafor signed.", "Nobody else did."]),
        ("See docs.example.com for more. Bye.", ["See docs.example.com for more.", "Bye."]),
        ("等等……好。", ["等等……", "好。"]),
        ("(It rains.) We stay.", ["(It rains.)", "We stay."]),
        ("", []),
        ("   \n\n ", []),
        ("---\n***\n", []),
    ],
)
def test_prose_is_cut_at_its_stops(text: str, expected: list[str]) -> None:
    assert cut(text) == expected


def test_a_hard_wrapped_line_runs_on() -> None:
    text = (
        "The visitor badge must be worn visibly at all times on the\npremises of the plant. Thanks."
    )
    assert cut(text)[0].endswith("premises of the plant.")
    assert len(cut(text)) == 2


def test_a_short_heading_like_line_does_not_run_on() -> None:
    assert cut("二、数据保留\n日志保留九十天，到期删除") == [
        "二、数据保留",
        "日志保留九十天，到期删除",
    ]


def test_items_stand_alone_without_their_bullets() -> None:
    text = "Bring:\n- a badge\n* your laptop\n1. the form"
    assert cut(text) == ["Bring:", "a badge", "your laptop", "1. the form"]
    assert [span.form for span in sentences(text)][1:] == [Form.ITEM] * 3


def test_rows_are_whole_and_the_header_is_known() -> None:
    text = "| Tier | Price |\n|---|---|\n| Basic | 3. or 4. |\n"
    assert cut(text) == ["| Tier | Price |", "| Basic | 3. or 4. |"]
    assert [span.header for span in sentences(text)] == [True, False]


def test_code_lines_are_not_cut_at_points() -> None:
    assert cut("Run:\n```\na.b(). c.d()\n```\nDone.") == ["Run:", "a.b(). c.d()", "Done."]


def test_nothing_touches_what_is_kept_apart() -> None:
    text = "# Leave\nTen days a year."
    assert [text[s.start : s.end] for s in sentences(text, apart=[(0, 7)])] == ["Ten days a year."]


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=300))
def test_any_text_is_cut_into_ordered_spans(text: str) -> None:
    at = 0
    for span in sentences(text):
        assert at <= span.start < span.end <= len(text)
        assert text[span.start : span.end].strip() == text[span.start : span.end]
        at = span.end
