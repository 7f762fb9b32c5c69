"""A worker is lost when its own number stands still, whatever any wall clock says."""

from bot.queue.liveness import LOST_SECONDS, Pulse


class Watcher:
    """A pulse with a clock that the test turns."""

    def __init__(self) -> None:
        self.now = 0.0
        self.pulse = Pulse(clock=lambda: self.now)

    def look(self, seconds: float, **beats: int) -> tuple[str, ...]:
        self.now += seconds
        return self.pulse.lost(beats)


def test_who_counts_on_is_alive_however_slowly() -> None:
    watcher = Watcher()
    assert [watcher.look(LOST_SECONDS - 1, a=number) for number in range(20)] == [()] * 20


def test_who_stands_still_is_lost_after_the_time() -> None:
    watcher = Watcher()
    looks = [watcher.look(2.0, a=7, b=number) for number in range(12)]
    assert looks[:8] == [()] * 8
    assert looks[8:] == [("a",)] * 4


def test_who_counts_again_is_alive_again() -> None:
    watcher = Watcher()
    for _ in range(12):
        watcher.look(2.0, a=7)
    assert watcher.look(2.0, a=7) == ("a",)
    assert watcher.look(2.0, a=8) == ()


def test_whoever_was_stopped_itself_looks_again_before_it_judges() -> None:
    watcher = Watcher()
    watcher.look(2.0, a=7)
    assert watcher.look(600.0, a=7) == ()
    assert watcher.look(2.0, a=8) == ()


def test_a_slot_that_was_left_is_forgotten() -> None:
    watcher = Watcher()
    for _ in range(12):
        watcher.look(2.0, a=7)
    assert watcher.look(2.0) == ()
    assert watcher.look(2.0, a=7) == ()
