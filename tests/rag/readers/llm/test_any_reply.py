"""Whatever a model replies, what is taken from it holds what was given and exact quotes."""

import string

from hypothesis import given, settings
from hypothesis import strategies as st

from rag.errors import FormatInvalid
from rag.readers.llm import answer, plan, select
from rag.readers.llm.answer import AnswerReply
from rag.readers.llm.plan import PlanReply
from rag.readers.llm.select import SelectReply
from rag.values import Citation, TimeState
from tests.rag.readers.llm.asking import answer_request, plan_request, select_request
from tests.rag.readers.material import piece

TEXT = (
    "# Fees\n\nThe fee for visitors is 40 euros, but not for members. Members pay nothing.\n\n"
    "| Who | Fee |\n|---|---|\n| Guests | 12 |\n\n"
    "年假为十五天，\n须提前三天申请（直属 经理批准）。\n"
)
OTHER = "The fee for visitors is 50 euros.\nAsk the desk at desk@crane.example.\n"
ITEMS = (piece(TEXT, source="a", offset=40), piece(OTHER, source="b"))
NAMES = st.sampled_from(["c1", "c2", "c2", "c1", "c3", "a:0", ""])
FACETS = st.lists(st.sampled_from(["f1", "f2", "f1", "f9"]), max_size=2)
SIGNS = st.text(string.ascii_letters + " .,0“”…年<\n\u00ad\u200b\U000e0041１", max_size=12)


@st.composite
def words(draw: st.DrawFn) -> str:
    """A stretch of one of the texts, whole or with something changed, dropped or put in."""
    text = draw(st.sampled_from([TEXT, OTHER]))
    start = draw(st.integers(0, len(text) - 1))
    end = draw(st.integers(start, len(text)))
    middle = draw(st.integers(start, end))
    return text[start:middle] + draw(st.one_of(st.just(""), SIGNS)) + text[middle:end]


def answers() -> st.SearchStrategy[AnswerReply]:
    quotes = st.lists(st.fixed_dictionaries({"chunk": NAMES, "words": words()}), max_size=3)
    said = {"text": st.one_of(words(), SIGNS).filter(bool), "facets": FACETS, "quotes": quotes}
    pair = st.fixed_dictionaries({"left": st.integers(0, 4), "right": st.integers(0, 4)})
    fields = {
        "claims": st.lists(st.fixed_dictionaries(said), max_size=4),
        "gaps": FACETS,
        "conflicts": st.lists(pair, max_size=2),
    }
    return st.fixed_dictionaries(fields).map(AnswerReply.model_validate)


def exact(citation: Citation) -> bool:
    item = next(each for each in ITEMS if each.chunk.id == citation.chunk_id)
    chunk = item.chunk
    inside = chunk.text[citation.start - chunk.start : citation.end - chunk.start]
    clear = all(citation.end <= begin or stop <= citation.start for begin, stop in chunk.headings)
    named = (citation.source_id, citation.snapshot) == (chunk.source_id, chunk.snapshot)
    return inside == citation.quote and clear and named


@given(reply=answers())
@settings(max_examples=100, deadline=None)
def test_every_quote_that_stands_is_exact(reply: AnswerReply) -> None:
    request = answer_request("What is the fee?", *ITEMS, asks=("the fee", "the desk"))
    try:
        draft, heard = answer.taken(request, reply)
    except FormatInvalid:
        return
    assert all(exact(cited) for claim in draft.claims for cited in claim.citations)
    assert all(side in draft.claims for conflict in draft.conflicts for side in conflict.sides)
    assert heard.proposed == sum(len(claim.quotes) for claim in reply.claims)
    assert {facet for claim in draft.claims for facet in claim.facets} <= {"f1", "f2"}


@given(
    rewritten=words().filter(bool),
    facet=words().filter(bool),
    state=st.sampled_from(TimeState),
    titles=st.lists(st.sampled_from(["t1", "t2", "t9"]), max_size=3),
    asked=words(),
)
@settings(max_examples=60, deadline=None)
def test_a_plan_shows_the_asker_s_words_and_given_titles(
    rewritten: str, facet: str, state: TimeState, titles: list[str], asked: str
) -> None:
    request = plan_request("What is the fee in Bern?", "Bern fees", "Basel fees")
    reply = PlanReply.model_validate(
        {
            "intent": "x",
            "rewritten": rewritten,
            "facets": [facet],
            "queries": [rewritten[:80]],
            "time_state": state,
            "clarification": {"question": asked, "titles": titles},
        }
    )
    try:
        made = plan.taken(request, reply)
    except FormatInvalid:
        assert "t9" in titles
        return
    options = made.clarification.options if made.clarification else ()
    assert {option.text for option in options} <= {"Bern fees", "Basel fees"}
    shown = " ".join([made.rewritten, *(each.text for each in made.facets)])
    assert not any(word in shown for word in ("visitors", "members", "40", "十五"))


@given(
    chosen=st.lists(st.fixed_dictionaries({"id": NAMES, "facets": FACETS}), max_size=5),
    left=NAMES,
    right=NAMES,
)
@settings(max_examples=60, deadline=None)
def test_a_selection_names_given_chunks_within_the_limit(
    chosen: list[dict[str, object]], left: str, right: str
) -> None:
    request = select_request("What is the fee?", *ITEMS, limit=1)
    fields = {"relevant": chosen, "contradictions": [{"left": left, "right": right}]}
    try:
        made = select.taken(request, SelectReply.model_validate(fields))
    except FormatInvalid:
        return
    assert len(made.chunk_ids) <= 1
    assert set(made.chunk_ids) <= {"a:0", "b:0"}
    assert all(set(pair.chunk_ids) <= set(made.chunk_ids) for pair in made.contradictions)
