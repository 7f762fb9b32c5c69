"""Which errors are tried again, how often and after how long."""

from collections.abc import Iterator

import pytest

from bot.errors import SlackRefused, SlackUnavailable
from bot.retrying import JOB, STAGE, Retries, Table
from rag.errors import (
    BudgetExceeded,
    Cancelled,
    ContextUnavailable,
    DeliveryError,
    FormatInvalid,
    LeaseLost,
    ReaderDeclined,
    ReaderExhausted,
    ReaderIncomplete,
    ReaderUnavailable,
    StoreUnavailable,
    Undeliverable,
    UnsupportedClaim,
)


def whole(_least: float, most: float) -> float:
    return most


def pauses(table: Table, error: Exception, *, tries: int, each: float = 0.0) -> Iterator[float]:
    """The pauses after each of ``tries`` failures, ``each`` seconds apart, until the last."""
    now = 0.0
    retries = Retries(table, clock=lambda: now, spread=whole)
    for _ in range(tries):
        pause = retries.pause(error)
        if pause is None:
            return
        yield pause
        now += each


def test_an_outage_of_the_record_is_waited_out_however_long() -> None:
    told = list(pauses(JOB, StoreUnavailable(), tries=1000, each=60.0))
    assert len(told) == 1000
    assert told[:6] == [0.5, 1.0, 2.0, 4.0, 8.0, 15.0]


def test_slack_is_waited_for_an_hour() -> None:
    assert len(list(pauses(JOB, SlackUnavailable("x"), tries=1000, each=60.0))) == 61
    assert list(pauses(JOB, SlackRefused("chat.update", "ratelimited"), tries=2)) == [0.5, 1.0]


def test_a_reader_is_asked_three_times() -> None:
    assert list(pauses(STAGE, ReaderUnavailable("busy"), tries=9)) == [1.0, 2.0]


@pytest.mark.parametrize("error", [ContextUnavailable(), DeliveryError()])
def test_an_outage_beside_the_record_is_waited_out_within_the_tasks_time(error: Exception) -> None:
    assert len(list(pauses(STAGE, error, tries=50))) == 50


@pytest.mark.parametrize(
    "error",
    [
        Undeliverable(),
        UnsupportedClaim(),
        FormatInvalid(),
        ReaderDeclined(),
        ReaderExhausted(),
        ReaderIncomplete(),
        BudgetExceeded("x", limit="x"),
        Cancelled(),
        LeaseLost(),
        SlackRefused("chat.update", "is_archived"),
    ],
)
def test_what_no_time_heals_is_shown_at_once(error: Exception) -> None:
    assert list(pauses(JOB, error, tries=1)) == []
    assert list(pauses(STAGE, error, tries=1)) == []


def test_pauses_differ_so_that_those_who_wait_do_not_come_together() -> None:
    spreads: list[tuple[float, float]] = []

    def spread(least: float, most: float) -> float:
        spreads.append((least, most))
        return least

    assert Retries(JOB, spread=spread).pause(StoreUnavailable()) == 0.25
    assert spreads == [(0.25, 0.5)]
