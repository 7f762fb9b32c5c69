"""Seeded runs with a made-up clock: what must hold, holds, and a seed tells a run exactly."""

from tests.faults.simulation.run import simulate


def test_a_seed_is_a_run() -> None:
    first, again, other = (
        simulate(7, questions=8),
        simulate(7, questions=8),
        simulate(8, questions=8),
    )
    assert first.digest == again.digest != other.digest
    assert first.history == again.history
