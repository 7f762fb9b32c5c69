"""A call that is finished is paid for once; `script/bench paid-once` kills many more."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from rag.ports import Role
from tests.faults.keeping import warm_up
from tests.faults.paying import Shop, shop


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def opened(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Shop]:
    warm_up()
    async with shop(tmp_path_factory.mktemp("shop")) as found:
        yield found


@pytest.mark.asyncio(loop_scope="module")
async def test_a_worker_that_dies_during_a_call_makes_that_call_alone_again(opened: Shop) -> None:
    paid = await opened.during(Role.ANSWER)
    assert paid.good, paid
    assert paid.lost == 1
    assert opened.provider.asked == [
        *(Role.PLAN, Role.SELECT, Role.ANSWER),
        *(Role.ANSWER, Role.SUPPORT),
    ]


@pytest.mark.asyncio(loop_scope="module")
async def test_a_worker_that_dies_between_calls_makes_none_again(opened: Shop) -> None:
    paid = await opened.saved(Role.SELECT)
    assert paid.good, paid
    assert opened.provider.asked == [Role.PLAN, Role.SELECT, Role.ANSWER, Role.SUPPORT]
