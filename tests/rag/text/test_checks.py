"""What a claim says beyond its quotes."""

import pytest

from rag.text.checks import names_standing, strays

TRUE = (
    ("The fee is 186,000 yuan.", "The annual fee is 186000 yuan, due in 30 days.", ""),
    ("年费为 186,000 元。", "合同年费为 １８６０００ 元。", ""),
    ("It takes 30 days.", "A 30-day notice is needed.", ""),
    ("保留 30 天", "标准版的数据保留 30 天。", ""),
    ("It starts on 2026-03-01.", "In force from 2026-03-01.", ""),
    ("R9 raises the limit.", "The change raises the limit.", "Is R9 in force?"),
    ("The quoted text says only: four hours to respond.", "four hours to respond.", ""),
    ("It does not guarantee 25 hours.", "The broker keeps 24 hours.", "Is 25 hours covered?"),
    ("不超过 30 天", "至多 30 天", ""),
    ("引文没有写明修复时间。", "四小时内响应。", ""),
)

STRAYED = (
    ("The fee is 186,001 yuan.", "The fee is 186,000 yuan.", "186001"),
    ("It takes 31 days.", "It takes 30 days.", "31"),
    ("It takes 25 hours.", "It takes 24 hours.", "25"),
    ("It takes 30 hours.", "It takes 30 days.", "30 hour"),
    ("保留 30 小时", "数据保留 30 天。", "30 小时"),
    ("收入 4,820 元", "收入 4,820 万元", "4820 元"),
    ("It grew by 18.6 points", "It grew by 18.6%.", "18.6%"),
    ("It starts on 2026-03-02.", "In force from 2026-03-01.", "2026-03-02"),
    ("Due on 5 June.", "Due on 5 July.", "june"),
    ("Contract D-205 applies.", "Contract D-204 applies.", "d-205"),
    ("Loans are not allowed.", "Loans are allowed.", "denies"),
    ("不允许外借。", "允许外借。", "denies"),
)


@pytest.mark.parametrize(("said", "quote", "question"), TRUE)
def test_a_claim_in_its_quotes_own_figures_stands(said: str, quote: str, question: str) -> None:
    assert strays(said, [quote], question=question) == ()


@pytest.mark.parametrize(("said", "quote", "named"), STRAYED)
def test_a_figure_unit_date_or_denial_of_its_own_is_named(
    said: str, quote: str, named: str
) -> None:
    reasons = strays(said, [quote], question="")
    assert reasons
    assert named in " ".join(reasons)


def test_a_number_of_the_question_counts_only_where_the_claim_limits_it() -> None:
    held, asked = ["The broker keeps 24 hours."], "Does it fill 25 hours?"
    assert strays("It fills 25 hours.", held, question=asked)
    assert not strays("The text does not establish 25 hours.", held, question=asked)


def test_a_number_and_its_unit_must_stand_in_the_same_quote() -> None:
    held = ["Keep it for 7 days.", "Call within 30 minutes."]
    assert not strays("7 days", held, question="")
    assert strays("7 minutes", held, question="") == ("7 minutes: the quotes give another unit",)


@pytest.mark.parametrize("text", ["Proposed: 9 bytes", "still pending review", "该草案", "待评审"])
def test_standing_is_heard(text: str) -> None:
    assert names_standing(text)


@pytest.mark.parametrize("text", ["The limit is 6 bytes.", "上限为 6 个字节。"])
def test_what_holds_is_not_called_pending(text: str) -> None:
    assert not names_standing(text)
