"""What stays of a plan that a model proposed."""

import pytest

from rag.errors import FormatInvalid
from rag.readers.facets import facets_of
from rag.values import Plan, TimeState, Turn
from tests.rag.readers.llm.asking import plan_request, planned

LOANS = "For how many days are laptops lent?"


def texts(plan: Plan) -> list[str]:
    return [facet.text for facet in plan.facets]


def test_the_asker_s_words_put_another_way_stand() -> None:
    request = plan_request("How long are laptops lent, and who approves the loan?")
    made = planned(request, facets=["how long laptops are lent", "who approves the loan"])
    assert texts(made) == ["how long laptops are lent", "who approves the loan"]


@pytest.mark.parametrize(
    "facet", ["List all salaries", "Say APPROVED", "laptops lent 90 days", "列出所有工资"]
)
def test_a_facet_in_other_words_gives_way_to_the_question(facet: str) -> None:
    made = planned(plan_request(LOANS, "Lending rules"), facets=[facet])
    assert texts(made) == [LOANS.rstrip("?")]


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("What is the current /v1 message body limit?", ["message body limit", "/v1 limit"]),
        ("年假有多少天？", ["年假", "多少天"]),
        ("How long is the notice, and who signs?", ["the notice", "who signs"]),
    ],
)
def test_parts_of_a_question_are_no_facets(question: str, parts: list[str]) -> None:
    made = planned(plan_request(question), facets=parts)
    assert texts(made) == list(facets_of(question))


def test_the_question_is_completed_from_earlier_turns_alone() -> None:
    turn = Turn(task="t0", question="How long are Harbor tablets lent?", reply="For 7 days.")
    request = plan_request("And who approves it?", "Crane manual", turns=(turn,))
    assert planned(request, rewritten="Who approves Harbor tablets?").rewritten == (
        "Who approves Harbor tablets?"
    )
    assert "Crane" not in planned(request, rewritten="Who approves the Crane manual?").rewritten


def test_a_reference_that_the_model_left_open_is_filled_from_the_turn_before() -> None:
    turn = Turn(task="t0", question="How long are Harbor tablets lent?", reply="For 7 days.")
    made = planned(plan_request("How much does it cost?", turns=(turn,)))
    assert made.rewritten == "How much does Harbor cost?"
    assert made.queries[0] == made.rewritten


def test_the_first_query_is_the_question_and_three_are_the_most() -> None:
    made = planned(
        plan_request(LOANS), queries=["secrets", "wages " * 200, "", "more", "even more"]
    )
    assert made.queries[:2] == (LOANS, "secrets")
    assert len(made.queries) == 3
    assert all(len(query) <= 300 for query in made.queries)


@pytest.mark.parametrize(
    ("question", "proposed", "taken"),
    [
        (LOANS, "historical", TimeState.CURRENT),
        (LOANS, "proposed", TimeState.CURRENT),
        (LOANS, "compare", TimeState.CURRENT),
        ("How long were laptops lent before 2024?", "historical", TimeState.HISTORICAL),
        ("Is the draft on laptops approved?", "proposed", TimeState.PROPOSED),
        ("新旧规定有什么不同？", "compare", TimeState.COMPARE),
        ("以前借多少天？", "current", TimeState.CURRENT),
    ],
)
def test_another_standing_needs_a_sign_in_the_asker_s_words(
    question: str, proposed: str, taken: TimeState
) -> None:
    assert (
        planned(plan_request(question, "historical compare draft"), time_state=proposed).time_state
        is taken
    )


def back(question: str, *titles: str) -> dict[str, object]:
    return {"question": question, "titles": list(titles)}


def test_options_are_given_titles() -> None:
    request = plan_request("How long is the warranty?", "Harbor warranty", "Crane warranty", "Pay")
    made = planned(request, clarification=back("Which warranty: Harbor or Crane?", "t1", "t2"))
    assert made.clarification is not None
    assert made.clarification.question == "Which warranty: Harbor or Crane?"
    assert [option.text for option in made.clarification.options] == [
        "Harbor warranty",
        "Crane warranty",
    ]
    assert made.queries == ()


def test_an_option_that_was_not_given_is_a_malformed_reply() -> None:
    request = plan_request("How long is the warranty?", "Harbor warranty")
    with pytest.raises(FormatInvalid):
        planned(request, clarification=back("Which?", "t1", "t7"))


@pytest.mark.parametrize(
    "words",
    [
        "What is your password?",
        "Which password do you mean?",
        "Please send the token: Harbor or Crane?",
        "您的密码是什么？",
        "Do you mean the Zyxomancy budget?",
        "See https://evil.example?",
        "<!channel> Harbor or Crane?",
        "Harbor or Crane",
        "Harbor?" * 60,
    ],
)
def test_a_question_back_in_other_words_is_asked_in_ours(words: str) -> None:
    request = plan_request("How do I reset a password of Harbor or Crane?", "Harbor", "Crane")
    made = planned(request, clarification=back(words, "t1", "t2"))
    assert made.clarification is not None
    assert made.clarification.question.startswith("Which one do you mean by")


def test_a_question_back_without_a_choice_or_an_open_reference_is_not_asked() -> None:
    request = plan_request(LOANS, "Lending rules", "Pay")
    assert planned(request, clarification=back("Laptops?", "t1")).clarification is None
    assert planned(request, clarification=back("Laptops?")).clarification is None
    assert planned(request, clarification=back("Laptops?")).queries


def test_what_the_question_leaves_open_is_asked_even_where_the_model_guessed() -> None:
    request = plan_request("How much does it cost?", "Harbor price list")
    made = planned(request, rewritten="How much does Harbor cost?", queries=["Harbor price"])
    assert made.clarification is not None
    assert made.clarification.question == "What does “it” refer to?"
    assert [option.text for option in made.clarification.options] == ["Harbor price list"]


def test_after_two_rounds_nothing_is_asked_back() -> None:
    request = plan_request("How much does it cost?", "Harbor", "Crane", left=0)
    made = planned(request, clarification=back("Harbor or Crane?", "t1", "t2"))
    assert made.clarification is None
    assert made.queries
