"""A workbook is what a person sees of it: values with their cells, and nothing that is hidden."""

import io
import re
import zipfile
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from openpyxl import Workbook
from openpyxl.comments import Comment
from openpyxl.styles import Font, PatternFill

from bot.loaders.files import FileUnreadable
from bot.loaders.loaded import Caution, Loaded
from bot.loaders.xlsx import load
from rag.errors import LimitExceeded
from rag.values import Limits

_LIMITS = Limits()


def _saved(book: Workbook) -> bytes:
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def _book(*rows: list[Any]) -> tuple[Workbook, Any]:
    book = Workbook()
    sheet: Any = book.active
    sheet.title = "借用"
    for row in rows:
        sheet.append(row)
    return book, sheet


def _loaded(book: Workbook) -> Loaded:
    return load(_saved(book), limits=_LIMITS)


def _changed(data: bytes, name: str, change: Callable[[str], str]) -> bytes:
    """The workbook with one of its parts rewritten."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(file, "w") as new:
        for part in old.namelist():
            content = old.read(part)
            new.writestr(part, change(content.decode()) if part == name else content)
    return file.getvalue()


def test_rows_are_lines_that_know_their_cells() -> None:
    book, sheet = _book(["设备", "天数", "押金"], ["投影仪", 7, 0.5], ["相机", None, 1200])
    sheet["C2"].number_format = "0%"
    sheet["C3"].number_format = '"¥"#,##0.00'
    loaded = _loaded(book)
    assert loaded.text == "借用\n\n设备 | 天数 | 押金\n投影仪 | 7 | 50%\n相机 |  | ¥1,200.00\n"
    heading = loaded.headings[0]
    assert (loaded.text[heading.start : heading.end], heading.level) == ("借用", 1)
    assert [(place.sheet, place.cells) for place in loaded.locators] == [
        ("借用", "A1:C1"),
        ("借用", "A2:C2"),
        ("借用", "A3:C3"),
    ]
    place = loaded.locators[1]
    assert loaded.text[place.start : place.end] == "投影仪 | 7 | 50%"
    table = loaded.parts[0]
    assert (table.kind, table.header) == ("table", "设备 | 天数 | 押金")
    assert loaded.text[table.start : table.end].startswith("设备")


def test_dates_truth_values_and_errors_are_shown_as_a_person_sees_them() -> None:
    book, sheet = _book(["day", True, "#REF!"], [datetime.fromisoformat("2026-01-05"), False, "x"])
    sheet["A2"].number_format = 'yyyy"年"m"月"d"日"'
    sheet["C1"].data_type = "e"
    assert "day | TRUE | #REF!\n2026年1月5日 | FALSE | x\n" in _loaded(book).text


def test_hidden_sheets_rows_columns_and_cells_are_left_out() -> None:
    book, sheet = _book(["shown", "secret-column", "b"], ["secret-row"], ["c"])
    sheet.column_dimensions["B"].hidden = True
    sheet.row_dimensions[2].hidden = True
    sheet["D1"], sheet["D3"], sheet["E3"] = "secret-format", "secret-tiny", "secret-white"
    sheet["D1"].number_format = ";;;"
    sheet["D3"].font = Font(size=1)
    sheet["E3"].font = Font(color="FFFFFF")
    for state in ("hidden", "veryHidden"):
        other: Any = book.create_sheet(state)
        other.append([f"secret-{state}"])
        other.sheet_state = state
    loaded = _loaded(book)
    assert loaded.text == "借用\n\nshown | b\n\nc\n"
    assert loaded.locators[0].cells == "A1:C1"
    assert loaded.cautions == (Caution.HIDDEN_LEFT_OUT,)


def test_rows_and_columns_of_no_size_are_hidden_too() -> None:
    book, _ = _book(["a", "secret"], ["secret"], ["b"])
    narrow = '<cols><col min="2" max="2" width="0" customWidth="1"/></cols><sheetData>'
    data = _changed(
        _saved(book),
        "xl/worksheets/sheet1.xml",
        lambda xml: xml.replace('<row r="2"', '<row ht="0" r="2"').replace("<sheetData>", narrow),
    )
    assert load(data, limits=_LIMITS).text == "借用\n\na\n\nb\n"


def test_white_on_a_coloured_cell_is_seen() -> None:
    book, sheet = _book(["head", "er"], ["x", "y"])
    for cell in sheet[1]:
        cell.font = Font(color="FFFFFF")
        cell.fill = PatternFill("solid", fgColor="1F4E78")
    loaded = _loaded(book)
    assert "head | er" in loaded.text
    assert not loaded.cautions


def test_a_formula_never_shows_and_a_missing_result_is_said() -> None:
    book, _ = _book(["a", "=1+1"], ["=cmd|'/c calc'!A0", 2])
    loaded = _loaded(book)
    assert loaded.text == "借用\n\na\n | 2\n"
    assert loaded.cautions == (Caution.VALUES_MISSING,)


def test_a_saved_result_is_what_is_read() -> None:
    book, _ = _book(["sum", "=1+1"])
    data = _changed(
        _saved(book),
        "xl/worksheets/sheet1.xml",
        lambda xml: re.sub("<v ?/>|<v></v>", "<v>2</v>", xml),
    )
    loaded = load(data, limits=_LIMITS)
    assert "sum | 2\n" in loaded.text
    assert not loaded.cautions


def test_comments_are_left_out_and_said_so() -> None:
    book, sheet = _book(["a", "b"])
    sheet["A1"].comment = Comment("secret", "somebody")
    loaded = _loaded(book)
    assert "secret" not in loaded.text
    assert loaded.cautions == (Caution.COMMENTS_LEFT_OUT,)


def test_merged_cells_are_read_once() -> None:
    book, sheet = _book(["标题"], ["a", "b"], ["c", "d"])
    sheet.merge_cells("A1:B1")
    loaded = _loaded(book)
    assert loaded.text == "借用\n\n标题\na | b\nc | d\n"
    assert loaded.parts[0].header == "a | b"


def test_what_stands_over_a_table_is_its_heading_and_what_says_something_is_not() -> None:
    book, sheet = _book(["2026 年价目表"], [], ["价格均不含税。"], ["型号", "单价"], ["X1", 3299])
    for row in ([], ["a", "b"], ["c", "d"], ["联系人：周宁"]):
        sheet.append(row)
    loaded = _loaded(book)
    headings = [(loaded.text[one.start : one.end], one.level) for one in loaded.headings]
    assert headings == [("借用", 1), ("2026 年价目表", 2), ("", 2)]
    first, second = loaded.parts
    title, end = loaded.headings[1].start, loaded.headings[2].start
    assert title < first.start < end <= second.start  # the second table stands under no title
    assert loaded.locators[0].cells == "A1"


@pytest.mark.parametrize("size", ["A1", "A1:XFD1048576"])
def test_a_sheet_that_lies_about_its_size_is_read_as_far_as_it_goes(size: str) -> None:
    book, _ = _book(["a", "b"], ["c", "d"])
    data = _changed(
        _saved(book),
        "xl/worksheets/sheet1.xml",
        lambda xml: re.sub('<dimension ref="[^"]*"', f'<dimension ref="{size}"', xml),
    )
    assert load(data, limits=_LIMITS).text == "借用\n\na | b\nc | d\n"


def test_a_far_cell_costs_no_more_than_itself() -> None:
    book, sheet = _book(["near", "by"])
    sheet["XFD90000"] = "far"
    loaded = _loaded(book)
    assert loaded.text == "借用\n\nnear | by\n\n |  | far\n"
    assert loaded.locators[-1].cells == "XFD90000"


def test_what_is_damaged_protected_or_too_long_is_refused() -> None:
    data = _saved(_book(["a", "b" * 100])[0])
    with pytest.raises(FileUnreadable, match="damaged"):
        load(data[: len(data) // 2], limits=_LIMITS)
    with pytest.raises(FileUnreadable, match="damaged"):
        load(_changed(data, "xl/worksheets/sheet1.xml", lambda xml: xml[:-40]), limits=_LIMITS)
    with pytest.raises(FileUnreadable, match="password"):
        load(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 600, limits=_LIMITS)
    with pytest.raises(LimitExceeded):
        load(data, limits=Limits(document_characters=50))
