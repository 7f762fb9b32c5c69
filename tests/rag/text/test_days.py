"""The day that a question names, where it is still to come."""

from datetime import date

import pytest

from rag.text.days import day_meant, without_day

TODAY = date(2026, 11, 30)  # a Monday


@pytest.mark.parametrize(
    ("question", "day"),
    [
        ("What is the limit next month?", date(2026, 12, 31)),
        ("下个月的上限是多少？", date(2026, 12, 31)),
        ("下月起呢？", date(2026, 12, 31)),
        ("What holds next week?", date(2026, 12, 13)),
        ("下周的规定是什么？", date(2026, 12, 13)),
        ("What holds next quarter?", date(2027, 3, 31)),
        ("明年的年假有几天？", date(2027, 12, 31)),
        ("What holds tomorrow?", date(2026, 12, 1)),
        ("What is the limit from 2027-01-01?", date(2027, 1, 1)),
        ("What is the limit on 2 January 2027?", date(2027, 1, 2)),
        ("What is the limit as of January 2, 2027?", date(2027, 1, 2)),
        ("What is the limit in January?", date(2027, 1, 31)),
        ("What is the limit in February 2028?", date(2028, 2, 29)),
        ("2027年1月2日起的上限是多少？", date(2027, 1, 2)),
        ("2027年2月的上限是多少？", date(2027, 2, 28)),
    ],
)
def test_a_day_to_come_is_meant(question: str, day: date) -> None:
    assert day_meant(question, TODAY) == day


@pytest.mark.parametrize(
    "question",
    [
        "What is the limit?",
        "上限是多少？",
        "What was the limit in November 2025?",
        "What is the limit on 2026-02-30?",
        "What was agreed on 2026-11-30?",
        "What was the limit in October?",
        "What is the limit in November?",
        "What may I do?",
        "2027年2月30日起呢？",
    ],
)
def test_no_other_day_is(question: str) -> None:
    assert day_meant(question, TODAY) is None


def test_no_text_has_to_hold_the_words_of_the_day() -> None:
    assert without_day("What is the limit on 2027-01-01?", TODAY) == "What is the limit?"
    assert without_day("下个月的上限是多少？", TODAY) == "的上限是多少？"
    assert without_day("What is the limit?", TODAY) == "What is the limit?"


def test_a_month_that_has_begun_is_this_one() -> None:
    assert day_meant("Who pays in December?", date(2026, 12, 1)) == date(2026, 12, 31)
    assert day_meant("Who pays in May?", date(2026, 12, 1)) == date(2027, 5, 31)
