"""Seeded runs with a made-up clock: what must hold, holds, and a seed tells a run exactly."""

from collections import Counter

import pytest

from tests.faults.simulation.run import simulate
from tests.faults.simulation.weather import KINDS

QUESTIONS = 6  # a seed here; `script/bench simulation` asks 30
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
