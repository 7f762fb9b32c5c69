"""Questions on spreadsheets and other tables: the row and the value, or an honest refusal.

Each format is made with its usual library and read as it ships. `tests.bench.tables` asks
many more.
"""

from pathlib import Path

from tests.bench.tabled.questions import CHINESE, ENGLISH
from tests.bench.tables import desk, told, verdict

_ASKED = (
    "What is the storage limit of the Team plan?",
    "What is the address of the London office?",  # there are two
    "How long is the resolution target for P2?",
    "When was version 3.1 released?",
    "What is the storage limit of the Business plan?",  # no such row
    "What is the upload limit of the Team plan?",  # no such column
    "What is the price of the Team plan in euros?",  # another unit
    "What is the storage limit?",  # of which plan
    "工作满 25 年的病假天数是多少？",
    "专业版的年费是多少？",  # a monthly fee alone
)
_FILES = ("plans.xlsx", "offices.csv", "sla.html", "releases.md", "年假.docx", "套餐.md")


async def test_a_row_and_its_value_are_told_or_nothing_is(tmp_path: Path) -> None:
    by_text = {asked.question: asked for asked in (*ENGLISH, *CHINESE)}
    found = {}
    async with desk(tmp_path, _FILES) as ports:
        for number, question in enumerate(_ASKED):
            report = await told(question, ports, number)
            found[question] = verdict(by_text[question], report)
            for claim in report.answer.claims:
                row, header = claim.citations  # what names the columns is cited with it
                assert header.start < row.start
    honest = {q: "right" if by_text[q].rows else "refused right" for q in _ASKED}
    assert found == honest
