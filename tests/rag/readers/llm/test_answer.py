"""What stays of claims, quotes and conflicts that a model proposed."""

import pytest

from rag.errors import FormatInvalid
from rag.values import Claim, Draft, SourceStatus, TimeState
from tests.rag.readers.llm.asking import answer_request, drafted, said, taken
from tests.rag.readers.material import piece

QUESTION = "What is the fee for visitors?"
FEE = "The fee for visitors is 40 euros."
FIRST = piece(f"# Fees\n\n{FEE}\n\nMembers pay nothing.\n", source="a")
SECOND = piece("The fee for visitors is 50 euros.\n", source="b")
GAP = "No source read states the answer to “What is the fee for visitors”."


def test_a_claim_stands_with_our_own_slice() -> None:
    draft = drafted(answer_request(QUESTION, FIRST), said("It is 40 euros.", ("c1", "is 40 euros")))
    (claim,) = draft.claims
    assert claim.facets == ("f1",)
    assert [(c.chunk_id, c.quote) for c in claim.citations] == [("a:0", FEE)]
    assert draft.gaps == ()


@pytest.mark.parametrize(
    ("chunk", "words", "why"),
    [
        ("c1", "The fee for visitors is 45 euros.", "not in the passage it names"),
        ("c2", FEE, "stands in another passage than it names"),
        ("c1", "The fee ... nothing.", "is put together from several places"),
        ("c1", "# Fees", "touches a heading"),
        ("c1", "40", "is too short to be told from others"),
    ],
)
def test_a_quote_that_is_none_falls_and_its_claim_with_it(chunk: str, words: str, why: str) -> None:
    request = answer_request(QUESTION, FIRST, SECOND)
    draft, heard = taken(request, said("It is 45 euros.", (chunk, words)))
    assert draft == Draft(gaps=(GAP,))
    assert heard.fallen == {why: 1}
    assert (heard.proposed, heard.claims) == (1, 1)
    assert heard.claims_fallen == {"no quote of it was found": 1}


def test_a_claim_keeps_the_quotes_that_were_found() -> None:
    claim = said("It is 40 euros.", ("c1", "no such words"), ("c1", FEE), ("c1", f"“{FEE}”"))
    draft, heard = taken(answer_request(QUESTION, FIRST), claim)
    assert [len(each.citations) for each in draft.claims] == [1]
    assert (heard.proposed, sum(heard.fallen.values())) == (3, 1)


@pytest.mark.parametrize("chunk", ["c7", "a:0"])
def test_a_chunk_that_was_not_given_makes_a_malformed_reply(chunk: str) -> None:
    with pytest.raises(FormatInvalid):
        drafted(answer_request(QUESTION, FIRST), said("It is 40 euros.", (chunk, FEE)))


@pytest.mark.parametrize("pair", [(1, 2), (0, 1)])
def test_a_conflict_or_a_gap_of_what_was_not_given_falls_by_itself(pair: tuple[int, int]) -> None:
    conflicts = [{"left": pair[0], "right": pair[1]}]
    claim = said("It is 40 euros.", ("c1", FEE))
    draft = drafted(answer_request(QUESTION, FIRST), claim, conflicts=conflicts, gaps=["f7"])
    assert len(draft.claims) == 1
    assert (draft.conflicts, draft.gaps) == ((), ())


def test_a_facet_is_a_gap_where_no_claim_answers_it_or_the_model_says_so() -> None:
    request = answer_request(QUESTION, FIRST, asks=("the fee", "the form", "the desk"))
    claim = said("It is 40 euros.", ("c1", FEE), facets=("f1", "f2"))
    draft = drafted(request, claim, gaps=["f2"])
    assert [gap[-11:] for gap in draft.gaps] == ["“the form”.", "“the desk”."]


@pytest.mark.parametrize(
    ("question", "text", "fine"),
    [
        (QUESTION, "访客费用为四十欧元。", False),
        (QUESTION, "The fee (访客费) is 40 euros.", True),
        ("访客的费用是多少？", "The fee for visitors is 40 euros.", False),
        ("访客的费用是多少？", "Visitor fee 为 40 欧元。", True),
        ("代号是什么？", "D-204", True),
    ],
)
def test_claims_are_in_the_language_of_the_question(question: str, text: str, fine: bool) -> None:
    request, claim = answer_request(question, FIRST), said(text, ("c1", FEE))
    if fine:
        assert drafted(request, claim).claims
    else:
        with pytest.raises(FormatInvalid):
            drafted(request, claim)


@pytest.mark.parametrize(
    "text",
    [
        "The fee is 40 euros, pay at https://evil.example/x.",
        "The fee is 40 euros, write to billing@evil.example.",
        "The fee is 40 euros, see evil.example for more.",
        "The fee is 40 euros, see www.evil.",
    ],
)
def test_an_address_that_no_quote_holds_brings_the_claim_down(text: str) -> None:
    assert not drafted(answer_request(QUESTION, FIRST), said(text, ("c1", FEE))).claims


def test_an_address_of_the_quote_may_be_told() -> None:
    item = piece("Write to desk@crane.example about the fee for visitors.", source="a")
    claim = said("Write to desk@crane.example.", ("c1", "Write to desk@crane.example about"))
    assert drafted(answer_request(QUESTION, item), claim).claims


@pytest.mark.parametrize("status", [SourceStatus.SUPERSEDED, SourceStatus.PROPOSED])
def test_the_present_rests_on_current_sources(status: SourceStatus) -> None:
    item = piece(FEE, source="a", status=status)
    draft, heard = taken(answer_request(QUESTION, item), said("It is 40 euros.", ("c1", FEE)))
    assert draft.claims == ()
    assert heard.fallen == {"is from a source that is not current": 1}


def test_what_rests_on_a_proposal_says_so() -> None:
    item = piece(FEE, source="a", status=SourceStatus.PROPOSED)
    request = answer_request(QUESTION, item, time_state=TimeState.PROPOSED)
    draft = drafted(request, said("It is 40 euros.", ("c1", FEE)))
    assert [claim.text for claim in draft.claims] == ["Proposal only: It is 40 euros."]


def test_the_same_claim_twice_is_one() -> None:
    claim = said("It is\n40 euros.", ("c1", FEE))
    draft = drafted(answer_request(QUESTION, FIRST), claim, claim)
    assert [each.text for each in draft.claims] == ["It is 40 euros."]


def test_a_revision_drops_what_still_says_more_than_its_quotes() -> None:
    claim = said("It is 45 euros.", ("c1", FEE))
    first = drafted(answer_request(QUESTION, FIRST), claim)
    assert first.claims  # the check beside it sends it back, with the reason
    again = answer_request(QUESTION, FIRST, previous=first)
    assert drafted(again, claim) == Draft(gaps=(GAP,))


def test_a_revision_drops_what_was_sent_back_and_says_the_same() -> None:
    low, fee = said("It is cheap.", ("c1", FEE)), said("It is 40 euros.", ("c1", FEE))
    first = drafted(answer_request(QUESTION, FIRST), low, fee)
    again = answer_request(QUESTION, FIRST, previous=first)
    again = again.model_copy(update={"feedback": ("claim 0: the quotes do not carry it",)})
    assert [claim.text for claim in drafted(again, low, fee).claims] == ["It is 40 euros."]


def test_a_revision_drops_what_still_hides_that_its_quote_is_a_draft() -> None:
    item = piece("The draft sets the fee for visitors at 40 euros.", source="a")
    claim = said("It is 40 euros.", ("c1", item.chunk.text))
    first = drafted(answer_request(QUESTION, item), claim)
    assert first.claims
    assert drafted(answer_request(QUESTION, item, previous=first), claim).claims == ()


def sides(left: str, right: str, *, second: str = "c2") -> list[dict[str, object]]:
    return [said("One side.", ("c1", left)), said("The other side.", (second, right))]


PAIR = [{"left": 1, "right": 2}]


def test_two_values_of_the_same_thing_are_a_conflict() -> None:
    request = answer_request(QUESTION, FIRST, SECOND)
    draft = drafted(request, *sides(FEE, SECOND.chunk.text), conflicts=PAIR * 2)
    (conflict,) = draft.conflicts
    assert conflict.sides == draft.claims
    assert conflict.about == "What is the fee for visitors"
    assert conflict.asked


def test_a_conflict_that_nobody_asks_for_does_not_decide_the_status() -> None:
    request = answer_request("Tell me about visitors", FIRST, SECOND)
    draft = drafted(request, *sides(FEE, SECOND.chunk.text), conflicts=PAIR)
    assert [conflict.asked for conflict in draft.conflicts] == [False]


@pytest.mark.parametrize(
    "other",
    [
        "The fee for visitors is 40 euros.",
        "Parking behind the north building costs 5 euros a day.",
        "Lockers stand beside the entrance.",
    ],
)
def test_what_agrees_or_speaks_of_another_thing_is_no_conflict(other: str) -> None:
    request = answer_request(QUESTION, FIRST, piece(other, source="b"))
    draft = drafted(request, *sides(FEE, other), conflicts=PAIR)
    assert len(draft.claims) == 2
    assert draft.conflicts == ()


def test_a_side_that_fell_ends_the_conflict() -> None:
    other = piece("The owner of the fee for visitors is Anna Berg.", source="b")
    request = answer_request("Who is the owner of the fee for visitors?", FIRST, other)
    draft = drafted(request, *sides("No such words.", other.chunk.text), conflicts=PAIR)
    assert [claim.text for claim in draft.claims] == ["The other side."]
    assert draft.conflicts == ()


@pytest.mark.parametrize("quoted", [("c1", FEE), ("c2", "The fee for visitors is 50 euros.")])
def test_a_side_that_the_model_kept_quiet_about_is_told(quoted: tuple[str, str]) -> None:
    draft = drafted(answer_request(QUESTION, FIRST, SECOND), said("It is fixed.", quoted))
    (conflict,) = draft.conflicts
    assert set(conflict.sides) == set(draft.claims)
    assert {c.quote for claim in draft.claims for c in claim.citations} == {
        FEE,
        "The fee for visitors is 50 euros.",
    }
    assert conflict.asked


def test_a_difference_that_no_claim_touches_is_left_alone() -> None:
    request = answer_request(QUESTION, FIRST, SECOND, piece("Ask the front desk.", source="c"))
    draft = drafted(request, said("Ask the desk.", ("c3", "Ask the front desk.")))
    assert draft.conflicts == ()
    assert len(draft.claims) == 1


@pytest.mark.parametrize("text", [" \n ", "\U000e0041", "\x00"])
def test_a_claim_that_says_nothing_to_see_is_none(text: str) -> None:
    draft, heard = taken(answer_request(QUESTION, FIRST), said(text, ("c1", FEE)))
    assert draft.claims == ()
    assert heard.claims_fallen == {"it says nothing": 1}


def test_one_document_does_not_conflict_with_itself() -> None:
    item = piece(f"{FEE}\n\nThe fee for visitors is 50 euros.\n", source="a")
    request = answer_request(QUESTION, item)
    draft = drafted(
        request, *sides(FEE, "The fee for visitors is 50 euros.", second="c1"), conflicts=PAIR
    )
    assert draft.conflicts == ()


def test_people_who_differ_are_a_conflict_too() -> None:
    first = piece("The owner of the travel policy is Anna Berg.", source="a")
    second = piece("The owner of the travel policy is Carl Dorn.", source="b")
    request = answer_request("Who is the owner of the travel policy?", first, second)
    draft = drafted(request, *sides(first.chunk.text, second.chunk.text), conflicts=PAIR)
    assert [conflict.asked for conflict in draft.conflicts] == [True]


def test_a_claim_object_that_is_not_ours_cannot_be_made() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        Claim(text="No quote", citations=())
