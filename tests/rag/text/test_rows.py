"""Rows and cells are told apart as the loaders write them, and nothing is where it cannot be."""

import pytest

from rag.text.rows import cells, in_rows, is_blank
from rag.text.sentences import Form


@pytest.mark.parametrize(
    ("row", "header", "expected"),
    [
        ("Team | 100 | 12", "Plan | Storage | Price", ("Team", "100", "12")),
        ("Team |  | 12", "Plan | Storage | Price", ("Team", "", "12")),
        ("| 100 | 12", "Plan | Storage | Price", ("", "100", "12")),  # the first cell is empty
        ("| 100 |", "Plan | Storage | Price", ("", "100", "")),
        ("Team", "Plan | Storage | Price", ("Team", "", "")),
        ("| **Team** | `a_b` |", "| Plan | Key |", ("Team", "a_b")),
        (r"| a \| b | c |", "| x | y |", ("a | b", "c")),
        ("a\tb", "x\ty", ("a", "b")),
        ("a\tb", "x\ty\tz", ()),  # which of the three is empty is not known
        ("a | b | c", "x | y", ()),
        ("a | b", "", ("a", "b")),
    ],
)
def test_cells_stand_below_their_headers(row: str, header: str, expected: tuple[str, ...]) -> None:
    assert cells(row, header=header) == expected


def test_what_stands_for_nothing_is_blank() -> None:
    assert all(map(is_blank, ("", "-", "—", "n/a", "N/A", "…")))
    assert not any(map(is_blank, ("0", "No", "TBD", "不支持")))


def test_each_row_stands_alone_and_the_first_names_the_columns() -> None:
    text = "Plan | GB\nFor firms\nTeam | 100\nFree | 5\nAll prices are without tax."
    spans = in_rows(text, apart=(), headed=False, table=True)
    assert [(text[s.start : s.end], s.header) for s in spans if s.form is Form.ROW] == [
        ("Plan | GB", True),
        ("Team | 100", False),
        ("Free | 5", False),
    ]
    assert text[spans[-1].start : spans[-1].end] == "All prices are without tax."


def test_rows_whose_header_stands_elsewhere_have_none_of_their_own() -> None:
    text = "Team | large\nFree | small"
    assert not any(span.header for span in in_rows(text, apart=(), headed=True, table=True))
    numbers = "1 | large\n2 | small"
    assert not any(span.header for span in in_rows(numbers, apart=(), headed=False, table=True))
