"""A Word document's lists have the numbers and bullets that Word shows."""

import pytest

from bot.loaders.docx import load
from rag.values import Limits
from tests.bot.loaders.office import para, run, word_of


def _text(body: str, **parts: str) -> str:
    return load(word_of(body, **parts), limits=Limits()).text


def _list(levels: str, *numbers: str) -> str:
    """The XML of one list definition, and of lists 1, 2 … that go by it."""
    made = (
        f'<w:num w:numId="{at}"><w:abstractNumId w:val="9"/>{extra}</w:num>'
        for at, extra in enumerate(numbers or ("",), 1)
    )
    return f'<w:abstractNum w:abstractNumId="9">{levels}</w:abstractNum>{"".join(made)}'


def _level(at: int, style: str, text: str, more: str = "") -> str:
    return (
        f'<w:lvl w:ilvl="{at}"><w:start w:val="1"/><w:numFmt w:val="{style}"/>{more}'
        f'<w:lvlText w:val="{text}"/></w:lvl>'
    )


def _item(text: str, at: int = 0, number: int = 1) -> str:
    properties = f'<w:numPr><w:ilvl w:val="{at}"/><w:numId w:val="{number}"/></w:numPr>'
    return para(run(text), properties=properties)


def test_lists_are_numbered_as_word_numbers_them() -> None:
    levels = _level(0, "decimal", "%1.") + _level(1, "lowerLetter", "%1.%2)")
    again = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride>'
    body = (
        _item("one") + _item("two") + _item("in", 1) + _item("in", 1) + _item("three")
        + _item("in", 1) + _item("on", number=2) + _item("new", number=3) + _item("on", number=3)
    )  # fmt: skip
    text = _text(body, numbering=_list(levels, "", "", again))
    labels = [line.split(" ")[0] for line in text.split("\n")]
    assert labels == ["1.", "2.", "2.a)", "2.b)", "3.", "3.a)", "4.", "1.", "2."]


@pytest.mark.parametrize(
    ("levels", "line"),
    [
        (_level(0, "bullet", "\uf0b7"), "• item"),
        (_level(0, "chineseCountingThousand", "第%1条", '<w:suff w:val="nothing"/>'), "第一条item"),
        (_level(0, "upperRoman", "%1"), "I item"),
        (_level(0, "aiueo", "%1"), "item"),
        (_level(0, "none", ""), "item"),
    ],
)
def test_a_label_is_right_or_absent(levels: str, line: str) -> None:
    assert _text(_item("item"), numbering=_list(levels)) == line


def test_a_number_that_nothing_has_counted_is_not_invented() -> None:
    levels = _level(0, "decimal", "%1") + _level(1, "decimal", "%1.%2")
    assert _text(_item("item", 1), numbering=_list(levels)) == "item"
