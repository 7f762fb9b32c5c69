"""How questions are understood: facets, references, time, queries."""

import pytest

from rag.values import TimeState, Turn
from tests.rag.readers.material import planned


@pytest.mark.parametrize(
    ("question", "facets"),
    [
        ("咖啡机谁维护？坏了找谁？", 2),
        ("基础版和专业版各有多少席位，日志保留多久？", 4),
        ("租约 L-77 的租金和押金是多少？", 2),
        ("停车费是多少", 1),
        ("鲸鱼和海豚之间的区别是什么？", 1),
        ("出差坐火车，要谁批准，提前几天申请？", 2),
        ("缓存保留 2 小时，能恢复 3 小时前的数据吗？", 1),
        ("Nimbus 和 Cirrus 的配额是多少？", 2),
        ("What are the deposit and the rent of lease L-77?", 2),
        ("Who maintains the coffee machine, and how often is it cleaned?", 2),
        ("If my badge is lost, whom do I tell and what does a new one cost?", 2),
        ("Who is the head of Research and Development?", 1),
        ("The printer is broken. Who repairs it?", 1),
        ("parking fee visitors", 1),
        ("？", 1),
    ],
)
async def test_a_question_has_its_facets(question: str, facets: int) -> None:
    plan = await planned(question)
    assert len(plan.facets) == facets, [facet.text for facet in plan.facets]
    assert len({facet.id for facet in plan.facets}) == facets


async def test_coordinated_facets_share_their_head() -> None:
    plan = await planned("租约 L-77 的租金和押金是多少？")
    assert [facet.text for facet in plan.facets] == [
        "租约 L-77 的租金是多少",
        "租约 L-77 的押金是多少",
    ]


async def test_a_thin_facet_carries_the_subject() -> None:
    plan = await planned("遗失门禁卡要多久内报告？赔多少？")
    assert "门禁卡" in plan.facets[1].text


@pytest.mark.parametrize(
    "question",
    [
        "And that one?",
        "How long does it take?",
        "Is that allowed?",
        "What does that include?",
        "How much does it cost?",
        "它多久？",
        "这个呢？",
        "那个要多少钱？",
        "它们由谁负责？",
        "夜班呢？",
    ],
)
async def test_a_reference_to_nothing_is_asked_back(question: str) -> None:
    plan = await planned(question, titles=("Night shifts", "夜班安排"))
    assert plan.clarification is not None
    assert plan.clarification.question
    assert plan.queries == ()
    assert len(plan.clarification.options) <= 5


@pytest.mark.parametrize(
    "question",
    [
        "Is it allowed to park overnight?",
        "How long does it take to get a badge?",
        "Is it ok if I bring a guest?",
        "If I lose my badge, when must I report it?",
        "Can I cancel the room that I booked?",
        "Who cleans the kitchen and how often do they do it?",
        "What time is it in Lisbon?",
        "What is the rent this quarter?",
        "这个季度的租金是多少？",
        "那现在可以停车了吗？",
        "门禁卡丢了，它怎么补办？",
        "其他人可以使用会议室吗？",
        "其中哪些需要审批？",
        "what about the parking fee?",
    ],
)
async def test_nothing_is_asked_back_without_need(question: str) -> None:
    assert (await planned(question, titles=("Badges", "门禁"))).clarification is None


async def test_the_question_back_is_in_the_askers_language() -> None:
    chinese, english = await planned("它多久？"), await planned("And that one?")
    assert chinese.clarification is not None
    assert english.clarification is not None
    assert "哪一个" in chinese.clarification.question
    assert english.clarification.question.startswith("What does")
    assert (chinese.language, english.language) == ("zh", "en")


async def test_options_that_fit_come_first() -> None:
    plan = await planned("那个租金多少？", titles=("Kitchen rules", "仓库租金表"))
    assert plan.clarification is not None
    assert plan.clarification.options[0].text == "仓库租金表"


async def test_a_title_alone_never_resolves_a_reference() -> None:
    plan = await planned("How long does it last?", titles=("Warranty of the Nimbus router",))
    assert plan.clarification is not None
    assert "Nimbus" not in plan.rewritten


async def test_without_rounds_left_nothing_is_asked_back() -> None:
    assert (await planned("它多久？", left=0)).clarification is None


@pytest.mark.parametrize(
    ("earlier", "question", "rewritten"),
    [
        ("Nimbus 专业版支持多少席位？", "它保留多久？", "Nimbus 专业版保留多久？"),
        ("Nimbus 专业版支持多少席位？", "基础版呢？", "Nimbus 基础版支持多少席位？"),
        ("租约 L-77 的租金是多少？", "那它的押金呢？", "租约 L-77的押金"),
        (
            "How many seats does Nimbus Pro have?",
            "How long does it keep logs?",
            "does Nimbus Pro keep",
        ),
        (
            "How many seats does Pro have?",
            "and what about Basic?",
            "How many seats does Basic have?",
        ),
        ("What is the parking fee?", "what about visitors?", "What is the parking fee visitors"),
    ],
)
async def test_an_earlier_turn_resolves(earlier: str, question: str, rewritten: str) -> None:
    plan = await planned(question, turns=(Turn(task="a", question=earlier, reply="…"),))
    assert rewritten in plan.rewritten
    assert plan.clarification is None


async def test_a_reply_to_a_question_back_fills_the_first_question() -> None:
    asked = Turn(task="a", question="那个要多少钱？", reply="“那个”指的是哪一个？", clarifying=True)
    plan = await planned("仓库 B", turns=(asked,))
    assert plan.rewritten == "仓库 B要多少钱？"
    assert plan.clarification is None


@pytest.mark.parametrize(
    ("question", "state"),
    [
        ("Is plan B7 in force?", TimeState.PROPOSED),
        ("B7 生效了吗？", TimeState.PROPOSED),
        ("提案 B7 改了哪些内容？", TimeState.PROPOSED),
        ("What did the badge used to cost?", TimeState.HISTORICAL),
        ("旧版的押金是多少？", TimeState.HISTORICAL),
        ("What changed in the parking rules?", TimeState.COMPARE),
        ("B7 和现行规定有什么区别？", TimeState.COMPARE),
        ("停车费是多少？", TimeState.CURRENT),
        ("What is the parking fee?", TimeState.CURRENT),
    ],
)
async def test_the_time_a_question_is_about(question: str, state: TimeState) -> None:
    assert (await planned(question)).time_state is state


async def test_a_named_proposal_brings_its_title_as_search_words() -> None:
    plan = await planned("Is B7 in force?", titles=("Rules", "Proposal B7: longer visiting hours"))
    assert "Proposal B7: longer visiting hours" in plan.queries
    assert len(plan.queries) <= 3


async def test_titles_of_one_pattern_are_asked_apart() -> None:
    titles = ("Nimbus price list", "Cirrus price list", "Kitchen rules")
    plan = await planned("What is the price list?", titles=titles)
    assert plan.clarification is not None
    assert {option.text for option in plan.clarification.options} == set(titles[:2])
    assert (await planned("What is the Cirrus price list?", titles=titles)).clarification is None


async def test_queries_stay_within_three() -> None:
    plan = await planned("A 柜几点开？B 柜几点开？C 柜谁管？D 柜谁管？E 柜多大？")
    assert 1 <= len(plan.queries) <= 3
    assert len(plan.facets) == 5


async def test_options_follow_earlier_turns_where_the_question_says_nothing() -> None:
    turns = tuple(
        Turn(task=task, question=question, reply="By hand.")
        for task, question in (("a", "Is the roof garden watered?"), ("b", "How?"))
    )
    plan = await planned("Is it locked?", titles=("Canteen", "Roof garden", "Forms"), turns=turns)
    assert plan.clarification is not None
    assert plan.clarification.options[0].text == "Roof garden"
