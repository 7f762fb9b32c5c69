"""Seeded runs with a made-up clock: what must hold, holds, and a seed tells a run exactly."""

from collections import Counter

from tests.faults.simulation.run import simulate
from tests.faults.simulation.weather import KINDS

SEEDS = range(1, 51)
QUESTIONS = 6  # a seed here; `script/bench simulation` asks 30


def test_a_seed_is_a_run() -> None:
    first, again = simulate(7, questions=6), simulate(7, questions=6)
    assert first.digest == again.digest != simulate(8, questions=6).digest
    assert first.history == again.history


def test_nothing_is_lost_doubled_leaked_or_untrue() -> None:
    faults: Counter[str] = Counter()
    wrong = {}
    for seed in SEEDS:
        outcome = simulate(seed, questions=QUESTIONS)
        faults += outcome.faults
        if found := [*outcome.violations, *outcome.errors]:
            wrong[seed] = found
    assert wrong == {}
    assert {name for name in KINDS if not faults[name]} <= set(), "every kind of fault struck"
