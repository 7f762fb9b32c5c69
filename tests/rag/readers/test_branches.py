"""A question that leaves a condition open is answered for every condition."""

import pytest

from tests.rag.readers.material import answered, piece, quotes

PLANS = """# Plans

The Basic plan includes 5 seats and recordings are kept for 20 days.
The Premium plan includes 80 seats and recordings are kept for 400 days.
Every plan starts with a trial of 14 days.
"""
TARIFFS = """# 资费

普通用户每月可以导出 3 次报表，超出之后按次收费。
高级用户每月可以导出 60 次报表，管理员可以调低。
报表每天凌晨生成一次。
"""


@pytest.mark.parametrize(
    ("text", "question", "values"),
    [
        (PLANS, "How many seats are included?", ("5 seats", "80 seats")),
        (PLANS, "How long are recordings kept?", ("20 days", "400 days")),
        (TARIFFS, "每月可以导出多少次报表？", ("3 次", "60 次")),
    ],
)
async def test_every_condition_is_quoted(text: str, question: str, values: tuple[str, str]) -> None:
    told = quotes(await answered(question, piece(text)))
    assert all(value in told for value in values)


@pytest.mark.parametrize(
    ("text", "question", "value", "other"),
    [
        (PLANS, "How many seats does the Premium plan include?", "80 seats", "5 seats"),
        (TARIFFS, "高级用户每月可以导出多少次报表？", "60 次", "3 次"),
    ],
)
async def test_a_condition_that_is_named_has_its_own_answer_alone(
    text: str, question: str, value: str, other: str
) -> None:
    told = quotes(await answered(question, piece(text)))
    assert value in told
    assert other not in told


async def test_one_value_under_two_names_of_the_same_thing_is_no_branch() -> None:
    text = "The yard opens at 6:30 in the morning.\nThe gate stays open for 12 hours.\n"
    told = quotes(await answered("How long does the gate stay open?", piece(text)))
    assert "12 hours" in told
    assert "6:30" not in told
