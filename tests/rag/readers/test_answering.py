"""What the extractive reader quotes, leaves open and sets side by side."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.values import SourceStatus
from tests.rag.readers.material import answered, piece, quotes, selected

BADGES = """# Badges

A badge is issued on the first working day by the front desk.
A lost badge must be reported within 12 hours.
A replacement costs 15 euros, unless the badge was stolen.
Visitors may not enter the workshop without an escort.

# Parking

Parking in the yard costs 40 euros a month.
However, electric cars park free of charge.
Bicycles are parked behind the canteen because the yard is too narrow.
Bring to the first day:
- the signed form
- a photograph

| Gate | Opens | Guard |
|---|---|---|
| North gate | 6:30 | Okafor |
| South gate | 8:00 | Lindqvist |
"""
KITCHEN = """# 厨房使用规定

每层厨房由保洁组每天 18:00 清洁一次。
冰箱里的食物最多存放五天，但是贴有姓名标签的可以存放十天。
微波炉损坏的，应在两小时内告诉物业主管陈岚。
厨房内不得使用明火。
咖啡机押金为 200 元，离职时退还。
夜间使用厨房的规则尚未确定。
"""


@pytest.mark.parametrize(
    ("question", "quoted"),
    [
        ("When must a lost badge be reported?", "within 12 hours"),
        ("How much does a replacement badge cost?", "unless the badge was stolen"),
        ("How much does parking cost in the yard?", "electric cars park free of charge"),
        ("Who issues a badge?", "by the front desk"),
        ("Why are bicycles parked behind the canteen?", "too narrow"),
        ("When does the north gate open?", "| North gate | 6:30 | Okafor |"),
        ("What must I bring to the first day?", "a photograph"),
        ("May visitors enter the workshop without an escort?", "may not enter"),
    ],
)
async def test_english_answers_quote_the_sentence(question: str, quoted: str) -> None:
    draft = await answered(question, piece(BADGES, title="House rules"))
    assert quoted in quotes(draft)
    assert draft.gaps == ()


@pytest.mark.parametrize(
    ("question", "quoted"),
    [
        ("厨房由谁清洁？", "保洁组"),
        ("厨房每天几点清洁？", "18:00"),
        ("冰箱里的食物可以存放多久？", "贴有姓名标签的可以存放十天"),
        ("微波炉损坏要在多久内告诉谁？", "两小时内"),
        ("厨房内可以使用明火吗？", "不得使用明火"),
        ("咖啡机押金是多少？", "200 元"),
    ],
)
async def test_chinese_answers_quote_the_sentence(question: str, quoted: str) -> None:
    draft = await answered(question, piece(KITCHEN, title="厨房"))
    assert quoted in quotes(draft)
    assert draft.gaps == ()


@pytest.mark.parametrize(
    "question",
    [
        "How many days of parental leave are there?",
        "What is the wifi password?",
        "Who won the chess tournament?",
        "年终奖什么时候发放？",
        "打印机的墨盒去哪里领取？",
        "出差住宿标准是多少？",
    ],
)
async def test_what_no_source_states_is_a_gap(question: str) -> None:
    draft = await answered(question, piece(BADGES, source="a"), piece(KITCHEN, source="b"))
    assert draft.claims == ()
    assert len(draft.gaps) == 1
    assert question.rstrip("？?") in draft.gaps[0]
    assert "“" in draft.gaps[0]


async def test_one_facet_can_be_answered_and_another_not() -> None:
    draft = await answered("咖啡机押金是多少？咖啡机保修期多长？", piece(KITCHEN))
    assert "200 元" in quotes(draft)
    assert len(draft.gaps) == 1
    assert "保修期" in draft.gaps[0]


async def test_an_open_question_is_quoted_and_stays_open() -> None:
    text = (
        "Guests leave by eight.\nHow long a guest may see the recordings after leaving "
        "has not been decided.\nThe recordings of the yard are kept for 9 days."
    )
    draft = await answered("How long may a guest see the recordings after leaving?", piece(text))
    assert "has not been decided" in quotes(draft)
    assert "9 days" not in quotes(draft)
    assert len(draft.gaps) == 1


async def test_response_is_not_turned_into_repair() -> None:
    text = "供应商在接到电梯故障报修后 3 小时内到场响应。\n电梯每月保养一次。"
    draft = await answered("电梯故障是否保证三小时修复？", piece(text))
    assert len(draft.gaps) == 1
    assert "修复" in draft.gaps[0]
    assert all(claim.text.startswith("引文只写明：") for claim in draft.claims)


async def test_a_denial_decides_a_yes_or_no_question() -> None:
    text = (
        "Status 202 only means that the job is queued; it does not mean that the "
        "printer has printed it.\nJobs are numbered."
    )
    draft = await answered(
        "Does status 202 mean that the printer has printed the job?", piece(text)
    )
    assert "does not mean that the printer has printed it" in quotes(draft)
    assert draft.gaps == ()


async def test_a_shorter_time_does_not_establish_a_longer_one() -> None:
    draft = await answered(
        "Will a cache that keeps 8 hours restore a gap of 9 hours?",
        piece("The cache keeps 8 hours of readings.\nThe sensor is blue."),
    )
    assert draft.gaps or "8 hours" in quotes(draft)
    assert "9" not in quotes(draft)


async def test_headings_are_never_quoted() -> None:
    draft = await answered("What are the house rules on badges?", piece(BADGES, offset=70))
    assert "#" not in quotes(draft)


async def test_a_row_is_quoted_with_its_header() -> None:
    draft = await answered("Who is the guard at the south gate?", piece(BADGES))
    claim = draft.claims[0]
    assert [c.quote for c in claim.citations] == [
        "| South gate | 8:00 | Lindqvist |",
        "| Gate | Opens | Guard |",
    ]


async def test_another_name_does_not_answer() -> None:
    draft = await answered(
        "Nimbus 的日志保留多久？", piece("Cirrus 的日志保留 40 天。", title="Cirrus")
    )
    assert "40 天" not in quotes(draft)
    assert draft.gaps


async def test_the_present_rests_on_current_sources_alone() -> None:
    current = piece("The visiting limit is 2 hours.", source="now")
    planned = piece(
        "The visiting limit is raised to 3 hours; pending review.",
        source="b7",
        status=SourceStatus.PROPOSED,
    )
    draft = await answered("What is the visiting limit?", current, planned)
    assert quotes(draft) == "The visiting limit is 2 hours."
    assert draft.conflicts == ()
    only = await answered("What is the visiting limit?", planned)
    assert only.claims == ()
    assert only.gaps


async def test_a_pending_change_is_shown_beside_what_holds() -> None:
    current = piece("探访时间上限为 2 小时。", source="now", title="探访规定")
    planned = piece(
        "B7 提议把探访时间上限从 2 小时提高到 3 小时，目前待评审，尚未生效。",
        source="b7",
        title="提案 B7",
        status=SourceStatus.PROPOSED,
    )
    draft = await answered("B7 生效了吗？", current, planned)
    assert {c.source_id for claim in draft.claims for c in claim.citations} == {"now", "b7"}
    assert "待评审" in quotes(draft)
    assert next(c for c in draft.claims if "B7" in c.text).text.startswith("仅为提案：")
    assert draft.gaps == ()
    assert draft.conflicts == ()


async def test_a_proposal_without_the_current_rule_lacks_a_side() -> None:
    planned = piece(
        "B7 raises the limit to 3 hours and is pending review.",
        source="b7",
        status=SourceStatus.PROPOSED,
    )
    draft = await answered("Is B7 in force?", planned)
    assert "pending review" in quotes(draft)
    assert len(draft.gaps) == 1


async def test_two_sources_with_different_values_conflict() -> None:
    left = piece("Lockers unused for 14 days must be emptied.", source="a")
    right = piece("Lockers unused for 21 days must be emptied by their holder.", source="b")
    draft = await answered("After how many days must unused lockers be emptied?", left, right)
    assert len(draft.conflicts) == 1
    assert draft.conflicts[0].asked
    assert all(side in draft.claims for side in draft.conflicts[0].sides)
    assert {c.citations[0].source_id for c in draft.conflicts[0].sides} == {"a", "b"}


@pytest.mark.parametrize(
    ("left", "right", "question"),
    [
        ("访客停车每次最多 3 小时。", "访客停车每次最多 5 小时。", "访客停车最多多久？"),
        ("会议室押金为 100 元。", "会议室押金为 150 元。", "会议室押金是多少？"),
        (
            "The fire drill takes place on 3 March 2026.",
            "The fire drill takes place on 9 March 2026.",
            "When does the fire drill take place?",
        ),
        ("Guests may use the sauna.", "Guests may not use the sauna.", "May guests use the sauna?"),
    ],
)
async def test_conflicts_of_every_kind(left: str, right: str, question: str) -> None:
    draft = await answered(question, piece(left, source="a"), piece(right, source="b"))
    assert len(draft.conflicts) == 1, draft


@pytest.mark.parametrize(
    ("left", "right", "question"),
    [
        ("会议室押金为 100 元。", "会议室押金为一百元。", "会议室押金是多少？"),
        (
            "The Nimbus plan keeps logs for 30 days.",
            "The Cirrus plan keeps logs for 90 days.",
            "How long are logs kept?",
        ),
        (
            "The drill takes four hours.",
            "The drill takes 4 hours.",
            "How long does the drill take?",
        ),
        ("Lockers cost 5 euros.", "Lockers are emptied after 9 days.", "What about lockers?"),
    ],
)
async def test_what_is_no_conflict(left: str, right: str, question: str) -> None:
    draft = await answered(question, piece(left, source="a"), piece(right, source="b"))
    assert draft.conflicts == ()


async def test_a_question_about_agreement_alone_is_answered_by_the_conflict() -> None:
    left, right = (
        piece("柜子空置八天后清空。", source="a"),
        piece("柜子空置六天后清空。", source="b"),
    )
    draft = await answered("柜子空置多少天后清空？两份规定一致吗？", left, right)
    assert draft.conflicts
    assert draft.gaps == ()
    same = await answered("柜子空置多少天后清空？两份规定有矛盾吗？", left)
    assert len(same.gaps) == 1


async def test_selection_keeps_both_sides_and_names_what_is_missing() -> None:
    left, right = piece("押金为 100 元。", source="a"), piece("押金为 150 元。", source="b")
    other = piece("食堂在二楼。", source="c")
    plan, selection = await selected("押金是多少？校车几点发车？", left, right, other)
    assert set(selection.chunk_ids) == {"a:0", "b:0"}
    assert selection.missing == (plan.facets[1].id,)
    assert selection.contradictions[0].chunk_ids in {("a:0", "b:0"), ("b:0", "a:0")}
    assert [v.relevant for v in selection.verdicts] == [True, True, False]


async def test_the_same_request_gets_the_same_reply() -> None:
    first = await answered("When must a lost badge be reported?", piece(BADGES))
    assert first == await answered("When must a lost badge be reported?", piece(BADGES))


async def test_ten_thousand_characters_take_a_moment() -> None:
    evidence = [piece((BADGES if n % 2 else KITCHEN) * 4, source=f"s{n}") for n in range(9)]
    assert sum(len(each.chunk.text) for each in evidence) > 9_000
    await answered("When must a lost badge be reported?", *evidence)
    start = time.perf_counter()
    await answered("咖啡机押金是多少？", *evidence)
    assert time.perf_counter() - start < 1.0


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\x00",
        "\ud800 lone",
        "🙂🙂🙂",
        "مرحبا بالعالم. كم السعر؟ ١٢٣",
        "a" * 5000,
        "((((" * 900,
        "1,1,1," * 900,
        "| |" * 500,
        "一" * 3000,
    ],
)
async def test_no_text_breaks_the_reader(text: str) -> None:
    start = time.perf_counter()
    await answered(
        "How much does a badge cost, and 它多少钱?", piece(text), piece(BADGES, source="b")
    )
    assert time.perf_counter() - start < 3.0


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=120), st.text(max_size=400))
async def test_any_question_and_any_text(question: str, text: str) -> None:
    draft = await answered(question, piece(text), piece(KITCHEN, source="b"))
    assert draft.claims or draft.gaps or not question.strip()
