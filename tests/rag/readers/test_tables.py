"""A row answers when the question names it and its column, and every other word has its place."""

import pytest

from rag.values import Evidence, SourceStatus
from tests.rag.readers.material import answered, piece, quotes

PLANS = """Plan | Storage (GB) | Users | Monthly price (USD) | SSO | Support
Free | 5 | 3 | 0 | No | Community
Team | 100 | 25 | 12 | No | E-mail
Team Plus | 250 | 50 | 20 | Yes | -
Enterprise | 1000 | Unlimited | 49 | Yes | Phone"""
SPENDING = """Amount | Approver
up to 1,000 yuan | team lead
1,001 to 20,000 yuan | department head
more than 20,000 yuan | board"""
OFFERS = """项目 | 标准版 | 专业版
存储空间 | 50 GB | 500 GB
月费 | 29 元 | 99 元"""


def table(text: str, *, header: str = "", source: str = "s", title: str = "") -> Evidence:
    found = piece(text, source=source, title=title)
    change = {"content_type": "table", "table_header": header}
    return found.model_copy(update={"chunk": found.chunk.model_copy(update=change)})


@pytest.mark.parametrize(
    ("question", "told", "quoted"),
    [
        (
            "What is the storage of the Enterprise plan?",
            "Enterprise, Storage (GB): 1000",
            "Enterprise | 1000 | Unlimited | 49 | Yes | Phone",
        ),
        (
            "How many users does the Enterprise plan allow?",
            "Enterprise, Users: Unlimited",
            "Enterprise | 1000 | Unlimited | 49 | Yes | Phone",
        ),
        (
            "What does the Team Plus plan cost?",
            "Team Plus, Monthly price (USD): 20",
            "Team Plus | 250 | 50 | 20 | Yes | -",
        ),
        (
            "Does the Free plan include SSO?",
            "Free, SSO: No",
            "Free | 5 | 3 | 0 | No | Community",
        ),
    ],
)
async def test_the_claim_names_the_row_the_column_and_the_value(
    question: str, told: str, quoted: str
) -> None:
    draft = await answered(question, table(PLANS))
    (claim,) = draft.claims
    assert claim.text == told
    row, header = claim.citations
    assert (row.quote, header.quote) == (quoted, PLANS.split("\n", 1)[0])
    assert draft.gaps == ()


async def test_two_things_asked_of_one_row_are_both_told() -> None:
    question = "What are the storage and the price of the Enterprise plan?"
    draft = await answered(question, table(PLANS))
    (claim,) = draft.claims
    assert claim.text == "Enterprise, Storage (GB): 1000; Monthly price (USD): 49"
    assert claim.facets == ("f1", "f2")


async def test_a_row_of_a_proposal_is_told_as_one() -> None:
    current = table("Plan | Storage\nTeam | 100 GB\nFree | 5 GB", source="a", title="Plans")
    proposal = table("Plan | Storage\nTeam | 200 GB\nFree | 5 GB", source="b", title="Offers")
    change = {"status": SourceStatus.PROPOSED}
    proposal = proposal.model_copy(update={"source": proposal.source.model_copy(update=change)})
    told = await answered("What is the storage of the Team plan?", current, proposal)
    assert [claim.text for claim in told.claims] == ["Team, Storage: 100 GB"]
    told = await answered("What is the proposed storage of the Team plan?", current, proposal)
    assert told.claims[0].text == "Proposal only: Team, Storage: 200 GB"


async def test_a_row_that_denies_something_is_told_whole() -> None:
    draft = await answered("What is the storage of the Team plan?", table(PLANS))
    assert [claim.text for claim in draft.claims] == [
        "Plan: Team; Storage (GB): 100; Users: 25; Monthly price (USD): 12; SSO: No;"
        " Support: E-mail"
    ]


@pytest.mark.parametrize(
    "question",
    [
        "What is the storage of the Business plan?",
        "What is the bandwidth of the Team plan?",
        "What is the price of the Team plan in euros?",
        "What is the price of the Team plan per year?",
        "What is the storage for guests of the Team plan?",
        "What does storage cost on the Team plan?",
        "What is the storage?",
        "What is the storage of the Team plan per user?",
        "Does the Enterprise plan have unlimited storage?",  # its users are
        "What is the maximum storage of the Team plan?",
        "What kind of support comes with the Team Plus plan?",  # the cell is left blank
        "Which plan has the most storage?",
        "What is the old price of the Team plan?",
        "What is the price of the Team plan for 12 users?",
        "Plan",
    ],
)
async def test_what_the_table_does_not_say_is_not_told(question: str) -> None:
    assert (await answered(question, table(PLANS, title="Plans"))).claims == ()


@pytest.mark.parametrize(
    ("amount", "approver"),
    [("1,000 yuan", "team lead"), ("5,000 yuan", "department head"), ("30,000 yuan", "board")],
)
async def test_a_number_is_found_in_its_range(amount: str, approver: str) -> None:
    draft = await answered(f"Who is the approver of {amount}?", table(SPENDING))
    assert [claim.text.rsplit(": ", 1)[1] for claim in draft.claims] == [approver]


@pytest.mark.parametrize("amount", ["1,000 dollars", "1,000.5 yuan"])
async def test_a_number_of_another_unit_or_between_two_ranges_is_in_none(amount: str) -> None:
    assert (await answered(f"Who is the approver of {amount}?", table(SPENDING))).claims == ()


async def test_two_rows_of_one_name_are_both_told_in_full() -> None:
    offices = ("London | King Street | 1", "London | Dock Road | 2", "Berlin | Linden | 3")
    text = "\n".join(("Office | Street | Phone", *offices))
    draft = await answered("In which street is the London office?", table(text))
    assert [claim.text for claim in draft.claims] == [
        "Office: London; Street: King Street; Phone: 1",
        "Office: London; Street: Dock Road; Phone: 2",
    ]


async def test_a_table_may_have_its_names_in_the_first_column() -> None:
    draft = await answered("专业版的存储空间是多少？", table(OFFERS))
    assert [claim.text for claim in draft.claims] == ["存储空间，专业版：500 GB"]
    assert (await answered("专业版的备份空间是多少？", table(OFFERS))).claims == ()
    assert (await answered("专业版的年费是多少？", table(OFFERS))).claims == ()


async def test_a_header_that_stands_in_another_chunk_is_understood_and_never_invented() -> None:
    header, *rows = PLANS.split("\n")
    draft = await answered(
        "What is the storage of the Team plan?", table("\n".join(rows), header=header)
    )
    (claim,) = draft.claims
    assert "100" in claim.text
    assert [cited.quote for cited in claim.citations] == [rows[1]]


async def test_a_header_that_stands_in_another_chunk_at_hand_is_cited_from_there() -> None:
    header, *rows = PLANS.split("\n")
    first = table("\n".join((header, *rows[:2])))
    rest = "\n".join(rows[2:])
    later = first.chunk.model_copy(
        update={
            "id": "s:1",
            "start": len(first.chunk.text) + 1,
            "end": len(PLANS),
            "text": rest,
            "table_header": header,
        }
    )
    draft = await answered(
        "What is the storage of the Enterprise plan?",
        first,
        first.model_copy(update={"chunk": later}),
    )
    (claim,) = draft.claims
    assert claim.text == "Enterprise, Storage (GB): 1000"
    assert [(cited.chunk_id, cited.quote) for cited in claim.citations] == [
        ("s:1", rows[3]),
        ("s:0", header),
    ]


async def test_a_first_row_that_may_be_no_header_is_not_told_as_one() -> None:
    text = "Berlin | Ada Okafor\nMunich | Jonas Weber\nLondon | Priya Shah"
    draft = await answered("Who is the contact for Munich?", table(text, title="Contacts"))
    assert [claim.text for claim in draft.claims] == ["Munich, Jonas Weber"]
    assert (
        await answered("Who is the deputy for Munich?", table(text, title="Contacts"))
    ).claims == ()


SIZES = """Model | Grade | Price per 1M in (USD) | Price per 1M out (USD)
Lark-S | A | 0.10 | 0.30
Lark-M | B | 0.60 | 1.80"""


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("What is the price per 1M out of Lark-S?", ["Lark-S"]),
        ("What's the grade of Lark-M?", ["Lark-M"]),
        ("What is the grade of Lark-L?", []),
        ("Which model is of grade B?", ["Lark-M"]),
        ("Which model is of grade C?", []),
        ("Which model is of a grade?", []),
    ],
)
async def test_single_letters_tell_rows_apart(question: str, rows: list[str]) -> None:
    draft = await answered(question, table(SIZES, title="Models"))
    assert [claim.citations[0].quote.split(" | ")[0] for claim in draft.claims] == rows


async def test_words_that_are_a_part_of_a_columns_name_name_no_row() -> None:
    text = (
        "班次 | 上班时间 | 夜班补贴（元）\n早班 | 06:00 | 0\n中班 | 14:00 | 20\n夜班 | 22:00 | 60"
    )
    assert (await answered("夜班补贴是多少？", table(text))).claims == ()
    draft = await answered("夜班的夜班补贴是多少？", table(text))
    assert [claim.text for claim in draft.claims] == ["夜班，夜班补贴（元）：60"]


SPANNED = """Plan | Item | Price | | Limit
 | | monthly | yearly |
Team | Storage | 12 | 120 | 100
 | Users | 1 | 10 | 25
Free | Storage | 0 | 0 | 5
 | Users | 0 | 0 | 3"""


@pytest.mark.parametrize(
    "question",
    [
        "What is the limit of users?",  # of which plan is said in the row above
        "What is the price of Team storage?",  # the name of the column spans two
    ],
)
async def test_what_a_cell_over_several_rows_or_columns_says_is_not_guessed(question: str) -> None:
    assert (await answered(question, table(SPANNED))).claims == ()
    told = await answered("What is the limit of Team storage?", table(SPANNED))
    assert [claim.citations[0].quote for claim in told.claims] == [
        "Team | Storage | 12 | 120 | 100"
    ]


async def test_a_row_that_holds_sentences_answers_by_its_words() -> None:
    rules = "Topic | Rule\nTravel | A taxi is paid for after eight in the evening.\nMeals | None."
    draft = await answered("When is a taxi paid for?", table(rules))
    assert "after eight in the evening" in quotes(draft)


async def test_two_tables_that_differ_are_a_conflict() -> None:
    ours = table("Plan | Price\nTeam | 12 USD\nFree | 0 USD", source="a", title="Plans")
    theirs = table("Plan | Price\nTeam | 15 USD\nFree | 0 USD", source="b", title="Offers")
    draft = await answered("What is the price of the Team plan?", ours, theirs)
    assert {"12 USD", "15 USD"} == {claim.text.rsplit(": ", 1)[1] for claim in draft.claims}
    assert draft.conflicts
