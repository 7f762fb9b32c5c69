"""Where a quote stands is told as its original counts: pages, slides, cells; else lines."""

from typing import Any

import pytest

from bot.answer_json import as_json
from handlers.blocks import context
from handlers.blocks.citation import title
from handlers.blocks.scene import numbered
from rag.values import Answer, Locator, Report, Status
from tests.handlers import samples

_TEXT = "Cover.\nLoans end on Friday.\nFees: 3 EUR.\n"
_FEES = _TEXT.index("Fees")


def _report(language: str, **place: Any) -> Report:
    """A quote in the second of two places."""
    item = samples.evidence(samples.pinned("Rules", _TEXT), _TEXT)
    first = Locator(start=0, end=7, page=1)
    second = Locator(start=7, end=len(_TEXT), **place)
    chunk = item.chunk.model_copy(update={"locators": (first, second)})
    item = item.model_copy(update={"chunk": chunk})
    claim = samples.claim("Fees are 3 EUR.", samples.cite(item, "Fees: 3 EUR."))
    answer = Answer(status=Status.ANSWERED, claims=(claim,))
    return samples.report(answer, item, language=language)


@pytest.mark.parametrize(
    ("place", "en", "zh"),
    [
        ({"page": 3}, "page 3", "第 3 页"),
        ({"page": 3, "recognised": True}, "page 3 · recognised text", "第 3 页 · 识别文字"),
        ({"slide": 2}, "slide 2", "第 2 张幻灯片"),
        ({"sheet": "Prices", "cells": "A3:D3"}, "sheet Prices, A3:D3", "工作表 Prices，A3:D3"),
        ({"sheet": "Prices"}, "sheet Prices", "工作表 Prices"),
        ({"row": "id=7"}, "row id=7", "行 id=7"),
        ({"heading_path": ("Rooms", "Fees")}, "under “Rooms › Fees”", "“Rooms › Fees”一节"),
        ({}, "line 3 of its text", "文本第 3 行"),
    ],
)
def test_a_citation_says_where_to_look(place: dict[str, Any], en: str, zh: str) -> None:
    for language, words in (("en", en), ("zh", zh)):
        report = _report(language, **place)
        (cited,) = numbered(report)
        assert title(cited, language=language) == f"[1] Rules · {words}"
        window = context.open_at(report, key=cited.key, text=_TEXT)
        assert words in str(window).replace("\u2060", "")


@pytest.mark.parametrize(
    ("first", "last", "words"),
    [
        ({"row": "A-1"}, {"row": "A-7"}, "rows A-1 to A-7"),
        ({"page": 3}, {"page": 4}, "pages 3–4"),
        ({"heading_path": ("A",)}, {"heading_path": ("B", "C")}, "from “A” to “B › C”"),
        ({"heading_path": ("A",)}, {"heading_path": ("A",)}, "under “A”"),
        (
            {"heading_path": ("Out", "x" * 70, "y" * 30)},
            {},
            f"under “… › {'y' * 30}”",
        ),
        ({"slide": 1}, {"slide": 2}, "slides 1–2"),
        ({"sheet": "A", "cells": "B2:D2"}, {"sheet": "A", "cells": "B5:D5"}, "sheet A, B2:D5"),
        ({"sheet": "A", "cells": "B2"}, {"sheet": "B", "cells": "C9"}, "sheet A, B2"),
    ],
)
def test_a_quote_that_reaches_further_says_how_far(
    first: dict[str, Any], last: dict[str, Any], words: str
) -> None:
    item = samples.evidence(samples.pinned("Rules", _TEXT), _TEXT)
    places = (Locator(start=0, end=_FEES, **first), Locator(start=_FEES, end=len(_TEXT), **last))
    chunk = item.chunk.model_copy(update={"locators": places})
    item = item.model_copy(update={"chunk": chunk})
    quote = "Loans end on Friday.\nFees"
    claim = samples.claim("Both.", samples.cite(item, quote))
    report = samples.report(Answer(status=Status.ANSWERED, claims=(claim,)), item)
    (cited,) = numbered(report)
    assert title(cited, language="en") == f"[1] Rules · {words}"


def test_the_name_of_a_sheet_stays_inert() -> None:
    report = _report("en", sheet="*<!channel>* <http://a.b|x>", cells="A1")
    window = str(context.open_at(report, key=(0, 0), text=_TEXT))
    assert "<!channel>" not in window
    assert "<http" not in window


def test_scripts_read_the_place_of_the_quote_itself() -> None:
    told = as_json(_report("en", sheet="Prices", cells="A3:D3"))
    (cited,) = told["answer"]["claims"][0]["citations"]
    assert cited["page"] is None
    assert cited["locator"] == {
        "page": None,
        "slide": None,
        "sheet": "Prices",
        "cells": "A3:D3",
        "row": "",
        "heading_path": [],
        "recognised": False,
    }
    assert told["evidence"][0]["page"] == 1
    assert as_json(samples.answered())["answer"]["claims"][0]["citations"][0]["locator"] is None
