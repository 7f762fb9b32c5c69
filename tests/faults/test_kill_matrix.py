"""A handful of rows of the kill matrix; `script/bench faults` runs them all."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.faults.acts import Seen, counted
from tests.faults.diary import Diary, Entry, repeated
from tests.faults.keeping import warm_up
from tests.faults.lane import SOCKET, SQLITE, Lane, lane
from tests.faults.matrix import run
from tests.faults.plan import Plan
from tests.faults.rows import ROWS

CHOSEN = (
    ("S1 insert", "inside", 1),
    ("S2 acknowledge", "inside", 1),
    ("placeholder post", "inside", 2),
    ("S6 select", "inside the reader's call", 1),
    ("S8 answer", "after", 2),
    ("final update", "inside", 1),
    ("S7 reply inserted", "after", 1),
    ("delete", "before", 1),
)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def bot(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Lane]:
    warm_up()
    async with lane(tmp_path_factory.mktemp("lane"), mode=SOCKET, engine=SQLITE) as opened:
        yield opened


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(("stage", "where", "times"), CHOSEN)
async def test_killed_and_answered_once(bot: Lane, stage: str, where: str, times: int) -> None:
    (row,) = (row for row in ROWS if (row.stage, row.where) == (stage, where))
    ran = await run(bot, row, times)
    assert ran.good, ran


def test_every_row_is_there_once() -> None:
    named = [(row.stage, row.where) for row in ROWS]
    assert len(set(named)) == len(named)


def test_a_call_repeated_after_its_checkpoint_is_seen(tmp_path: Path) -> None:
    diary = Diary(tmp_path)
    for what, stage in (("call", "plan"), ("call", "plan"), ("saved", "plan"), ("call", "select")):
        diary.add(what, "t1", stage)
    assert repeated(diary.read()) == []
    diary.add("call", "t2", "plan")
    assert repeated(diary.read()) == []
    diary.add("call", "t1", "plan")
    assert repeated(diary.read()) == [Entry("call", "t1", "plan")]


def test_what_is_lost_or_doubled_is_counted() -> None:
    answer = {"blocks": [{"block_id": "a", "text": "the quote"}]}
    working = {"blocks": [{"block_id": "progress"}]}
    assert counted([answer], 1, holding="quote") == Seen()
    assert counted([], 1) == Seen(lost=1)
    assert counted([working], 1) == Seen(lost=1)
    assert counted([answer], 1, holding="another") == Seen(lost=1)
    assert counted([answer, working], 1) == Seen(doubled=1)
    assert counted([answer, answer], 1) == Seen(doubled=1)


def test_a_point_is_met_once_and_in_order(tmp_path: Path) -> None:
    plan = Plan(tmp_path)
    plan.write(("a:before", "b:after"))
    assert [plan.meets(point) for point in ("b:after", "a:before", "a:before")] == [0, 1, 0]
    assert Plan(tmp_path).left() == ("b:after",)
    assert plan.meets("b:after")
    assert not plan.meets("b:after")
