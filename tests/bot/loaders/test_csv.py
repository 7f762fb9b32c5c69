"""Delimited text becomes lines with their cells' places, whoever wrote it."""

import pytest

from bot.loaders.csv import load
from bot.loaders.files import FileUnreadable
from bot.loaders.loaded import Caution
from rag.errors import LimitExceeded
from rag.values import Limits

_LIMITS = Limits()


@pytest.mark.parametrize(
    "text",
    [
        "设备,天数\n投影仪,7\n",
        "设备;天数\r\n投影仪;7\r\n",
        "设备\t天数\r投影仪\t7\r",
        'sep=|\n设备|天数\n"投影仪"|7\n',
        '"设备","天数"\n" 投影仪\n",7',
    ],
)
def test_each_record_is_a_line_and_knows_its_cells(text: str) -> None:
    loaded = load(text.encode(), limits=_LIMITS)
    assert loaded.text == "设备 | 天数\n投影仪 | 7\n"
    assert [place.cells for place in loaded.locators] == ["A1:B1", "A2:B2"]
    assert [loaded.text[one.start : one.end] for one in loaded.locators] == [
        "设备 | 天数",
        "投影仪 | 7",
    ]
    assert [(part.kind, part.header) for part in loaded.parts] == [("table", "设备 | 天数")]


def test_a_decimal_comma_and_a_comma_in_words_do_not_cut() -> None:
    loaded = load(b"Year;Sum\n2023;143,1\n2024;-8,3\n", limits=_LIMITS)
    assert loaded.text == "Year | Sum\n2023 | 143,1\n2024 | -8,3\n"
    quoted = load('规则,说明\nR1,"先登记，后领取, 再归还"\n'.encode(), limits=_LIMITS)
    assert "R1 | 先登记，后领取, 再归还\n" in quoted.text


def test_a_title_stands_before_its_table_and_an_empty_record_parts_two() -> None:
    loaded = load(b"Stanley Cups,,\nTeam,Won\nBlues,1\n\nRule,Days\nB,7\n", limits=_LIMITS)
    assert [part.header for part in loaded.parts] == ["Team | Won", "Rule | Days"]
    assert loaded.text.startswith("Stanley Cups\n")
    assert loaded.locators[0].cells == "A1"
    assert loaded.locators[-1].cells == "A6:B6"


def test_records_of_numbers_alone_have_no_header() -> None:
    assert load(b"1,2\n3,4\n", limits=_LIMITS).parts[0].header == ""
    assert load(b"Sum,2024,2025\nA,1,2\n", limits=_LIMITS).parts[0].header == "Sum | 2024 | 2025"


def test_an_empty_cell_keeps_its_place() -> None:
    assert load(b"a,b,c\n1,,3\n,,4\n", limits=_LIMITS).text == "a | b | c\n1 |  | 3\n |  | 4\n"


def test_a_formula_is_the_text_it_is_and_a_guess_is_said() -> None:
    loaded = load('名称,公式\n合计金额,"=1+1"\n说明与规定,@x\n'.encode("gb18030"), limits=_LIMITS)
    assert "合计金额 | =1+1" in loaded.text
    assert loaded.cautions == (Caution.ENCODING_GUESSED,)


def test_what_is_no_text_or_too_long_is_refused() -> None:
    with pytest.raises(FileUnreadable):
        load(b"a,\x00\n", limits=_LIMITS)
    with pytest.raises(FileUnreadable, match="records"):
        load(b'"' + b"a" * 1_000_001, limits=_LIMITS)
    with pytest.raises(LimitExceeded):
        load(b"a,b\n" * 10, limits=Limits(document_characters=20))


def test_nothing_is_nothing() -> None:
    assert load(b"", limits=_LIMITS).text == ""
