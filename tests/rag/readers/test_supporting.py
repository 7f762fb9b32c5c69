"""A claim that says more than its quotes does not pass."""

import pytest

from rag.values import Citation, Claim, Draft, SourceStatus
from tests.rag.readers.material import packed, piece, planned, supported


async def verdict(
    text: str,
    quote: str,
    *,
    status: SourceStatus = SourceStatus.CURRENT,
    question: str = "What is the fee?",
) -> bool:
    evidence = piece(quote, status=status)
    pack = packed(question, await planned(question), evidence)
    claim = Claim(text=text, citations=(Citation.cut(evidence.chunk, 0, len(quote)),))
    return (await supported(pack, Draft(claims=(claim,)))).verdicts[0].supported


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("The fee is 40 euros.", "The fee is 40 euros."),
        ("押金为 200 元。", "押金为 200 元。"),
        ("The fee is 1,200 euros.", "The fee is 1200 euros."),
        ("The quoted text says only: The fee is 40 euros.", "The fee is 40 euros."),
        ("Nobody pays.", "Nobody pays."),
    ],
)
async def test_what_the_quote_says_passes(text: str, quote: str) -> None:
    assert await verdict(text, quote)


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("The fee is 45 euros.", "The fee is 40 euros."),
        ("The fee is 40 dollars.", "The fee is 40 euros."),
        ("The fee is paid.", "The fee is not paid."),
        ("The fee is not paid.", "The fee is paid."),
        ("押金为 300 元。", "押金为 200 元。"),
        ("可以退还押金。", "不可以退还押金。"),
        ("The fee rises to 40 euros.", "The fee rises to 40 euros, pending review."),
        ("It starts on 3 March 2026.", "It starts on 4 March 2026."),
    ],
)
async def test_what_the_quote_does_not_say_fails(text: str, quote: str) -> None:
    assert not await verdict(text, quote)


async def test_the_present_does_not_rest_on_a_proposal() -> None:
    assert not await verdict(
        "The fee is 40 euros.", "The fee is 40 euros.", status=SourceStatus.PROPOSED
    )
    assert not await verdict(
        "The fee is 40 euros.", "The fee is 40 euros.", status=SourceStatus.SUPERSEDED
    )


async def test_a_proposal_says_that_it_is_one() -> None:
    question, quote = "Is the new fee in force?", "The fee is 40 euros."
    status = SourceStatus.PROPOSED
    assert not await verdict(quote, quote, status=status, question=question)
    assert await verdict(f"Proposal only: {quote}", quote, status=status, question=question)
