"""The figures against values worked out by hand or published."""

import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.evaluation.metrics import (
    answer_tokens,
    any_gold,
    bootstrap,
    contains,
    covered,
    hit,
    ndcg,
    recall,
    reciprocal_rank,
    sides_shown,
    wilson,
)


def _draws() -> Callable[[int], int]:
    return random.Random(7).randrange  # noqa: S311 - sampling, no secret


def test_hit_and_recall_look_no_further_than_k() -> None:
    ranked, relevant = ["a", "b", "c"], {"c", "b", "x"}
    assert hit(ranked, relevant, k=1) == 0.0
    assert hit(ranked, relevant, k=2) == 1.0
    assert recall(ranked, relevant, k=2) == pytest.approx(1 / 3)
    assert recall(ranked, relevant, k=9) == pytest.approx(2 / 3)
    assert recall(ranked, set(), k=9) == 0.0


def test_reciprocal_rank_is_that_of_the_first_relevant() -> None:
    assert reciprocal_rank(["a", "b", "c"], {"b", "c"}) == 0.5
    assert reciprocal_rank(["a"], {"b"}) == 0.0


def test_ndcg_of_a_worked_example() -> None:
    # DCG = 3/log2(2) + 0 + 1/log2(4) = 3.5; ideal = 3 + 2/log2(3) + 1/2 = 4.76186
    gains = {"a": 3.0, "b": 2.0, "c": 1.0}
    assert ndcg(["a", "z", "c"], gains, k=3) == pytest.approx(3.5 / 4.761859507, rel=1e-6)
    assert ndcg(["a", "b", "c"], gains, k=3) == pytest.approx(1.0)
    assert ndcg(["a"], {}, k=3) == 0.0


def test_wilson_against_published_values() -> None:
    # Newcombe (1998), table I: 81 of 263 gives .2553 to .3662; 0 of 20 gives 0 to .1611
    first = wilson(81, 263)
    assert first.low == pytest.approx(0.2553, abs=1e-4)
    assert first.high == pytest.approx(0.3662, abs=1e-4)
    second = wilson(0, 20)
    assert second.low == 0.0
    assert second.high == pytest.approx(0.1611, abs=1e-4)
    assert (wilson(0, 0).low, wilson(0, 0).high) == (0.0, 1.0)


def test_wilson_rejects_more_successes_than_trials() -> None:
    with pytest.raises(ValueError, match="between 0 and n"):
        wilson(3, 2)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_holds_its_own_share(counts: tuple[int, int]) -> None:
    interval = wilson(*counts)
    assert 0 <= interval.low <= interval.value + 1e-12
    assert interval.value - 1e-12 <= interval.high <= 1


def test_bootstrap_is_repeatable_and_about_as_wide_as_theory_says() -> None:
    values = [0.0, 1.0] * 200
    first = bootstrap(values, draw=_draws())
    second = bootstrap(values, draw=_draws())
    assert first == second
    assert first.value == 0.5
    assert first.low == pytest.approx(0.5 - 1.96 * 0.5 / 20, abs=0.01)
    assert first.high == pytest.approx(0.5 + 1.96 * 0.5 / 20, abs=0.01)
    assert bootstrap([], draw=_draws()).n == 0


def test_an_answer_counts_only_as_whole_words() -> None:
    assert contains("It opened in the 10th century.", "The 10th Century")
    assert not contains("It cost 100 francs.", "10")
    assert not contains("anything", "the")
    assert contains("游戏由韩国Nexon开发，于２００７年上线。", "Nexon")
    assert contains("于２００７年上线。", "2007年")
    assert contains("位于“袋鼠岛” 的西岸", "袋鼠岛的西岸")
    assert not contains("共 4500 万元", "500 万元")


def test_tokens_split_cjk_by_character_and_latin_by_word() -> None:
    assert answer_tokens("The Atlas 标准版, v2.0") == ("atlas", "标", "准", "版", "v2", "0")


def test_any_gold_needs_one_answer_within_one_quote() -> None:
    quotes = ["It has 50 members.", "It keeps 30 days."]
    assert any_gold(quotes, ["500 members", "30 days"])
    assert not any_gold(quotes, ["50 members 30"])
    assert not any_gold([], ["50"])


def test_sides_shown_counts_each_value_once() -> None:
    quotes = ["founded in 1856", "some say 1900", "again 1856"]
    assert sides_shown(quotes, ["1856", "1900", "1910"]) == 2


@pytest.mark.parametrize(
    ("claim", "quotes", "share"),
    [
        ("Bern is the seat.", ["Bern is the seat of all."], 1.0),
        ("Bern was the seat", ["The seat: Bern", "is it?"], 2 / 3),
        ("首都在北京", ["北京是首都"], 0.8),
        ("Basel", [], 0.0),
        ("…", ["…"], 0.0),
    ],
)
def test_a_claims_words_are_looked_for_in_its_quotes(
    claim: str, quotes: list[str], share: float
) -> None:
    assert covered(claim, quotes) == pytest.approx(share)
