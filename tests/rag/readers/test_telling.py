"""A question's own names: what carries another one, and what no source mentions."""

import pytest

from tests.rag.readers.material import answered, piece, planned, quotes

PUMPS = piece(
    """# 轻便型和重载型

Kestrel 轻便型每台控制柜最多连接 8 台水泵。
Kestrel 重载型每台控制柜最多连接 90 台水泵，并支持两台控制柜互为备份。
轻便型支持手动启动。
""",
    title="Kestrel 控制柜",
)
LAMPS = piece(
    """The Lumen Basic lamp is sold in four colours.
The Lumen Deluxe lamp runs for 40 hours on one charge.
The Orbit Basic lamp runs for 9 hours on one charge.
The Orbit Deluxe lamp runs for 31 hours on one charge.
In Q2 the workshop sold 310 lamps.
""",
    source="lamps",
    title="Lamps",
)


async def test_a_sibling_of_the_named_kind_does_not_answer() -> None:
    draft = await answered("轻便型支持多少台水泵？", PUMPS)
    assert "8 台水泵" in quotes(draft)
    assert "90" not in quotes(draft)


@pytest.mark.parametrize(
    ("question", "other"),
    [
        ("How long does the Orbit Basic lamp run on one charge?", "Deluxe"),
        ("How long does the Orbit Deluxe lamp run on one charge?", "Lumen"),
        ("How many lamps did the workshop sell in Q3?", "Q2"),
    ],
)
async def test_another_product_or_quarter_is_never_quoted(question: str, other: str) -> None:
    assert other not in quotes(await answered(question, LAMPS))


@pytest.mark.parametrize(
    "question",
    [
        "怎样在 iPad 上给 Kestrel 控制柜连接水泵？",
        "Kestrel 控制柜支持多少种语言？",
        "Can the Orbit Basic lamp run on one charge in Norway?",
    ],
)
async def test_what_no_source_mentions_leaves_a_gap(question: str) -> None:
    draft = await answered(question, PUMPS, LAMPS)
    assert draft.gaps
    assert draft.claims == ()


async def test_a_term_is_explained_by_its_definition() -> None:
    glossary = piece("- **RTO** - Regional Tram Office.\n- The RTO and the RTO team meet weekly.\n")
    draft = await answered("What does RTO stand for?", glossary)
    assert "Regional Tram Office" in quotes(draft)
    assert "meet weekly" not in quotes(draft)


async def test_a_condition_with_when_leaves_a_yes_or_no_question() -> None:
    rule = piece("If you smell gas in the workshop, DO NOT switch off the lamp.")
    draft = await answered("Should I switch off the lamp when I smell gas?", rule)
    assert "DO NOT switch off" in quotes(draft)
    assert draft.gaps == ()


async def test_a_denial_of_something_else_decides_nothing() -> None:
    rule = piece("Generally, no: as employees, we are not allowed to sign contracts of others.")
    draft = await answered("Are employees allowed to bring pets to the office?", rule)
    assert draft.gaps


@pytest.mark.parametrize("question", ["How do I request it?", "Where can we cancel them?"])
async def test_what_somebody_does_to_it_does_not_say_what_it_is(question: str) -> None:
    assert (await planned(question)).clarification is not None
