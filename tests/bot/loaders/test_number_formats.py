"""Cells read as a spreadsheet shows them, and plainly where their format is beyond us."""

from datetime import date, datetime, time, timedelta

import pytest

from bot.loaders.number_formats import displayed, hides


@pytest.mark.parametrize(
    ("value", "number_format", "text"),
    [
        (0.1 + 0.2, "General", "0.3"),
        (5.0, "General", "5"),
        (1e300, "General", "1E+300"),
        (-0.0, "General", "0"),
        (1234567.891, "#,##0.00", "1,234,567.89"),
        (0.125, "0.0%", "12.5%"),
        (0.07, "0%", "7%"),
        (2.345, "0.00", "2.35"),
        (-1234.5, "#,##0.00", "-1,234.50"),
        (-1234.5, "#,##0.00_);(#,##0.00)", "(1,234.50)"),
        (-5, "0;[Red]-0", "-5"),
        (0, '_-* #,##0_-;-* #,##0_-;_-* "-"??_-', "-"),
        (88, '"¥"#,##0', "¥88"),
        (88.5, "[$€-407]#,##0.00", "€88.50"),
        (3, '0" 天"', "3 天"),
        (3, "0天", "3天"),
        (7, "000", "007"),
        (0.5, "#.00", ".50"),
        (12, "0.##", "12"),
        (12345, "0.00E+00", "12345"),
        (0.5, "# ?/?", "0.5"),
        (12, "[>5]0", "12"),
        (5000, "0,", "5000"),
        (True, "General", "TRUE"),
        ("=1+1", "General", "=1+1"),
        ("#REF!", "General", "#REF!"),
        (None, "0", ""),
        (time(9, 5), "h:mm", "09:05:00"),
        (timedelta(hours=30), "[h]:mm:ss", "1 day, 6:00:00"),
    ],
)
def test_a_value_by_its_format(value: object, number_format: str, text: str) -> None:
    assert displayed(value, number_format) == text


@pytest.mark.parametrize(
    ("number_format", "text"),
    [
        ("yyyy-mm-dd", "2026-01-05"),
        ("yyyy/m/d;@", "2026/1/5"),
        ('yyyy"年"m"月"d"日"', "2026年1月5日"),
        ("[$-804]yyyy年m月d日", "2026年1月5日"),
        ("d mmm yy", "5 Jan 26"),
        ("dddd, mmmm d", "Monday, January 5"),
        ("h:mm AM/PM d/m", "2:07 PM 5/1"),
        ("yyyy-mm-dd hh:mm:ss", "2026-01-05 14:07:09"),
        ("mm:ss d", "07:09 5"),
        ("mm-dd-yy", "2026-01-05 14:07:09"),
        ("General", "2026-01-05 14:07:09"),
        ("yyyy q", "2026-01-05 14:07:09"),
    ],
)
def test_a_date_by_its_format(number_format: str, text: str) -> None:
    assert displayed(datetime.fromisoformat("2026-01-05T14:07:09"), number_format) == text


def test_a_day_without_a_time_is_shown_without_one() -> None:
    assert displayed(datetime.fromisoformat("2026-01-05"), "mm-dd-yy") == "2026-01-05"
    assert displayed(date(2026, 1, 5), "General") == "2026-01-05"


@pytest.mark.parametrize(("number_format", "hidden"), [(";;;", True), (";;", True), ("0;;", False)])
def test_a_format_that_shows_nothing(number_format: str, hidden: bool) -> None:
    assert hides(number_format) is hidden
