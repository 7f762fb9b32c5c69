"""Numbers with units mean the same however they are written."""

import pytest

from rag.readers.quantities import Sort, quantities


def read(text: str) -> list[tuple[Sort, str, str]]:
    return [(q.sort, q.value, q.unit) for q in quantities(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("四小时", (Sort.DURATION, "4", "hour")),
        ("4 小时", (Sort.DURATION, "4", "hour")),
        ("four hours", (Sort.DURATION, "4", "hour")),
        ("within ten working days", (Sort.DURATION, "10", "working day")),
        ("二十四小时", (Sort.DURATION, "24", "hour")),
        ("人民币 186,000 元", (Sort.MONEY, "186000", "yuan")),
        ("$3.50", (Sort.MONEY, "3.5", "dollar")),
        ("18.6%", (Sort.PERCENT, "18.6", "%")),
        ("6 个 UTF-8 字节", (Sort.SIZE, "6", "byte")),
        ("6 UTF-8 bytes", (Sort.SIZE, "6", "byte")),
        ("2026 年 1 月 1 日", (Sort.DATE, "2026-1-1", "date")),
        ("1 January 2026", (Sort.DATE, "2026-1-1", "date")),
        ("January 1, 2026", (Sort.DATE, "2026-1-1", "date")),
        ("in 1856", (Sort.DATE, "1856-?-?", "date")),
        ("at 9:30", (Sort.TIME, "9:30", "time")),
        ("50 名成员", (Sort.COUNT, "50", "person")),
    ],
)
def test_a_quantity_is_normalised(text: str, expected: tuple[Sort, str, str]) -> None:
    assert read(text) == [expected]


@pytest.mark.parametrize("text", ["R9", "D-204", "UTF-8", "一般", "第七天", "no numbers", ""])
def test_codes_and_ordinals_are_no_quantities(text: str) -> None:
    assert read(text) == []
