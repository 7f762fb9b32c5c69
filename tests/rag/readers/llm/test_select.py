"""What stays of a selection, and of verdicts, that a model proposed."""

import pytest

from rag.errors import FormatInvalid
from rag.ports import SupportRequest
from rag.values import Citation, Claim, Draft
from tests.rag.readers.llm.asking import answer_request, facets, judged, select_request, selected
from tests.rag.readers.material import NOW, piece

QUESTION = "What is the fee?"
FIRST = piece("The fee is 40 euros.", source="a")
SECOND = piece("The fee is 50 euros.", source="b")
THIRD = piece("Ask the desk.", source="c")


def relevant(*names: str) -> list[dict[str, object]]:
    return [{"id": name, "facets": ["f1"]} for name in names]


def test_chunks_stand_in_the_model_s_order() -> None:
    made = selected(select_request(QUESTION, FIRST, SECOND, THIRD), relevant=relevant("c3", "c1"))
    assert made.chunk_ids == ("c:0", "a:0")
    assert [verdict.relevant for verdict in made.verdicts] == [True, False, True]
    assert made.missing == ()


def test_nothing_relevant_leaves_every_facet_missing() -> None:
    made = selected(select_request(QUESTION, FIRST))
    assert made.chunk_ids == ()
    assert made.missing == ("f1",)


def test_both_sides_of_a_contradiction_come_first_and_within_the_limit() -> None:
    request = select_request(QUESTION, FIRST, SECOND, THIRD, limit=2)
    pair = {"left": "c1", "right": "c2"}
    made = selected(request, relevant=relevant("c3"), contradictions=[pair, pair])
    assert made.chunk_ids == ("a:0", "b:0")
    assert [each.chunk_ids for each in made.contradictions] == [("a:0", "b:0")]
    assert made.contradictions[0].about == "What is the fee"


def test_a_pair_of_which_one_side_does_not_fit_is_none() -> None:
    request = select_request(QUESTION, FIRST, SECOND, limit=1)
    made = selected(request, contradictions=[{"left": "c1", "right": "c2"}])
    assert made.contradictions == ()


@pytest.mark.parametrize(
    "said",
    [
        {"relevant": relevant("c9")},
        {"relevant": [{"id": "a:0"}]},
        {"contradictions": [{"left": "c1", "right": "c9"}]},
    ],
)
def test_what_was_not_given_is_a_malformed_reply(said: dict[str, object]) -> None:
    with pytest.raises(FormatInvalid):
        selected(select_request(QUESTION, FIRST), **said)


def test_a_facet_that_was_not_given_is_a_malformed_reply_and_a_lone_one_needs_no_naming() -> None:
    alone = select_request(QUESTION, FIRST)
    both = alone.model_copy(update={"facets": facets(QUESTION, "Who is paid?")})
    said = [{"id": "c1", "facets": ["f9"]}]
    with pytest.raises(FormatInvalid):
        selected(both, relevant=said)
    assert selected(alone, relevant=said).missing == ()


def test_what_is_missing_is_counted_and_not_believed() -> None:
    made = selected(select_request(QUESTION, FIRST), relevant=relevant("c1"), missing=["f1", "f9"])
    assert made.missing == ()


def judging(*claims: str) -> SupportRequest:
    cited = (Citation.cut(FIRST.chunk, 0, len(FIRST.chunk.text)),)
    draft = Draft(claims=tuple(Claim(text=text, citations=cited) for text in claims))
    return SupportRequest(pack=answer_request(QUESTION, FIRST).pack, draft=draft, asked_at=NOW)


def verdict(claim: int, why: str = "", *, supported: bool = True) -> dict[str, object]:
    return {"claim": claim, "supported": supported, "why": why}


def test_a_claim_that_nobody_judged_is_unsupported() -> None:
    made = judged(judging("The fee is 40 euros.", "It is low."), verdict(1))
    assert [each.supported for each in made.verdicts] == [True, False]
    assert made.verdicts[1].reasons == ("the reader gave no verdict",)


def test_one_verdict_against_a_claim_outweighs_others_for_it() -> None:
    against = verdict(1, "another\n fee", supported=False)
    made = judged(judging("The fee is low."), verdict(1), against, verdict(1))
    assert made.verdicts[0].reasons == ("another fee",)
    assert not made.verdicts[0].supported


def test_a_claim_that_is_its_quote_is_not_talked_down() -> None:
    made = judged(judging("The fee is 40 euros."), verdict(1, "no", supported=False))
    assert made.verdicts[0].supported


@pytest.mark.parametrize("claim", [0, 2])
def test_a_verdict_on_no_claim_is_a_malformed_reply(claim: int) -> None:
    with pytest.raises(FormatInvalid):
        judged(judging("The fee is 40 euros."), verdict(claim))
