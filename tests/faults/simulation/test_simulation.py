"""Seeded runs with a made-up clock: what must hold, holds, and a seed tells a run exactly."""

from collections import Counter
from random import Random

import pytest

from bot.queue.durable import Job
from tests.faults.simulation.house import utc
from tests.faults.simulation.jobs import CONVERSATION, Jobs
from tests.faults.simulation.process import Process
from tests.faults.simulation.run import simulate
from tests.faults.simulation.weather import KINDS

QUESTIONS = 5  # a seed here; `script/bench simulation` asks 30
_EVERY = list(range(1, 51))
GROUPS = [_EVERY[first : first + 10] for first in range(0, 50, 10)]


@pytest.fixture(scope="module")
def struck() -> Counter[str]:
    """The faults of all seeds of this module."""
    return Counter()


def test_a_seed_is_a_run() -> None:
    first, again = simulate(7, questions=6), simulate(7, questions=6)
    assert first.digest == again.digest != simulate(8, questions=6).digest
    assert first.history == again.history


def _process(name: str) -> Process:
    return Process(name, Random(0))  # noqa: S311 - nothing secret


async def test_no_worker_ends_a_job_that_was_taken_from_it() -> None:
    jobs, frozen, other = Jobs(wall=lambda: 0.0), _process("frozen"), _process("other")
    jobs.insert(Job(id="a", kind="ask", partition="p", payload="", at=utc(0.0)), CONVERSATION)
    (row,) = jobs.claim(frozen)
    before = row.claims
    jobs.take_back(frozen)
    jobs.end(row, before)
    assert jobs.claim(other) == [row]
    jobs.end(row, before)
    assert not jobs.idle
    jobs.end(row, row.claims)
    assert jobs.idle


@pytest.mark.no_cover  # tracing doubles its time, and other tests reach what it does
@pytest.mark.parametrize("seeds", GROUPS, ids=str)
def test_nothing_is_lost_doubled_leaked_or_untrue(seeds: list[int], struck: Counter[str]) -> None:
    wrong = {}
    for seed in seeds:
        outcome = simulate(seed, questions=QUESTIONS)
        struck += outcome.faults
        if found := [*outcome.violations, *outcome.errors]:
            wrong[seed] = found
    assert wrong == {}


def test_every_kind_of_fault_struck(struck: Counter[str]) -> None:
    if not struck:
        pytest.skip("it counts what the other tests of this module did, and none ran")
    assert len(KINDS) >= 20
    assert [name for name in KINDS if not struck[name]] == []
