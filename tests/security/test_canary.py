"""Thirty-six questions in a town full of canaries; `script/bench canary` asks more."""

import asyncio

import pytest

from tests.security.canary_run import Outcome, canary_run

LOOKED_AT = (
    "call",
    "ephemeral",
    "file",
    "log",
    "metrics",
    "prompt",
    "redis-key",
    "redis-value",
    "traces",
)
SHOWN = ("call", "ephemeral", "prompt", "redis-value")


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return asyncio.run(
        canary_run(
            tmp_path_factory.mktemp("canary"),
            seed=4,
            rounds={"honest": 1, "obedient": 1, "liar": 1},
            size=12,
            changing=True,
        )
    )


def test_no_canary_stands_before_wrong_eyes(outcome: Outcome) -> None:
    assert outcome.violations == []


def test_what_a_change_puts_before_wrong_eyes_is_taken_back(outcome: Outcome) -> None:
    assert outcome.changes
    assert outcome.standing == []


def test_canaries_were_where_they_may_be_and_every_place_was_looked_at(outcome: Outcome) -> None:
    assert outcome.questions == 36
    assert outcome.pressed >= 12
    assert [where for where in LOOKED_AT if not outcome.looked[where]] == []
    assert [where for where in SHOWN if not outcome.seen[where]] == []
