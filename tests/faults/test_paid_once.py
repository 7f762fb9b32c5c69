"""A reply that was received is paid for once; `script/bench paid-once` kills many more."""

import random
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from rag.ports import Role
from tests.faults.askers import MODULES, Terminal, Worker, terminal, worker
from tests.faults.keeping import warm_up
from tests.faults.paying import WAYS, Asker, Paid
from tests.faults.provider import Provider

CHANCE = random.Random(1)  # noqa: S311 - a moment to die
BY_PLACE = {way.where: way for way in WAYS}


@pytest.fixture(scope="module")
def provider() -> Provider:
    return Provider()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def slack(
    tmp_path_factory: pytest.TempPathFactory, provider: Provider
) -> AsyncIterator[Worker]:
    warm_up(*MODULES)
    async with worker(tmp_path_factory.mktemp("worker"), provider) as found:
        yield found


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def commands(
    tmp_path_factory: pytest.TempPathFactory, provider: Provider
) -> AsyncIterator[Terminal]:
    warm_up(*MODULES)
    async with terminal(tmp_path_factory.mktemp("terminal"), provider) as found:
        yield found


async def died(where: str, role: Role, provider: Provider, asker: Asker) -> Paid:
    return await BY_PLACE[where].met(role, provider, asker, CHANCE)


def roles(provider: Provider) -> list[Role]:
    return [role for role, _ in provider.asked]


@pytest.mark.asyncio(loop_scope="module")
async def test_a_worker_that_dies_during_a_call_makes_that_call_alone_again(
    slack: Worker, provider: Provider
) -> None:
    paid = await died("while the server thinks", Role.ANSWER, provider, slack)
    assert paid.good, paid
    assert roles(provider) == [
        *(Role.PLAN, Role.SELECT, Role.ANSWER),
        *(Role.ANSWER, Role.SUPPORT),
    ]


@pytest.mark.asyncio(loop_scope="module")
async def test_a_worker_that_dies_before_its_stage_is_saved_pays_for_no_reply_again(
    slack: Worker, provider: Provider
) -> None:
    paid = await died("kept", Role.SELECT, provider, slack)
    assert paid.good, paid
    assert roles(provider) == list(Role)[:4]


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(
    ("where", "role"),
    [
        ("its stage saved, not committed", Role.SUPPORT),
        ("malformed, kept", Role.PLAN),
        ("malformed, both kept", Role.ANSWER),
    ],
)
async def test_what_was_kept_is_not_asked_again(
    commands: Terminal, provider: Provider, where: str, role: Role
) -> None:
    paid = await died(where, role, provider, commands)
    assert paid.good, paid
    assert paid.again == 0


@pytest.mark.asyncio(loop_scope="module")
async def test_a_reply_that_nobody_had_kept_is_paid_for_once_more_and_no_other(
    commands: Terminal, provider: Provider
) -> None:
    paid = await died("kept, not committed", Role.SELECT, provider, commands)
    assert paid.good, paid
    assert (paid.twice, paid.received) == (1, 5)


@pytest.mark.asyncio(loop_scope="module")
async def test_so_it_is_on_postgresql(
    tmp_path_factory: pytest.TempPathFactory, provider: Provider, migrated_postgres_url: str
) -> None:
    warm_up(*MODULES)
    folder = tmp_path_factory.mktemp("postgresql")
    async with terminal(folder, provider, database=migrated_postgres_url) as asker:
        paid = await died("kept", Role.ANSWER, provider, asker)
        assert paid.good, paid
        assert paid.again == 0
